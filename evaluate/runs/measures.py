"""Measures of a run, from ir-measures or the user, and their 95% intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import ir_measures
import numpy as np
from ir_measures import RR, ScoredDoc, Success
from scipy import stats

from quarry.configs.imports import find, is_dotted
from quarry.configs.settings import SettingsError
from quarry.evaluate.runs.record import LOST, GameRecord
from quarry.ingest.arrays import Float64Array

RankingMeasure = ir_measures.measures.Measure
Measure = RankingMeasure | Callable[[GameRecord], float]
"""A measure of ir-measures, or a function that returns a game's value from its record."""
MEASURES: dict[str, Measure] = {**{f"Success@{cutoff}": Success @ cutoff for cutoff in (1, 5, 10, 15, 20)}, "RR": RR}
"""The measures of every run, by name."""
N_RESAMPLES = 2_000
RESAMPLED_AT_ONCE = 10_000_000
"""Resampled values that are in memory at the same time."""
CONFIDENCE = 0.95


def find_measures(names: Iterable[str]) -> dict[str, Measure]:
    """Return measures by name: of MEASURES, of ir-measures, such as nDCG@10, or by dotted path, such as mine.found_5.

    Raises:
        SettingsError: there is no such measure.
    """
    return {
        name: find(MEASURES, name, "--measure") if name in MEASURES or is_dotted(name) else _parsed(name)
        for name in names
    }


def _parsed(name: str) -> RankingMeasure:
    try:
        measure: Any = ir_measures.parse_measure(name)
        list(ir_measures.iter_calc([measure], [ir_measures.Qrel("game", "p", 1)], [ScoredDoc("game", "p", 1.0)]))
    except Exception as error:  # ir-measures and its providers raise errors of many types
        raise SettingsError(
            "--measure must be one of ir-measures that needs no more than a relevant paragraph a game, such as "
            f"nDCG@10, or the dotted path of your own, got {name!r}: {' '.join(str(error).split())}"
        ) from error
    assert isinstance(measure, RankingMeasure)
    return measure


def values_of(records: Sequence[GameRecord], measures: Mapping[str, Measure] | None = None) -> dict[str, Float64Array]:
    """Return the (n_games,) values of each measure, in the order of the games; of MEASURES, unless others are given.

    A game that was lost at ingest counts as a miss.

    Reference:
        MacAvaney, Macdonald and Ounis, Streamlining Evaluation with ir-measures, 2022.
    """
    measures = MEASURES if measures is None else measures
    # a game without a known paragraph gets one that no ranking holds
    qrels = [
        ir_measures.Qrel(record["game_id"], truth["paragraph_id"] if (truth := record["truth"]) else LOST, 1)
        for record in records
    ]
    run = [
        ScoredDoc(record["game_id"], hit["paragraph_id"], float(-place))
        for record in records
        for place, hit in enumerate(record["search"]["hits"])
    ]
    rows = {record["game_id"]: row for row, record in enumerate(records)}
    found = {measure: np.zeros(len(rows)) for measure in measures.values() if isinstance(measure, RankingMeasure)}
    for metric in ir_measures.iter_calc(list(found), qrels, run):
        found[metric.measure][rows[metric.query_id]] = metric.value
    return {
        name: found[measure]
        if isinstance(measure, RankingMeasure)
        else np.array([float(measure(record)) for record in records])
        for name, measure in measures.items()
    }


def interval(values: Float64Array, seed: int) -> tuple[float, float]:
    """Return the 95% interval of a mean over games: Wilson's for shares, the percentile bootstrap for anything else.

    Args:
        values: (n_games,) one value for each game.
        seed: the seed of the resampling.

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
    """Return the 95% percentile bootstrap interval of a mean; where all values are the same, that value twice.

    Args:
        values: (n_games,) one value a game, at least one.
        seed: the seed of the resampling.
    """
    if np.ptp(values) == 0.0:
        return (float(values[0]), float(values[0]))
    resampled = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=N_RESAMPLES,
        batch=batch_of(len(values)),
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return (float(resampled.low), float(resampled.high))


def batch_of(n_games: int) -> int:
    """Return how many resamples of so many games may be in memory at the same time."""
    return max(1, RESAMPLED_AT_ONCE // n_games)
