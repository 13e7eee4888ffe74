"""Error rates of referees for each kind of question and view, learned from logged answers with a prior."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

from quarry.ingest.arrays import Float64Array
from quarry.player.questions.views import VIEWS, View

RATES_FILE = Path(__file__).with_name("rates.yaml")
PRIOR_STRENGTH = 40.0
"""Weight of the prior of a rate, in answers."""
LEAST = 0.002
"""The least rate: nothing is impossible."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Expected counts of logged letters in answer to one kind of question under one view.

    Attributes:
        given: letters; declined questions do not count.
        wrong: letters that do not fit.
    """

    given: float = 0.0
    wrong: float = 0.0


Logged = Mapping[tuple[View, str], Counts]
"""Counts by view and kind."""


def learned(prior: float, counts: Counts) -> float:
    """Return the posterior mean of a share of wrong letters with a Beta prior."""
    mean = (PRIOR_STRENGTH * prior + counts.wrong) / (PRIOR_STRENGTH + counts.given)
    return min(1.0 - LEAST, max(LEAST, mean))


def scaled(rate: float, scale: float) -> float:
    """Return the rate with its odds multiplied by `scale`."""
    return scale * rate / (1.0 - rate + scale * rate)


def channel(wrong: float) -> Float64Array:
    """Return the (4, 4) probability of each letter given the fitting option; wrong letters are equally likely."""
    letters = np.full((4, 4), wrong / 3.0)
    np.fill_diagonal(letters, 1.0 - wrong)
    return letters


def load_rates(priors: Mapping[str, float], path: Path | None = None) -> dict[tuple[View, str], float]:
    """Return the learned share of wrong letters by view and kind.

    Args:
        priors: expected shares before any answer was logged, by kind.
    """
    logged = load_logged(path)
    return {
        (view, kind): learned(prior, logged.get((view, kind), Counts()))
        for view in VIEWS
        for kind, prior in priors.items()
    }


def load_logged(path: Path | None = None) -> Logged:
    """Read the counts of a `rates.yaml`; by default the bundled one."""
    tree = yaml.safe_load((path or RATES_FILE).read_text(encoding="utf-8")) or {}
    return {(view, kind): Counts(**counts) for view, kinds in tree.items() for kind, counts in kinds.items()}
