"""The objective of a study, and the results of a search of its games."""

from dataclasses import dataclass

import numpy as np
from ir_measures import RR, Success
from sklearn.metrics import balanced_accuracy_score

from configs.settings import SearchSettings
from evaluate.runs.measures import (
    compute_figure,
    compute_ranking_values,
    is_share,
)
from evaluate.tuning.prepared import Prepared, search_all
from player.round import Json
from quarry.arrays import BoolArray, Float64Array, IntArray

SUCCESS_WEIGHT = 0.1
"""Weight of Success@k in the objective; the weight of RR is 1."""
ABSTENTION_WEIGHT = 0.1
"""Weight of balanced accuracy at telling answerable games from others."""
OBJECTIVE = (
    f"RR + {SUCCESS_WEIGHT:g} Success@k + {ABSTENTION_WEIGHT:g} balanced_accuracy"
)
"""Formula of the objective, for reports."""
TUNING_MEASURES = {"RR": RR, **{f"Success@{k}": Success @ k for k in (1, 5, 20)}}
"""Measures of a study, by name."""
TESTED_MEASURE = "RR"
"""Measure of which the gain on the test games is tested."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Results of a search of games.

    Attributes:
        ranks: (n_games,) rank of the secret paragraph from 1; 0 if it is not a hit.
        relevant: (n_games,) whether a hit is relevant.
        is_answerable: (n_games,) whether the label names a paragraph.
    """

    ranks: IntArray
    relevant: BoolArray
    is_answerable: BoolArray

    @property
    def measures(self) -> dict[str, Float64Array]:
        """(n_answerable,) values of each measure by name."""
        ranks = self.ranks[self.is_answerable]
        # no measure depends on hits below the secret paragraph, so that the rankings may end with it
        measures = {}
        for name, measure in TUNING_MEASURES.items():
            measures[name] = compute_ranking_values(measure, ranks, ranks)
        return measures

    @property
    def objective_terms(self) -> dict[str, float]:
        """Means of the measures, which include the terms of the objective.

        `balanced_accuracy` is the mean of two shares: of answerable games with a relevant hit, and of other games
        without one. It is absent if all games are answerable, since the first share alone would reward a search that
        always answers.

        Reference:
            Brodersen et al., The Balanced Accuracy and Its Posterior Distribution, 2010.
        """
        means = {"Success@k": float((self.ranks[self.is_answerable] > 0).mean())}
        for name, values in self.measures.items():
            means[name] = float(values.mean())
        if not self.is_answerable.all():
            accuracy = balanced_accuracy_score(self.is_answerable, self.relevant)
            means["balanced_accuracy"] = float(accuracy)
        return means

    @property
    def objective(self) -> float:
        """The number that a study maximises."""
        terms = self.objective_terms
        return (
            terms["RR"]
            + SUCCESS_WEIGHT * terms["Success@k"]
            + ABSTENTION_WEIGHT * terms.get("balanced_accuracy", 0.0)
        )

    def as_json(self, seed: int) -> Json:
        """Return the objective, the measures and their 95% intervals."""
        accuracy = self.objective_terms.get("balanced_accuracy")
        measures, intervals = {}, {}
        for name, values in self.measures.items():
            share = is_share(TUNING_MEASURES[name])
            figure = compute_figure(values, seed, is_share=share)
            measures[name], intervals[name] = figure

        return {
            "games": len(self.ranks),
            "unanswerable": int((~self.is_answerable).sum()),
            "objective": round(self.objective, 6),
            "balanced_accuracy": None if accuracy is None else round(accuracy, 6),
            "measures": measures,
            "intervals": intervals,
        }


def evaluate_settings(prepared: Prepared, settings: SearchSettings) -> Evaluation:
    """Search all games with some settings, and return the results."""
    is_answerable = np.array([game.is_answerable for game in prepared.games])
    return Evaluation(*search_all(prepared, settings), is_answerable)
