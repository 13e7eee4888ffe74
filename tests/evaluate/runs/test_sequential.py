"""Verdicts of a comparison that is looked at after every game are wrong no more often than is said."""

from __future__ import annotations

import math

import numpy as np
import pytest

from quarry.evaluate.runs.sequential import ALPHA, decided, interval_at_every_look, sequential_test
from quarry.ingest.arrays import Float64Array

N_SERIES = 200
N_GAMES = 300


def won_alone(rng: np.random.Generator, first: float, second: float) -> Float64Array:
    """Games that the one wins alone (1), the other alone (-1), or both or neither (0)."""
    return rng.choice([1.0, -1.0, 0.0], N_GAMES, p=[first, second, 1.0 - first - second])


def reciprocal_ranks(rng: np.random.Generator, shift: float) -> Float64Array:
    """Differences as reciprocal ranks have them, with this mean."""
    one, other = (1.0 / rng.geometric(0.5, N_GAMES) for _ in range(2))
    return (1.0 - abs(shift)) * (one - other) + shift


def verdicts(series: list[Float64Array], margin: float = 0.05) -> dict[str, float]:
    found = [decided(one, margin=margin)[0] for one in series]
    return {verdict: found.count(verdict) / len(found) for verdict in ("better", "worse", "alike", "undecided")}


def test_where_two_are_alike_no_more_than_said_are_told_apart_however_often_one_looks() -> None:
    rng = np.random.default_rng(1)
    for series in (
        [won_alone(rng, 0.2, 0.2) for _ in range(N_SERIES)],
        [won_alone(rng, 0.02, 0.02) for _ in range(N_SERIES)],
        [reciprocal_ranks(rng, 0.0) for _ in range(N_SERIES)],
    ):
        found = verdicts(series)
        assert found["better"] + found["worse"] <= ALPHA


def test_where_two_differ_by_the_margin_no_more_than_said_are_called_alike() -> None:
    rng = np.random.default_rng(2)
    found = verdicts([won_alone(rng, 0.15, 0.05) for _ in range(N_SERIES)], margin=0.1)
    assert found["alike"] + found["worse"] <= ALPHA
    found = verdicts([reciprocal_ranks(rng, -0.1) for _ in range(N_SERIES)], margin=0.1)
    assert found["alike"] + found["better"] <= ALPHA


def test_a_difference_of_fifteen_points_is_decided_within_300_games_and_sooner_where_it_is_larger() -> None:
    rng = np.random.default_rng(3)
    small, large = ([won_alone(rng, 0.1 + gain, 0.1) for _ in range(100)] for gain in (0.15, 0.3))
    assert verdicts(small)["better"] >= 0.9
    took = [np.median([decided(one)[1] for one in series]) for series in (small, large)]
    assert took[1] < took[0] / 2 < N_GAMES / 2


def test_two_that_never_differ_are_called_alike_in_the_end() -> None:
    verdict, n_games = decided(np.zeros(N_GAMES))
    assert verdict == "alike"
    assert decided(np.zeros(n_games - 1)) == ("undecided", n_games - 1)


def test_of_games_won_or_lost_only_those_that_one_wins_alone_count_as_in_robbins_test() -> None:
    # by hand: after n games that the one wins alone the capital is the mean of (1 + bet)^n over bets from 0 to 1
    needed = next(n for n in range(1, 20) if (2 ** (n + 1) - 1) / (n + 1) >= 2 / ALPHA)
    ones = np.ones(needed)
    assert decided(ones) == ("better", needed)
    assert decided(-ones) == ("worse", needed)
    assert decided(ones[1:])[0] == "undecided"
    with_draws = np.insert(ones, 1, 0.0)
    assert decided(with_draws) == ("better", needed + 1)


def test_a_verdict_and_its_interval_say_the_same() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        differences = won_alone(rng, *rng.dirichlet([1, 1, 2])[:2])
        test = sequential_test("a", "b", "won", differences)
        assert test.low <= test.difference <= test.high
        assert (test.verdict == "better") == (test.low > 0.0)
        assert (test.verdict == "worse") == (test.high < 0.0)


def test_the_interval_holds_the_true_difference_as_often_as_said() -> None:
    rng = np.random.default_rng(5)
    missed, n_series = 0, 60
    for _ in range(n_series):
        low, high = interval_at_every_look(reciprocal_ranks(rng, 0.2))
        missed += not low <= 0.2 <= high
    assert missed / n_series <= ALPHA


@pytest.mark.parametrize("n_tests", [2, 10])
def test_more_tests_need_more_games(n_tests: int) -> None:
    ones = np.ones(40)
    assert decided(ones)[1] < decided(ones, n_tests=n_tests)[1] < math.inf
