"""How far a stated probability can be believed: shares by bins of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quarry.evaluate.runs.measures import interval
from quarry.ingest.arrays import Float64Array

N_BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Cases whose stated probability falls into one tenth.

    Attributes:
        stated: mean of the stated probabilities, share: of cases that were right; low, high: its 95% interval.
    """

    stated: float
    share: float
    low: float
    high: float
    n: int


def reliability(stated: Float64Array, right: Float64Array) -> list[Bin]:
    """The bins that hold a case, from the lowest.

    Args:
        stated: (n,) probabilities, 0..1.
        right: (n,) 1.0 where the case was right, else 0.0.

    Reference:
        Niculescu-Mizil and Caruana, Predicting Good Probabilities with Supervised Learning, 2005.
    """
    places = np.minimum((stated * N_BINS).astype(int), N_BINS - 1)
    bins = []
    for place in np.unique(places):
        chosen = places == place
        low, high = interval(right[chosen], 0)
        bins.append(
            Bin(float(stated[chosen].mean()), float(right[chosen].mean()), low, high, int(np.count_nonzero(chosen)))
        )
    return bins


def expected_calibration_error(bins: list[Bin]) -> float:
    """Mean distance of stated and true shares over cases, 0..1; 0 of no case.

    Reference:
        Naeini, Cooper and Hauskrecht, Obtaining Well Calibrated Probabilities Using Bayesian Binning, 2015.
    """
    n_cases = sum(found.n for found in bins)
    return sum(found.n * abs(found.stated - found.share) for found in bins) / n_cases if n_cases else 0.0
