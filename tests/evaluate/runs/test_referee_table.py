"""The table of the player against referees: what it counts, worked by hand on three games."""

import math
from typing import Any

import pytest

from configs.settings import load
from evaluate.errors import RunError
from evaluate.referee.spec import HINT_ALONE
from evaluate.replay.replay import Replay
from evaluate.runs.record import PlayRecord
from evaluate.runs.referee_table import make_table
from tests.contracts.records import game_record, play_record
from tests.evaluate.fakes import labelled_game


def play(won: bool, confidence: float = 0.5, score: float = 50.0) -> PlayRecord:
    guess = {"opening_sentence": "", "confidence": confidence}
    return play_record(won=won, private_score=score, guess=guess)


def test_the_table_counts_wins_gains_and_confidence() -> None:
    referees = [(HINT_ALONE, 0), ("oracle", 0), ("random", 0), ("random", 1)]
    first = [play(True), play(True, 0.9, 80.0), play(True), play(False)]
    second = [play(False), play(True, 0.8, 70.0), play(False), play(False)]
    records = (
        game_record(game_id="g1", plays=first),
        game_record(game_id="g2", plays=second),
        game_record(game_id="lost", truth=None),
    )
    table = make_table(records, referees, "f", load(), 0)
    assert (table["games"], table["lost_at_ingest"]) == (3, 1)
    won = {HINT_ALONE: 1.0, "oracle": 1.0, "random": 0.5}
    assert table["per_game"][0] == {"game_id": "g1", "won": won}

    hint_alone, (oracle, random) = table["hint_alone"], table["referees"]
    assert (random["referee"], random["plays"]) == ("random", 2)
    # a game lost at ingest counts as lost, repeats count as one game, and confidence is judged by the played games
    for line, figures in (
        (hint_alone, {"won": 1 / 3, "won_more_than_hint": 0.0}),
        (
            oracle,
            {
                "won": 2 / 3,
                "won_more_than_hint": 1 / 3,
                "private_score": (80 + 70) / 3,
                "confidence": 0.85,
                "brier": (0.1**2 + 0.2**2) / 2,
                "log_score": -math.log(0.9 * 0.8) / 2,
            },
        ),
        (
            random,
            {
                "won": (0.5 + 0 + 0) / 3,
                "won_more_than_hint": -1 / 6,
                "brier": 0.25,
                "log_score": math.log(2.0),
            },
        ),
    ):
        for name, value in figures.items():
            assert line[name] == pytest.approx(value, abs=1e-6), name

    low, high = oracle["won_interval"]
    assert low < 2 / 3 < high
    # no share, so that a difference of no game at all has no width
    assert hint_alone["won_more_than_hint_interval"] == [0.0, 0.0]


def test_games_of_which_none_is_answerable_are_refused() -> None:
    course: Any = None
    replay = Replay([labelled_game(answerable=False)], course, load())
    with pytest.raises(RunError, match="None of the 1 games of --games is answerable"):
        replay.table()
