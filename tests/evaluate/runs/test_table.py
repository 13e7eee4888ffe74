"""The table of the player against referees: what it counts, worked by hand on three games."""

from __future__ import annotations

import math
from typing import Any

import pytest

from configs.settings import load
from evaluate.errors import RunError
from evaluate.referee.spec import HINT_ALONE
from evaluate.runs.record import PlayRecord
from evaluate.runs.table import make_table
from tests.contracts.records import game_record, play_record
from tests.fakes import each

JUDGES = [(HINT_ALONE, 0), ("oracle", 0), ("random", 0), ("random", 1)]


def play(won: bool, confidence: float, private_score: float = 50.0) -> PlayRecord:
    guess = {"opening_sentence": "", "confidence": confidence}
    return play_record(
        won=won, sentence_exact=won, private_score=private_score, guess=guess
    )


FIRST = [play(True, 0.5), play(True, 0.9, 80.0), play(True, 0.5), play(False, 0.5)]
SECOND = [play(False, 0.5), play(True, 0.8, 70.0), play(False, 0.5), play(False, 0.5)]
PLAYED = (
    game_record(game_id="g1", plays=FIRST),
    game_record(game_id="g2", plays=SECOND),
    game_record(game_id="lost", plays=[], truth=None),
    game_record(game_id="no", answerable=False),
)


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    return make_table(PLAYED, JUDGES, "f", load(), 0)


def test_a_game_lost_at_ingest_counts_as_lost_with_score_0(
    table: dict[str, Any],
) -> None:
    assert (table["games"], table["lost_at_ingest"]) == (3, 1)
    oracle = table["referees"][0]
    assert (oracle["won"], oracle["private_score"]) == pytest.approx(
        (2 / 3, (80 + 70) / 3), abs=1e-6
    )
    assert oracle["won_interval"][0] < 2 / 3 < oracle["won_interval"][1]


def test_repeats_of_a_game_are_no_games_of_their_own(table: dict[str, Any]) -> None:
    random = table["referees"][1]
    assert (random["referee"], random["plays"]) == ("random", 2)
    assert random["won"] == pytest.approx((0.5 + 0 + 0) / 3, abs=1e-6)


def test_it_stands_next_to_the_hint_alone(table: dict[str, Any]) -> None:
    assert table["hint_alone"]["won"] == pytest.approx(1 / 3, abs=1e-6)
    gains = each(table["referees"], "won_more_than_hint")
    assert gains == pytest.approx([1 / 3, -1 / 6], abs=1e-6)
    # no share, so that a difference of no game at all has no width
    assert table["hint_alone"]["won_more_than_hint_interval"] == [0.0, 0.0]
    assert table["per_game"][0] == {
        "game_id": "g1",
        "won": {HINT_ALONE: 1.0, "oracle": 1.0, "random": 0.5},
    }


def test_confidence_is_judged_by_the_games_that_were_played(
    table: dict[str, Any],
) -> None:
    oracle, random = table["referees"]
    assert oracle["brier"] == pytest.approx((0.1**2 + 0.2**2) / 2)
    assert oracle["log_score"] == pytest.approx(-(math.log(0.9) + math.log(0.8)) / 2)
    assert (random["brier"], random["log_score"]) == pytest.approx(
        (0.25, math.log(2.0))
    )
    assert oracle["confidence"] == pytest.approx(0.85)


def test_games_of_which_none_is_answerable_are_refused() -> None:
    with pytest.raises(RunError, match="None of the 1 games of --games is answerable"):
        make_table([game_record(answerable=False)], JUDGES, "f", load(), 0)
