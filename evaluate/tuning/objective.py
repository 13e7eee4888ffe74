"""How good a set of search settings is on games: one number to climb, and the measures to report."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from quarry.configs.settings import SearchSettings
from quarry.evaluate.runs.measures import interval
from quarry.evaluate.tuning import MIXED
from quarry.evaluate.tuning.part import Part
from quarry.evaluate.tuning.prepared import Prepared, search_all
from quarry.evaluate.tuning.space import Space
from quarry.ingest.arrays import BoolArray, Float64Array, IntArray

SUCCESS_WEIGHT = 0.1
ABSTENTION_WEIGHT = 0.1
"""Of Success@k, and of the balanced accuracy of telling answerable games from others, next to RR."""


@dataclass(frozen=True, slots=True)
class Objective:
    """What a study may climb.

    Attributes:
        says: what it is, in words.
        measure: whose gain is tested.
    """

    says: str
    measure: str


OBJECTIVES: Mapping[str, Objective] = {
    MIXED: Objective(
        f"RR + {SUCCESS_WEIGHT:g} Success@k + {ABSTENTION_WEIGHT:g} balanced accuracy of `relevant`", "RR"
    ),
    **{name: Objective(name, name) for name in ("RR", "Success@1", "Success@5", "Success@20")},
}
"""By name."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What settings reach on games.

    Attributes:
        ranks: (n_games,) place of the labelled paragraph, 0 where it is no hit.
        relevant: (n_games,) whether the search says that it found something.
        is_answerable: (n_games,) whether there is something to find.
        aim: the objective's name, of `OBJECTIVES`.
    """

    ranks: IntArray
    relevant: BoolArray
    is_answerable: BoolArray
    aim: str = MIXED

    @property
    def reciprocal_ranks(self) -> Float64Array:
        """(n_answerable,) RR of each answerable game."""
        ranks = self.ranks[self.is_answerable]
        return np.where(ranks > 0, 1.0 / np.maximum(ranks, 1), 0.0)

    @property
    def by_game(self) -> Float64Array:
        """(n_answerable,) the measure whose gain is tested."""
        return self.measures[OBJECTIVES[self.aim].measure]

    @property
    def measures(self) -> dict[str, Float64Array]:
        """(n_answerable,) values of each measure by name."""
        ranks = self.ranks[self.is_answerable]
        found = ranks > 0
        return {
            "RR": self.reciprocal_ranks,
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
        """The number that a study climbs."""
        if self.aim != MIXED:
            return float(self.by_game.mean())
        success = float((self.ranks[self.is_answerable] > 0).mean())
        return float(
            self.reciprocal_ranks.mean() + SUCCESS_WEIGHT * success + ABSTENTION_WEIGHT * self.balanced_accuracy
        )

    def as_json(self, seed: int) -> dict[str, Any]:
        """Objective, measures and their 95% intervals."""
        values = self.measures
        return {
            "games": len(self.ranks),
            "unanswerable": int((~self.is_answerable).sum()),
            "objective": round(self.objective, 6),
            "balanced_accuracy": round(self.balanced_accuracy, 6),
            "measures": {name: round(float(value.mean()), 6) for name, value in values.items()},
            "intervals": {name: [round(end, 6) for end in interval(value, seed)] for name, value in values.items()},
        }


def judge(prepared: Prepared, settings: SearchSettings, objective: str = MIXED) -> Judged:
    """What these settings reach on these games."""
    found = search_all(prepared, settings)
    return Judged(found.ranks, found.relevant, prepared.is_answerable, objective)


def search_part(space: Space, objective: str = MIXED) -> Part[SearchSettings, Prepared]:
    """The part of a study that tunes the search within a space.

    Args:
        objective: by name, of `OBJECTIVES`.
    """
    aim = OBJECTIVES[objective]
    return Part(
        section="search",
        objective=aim.says,
        measure=aim.measure,
        tuned=space.keys,
        n_parameters=len(space.parameters),
        suggest=space.suggest,
        settings_of=space.settings_of,
        values_of=space.values_of,
        judge=functools.partial(judge, objective=objective),
        distributions={parameter.key: parameter.distribution for parameter in space.parameters},
    )
