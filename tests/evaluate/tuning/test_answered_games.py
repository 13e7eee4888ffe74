"""Beliefs over games answered once: the player's own update, all at once, under any error rates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quarry.configs.settings import GameSettings, load
from quarry.evaluate.referee import make_referee
from quarry.evaluate.tuning.answered_games import AnsweredGames, beliefs, prepare_answers
from quarry.evaluate.tuning.error_rates import ERROR_RATES, JudgedBelief
from quarry.ingest.paragraph import Paragraph
from quarry.player.questions.referees import error_model_of
from tests.evaluate.fakes import course_games
from tests.player.fakes import course, dense_player

SPECS = ("oracle", "noisy:0.30,0.20", "random")


@pytest.fixture(scope="module")
def matched() -> dict[str, Paragraph | None]:
    paragraphs = {item.paragraph_id: item for item in course()}
    games = {game.game_id: paragraphs.get(game.paragraph_id or "") for game in course_games(course())}
    return {**games, next(reversed(games)): None}


@pytest.fixture(scope="module")
def answered(matched: dict[str, Paragraph | None]) -> AnsweredGames:
    referees = {spec: made for spec in SPECS if (made := make_referee(spec, 3)) is not None}
    return prepare_answers(course_games(course()), matched, dense_player(course()), referees, progress=False)


def test_games_whose_paragraph_is_not_there_are_left_out(
    answered: AnsweredGames, matched: dict[str, Paragraph | None]
) -> None:
    assert len(answered.games) == len(course_games(course())) - 1
    assert len(answered.answers) == len(answered.games)
    assert all(len(each) == 20 for by_referee in answered.answers for each in by_referee)
    assert all(len(by_referee) == len(SPECS) for by_referee in answered.answers)


def test_the_oracle_is_believed(answered: AnsweredGames) -> None:
    _, first = beliefs(answered, error_model_of(load().game))
    assert first[1:, 0].all()
    assert not first[:, 2].all()


def test_the_objective_is_the_mean_log_score_and_games_are_one_value_each() -> None:
    judged = JudgedBelief(
        np.array([[-1.0, -3.0], [0.0, -2.0]]), np.array([[True, False], [True, True]]), ("oracle", "random")
    )
    assert judged.objective == -1.5
    assert judged.by_game.tolist() == [-2.0, -1.0]
    assert judged.as_json(0)["measures"] == {
        "log score": -1.5,
        "win rate": 0.75,
        "log score, oracle": -0.5,
        "win rate, oracle": 1.0,
        "log score, random": -2.5,
        "win rate, random": 0.5,
    }


def test_trust_in_answers_pays_with_a_sound_referee(answered: AnsweredGames) -> None:
    def score(settings: GameSettings) -> float:
        return float(beliefs(answered, error_model_of(settings))[0][1:, 0].mean())

    trusting = replace(load().game, careless_share=0.001, useless_share=0.001)
    doubting = replace(load().game, careless_share=0.001, useless_share=0.8)
    assert score(trusting) > score(doubting)


def test_the_first_trial_is_the_untuned_settings() -> None:
    base = load().game
    found = ERROR_RATES.settings_of(ERROR_RATES.values_of(base), base)
    for key in ERROR_RATES.tuned:
        assert getattr(found, key) == pytest.approx(getattr(base, key), abs=0.01)
