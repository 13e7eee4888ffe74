"""The figures of each lecture's games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from quarry.evaluate.runs.measures import interval
from quarry.evaluate.runs.run import Run
from quarry.ingest.arrays import Float64Array

Lecture = dict[str, Any]
"""A lecture's name, and of each run its figures, None where it has none."""
NOWHERE = "not in the store"
"""Stands for the lecture of a game that was lost at ingest."""


def documents(runs: Sequence[Run]) -> list[Lecture]:
    """The figures of each lecture's games, run by run, in the order of the names.

    `share` is of games won, or without a referee of those whose paragraph is among the hits; `rr` is the mean
    reciprocal rank.
    """
    names = {
        record["game_id"]: truth["document"]
        for run in reversed(runs)
        for record in run.answerable
        if (truth := record["truth"])
    }
    found: dict[str, list[dict[str, Any] | None]] = {}
    for place, run in enumerate(runs):
        of = np.array([names.get(record["game_id"], NOWHERE) for record in run.answerable])
        shares = shares_of(run)
        for name in sorted(set(of.tolist())):
            chosen = of == name
            low, high = interval(shares[chosen], run.seed)
            found.setdefault(name, [None] * len(runs))[place] = {
                "games": int(chosen.sum()),
                "share": round(float(shares[chosen].mean()), 6),
                "share_interval": [round(low, 6), round(high, 6)],
                "rr": round(float(run.values["RR"][chosen].mean()), 6),
            }
    return [{"document": name, "runs": found[name]} for name in sorted(found, key=lambda name: (name == NOWHERE, name))]


def shares_of(run: Run) -> Float64Array:
    """(n_answerable,) the share of each game's plays that were won; without a referee, whether it was found."""
    if run.won is not None:
        return run.won
    return np.array([float(record["search"]["rank"] is not None) for record in run.answerable])
