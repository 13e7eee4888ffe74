"""The table of the player against referees: what it counts, worked by hand on three games."""

import math
from typing import Any

import pytest

from configs.settings import load
from evaluate.errors import RunError
from evaluate.referee.spec import HINT_ALONE
from evaluate.replay.replay import Replay
from evaluate.runs.record import PlayRecord
from evaluate.runs.table import make_table
from tests.contracts.records import game_record, play_record
from tests.evaluate.fakes import labelled_game
from tests.fakes import each

REFEREES = [
    (HINT_ALONE, 0),
    ("oracle", 0),
    ("random", 0),
    ("random", 1),
]


def play(
    won: bool,
    confidence: float = 0.5,
    private_score: float = 50.0,
) -> PlayRecord:
    guess = {"opening_sentence": "", "confidence": confidence}
    return play_record(won=won, private_score=private_score, guess=guess)


def test_the_table_counts_wins_gains_and_confidence() -> None:
    # plays against the hint alone, the oracle, and two random ones
    first = [play(True), play(True, 0.9, 80.0), play(True), play(False)]
    second = [play(False), play(True, 0.8, 70.0), play(False), play(False)]
    records = (
        game_record(game_id="g1", plays=first),
        game_record(game_id="g2", plays=second),
        game_record(game_id="lost", truth=None),
    )
    table = make_table(records, REFEREES, "f", load(), 0)
    oracle, random = table["referees"]

    # a game lost at ingest counts as lost, and repeats count as one game
    assert (table["games"], table["lost_at_ingest"]) == (3, 1)
    assert oracle["won"] == pytest.approx(2 / 3, abs=1e-6)
    assert oracle["private_score"] == pytest.approx((80 + 70) / 3)
    low, high = oracle["won_interval"]
    assert low < 2 / 3 < high
    assert (random["referee"], random["plays"]) == ("random", 2)
    assert random["won"] == pytest.approx((0.5 + 0 + 0) / 3, abs=1e-6)

    # referees are compared with the hint alone
    assert table["hint_alone"]["won"] == pytest.approx(1 / 3, abs=1e-6)
    gains = each(table["referees"], "won_more_than_hint")
    assert gains == pytest.approx([1 / 3, -1 / 6], abs=1e-6)
    # no share, so that a difference of no game at all has no width
    assert table["hint_alone"]["won_more_than_hint_interval"] == [0.0, 0.0]
    assert table["per_game"][0] == {
        "game_id": "g1",
        "won": {HINT_ALONE: 1.0, "oracle": 1.0, "random": 0.5},
    }

    # confidence is judged by the games that were played
    assert oracle["brier"] == pytest.approx((0.1**2 + 0.2**2) / 2)
    assert oracle["log_score"] == pytest.approx(-math.log(0.9 * 0.8) / 2)
    assert random["brier"] == 0.25
    assert random["log_score"] == pytest.approx(math.log(2.0))
    assert oracle["confidence"] == pytest.approx(0.85)


def test_games_of_which_none_is_answerable_are_refused() -> None:
    course: Any = None
    replay = Replay([labelled_game(answerable=False)], course, load())
    with pytest.raises(RunError, match="None of the 1 games of --games is answerable"):
        replay.table()
