"""Runs side by side on the same games: paired tests, corrected for their number, and a verdict in words."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from scipy import stats

from quarry.evaluate.errors import RunError
from quarry.evaluate.runs.files import require_same_games
from quarry.evaluate.runs.measures import bootstrap_interval
from quarry.evaluate.runs.run import Run
from quarry.ingest.arrays import Float64Array

Verdict = Literal["better", "worse", "no difference that these games can show"]

TESTED = ("RR", "Success@1", "Success@5", "Success@20")
"""Measures that are tested; the fewer, the less the correction costs. Where games were played, the win rate is too."""
N_PERMUTATIONS = 9_999
ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class PairedTest:
    """One run against another in one measure, over the same games.

    Attributes:
        preset: the run that is judged, against: the one it is judged by.
        difference: mean over games of the first less the second.
        low: lower end of its 95% interval, high: the upper one; not corrected.
        n_differ: games in which the two differ at all.
        p: of a difference as large if the two were alike; p_holm: corrected for all tests of the comparison.
    """

    preset: str
    against: str
    measure: str
    difference: float
    low: float
    high: float
    n_games: int
    n_differ: int
    p: float
    p_holm: float
    verdict: Verdict

    def as_json(self) -> dict[str, Any]:
        """As `compare --json` prints it."""
        return asdict(self)


def compare(runs: Sequence[Run], *, pairs: bool = False, seed: int = 0) -> list[PairedTest]:
    """The tests of every run against the first, or of every two runs, in the order of the runs.

    The paired randomisation test asks how often the mean difference would be as large if for each game it were open
    which of the two runs had which value. Holm's correction keeps the chance of any false verdict among all the tests
    returned at 5%.

    Args:
        runs: of the same games, two or more; over one store or several.
        pairs: every two of them, not only against the first.
        seed: of the permutations and of the intervals.

    Raises:
        RunError: fewer than two, two of one name, or not of the same games and referee.

    Reference:
        Smucker, Allan and Carterette, A Comparison of Statistical Significance Tests for Information Retrieval
        Evaluation, 2007; Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979.
    """
    _require_comparable(runs)
    values = {run.name: values_of(run) for run in runs}
    names = list(values)
    chosen = list(itertools.combinations(names, 2)) if pairs else [(names[0], name) for name in names[1:]]
    tests = [
        (name, against, measure, *_tested(values[name][measure] - values[against][measure], seed))
        for against, name in chosen
        for measure in values[names[0]]
    ]
    corrected = holm([test[-1] for test in tests])
    return [
        PairedTest(
            preset=name,
            against=against,
            measure=measure,
            difference=round(float(difference.mean()), 6),
            low=round(low, 6),
            high=round(high, 6),
            n_games=len(difference),
            n_differ=int(np.count_nonzero(difference)),
            p=round(p, 6),
            p_holm=round(p_holm, 6),
            verdict=_verdict(float(difference.mean()), p_holm),
        )
        for (name, against, measure, difference, low, high, p), p_holm in zip(tests, corrected, strict=True)
    ]


def values_of(run: Run) -> Mapping[str, Float64Array]:
    """(n_games,) values of each tested measure for each answerable game; with the win rate where games were played."""
    values = {name: run.values[name] for name in TESTED}
    return values if run.won is None else values | {"win_rate": run.won}


def randomisation_p(differences: Float64Array, seed: int) -> float:
    """Two-sided p of the paired randomisation test of a mean difference of 0: exact where there are few differences.

    Args:
        differences: (n_games,) one value a game.
        seed: of the permutations.
    """
    differing = differences[differences != 0.0]
    if len(differing) == 0:
        return 1.0
    # equal games change nothing under any exchange; one is kept, since scipy wants two games
    differing = np.append(differing, 0.0)
    result = stats.permutation_test(
        (differing, np.zeros_like(differing)),
        lambda one, other, axis: np.mean(one - other, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=N_PERMUTATIONS,
        rng=np.random.default_rng(seed),
    )
    return float(result.pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p values corrected by Holm, in the same order."""
    from statsmodels.stats.multitest import multipletests

    if not p_values:
        return []
    return [float(p) for p in multipletests(p_values, alpha=ALPHA, method="holm")[1]]


def _tested(differences: Float64Array, seed: int) -> tuple[Float64Array, float, float, float]:
    """The differences, the interval of their mean, and p."""
    low, high = bootstrap_interval(differences, seed)
    return differences, low, high, randomisation_p(differences, seed)


def _verdict(difference: float, p: float) -> Verdict:
    if p >= ALPHA:
        return "no difference that these games can show"
    return "better" if difference > 0.0 else "worse"


def _require_comparable(runs: Sequence[Run]) -> None:
    if len(runs) < 2:
        raise RunError(f"at least two runs must be compared, got {len(runs)}; name another preset or RUN.json")
    names = [run.name for run in runs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RunError(f"each run must have a name of its own, got {twice[0]} twice; leave one out or rename its file")
    require_same_games(runs)
    for key in ("referee", "repeats"):
        for other in runs[1:]:
            if getattr(other, key) != getattr(runs[0], key):
                raise RunError(
                    f"{other.name}: must have the same --{key} as {runs[0].name}, got {getattr(other, key)} for "
                    f"{getattr(runs[0], key)}; replay both alike"
                )
    if not runs[0].answerable:
        raise RunError("at least one game must be answerable to compare runs, got none; name another games file")
