"""How often referees err on each kind of question, learned from logged answers with a prior."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

RATES_FILE = Path(__file__).with_name("rates.yaml")
PRIOR_STRENGTH = 40.0
"""Answers that the prior of a rate is worth."""
LEAST = 0.002
"""Of any rate: nothing is impossible."""
N_ANSWERS = 5
"""A, B, C, D and Not Relevant."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Of one kind of question.

    Attributes:
        wrong: share of the given letters that do not fit, 0..1.
        not_relevant: share that is declined where one of the options A to C fits, 0..1.
        not_relevant_out: the same where the way out fits.
    """

    wrong: float
    not_relevant: float
    not_relevant_out: float


@dataclass(frozen=True, slots=True)
class Counts:
    """Logged answers to one kind of question; expected counts, since what fits may be uncertain.

    Attributes:
        named, out: questions answered or declined where one of A to C fits, and where the way out does.
        declined, declined_out: how many of them were declined.
        wrong: letters given that do not fit.
    """

    named: float = 0.0
    out: float = 0.0
    declined: float = 0.0
    declined_out: float = 0.0
    wrong: float = 0.0


def learned(prior: Rates, counts: Counts) -> Rates:
    """The posterior means of Beta beliefs about the rates."""
    n_letters = counts.named + counts.out - counts.declined - counts.declined_out
    return Rates(
        wrong=_mean(prior.wrong, counts.wrong, n_letters),
        not_relevant=_mean(prior.not_relevant, counts.declined, counts.named),
        not_relevant_out=_mean(prior.not_relevant_out, counts.declined_out, counts.out),
    )


def channel(rates: Rates) -> FloatArray:
    """(5, 4) probability of each answer (A, B, C, D, Not Relevant) given the fitting option."""
    letters = np.full((4, 4), rates.wrong / 3.0)
    np.fill_diagonal(letters, 1.0 - rates.wrong)
    declined = np.array([rates.not_relevant] * 3 + [rates.not_relevant_out])
    return np.vstack([(1.0 - declined) * letters, declined])


@functools.cache
def load_rates() -> Mapping[str, Rates]:
    """The learned rates of each kind, as `rates.yaml` has them."""
    tree = yaml.safe_load(RATES_FILE.read_text(encoding="utf-8"))
    return {kind: learned(Rates(**entry["prior"]), Counts(**entry.get("logged", {}))) for kind, entry in tree.items()}


def _mean(prior: float, n_hits: float, n: float) -> float:
    mean = (PRIOR_STRENGTH * prior + n_hits) / (PRIOR_STRENGTH + n)
    return min(1.0 - LEAST, max(LEAST, mean))
