"""A comparison that may be looked at after every game, and stopped as soon as it is decided."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import logsumexp

from quarry.evaluate.runs.measures import values_of
from quarry.evaluate.runs.record import GameRecord
from quarry.ingest.arrays import BoolArray, Float64Array

ALPHA = 0.05
"""Chance, at most, that any verdict of a comparison is wrong, whenever and however often it is looked at."""

MARGIN = 0.05
"""Two are called alike where their means differ by less than this."""

BETS = (np.arange(32) + 0.5) / 32
"""Shares of the capital that are bet, all of them side by side: together they do nearly as well as the best of them."""

N_HALVINGS = 30

Verdict = Literal["better", "worse", "alike", "undecided"]

IN_WORDS = {
    "better": "better than",
    "worse": "worse than",
    "alike": "alike, within the margin, with",
    "undecided": "undecided: these games cannot tell it from",
}
"""Verdicts for people, before the name of the other."""

SEARCHED, PLAYED = "RR", "win_rate"
"""The measure that decides, without a referee and with one."""


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """One run against another in one measure, game by game.

    Attributes:
        preset: the run that is judged, against: the one it is judged by.
        n_games: after which it was decided, or all that were played.
        difference: mean over these games of the first less the second.
        low: lower end of the interval of the difference that holds at every look, high: the upper one.
    """

    preset: str
    against: str
    measure: str
    verdict: Verdict
    n_games: int
    difference: float
    low: float
    high: float

    def as_json(self) -> dict[str, Any]:
        """As `compare --json` prints it."""
        return asdict(self)


def decided(differences: Float64Array, *, n_tests: int = 1, margin: float = MARGIN) -> tuple[Verdict, int]:
    """The verdict on a mean difference, and the number of games that it took; "undecided" after all of them.

    Whoever bets at every game that the first of two does better has a capital that is not expected to grow unless its
    mean is above the other's; that it ever reaches 1/alpha times its start then has at most the chance alpha. Bets
    against every mean make an interval that holds the true one at every look together with at least the chance
    1 - alpha. The verdict is "better" or "worse" once 0 lies outside that interval, "alike" once all of it lies within
    the margin. Where each game is won or lost, only games that one of the two wins alone tell better from worse.

    Args:
        differences: (n_games,) of the measure, -1..1, in the order in which the games were played: by chance.
        n_tests: tests of one comparison, which share the chance of a wrong verdict (Bonferroni).
        margin: 0..1.

    Reference:
        Waudby-Smith and Ramdas, Estimating Means of Bounded Random Variables by Betting, 2024; Robbins, Statistical
        Methods Related to the Law of the Iterated Logarithm, 1970.
    """
    above = {mean: _evidence_above(differences, mean) >= _needed(n_tests) for mean in (0.0, -margin)}
    below = {mean: _evidence_above(-differences, mean) >= _needed(n_tests) for mean in (0.0, -margin)}
    ever_alike = np.maximum.accumulate(above[-margin]) & np.maximum.accumulate(below[-margin])
    shown: list[tuple[Verdict, BoolArray]] = [("better", above[0.0]), ("worse", below[0.0]), ("alike", ever_alike)]
    crossed = [(int(np.argmax(when)) + 1, verdict) for verdict, when in shown if when.any()]
    n_games, verdict = min(crossed, default=(len(differences), "undecided"))
    return verdict, n_games


def interval_at_every_look(differences: Float64Array, n_tests: int = 1) -> tuple[float, float]:
    """The ends of the interval of the mean difference that holds at every look; see `decided`."""
    return _lower_end(differences, n_tests), -_lower_end(-differences, n_tests)


def sequential_test(
    preset: str, against: str, measure: str, differences: Float64Array, *, n_tests: int = 1, margin: float = MARGIN
) -> SequentialTest:
    """The test with its names, its interval being of the games that it took."""
    verdict, n_games = decided(differences, n_tests=n_tests, margin=margin)
    seen = differences[:n_games]
    low, high = interval_at_every_look(seen, n_tests)
    return SequentialTest(
        preset, against, measure, verdict, n_games, round(float(seen.mean()), 6), round(low, 6), round(high, 6)
    )


class Decision:
    """Tests of contestants that play the same games, kept after each game.

    Args:
        names: of the contestants, in order; the first is what the others are judged by.
        referee: SPEC; "none" where games are only searched for.
        pairs: judge every two of them.
        margin: as for `decided`.
    """

    def __init__(self, names: Sequence[str], referee: str, *, pairs: bool, margin: float) -> None:
        self._names = names
        self._measure = SEARCHED if referee == "none" else PLAYED
        places = range(len(names))
        self._pairs = list(itertools.combinations(places, 2)) if pairs else [(0, place) for place in places[1:]]
        self._margin = margin
        self._values: list[list[float]] = []

    def after(self, played: Sequence[Sequence[GameRecord]]) -> bool:
        """Whether all is decided after these games.

        Args:
            played: of each game a record for each contestant; those of the last call, and more.
        """
        self._values += [[self._value(record) for record in records] for records in played[len(self._values) :]]
        n_tests = len(self._pairs)
        return all(
            decided(differences, n_tests=n_tests, margin=self._margin)[0] != "undecided"
            for _, _, differences in self._differences()
        )

    def tests(self) -> list[SequentialTest]:
        """The tests over the games so far."""
        n_tests = len(self._pairs)
        return [
            sequential_test(name, against, self._measure, differences, n_tests=n_tests, margin=self._margin)
            for name, against, differences in self._differences()
        ]

    def _differences(self) -> Iterator[tuple[str, str, Float64Array]]:
        """Of each pair its names, and the differences of the first one's values from the second's."""
        values = np.array(self._values).reshape(-1, len(self._names))
        for first, other in self._pairs:
            yield self._names[other], self._names[first], values[:, other] - values[:, first]

    def _value(self, record: GameRecord) -> float:
        if self._measure == PLAYED:
            return sum(play["won"] for play in record["plays"]) / max(1, len(record["plays"]))
        return float(values_of([record])[SEARCHED][0])


def _needed(n_tests: int) -> float:
    """Logarithm of the capital that decides: the chance is shared by the tests, and by the two ends of each."""
    return math.log(2 * n_tests / ALPHA)


def _evidence_above(differences: Float64Array, mean: float) -> Float64Array:
    """(n_games,) logarithm of the capital after each game of who bets that the true mean is above this one.

    Args:
        mean: -1..1, without the ends.
    """
    gains = (differences - mean) / (1.0 + mean)  # never below -1, so that nobody can lose more than the bet
    capital = np.cumsum(np.log1p(np.outer(gains, BETS)), axis=0)
    found: Float64Array = logsumexp(capital, axis=1) - math.log(len(BETS))
    return found


def _lower_end(differences: Float64Array, n_tests: int) -> float:
    """The largest mean above which the true one has been shown to lie, to one in a thousand million; -1 if none."""
    low, high = -1.0, 1.0
    for _ in range(N_HALVINGS):
        middle = (low + high) / 2
        if _evidence_above(differences, middle).max(initial=-math.inf) >= _needed(n_tests):
            low = middle
        else:
            high = middle
    return low
