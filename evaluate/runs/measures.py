"""Measures of a run, from ir-measures or by the user, and 95% intervals of their means."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import ir_measures
import numpy as np
from ir_measures import RR, Qrel, ScoredDoc, Success
from scipy import stats

from configs.errors import SettingsError
from evaluate.runs.record import ReplayRecord
from quarry.arrays import Float64Array, IntArray
from quarry.plugins import failing_as, find, is_dotted

RankingMeasure = ir_measures.measures.Measure
"""A measure of ir-measures."""
Measure = RankingMeasure | Callable[[ReplayRecord], float]
"""A measure of ir-measures, or a function that returns a game's value from its record."""
MEASURES: dict[str, Measure] = {
    **{f"Success@{cutoff}": Success @ cutoff for cutoff in (1, 5, 10, 15, 20)},
    "RR": RR,
}
"""The measures of every run, by name."""
SECRET_ID = "secret"
"""Id of the secret paragraph in a ranking."""
N_RESAMPLES = 2_000
"""Number of resamples of a bootstrap."""
RESAMPLED_AT_ONCE = 100
"""Number of resamples that are in memory at a time."""
CONFIDENCE = 0.95
"""Confidence level of intervals."""
Figure = tuple[float, list[float]]
"""A mean over games and the ends of its interval, rounded to six digits."""


def find_measures(names: Iterable[str]) -> dict[str, Measure]:
    """Look up measures: in MEASURES, in ir-measures (nDCG@10), or by dotted path (mine.found_5).

    Raises:
        SettingsError: there is no such measure.
    """
    measures: dict[str, Measure] = {}
    for name in names:
        if name in MEASURES or is_dotted(name):
            measures[name] = find(MEASURES, name, "--measure")
            continue

        try:
            measures[name] = measure = ir_measures.parse_measure(name)
            if measure.params.get("cutoff", 1) < 1:  # trec_eval would end the process
                raise ValueError("the cutoff must be at least 1")
            (value,) = compute_ranking_values(measure, np.array([1]), np.array([2]))
            if value == 0.0:
                raise ValueError("the paragraph has relevance 1, and counts nothing")
        # ir-measures and its providers raise errors of many types
        except Exception as error:
            raise SettingsError(
                f"--measure {name!r} is unknown: {' '.join(str(error).split())}; take one of ir-measures that needs no "
                "more than a relevant paragraph a game, such as nDCG@10, or the dotted path of your own"
            ) from error
    return measures


def compute_values(
    measures: Mapping[str, Measure],
    ranks: IntArray,
    n_hits: IntArray,
    records: Iterable[ReplayRecord],
) -> dict[str, Float64Array]:
    """Compute the (n_games,) values of each measure for the answerable games, in their order.

    Args:
        measures: measures by name.
        ranks, n_hits: as in `compute_ranking_values`.
        records: records of all games, for measures of the user.
    """
    values: dict[str, Float64Array] = {}
    own_measures: dict[str, Callable[[ReplayRecord], float]] = {}
    for name, measure in measures.items():
        if isinstance(measure, RankingMeasure):
            values[name] = compute_ranking_values(measure, ranks, n_hits)
        else:
            own_measures[name] = measure
            values[name] = np.zeros(len(ranks))

    # records may be in a file, which is read once for all measures
    answerable = (game for game in records if game["answerable"])
    remedy = "Correct it, or leave it out."
    for row, game in enumerate(answerable if own_measures else ()):
        for name, compute in own_measures.items():
            with failing_as(SettingsError, f"--measure {name}", remedy):
                values[name][row] = compute(game)
    return values


def compute_ranking_values(
    measure: RankingMeasure, ranks: IntArray, n_hits: IntArray
) -> Float64Array:
    """Compute the (n_games,) values of a measure of rankings with one relevant paragraph.

    Args:
        measure: the measure.
        ranks: (n_games,) rank of the paragraph; 0 if it is not a hit, which counts as a miss.
        n_hits: (n_games,) length of each ranking.

    Reference:
        MacAvaney, Macdonald and Ounis, Streamlining Evaluation with ir-measures, 2022.
    """
    # games with the same rank and number of hits have the same value
    games = np.stack([ranks, n_hits], axis=1)
    cases, case_of_game = np.unique(games, axis=0, return_inverse=True)
    qrels, run = [], []
    for case, (rank, n) in enumerate(cases.tolist()):
        qrels.append(Qrel(str(case), SECRET_ID, 1))
        for position in range(1, n + 1):
            paragraph_id = SECRET_ID if position == rank else str(position)
            run.append(ScoredDoc(str(case), paragraph_id, -float(position)))

    values = np.zeros(len(cases))
    for metric in measure.iter_calc(qrels, run):
        values[int(metric.query_id)] = metric.value
    return values[case_of_game]


def is_share(measure: Measure) -> bool:
    """Return whether a measure is 0 or 1 in each game, so that its mean is a share of games."""
    return isinstance(measure, RankingMeasure) and measure.NAME == Success.NAME


def compute_figure(
    values: Float64Array, seed: int, *, is_share: bool = False
) -> Figure:
    """Compute the mean over games and its 95% interval: Wilson's for a share of games, else the percentile bootstrap.

    The bootstrap interval of equal values is that value twice.

    Args:
        values: (n_games,) one value for each game, at least one; of a share, 0 or 1, or the mean of the repeats of a
            game, whose interval is at most as wide as that of single plays.
        seed: seed of the resampling.
        is_share: whether the mean is a share of games.

    Reference:
        Wilson, Probable Inference, the Law of Succession, and Statistical Inference, 1927; Efron, Bootstrap Methods:
        Another Look at the Jackknife, 1979.
    """
    ends: Any = (values[0], values[0])
    if is_share:
        from statsmodels.stats.proportion import proportion_confint

        level = 1.0 - CONFIDENCE
        ends = proportion_confint(values.sum(), len(values), level, method="wilson")
    elif np.ptp(values) > 0.0:
        ends = stats.bootstrap(
            (values,),
            np.mean,
            n_resamples=N_RESAMPLES,
            batch=RESAMPLED_AT_ONCE,
            confidence_level=CONFIDENCE,
            method="percentile",
            rng=np.random.default_rng(seed),
        ).confidence_interval
    mean, low, high = (round(float(value), 6) for value in (values.mean(), *ends))
    return mean, [low, high]


def format_with_interval(
    value: float, ends: Sequence[float], form: str = ".3f", ends_form: str = ".3f"
) -> str:
    """Write a figure with its 95% interval in brackets."""
    return f"{value:{form}} [{ends[0]:{ends_form}}, {ends[1]:{ends_form}}]"
