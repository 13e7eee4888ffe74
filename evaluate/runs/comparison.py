"""Comparison of runs over the same games by paired tests, which are corrected for their number."""

import math
from collections.abc import Sequence, Sized
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

from evaluate.errors import RunError
from evaluate.runs.measures import RESAMPLED_AT_ONCE, compute_figure
from evaluate.runs.run import WIN_RATE, Run
from quarry.arrays import Float64Array

Verdict = Literal["better", "worse", "no difference that these games can show"]
"""Results of a test."""
UNDECIDED: Verdict = "no difference that these games can show"
"""Verdict if a difference is not significant."""

TESTED = ("RR", "Success@1", "Success@5", "Success@20")
"""Measures that are always tested; others only if the user names them, since each test makes correction stricter."""
N_PERMUTATIONS = 9_999
"""Number of permutations of a test."""
ALPHA = 0.05
"""Maximum probability of any false verdict."""
POWER = 0.8
"""Probability that as many games as `games_to_decide` returns show the difference."""


Difference = tuple[str, str, Float64Array]
"""Name of a run, measure, and (n_games,) values of the run minus those of the first run."""
TestKey = tuple[str, bytes]
"""Name of a run, and its differences as bytes; measures with the same differences are one test."""


@dataclass(frozen=True, slots=True)
class PairedTest:
    """One run compared with another in one measure, over the same games.

    Attributes:
        preset: name of the run.
        against: name of the run that it is compared with.
        difference: mean over games of the value of `preset` minus that of `against`.
        low, high: ends of its 95% interval, not corrected.
        n_differ: number of games in which the two runs differ.
        p: probability of a difference at least as large if the runs were equally good.
        p_holm: `p`, corrected for the number of tests.
        n_to_decide: approximate number of games that would show a difference of this size; None if these games show it,
            or if there is no difference.
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
    n_to_decide: int | None
    verdict: Verdict


def compare(runs: Sequence[Run], *, seed: int = 0) -> list[PairedTest]:
    """Test every run against the first in each common measure, and in the win rate if referee and repeats are the same.

    The paired randomisation test exchanges the values of both runs at random in each game, and counts how often the
    mean difference is at least as large. Holm's correction keeps the probability of any false verdict at 5%. Measures
    without a difference in any game are not counted, and measures with the same difference in every game count once.

    Args:
        runs: two or more runs with different names over the same games, and one store or several.
        seed: seed of the permutations and of the intervals.

    Raises:
        RunError: there are fewer than two runs, their games differ, or no game is answerable.

    Reference:
        Smucker, Allan and Carterette, A Comparison of Statistical Significance Tests for Information Retrieval
        Evaluation, 2007; Holm, A Simple Sequentially Rejective Multiple Test Procedure, 1979; Tarone, A Modified
        Bonferroni Method for Discrete Data, 1990.
    """
    _require_comparable(runs)
    differences = _differences(runs)
    p_values = _p_values(differences, seed)

    tests = []
    for name, measure, difference in differences:
        key = (name, difference.tobytes())
        mean, (low, high) = compute_figure(difference, seed)
        p, p_holm = p_values.get(key, (1.0, 1.0))
        verdict: Verdict = "better" if difference.sum() > 0.0 else "worse"
        n_to_decide = None
        if p_holm >= ALPHA:
            verdict = UNDECIDED
            n_to_decide = games_to_decide(difference, len(p_values))

        tests.append(
            PairedTest(
                preset=name,
                against=runs[0].name,
                measure=measure,
                difference=mean,
                low=low,
                high=high,
                n_games=len(difference),
                n_differ=int(np.count_nonzero(difference)),
                p=round(p, 6),
                p_holm=round(p_holm, 6),
                n_to_decide=n_to_decide,
                verdict=verdict,
            )
        )
    return tests


def require_two(runs: Sized) -> None:
    """Raise a RunError unless there are two runs or more."""
    if len(runs) < 2:
        raise RunError(
            f"A comparison needs two runs, got {len(runs)}; name another preset or RUN.json."
        )


def _require_comparable(runs: Sequence[Run]) -> None:
    """Raise a RunError unless the runs are two or more of the same games."""
    require_two(runs)
    first = runs[0]
    for other in runs[1:]:
        if other.asked() != first.asked():
            raise RunError(
                f"{first.name} and {other.name} are of different games; replay both with the same --games, --split "
                "and --seed."
            )
    if first.answerable_games.empty:
        raise RunError("No game of these runs is answerable; name another games file.")


def _p_values(
    differences: Sequence[Difference], seed: int
) -> dict[TestKey, tuple[float, float]]:
    """Return the p of each different test that has a difference in a game, plain and corrected by Holm."""
    p_values: dict[TestKey, float] = {}
    for name, _, difference in differences:
        key = (name, difference.tobytes())
        if difference.any() and key not in p_values:
            p_values[key] = randomisation_p(difference, seed)
    if not p_values:
        return {}

    from statsmodels.stats.multitest import multipletests

    _, p_holms, *_ = multipletests([*p_values.values()], method="holm")
    pairs = zip(p_values.values(), np.asarray(p_holms).tolist(), strict=True)
    return dict(zip(p_values, pairs, strict=True))


def _differences(runs: Sequence[Run]) -> list[Difference]:
    """Return the difference of each later run from the first in each common measure."""
    first = runs[0]
    names = [*TESTED, *first.own_measures, WIN_RATE]
    if len({(run.referee, run.repeats) for run in runs}) > 1:
        names.remove(WIN_RATE)
    measures = [name for name in names if all(name in run.values for run in runs)]
    differences = []
    for run in runs[1:]:
        for name in measures:
            difference = run.values[name] - first.values[name]
            differences.append((run.name, name, difference))
    return differences


def games_to_decide(differences: Float64Array, n_tests: int) -> int | None:
    """Estimate the number of games that would show a mean difference as large as this one; None if it is 0.

    It is the normal approximation for a power of 80%, at a level divided by the number of tests.

    Args:
        differences: (n_games,) one value for each game.
        n_tests: number of tests.
    """
    mean = float(differences.mean())
    if mean == 0.0:
        return None
    level = float(stats.norm.isf(ALPHA / 2.0 / n_tests) + stats.norm.ppf(POWER))
    n_games = (level * float(differences.std()) / mean) ** 2
    # of the 2**n exchanges of n games that differ, two have a mean as large as the observed one
    n_differ = math.log2(2 * n_tests / ALPHA)
    least = n_differ * len(differences) / np.count_nonzero(differences)
    return max(math.ceil(n_games), math.ceil(least), len(differences) + 1)


def randomisation_p(differences: Float64Array, seed: int) -> float:
    """Return the two-sided p of the paired randomisation test, exact for few differences.

    Args:
        differences: (n_games,) one value for each game.
        seed: seed of the permutations.
    """
    if not differences.any():
        return 1.0
    # exchanges do not change equal games; one is added, since scipy needs two games
    differing = np.append(differences[differences != 0.0], 0.0)

    result = stats.permutation_test(
        (differing, np.zeros_like(differing)),
        lambda one, other, axis: np.mean(one - other, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=N_PERMUTATIONS,
        batch=RESAMPLED_AT_ONCE,
        rng=np.random.default_rng(seed),
    )
    return float(result.pvalue)
