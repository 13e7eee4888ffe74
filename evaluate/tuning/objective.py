"""What search settings reach on prepared games: one number that a study raises, and the measures that are reported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from quarry.configs.settings import SearchSettings
from quarry.evaluate.runs.measures import interval
from quarry.evaluate.tuning.prepared import Prepared, search_all
from quarry.ingest.arrays import BoolArray, Float64Array, IntArray

SUCCESS_WEIGHT = 0.1
ABSTENTION_WEIGHT = 0.1
"""Weights of Success@k, and of the balanced accuracy of telling answerable games from others, next to RR."""
OBJECTIVE = f"RR + {SUCCESS_WEIGHT:g} Success@k + {ABSTENTION_WEIGHT:g} balanced accuracy of `relevant`"
MEASURE = "RR"
"""The measure whose gain on the test games is tested."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What settings reach on games.

    Attributes:
        ranks: (n_games,) place of the labelled paragraph, 0 where it is no hit.
        relevant: (n_games,) whether the search says that it found something.
        is_answerable: (n_games,) whether there is something to find.
    """

    ranks: IntArray
    relevant: BoolArray
    is_answerable: BoolArray

    @property
    def measures(self) -> dict[str, Float64Array]:
        """(n_answerable,) values of each measure by name."""
        ranks = self.ranks[self.is_answerable]
        found = ranks > 0
        return {
            "RR": np.where(found, 1.0 / np.maximum(ranks, 1), 0.0),
            **{f"Success@{k}": (found & (ranks <= k)).astype(np.float64) for k in (1, 5, 20)},
        }

    @property
    def balanced_accuracy(self) -> float:
        """Mean of the shares of answerable games answered and of others declined; of answerable ones alone if all are.

        Reference:
            Brodersen et al., The Balanced Accuracy and Its Posterior Distribution, 2010.
        """
        answered = float(self.relevant[self.is_answerable].mean()) if self.is_answerable.any() else 0.0
        if self.is_answerable.all():
            return answered
        return 0.5 * (answered + float((~self.relevant[~self.is_answerable]).mean()))

    @property
    def objective(self) -> float:
        """The number that a study raises."""
        success = float((self.ranks[self.is_answerable] > 0).mean())
        return float(self.measures["RR"].mean() + SUCCESS_WEIGHT * success + ABSTENTION_WEIGHT * self.balanced_accuracy)

    def as_json(self, seed: int) -> dict[str, Any]:
        """Return the objective, the measures and their 95% intervals."""
        values = self.measures
        return {
            "games": len(self.ranks),
            "unanswerable": int((~self.is_answerable).sum()),
            "objective": round(self.objective, 6),
            "balanced_accuracy": round(self.balanced_accuracy, 6),
            "measures": {name: round(float(value.mean()), 6) for name, value in values.items()},
            "intervals": {name: [round(end, 6) for end in interval(value, seed)] for name, value in values.items()},
        }


def judge(prepared: Prepared, settings: SearchSettings) -> Judged:
    """Search all games with these settings."""
    found = search_all(prepared, settings)
    return Judged(found.ranks, found.relevant, prepared.is_answerable)
