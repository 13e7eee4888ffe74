"""How good a set of search settings is on games: one number to climb, and the measures to report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from quarry.configs.settings import SearchSettings
from quarry.evaluate.runs.measures import interval
from quarry.evaluate.tuning.part import Part
from quarry.evaluate.tuning.prepared import Prepared, search_all
from quarry.evaluate.tuning.space import Space
from quarry.ingest.arrays import BoolArray, Float64Array, IntArray

SUCCESS_WEIGHT = 0.1
ABSTENTION_WEIGHT = 0.1
"""Of Success@k, and of the balanced accuracy of telling answerable games from others, next to RR."""
OBJECTIVE = f"RR + {SUCCESS_WEIGHT:g} Success@k + {ABSTENTION_WEIGHT:g} balanced accuracy of `relevant`"


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
    def reciprocal_ranks(self) -> Float64Array:
        """(n_answerable,) RR of each answerable game."""
        ranks = self.ranks[self.is_answerable]
        return np.where(ranks > 0, 1.0 / np.maximum(ranks, 1), 0.0)

    @property
    def by_game(self) -> Float64Array:
        """The measure whose gain is tested."""
        return self.reciprocal_ranks

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
        """The number that a study climbs."""
        success = float((self.ranks[self.is_answerable] > 0).mean())
        return float(
            self.reciprocal_ranks.mean() + SUCCESS_WEIGHT * success + ABSTENTION_WEIGHT * self.balanced_accuracy
        )

    def as_json(self, seed: int) -> dict[str, Any]:
        """Objective, measures and their 95% intervals."""
        ranks = self.ranks[self.is_answerable]
        values = {
            "RR": self.reciprocal_ranks,
            "Success@1": (ranks == 1).astype(np.float64),
            "Success@5": ((ranks > 0) & (ranks <= 5)).astype(np.float64),
            "Success@20": ((ranks > 0) & (ranks <= 20)).astype(np.float64),
        }
        return {
            "games": len(self.ranks),
            "unanswerable": int((~self.is_answerable).sum()),
            "objective": round(self.objective, 6),
            "balanced_accuracy": round(self.balanced_accuracy, 6),
            "measures": {name: round(float(value.mean()), 6) for name, value in values.items()},
            "intervals": {name: [round(end, 6) for end in interval(value, seed)] for name, value in values.items()},
        }


def judge(prepared: Prepared, settings: SearchSettings) -> Judged:
    """What these settings reach on these games."""
    found = search_all(prepared, settings)
    return Judged(found.ranks, found.relevant, prepared.is_answerable)


def search_part(space: Space) -> Part[SearchSettings, Prepared]:
    """The part of a study that tunes the search within a space."""
    return Part(
        section="search",
        objective=OBJECTIVE,
        measure="RR",
        tuned=space.keys,
        n_parameters=len(space.parameters),
        suggest=space.suggest,
        settings_of=space.settings_of,
        values_of=space.values_of,
        judge=judge,
    )
