"""Error rates of referees for each kind of question and view, learned from logged answers with a prior."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from quarry.configs.places import fitted
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
    """Read the counts of a `rates.yaml`; by default the user's own, or else the bundled one."""
    tree = yaml.safe_load((path or fitted(RATES_FILE)).read_text(encoding="utf-8")) or {}
    return {(view, kind): Counts(**counts) for view, kinds in tree.items() for kind, counts in kinds.items()}


def rates_yaml(logged: Logged) -> str:
    """Write these counts as the text of a `rates.yaml`, one kind in a line."""
    tree: dict[str, dict[str, Any]] = {}
    for (view, kind), counts in logged.items():
        tree.setdefault(view, {})[kind] = {name: round(count, 2) for name, count in asdict(counts).items()}
    body: str = yaml.safe_dump(tree, default_flow_style=None, sort_keys=True, width=1000) if tree else ""
    return _HEADER + body


_HEADER = """\
# How many letters respondents gave in answer to each kind of question, by what they saw of the paragraph, and how
# many of these did not fit; written by `evaluate calibrate rates`, never by hand. See docs/guides/referees.md.
"""
