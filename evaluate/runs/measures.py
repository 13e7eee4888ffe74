"""Measures of a run, by ir-measures, with 95% intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import ir_measures
import numpy as np
from ir_measures import AP, RR, R, ScoredDoc, Success, nDCG
from scipy import stats

from quarry.evaluate.runs.record import LOST, GameRecord
from quarry.ingest.arrays import Float64Array
from quarry.player.search.core import log_odds_of

Measure = ir_measures.measures.Measure | Callable[[GameRecord], float]
"""One of ir-measures' own, or what gives a game's value from its record."""
MEASURES: dict[str, Measure] = {**{f"Success@{cutoff}": Success @ cutoff for cutoff in (1, 5, 10, 15, 20)}, "RR": RR}
"""By name; a run has all of them."""
GRADED: Mapping[str, ir_measures.measures.Measure] = {"nDCG@10": nDCG @ 10, "AP": AP, "R@20": R @ 20, "R@100": R @ 100}
"""Of games that name several relevant paragraphs, beside the others; R@100 where rankings are as deep."""
Judged = str | Mapping[str, int] | None
"""Of a game: the one relevant paragraph, or the grades of several; None where it was lost at ingest."""
N_RESAMPLES = 2_000
CONFIDENCE = 0.95


def values_of(records: Sequence[GameRecord]) -> dict[str, Float64Array]:
    """(n_games,) value of each measure of the table for each game, in order, and of `GRADED` where they apply.

    They are counted over the hits, or over the deeper rankings where these were asked for.
    """
    ranked = per_game(
        {record["game_id"]: list(ranking_of(record)) for record in records},
        {record["game_id"]: qrels_of(record) for record in records},
        graded=_graded(records),
    )
    own = {name: np.array([_value(name, record) for record in records]) for name in MEASURES if name not in ranked}
    return {name: (ranked | own)[name] for name in (*MEASURES, *(name for name in ranked if name not in MEASURES))}


def ranking_of(record: GameRecord) -> Mapping[str, float]:
    """The log-odds of relevance of what a game's search ranked, by paragraph_id, in its order."""
    if "ranking" in record:
        return record["ranking"]
    return {hit["paragraph_id"]: log_odds_of(hit["relevance"]) for hit in record["search"]["hits"]}


def qrels_of(record: GameRecord) -> Mapping[str, int]:
    """The grades of a game's paragraphs; one that was lost at ingest stands for what no ranking holds."""
    truth = record["truth"]
    found = record.get("relevant") or {}
    return found if found else {truth["paragraph_id"] if truth else LOST: 1}


def _graded(records: Sequence[GameRecord]) -> Mapping[str, ir_measures.measures.Measure]:
    """Those of `GRADED` that apply."""
    if not any("relevant" in record for record in records):
        return {}
    deep = all(record.get("depth", 0) >= 100 for record in records)
    return {name: measure for name, measure in GRADED.items() if deep or name != "R@100"}


def _value(name: str, record: GameRecord) -> float:
    measure = MEASURES[name]
    assert not isinstance(measure, ir_measures.measures.Measure), "those are counted from rankings"
    return float(measure(record))


def per_game(
    rankings: Mapping[str, Sequence[str]],
    relevant: Mapping[str, Judged],
    *,
    graded: Mapping[str, ir_measures.measures.Measure] | None = None,
) -> dict[str, Float64Array]:
    """The value of each of ir-measures' own for each game.

    Args:
        rankings: the paragraph_ids of each game's hits, best first.
        relevant: each game's paragraph_id, or grades of several; None where it was lost at ingest, which is a miss.
        graded: measures beside those of the table.

    Returns:
        For each name of such a measure the (n_games,) values, in the order of `relevant`.

    Reference:
        MacAvaney, Macdonald and Ounis, Streamlining Evaluation with ir-measures, 2022.
    """
    # a game without a known paragraph gets one that no ranking holds
    qrels = [
        ir_measures.Qrel(game_id, paragraph_id, grade)
        for game_id, found in relevant.items()
        for paragraph_id, grade in (found if isinstance(found, Mapping) else {found or LOST: 1}).items()
    ]
    run = [
        ScoredDoc(game_id, paragraph_id, float(-place))
        for game_id, ranking in rankings.items()
        for place, paragraph_id in enumerate(ranking)
    ]
    rows = {game_id: row for row, game_id in enumerate(relevant)}
    wanted = {**{name: MEASURES[name] for name in MEASURES}, **(graded or {})}
    names = {measure: name for name, measure in wanted.items() if isinstance(measure, ir_measures.measures.Measure)}
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
