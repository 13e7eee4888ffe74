"""The objective of a study and the reported measures: results of search settings on prepared games."""

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
"""Weights of Success@k and of balanced accuracy (of telling answerable games from others) next to RR."""
OBJECTIVE = f"RR + {SUCCESS_WEIGHT:g} Success@k + {ABSTENTION_WEIGHT:g} balanced_accuracy"
MEASURE = "RR"
"""Measure in which the gain on the test games is tested."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Results of a search of games.

    Attributes:
        ranks: (n_games,) rank of the labelled paragraph from 1, 0 where it is no hit.
        relevant: (n_games,) whether the search says that it found something.
        is_answerable: (n_games,) whether the label names a paragraph.
    """

    ranks: IntArray
    relevant: BoolArray
    is_answerable: BoolArray

    def joined(self, more: Judged) -> Judged:
        """Return these games and more of them as one result."""
        mine, theirs = ((one.ranks, one.relevant, one.is_answerable) for one in (self, more))
        return Judged(*(np.concatenate(pair) for pair in zip(mine, theirs, strict=True)))

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
    def balanced_accuracy(self) -> float | None:
        """Mean of the shares of answerable games answered and of others declined; None if all games are answerable.

        Reference:
            Brodersen et al., The Balanced Accuracy and Its Posterior Distribution, 2010.
        """
        if self.is_answerable.all():
            return None  # the share of answered games alone would reward a search that always answers
        answered = float(self.relevant[self.is_answerable].mean())
        return 0.5 * (answered + float((~self.relevant[~self.is_answerable]).mean()))

    @property
    def parts(self) -> dict[str, float]:
        """Means of the measures and the terms of the objective; without balanced_accuracy if it is None."""
        means = {name: float(values.mean()) for name, values in self.measures.items()}
        means["Success@k"] = float((self.ranks[self.is_answerable] > 0).mean())
        accuracy = self.balanced_accuracy
        return means if accuracy is None else {**means, "balanced_accuracy": accuracy}

    @property
    def objective(self) -> float:
        """The number that a study maximises."""
        parts = self.parts
        accuracy = parts.get("balanced_accuracy", 0.0)
        return parts["RR"] + SUCCESS_WEIGHT * parts["Success@k"] + ABSTENTION_WEIGHT * accuracy

    def as_json(self, seed: int) -> dict[str, Any]:
        """Return the objective, the measures and their 95% intervals."""
        values = self.measures
        return {
            "games": len(self.ranks),
            "unanswerable": int((~self.is_answerable).sum()),
            "objective": round(self.objective, 6),
            "balanced_accuracy": None if self.balanced_accuracy is None else round(self.balanced_accuracy, 6),
            "measures": {name: round(float(value.mean()), 6) for name, value in values.items()},
            "intervals": {name: [round(end, 6) for end in interval(value, seed)] for name, value in values.items()},
        }


def judge(prepared: Prepared, settings: SearchSettings) -> Judged:
    """Search all games with these settings and return the results."""
    return Judged(*search_all(prepared, settings), prepared.is_answerable)
