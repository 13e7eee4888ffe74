"""Logged answers of outside readers -> how often each kind of question was answered wrong or declined."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from player.questions.belief import answer_row
from player.questions.rates import N_ANSWERS, Counts, Rates, channel, learned

MAX_ROUNDS = 200
TOLERANCE = 1e-6
"""Largest change of any rate at which the counts are taken as settled."""


@dataclass(frozen=True, slots=True)
class LoggedAnswer:
    """One answered question about a known paragraph.

    Attributes:
        kind: of the question.
        fits: (4,) probability that a careful reader of the paragraph finds each option fitting, summing to 1.
        answer: a letter or "Not Relevant".
    """

    kind: str
    fits: NDArray[np.floating]
    answer: str


def count_answers(logged: Iterable[LoggedAnswer], priors: Mapping[str, Rates]) -> dict[str, Counts]:
    """Expected counts by kind, in the order of `priors`; kinds without a prior, such as fillers, are left out.

    Which option fits is not always certain, and the answer itself tells about it: counts and rates are worked out from
    each other in turns until they settle.

    Reference:
        Dempster, Laird and Rubin, Maximum Likelihood from Incomplete Data via the EM Algorithm, 1977.
    """
    by_kind: dict[str, list[LoggedAnswer]] = {kind: [] for kind in priors}
    for item in logged:
        if item.kind in by_kind:
            by_kind[item.kind].append(item)
    return {kind: _settled(items, priors[kind]) for kind, items in by_kind.items() if items}


def _settled(logged: Sequence[LoggedAnswer], prior: Rates) -> Counts:
    rates = prior
    for _ in range(MAX_ROUNDS):
        counts = _expected(logged, rates)
        last, rates = rates, learned(prior, counts)
        if np.allclose(astuple(last), astuple(rates), rtol=0.0, atol=TOLERANCE):
            break
    return counts


def _expected(logged: Sequence[LoggedAnswer], rates: Rates) -> Counts:
    """Counts where each option is the fitting one with its probability after the answer, under these rates."""
    given = channel(rates)
    declined = wrong = 0.0
    for item in logged:
        row = answer_row(item.answer)
        assert row is not None, "None is no answer"
        fitting = item.fits * given[row]
        fitting = fitting / fitting.sum()
        if row == N_ANSWERS - 1:
            declined += 1.0
        else:
            wrong += 1.0 - fitting[row]
    return Counts(float(len(logged)), declined, float(wrong))
