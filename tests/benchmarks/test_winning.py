"""The tables of won games: what they count, and what they refuse."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from benchmarks.winning import Planned, known_rates, line_of, main, play_all
from evaluate.referee import Posed, Secret
from player.player import Plan
from player.protocol import RoundStart
from player.questions.question import Question, hard_fits
from player.questions.rates import Rates
from player.questions.referees import sound_only
from player.search.types import Query, SearchResult

SURE = sound_only(Rates(0.01, 0.01))


class Says:
    """A referee that always gives one answer."""

    def __init__(self, answer: str) -> None:
        self._answer = answer

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[str | None]:
        """The answers."""
        return [self._answer] * len(questions)


def planned(row: int | None) -> Planned:
    """A game of two candidates, told apart by two questions; the prior favours the first."""
    questions = tuple(
        Question(f"Which? {number}", ("key", "tree", "graph", "none"), "word", frozenset({str(number)}))
        for number in range(2)
    )
    fits = hard_fits(np.array([[0, 1], [0, 1]]))
    result = SearchResult(Query("hint"), ())
    plan = Plan(RoundStart("", "", "hint", "", ""), result, np.array([0.6, 0.4]), questions, fits, 1.0)
    return Planned(Secret("A key.", "A key."), plan, row)


def test_a_game_is_won_where_the_likeliest_candidate_is_the_secret_one() -> None:
    outcomes = play_all([planned(0), planned(1), planned(None)], Says("B"), SURE, 2)
    assert outcomes[:, 0].tolist() == [0.0, 1.0, 0.0]
    assert (outcomes[:, 1] > 0.99).all()


def test_without_questions_the_prior_decides() -> None:
    assert play_all([planned(0), planned(1)], Says("B"), SURE, 0).tolist() == [[1.0, 0.6], [0.0, 0.6]]


def test_games_lost_at_ingest_count_among_all() -> None:
    # three of the four games of the file are planned, two of them are won
    line = line_of("oracle", [planned(1), planned(1), planned(0)], 4, 20, SURE, lambda seed: Says("B"))
    assert (line.seeds, line.won, line.of_all) == pytest.approx((1, 2 / 3, 2 / 4))
    assert line.base_brier == pytest.approx(2 / 9)


def test_the_rate_among_letters_is_that_of_the_answers_that_are_no_erasures() -> None:
    rates = known_rates(0.30, 0.15).fallback
    assert (rates.wrong, rates.not_relevant) == pytest.approx((0.30 / 0.85, 0.15))


@pytest.mark.parametrize("arguments", [["--seeds", "0"], ["--store", "/nowhere"]])
def test_bad_input_is_one_line_and_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--store", "/nowhere", "--games", "/nowhere", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1
