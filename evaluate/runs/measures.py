"""Measures of a run, by ir-measures, with 95% intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import ir_measures
import numpy as np
from ir_measures import RR, ScoredDoc, Success
from numpy.typing import NDArray
from scipy import stats

MEASURES: dict[str, ir_measures.Measure] = {
    **{f"Success@{cutoff}": Success @ cutoff for cutoff in (1, 5, 10, 15, 20)},
    "RR": RR,
}
LOST = "lost at ingest"
"""Stands for the paragraph_id of a game whose paragraph was not ingested; no ranking holds it."""
N_RESAMPLES = 2_000
CONFIDENCE = 0.95


def per_game(
    rankings: Mapping[str, Sequence[str]], relevant: Mapping[str, str | None]
) -> dict[str, NDArray[np.float64]]:
    """Each measure's value for each game.

    Args:
        rankings: the paragraph_ids of each game's hits, best first.
        relevant: each game's paragraph_id; None where it was lost at ingest, which counts as a miss.

    Returns:
        For each name of `MEASURES` the (n_games,) values, in the order of `relevant`.

    Reference:
        MacAvaney, Macdonald and Ounis, Streamlining Evaluation with ir-measures, 2022.
    """
    # a game without a known paragraph gets one that no ranking holds
    qrels = [ir_measures.Qrel(game_id, found or LOST, 1) for game_id, found in relevant.items()]
    run = [
        ScoredDoc(game_id, paragraph_id, float(-place))
        for game_id, ranking in rankings.items()
        for place, paragraph_id in enumerate(ranking)
    ]
    rows = {game_id: row for row, game_id in enumerate(relevant)}
    names = {measure: name for name, measure in MEASURES.items()}
    values = {name: np.zeros(len(rows)) for name in MEASURES}
    for metric in ir_measures.iter_calc(list(MEASURES.values()), qrels, run):
        values[names[metric.measure]][rows[metric.query_id]] = metric.value
    return values


def interval(values: NDArray[np.float64], seed: int) -> tuple[float, float]:
    """The 95% interval of a mean over games: Wilson's for shares, the percentile bootstrap for anything else.

    Args:
        values: (n_games,) one value a game.
        seed: of the resampling.

    Reference:
        Wilson, Probable Inference, the Law of Succession, and Statistical Inference, 1927; Efron, Bootstrap Methods:
        Another Look at the Jackknife, 1979.
    """
    if len(values) == 0:
        return (0.0, 1.0)
    if np.isin(values, (0.0, 1.0)).all():
        found = stats.binomtest(int(values.sum()), len(values)).proportion_ci(CONFIDENCE, method="wilson")
        return (float(found.low), float(found.high))
    return bootstrap_interval(values, seed)


def bootstrap_interval(values: NDArray[np.float64], seed: int) -> tuple[float, float]:
    """The 95% percentile bootstrap interval of a mean; where all values are the same, that value twice.

    Args:
        values: (n_games,) one value a game, at least one.
        seed: of the resampling.
    """
    if np.ptp(values) == 0.0:
        return (float(values[0]), float(values[0]))
    resampled = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=N_RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return (float(resampled.low), float(resampled.high))
