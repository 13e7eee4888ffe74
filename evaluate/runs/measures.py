"""Measures of a run, by ir-measures, with 95% intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import ir_measures
import numpy as np
from ir_measures import RR, ScoredDoc, Success
from scipy import stats

from quarry.evaluate.runs.record import LOST, GameRecord
from quarry.ingest.arrays import Float64Array

Measure = ir_measures.measures.Measure | Callable[[GameRecord], float]
"""One of ir-measures' own, or what gives a game's value from its record."""
MEASURES: dict[str, Measure] = {**{f"Success@{cutoff}": Success @ cutoff for cutoff in (1, 5, 10, 15, 20)}, "RR": RR}
"""By name; a run has all of them."""
N_RESAMPLES = 2_000
CONFIDENCE = 0.95


def values_of(records: Sequence[GameRecord]) -> dict[str, Float64Array]:
    """Return the (n_games,) values of each measure of the table, in the order of the games."""
    ranked = per_game(
        {record["game_id"]: [hit["paragraph_id"] for hit in record["search"]["hits"]] for record in records},
        {record["game_id"]: truth["paragraph_id"] if (truth := record["truth"]) else None for record in records},
    )
    return {
        name: ranked[name] if name in ranked else np.array([_value(name, record) for record in records])
        for name in MEASURES
    }


def _value(name: str, record: GameRecord) -> float:
    measure = MEASURES[name]
    assert not isinstance(measure, ir_measures.measures.Measure), "those are counted from rankings"
    return float(measure(record))


def per_game(rankings: Mapping[str, Sequence[str]], relevant: Mapping[str, str | None]) -> dict[str, Float64Array]:
    """Return the value of each of ir-measures' own measures for each game.

    Args:
        rankings: the paragraph_ids of each game's hits, best first.
        relevant: each game's paragraph_id; None where it was lost at ingest, which is a miss.

    Returns:
        For each name of such a measure the (n_games,) values, in the order of `relevant`.

    Reference:
        MacAvaney, Macdonald and Ounis, Streamlining Evaluation with ir-measures, 2022.
    """
    # a game without a known paragraph gets one that no ranking holds
    qrels = [ir_measures.Qrel(game_id, paragraph_id or LOST, 1) for game_id, paragraph_id in relevant.items()]
    run = [
        ScoredDoc(game_id, paragraph_id, float(-place))
        for game_id, ranking in rankings.items()
        for place, paragraph_id in enumerate(ranking)
    ]
    rows = {game_id: row for row, game_id in enumerate(relevant)}
    tabled = {name: MEASURES[name] for name in MEASURES}
    names = {measure: name for name, measure in tabled.items() if isinstance(measure, ir_measures.measures.Measure)}
    values = {name: np.zeros(len(rows)) for name in names.values()}
    for metric in ir_measures.iter_calc(list(names), qrels, run):
        values[names[metric.measure]][rows[metric.query_id]] = metric.value
    return values


def interval(values: Float64Array, seed: int) -> tuple[float, float]:
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


def bootstrap_interval(values: Float64Array, seed: int) -> tuple[float, float]:
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
