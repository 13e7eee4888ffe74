"""Measures of a run, from ir-measures or the user, and their 95% intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import ir_measures
import numpy as np
from ir_measures import RR, ScoredDoc, Success
from scipy import stats

from configs.settings import SettingsError
from evaluate.runs.record import LOST, ReplayRecord
from ingest.arrays import Float64Array
from ingest.extensions import find, is_dotted

RankingMeasure = ir_measures.measures.Measure
Measure = RankingMeasure | Callable[[ReplayRecord], float]
"""A measure of ir-measures, or a function that returns a game's value from its record."""
MEASURES: dict[str, Measure] = {
    **{f"Success@{cutoff}": Success @ cutoff for cutoff in (1, 5, 10, 15, 20)},
    "RR": RR,
}
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
    measures: dict[str, Measure] = {}
    for name in names:
        is_ours = name in MEASURES or is_dotted(name)
        measures[name] = find(MEASURES, name, "--measure") if is_ours else _parsed(name)
    return measures


def _parsed(name: str) -> RankingMeasure:
    game = ir_measures.Qrel("game", "p", 1), ScoredDoc("game", "p", 1.0)
    try:
        measure: RankingMeasure = ir_measures.parse_measure(name)
        measure.calc_aggregate([game[0]], [game[1]])
    # ir-measures and its providers raise errors of many types
    except Exception as error:
        raise SettingsError(
            "--measure must be one of ir-measures that needs no more than a relevant paragraph a game, such as "
            f"nDCG@10, or the dotted path of your own, got {name!r}: {' '.join(str(error).split())}"
        ) from error
    return measure


def values_of(
    records: Iterable[ReplayRecord], measures: Mapping[str, Measure] | None = None
) -> dict[str, Float64Array]:
    """Return the (n_games,) values of each measure, in the order of the games; of MEASURES, unless others are given.

    A game that was lost at ingest counts as a miss.

    Reference:
        MacAvaney, Macdonald and Ounis, Streamlining Evaluation with ir-measures, 2022.
    """
    records = list(records)
    measures = MEASURES if measures is None else measures
    rows: dict[str, int] = {}
    qrels, run = [], []
    for record in records:
        game_id, truth = record["game_id"], record["truth"]
        rows[game_id] = len(rows)
        # a game without a known paragraph gets one that no ranking holds
        right = truth["paragraph_id"] if truth else LOST
        qrels.append(ir_measures.Qrel(game_id, right, 1))
        for place, hit in enumerate(record["search"]["hits"]):
            run.append(ScoredDoc(game_id, hit["paragraph_id"], float(-place)))

    rankings: dict[RankingMeasure, Float64Array] = {}
    values = {}
    for name, measure in measures.items():
        if isinstance(measure, RankingMeasure):
            values[name] = rankings.setdefault(measure, np.zeros(len(records)))
        else:
            values[name] = np.array([*map(measure, records)], dtype=np.float64)

    for metric in ir_measures.iter_calc(list(rankings), qrels, run):
        rankings[metric.measure][rows[metric.query_id]] = metric.value
    return values


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
        ends = stats.binomtest(int(values.sum()), len(values)).proportion_ci(
            CONFIDENCE, method="wilson"
        )
        return (float(ends.low), float(ends.high))
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


def rounded(ends: Iterable[float]) -> list[float]:
    """Return the ends of an interval as files hold them."""
    return [round(end, 6) for end in ends]


def batch_of(n_games: int) -> int:
    """Return how many resamples of so many games may be in memory at the same time."""
    return max(1, RESAMPLED_AT_ONCE // n_games)
