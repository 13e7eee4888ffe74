"""Series of the report's plots, and their values in words for screen readers; report.js draws the plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from quarry.evaluate.runs.measures import interval
from quarry.evaluate.runs.run import Run
from quarry.ingest.arrays import Float64Array

OUTCOMES = {
    "held": "found, or won",
    "answers": "lost by the answers",
    "search": "lost in the search",
    "book": "lost at the book",
    "ingest": "lost at ingest",
}
Series = dict[str, Any]
"""`name`, `x` and `y`; `ends` are those of the 95% intervals of y."""


def run_plots(runs: Sequence[Run]) -> dict[str, list[Series]]:
    """Return the series of each plot by the id of its section, without plots that have no data."""
    plots = {
        "success": [_success(run) for run in runs if any(row.n_hits for row in run.games)],
        "lost": [series for outcome in OUTCOMES if any((series := _lost(runs, outcome))["x"])],
    }
    return {name: series for name, series in plots.items() if series}


def _success(run: Run) -> Series:
    """Return Success@k over k."""
    ranks = [row.rank for row in run.games]
    cutoffs = range(1, 1 + max(row.n_hits for row in run.games))
    found = [np.array([float(rank is not None and rank <= cutoff) for rank in ranks]) for cutoff in cutoffs]
    return {"name": run.name, "x": list(cutoffs), **_shares(found)}


def _lost(runs: Sequence[Run], outcome: str) -> Series:
    """Return how many plays of each run had an outcome."""
    counts = [sum((row.lost_at or "held") == outcome for row in run.rows) for run in runs]
    return {"name": OUTCOMES[outcome], "outcome": outcome, "x": counts, "y": [run.name for run in runs]}


def _shares(values: Sequence[Float64Array]) -> Series:
    return {"y": [float(each.mean()) for each in values], "ends": [interval(each, 0) for each in values]}


def in_words(series: Sequence[Series]) -> str:
    """Return the values of a plot, series by series."""

    def short(value: object) -> str:
        return f"{value:.3g}" if isinstance(value, float) else str(value)

    pairs = [", ".join(f"{short(x)} {short(y)}" for x, y in zip(one["x"], one["y"], strict=True)) for one in series]
    return ". ".join(f"{one['name']}: {values}" for one, values in zip(series, pairs, strict=True))
