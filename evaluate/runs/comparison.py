"""Comparison of runs over the same games: paired tests, corrected for their number, and verdicts in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

from quarry.evaluate.errors import RunError
from quarry.evaluate.runs.measures import batch_of, bootstrap_interval
from quarry.evaluate.runs.run import Run
from quarry.ingest.arrays import Float64Array

Verdict = Literal["better", "worse", "no difference that these games can show"]

UNTESTED = {"Success@10", "Success@15"}
"""These measures are tested only if the user names them: each further test makes the correction stricter."""
N_PERMUTATIONS = 9_999
ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class PairedTest:
    """One run compared with another in one measure, over the same games.

    Attributes:
        preset: name of the run; against: name of the run that it is compared with.
        difference: mean over games of `preset` minus `against`.
        low, high: ends of its 95% interval, not corrected.
        n_differ: games in which the two runs differ.
        p: probability of a difference at least as large if the runs were equally good; p_holm: corrected for all tests.
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


def compare(runs: Sequence[Run], *, seed: int = 0) -> list[PairedTest]:
    """Test every run against the first, in each measure that all runs have and in the win rate where games were played.

    The paired randomisation test exchanges the values of both runs at random in each game, and counts how often the
    mean difference is at least as large. Holm's correction keeps the probability of any false verdict at 5%.

    Args:
        runs: two or more, over the same games and one store or several.
        seed: the seed of the permutations and of the intervals.

    Raises:
        RunError: there are fewer than two, two have the same name, or games or referees differ.

    Reference:
        Smucker, Allan and Carterette, A Comparison of Statistical Significance Tests for Information Retrieval
        Evaluation, 2007; Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979.
    """
    require_comparable(runs)
    first, *others = runs
    values = [tested_values(run) for run in runs]
    shared = [name for name in values[0] if all(name in found for found in values)]
    compared = [
        (run.name, measure, found[measure] - values[0][measure])
        for run, found in zip(others, values[1:], strict=True)
        for measure in shared
    ]
    p_values = [randomisation_p(difference, seed) for _, _, difference in compared]
    tests = []
    for (name, measure, difference), p, p_holm in zip(compared, p_values, holm(p_values), strict=True):
        mean, (low, high) = float(difference.mean()), bootstrap_interval(difference, seed)
        tests.append(
            PairedTest(
                preset=name,
                against=first.name,
                measure=measure,
                difference=round(mean, 6),
                low=round(low, 6),
                high=round(high, 6),
                n_games=len(difference),
                n_differ=int(np.count_nonzero(difference)),
                p=round(p, 6),
                p_holm=round(p_holm, 6),
                verdict=_verdict(mean, p_holm),
            )
        )
    return tests


def tested_values(run: Run) -> Mapping[str, Float64Array]:
    """Return the (n_games,) values of each measure that is tested, for each answerable game."""
    first = [name for name in ("RR", *run.values) if name not in UNTESTED or name in run.own_measures]
    values = {name: run.values[name] for name in first}
    return values if run.won is None else values | {"win_rate": run.won}


def randomisation_p(differences: Float64Array, seed: int) -> float:
    """Return the two-sided p of the paired randomisation test, exact for few differences.

    Args:
        differences: (n_games,) one value for each game.
        seed: the seed of the permutations.
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
        batch=batch_of(len(differing)),
        rng=np.random.default_rng(seed),
    )
    return float(result.pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p values corrected by Holm, in the same order."""
    from statsmodels.stats.multitest import multipletests

    return [float(p) for p in multipletests(p_values, alpha=ALPHA, method="holm")[1]] if p_values else []


def _verdict(difference: float, p: float) -> Verdict:
    if p >= ALPHA:
        return "no difference that these games can show"
    return "better" if difference > 0.0 else "worse"


def require_comparable(runs: Sequence[Run]) -> None:
    """Pass if runs are of the same games and referee.

    Raises:
        RunError: there are fewer than two, two have the same name, or games or referees differ.
    """
    if len(runs) < 2:
        raise RunError(f"at least two runs must be compared, got {len(runs)}; name another preset or RUN.json")
    first, names = runs[0], [run.name for run in runs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RunError(f"each run must have a name of its own, got {twice[0]} twice; leave one out or rename its file")
    for other in runs[1:]:
        if other.asked != first.asked:
            raise RunError(
                f"{other.name}: must be of the same games as {first.name}, got others; replay both with the same "
                "--games, --split and --seed"
            )
        for key in ("referee", "repeats"):
            if getattr(other, key) != getattr(first, key):
                raise RunError(
                    f"{other.name}: must have the same --{key} as {first.name}, got {getattr(other, key)} for "
                    f"{getattr(first, key)}; replay both alike"
                )
    if not first.rows:
        raise RunError("at least one game must be answerable to compare runs, got none; name another games file")
