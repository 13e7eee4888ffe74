"""What a report says in words: who won and by how much, what differs, figures by lecture, games only one won."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from quarry.evaluate.errors import RunError
from quarry.evaluate.runs.comparison import PairedTest, compare
from quarry.evaluate.runs.contrast import Contrast, contrasts, differing, same_games
from quarry.evaluate.runs.measures import interval
from quarry.evaluate.runs.run import Run

NOWHERE = "not in the store"
"""Takes the place of the lecture of a game that was lost at ingest."""


def paired_tests(runs: Sequence[Run]) -> list[PairedTest]:
    """Return the tests of each run against the first; empty where the runs cannot be compared."""
    if len(runs) < 2:
        return []
    try:
        return compare(runs)
    except RunError:
        return []


def summary(runs: Sequence[Run]) -> dict[str, Any]:
    """Return what `report --json` prints."""
    tests = paired_tests(runs)
    return {
        "headline": headline(runs, tests),
        "differing": differing(runs),
        "runs": {run.name: {key: value for key, value in run.as_json().items() if key != "per_game"} for run in runs},
        "tests": [test.as_json() for test in tests],
        "documents": lecture_figures(runs),
        "won_by_one": [found.as_json() for found in won_by_one(runs)],
    }


def lecture_figures(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return the figures of each lecture's games, run by run, None where a run has none, in the order of the names.

    `share` is of games won, or without a referee of those whose paragraph is among the hits; `rr` is the mean
    reciprocal rank.
    """
    answerable = [record for run in reversed(runs) for record in run.answerable]
    lectures = {record["game_id"]: truth["document"] for record in answerable if (truth := record["truth"])}
    found: dict[str, list[dict[str, Any] | None]] = {}
    for place, run in enumerate(runs):
        of = np.array([lectures.get(record["game_id"], NOWHERE) for record in run.answerable])
        ranks = [record["search"]["rank"] for record in run.answerable]
        shares = np.array([float(rank is not None) for rank in ranks]) if run.won is None else run.won
        for name in sorted(set(of.tolist())):
            chosen = of == name
            found.setdefault(name, [None] * len(runs))[place] = {
                "games": int(chosen.sum()),
                "share": round(float(shares[chosen].mean()), 6),
                "share_interval": [round(end, 6) for end in interval(shares[chosen], run.seed)],
                "rr": round(float(run.values["RR"][chosen].mean()), 6),
            }
    return [{"document": name, "runs": found[name]} for name in sorted(found, key=lambda name: (name == NOWHERE, name))]


def won_by_one(runs: Sequence[Run]) -> list[Contrast]:
    """Return the games that only one of two runs won, for each run and the first."""
    if len(runs) < 2 or not same_games(runs):
        return []
    return [found for run in runs[1:] for found in contrasts(runs[0], run)]


def headline(runs: Sequence[Run], tests: Sequence[PairedTest]) -> list[str]:
    """Return the results in plain sentences."""
    if tests:
        return [sentence for run in runs[1:] for sentence in _of_two(runs[0], run, tests)]
    said = [sentence for run in runs for sentence in _of_one(run)]
    if len(runs) > 1:
        said.append("These runs are not of the same games and referee, so their figures say nothing about each other.")
    return said


def _of_one(run: Run) -> list[str]:
    """Describe one run by itself."""
    if not run.answerable:
        return [f"{run.name} has no game whose paragraph is of the course."]
    n = len(run.answerable)
    said = []
    if run.win_rate is not None and run.win_rate_interval is not None:
        said.append(
            f"{run.name} won {_percent(run.win_rate)} of {_games(n)} against the referee {run.referee} "
            f"(95% interval {_percent(run.win_rate_interval[0])} to {_percent(run.win_rate_interval[1])})."
        )
    shares = {"the first hit": run.measures.get("Success@1"), "among the first 20": run.measures.get("Success@20")}
    stood = " and ".join(f"{where} in {_percent(share)}" for where, share in shares.items() if share is not None)
    if stood:
        said.append(f"By the hint alone {run.name} has the right paragraph as {stood} of {_games(n)}.")
    if run.lost_at_ingest:
        said.append(f"{_games(run.lost_at_ingest)} of these were lost at ingest: the store has no such paragraph.")
    return said


def _of_two(first: Run, run: Run, tests: Sequence[PairedTest]) -> list[str]:
    """Say which of two runs is better, and by how much."""
    by_measure = {test.measure: test for test in tests if (test.preset, test.against) == (run.name, first.name)}
    test = by_measure.get("win_rate") or by_measure.get("nDCG@10") or by_measure.get("RR")
    if test is None:
        return []
    played = test.measure == "win_rate"
    values = [_value(found, test.measure) for found in (run, first)]
    shown = [_percent(value) if played else f"{value:.3f}" for value in values]
    what = f"of {_games(test.n_games)} won" if played else f"mean {test.measure} over {_games(test.n_games)}"
    # told as what the better one is ahead by
    sign = 1.0 if test.difference >= 0.0 else -1.0
    ahead = [sign * test.difference, *sorted((sign * test.low, sign * test.high))]
    size, low, high = [f"{100 * value:.1f}" if played else f"{value:.3f}" for value in ahead]
    size = f"{size} points" if played else size
    between = f"95% interval {low} to {high}"
    p = f"p {test.p_holm:.3f}" if test.p_holm >= 0.001 else "p below 0.001"
    if test.verdict == "better":
        verdict = f"{run.name} is better than {first.name}: {shown[0]} against {shown[1]} {what}, {size} more"
    elif test.verdict == "worse":
        verdict = f"{first.name} is better than {run.name}: {shown[1]} against {shown[0]} {what}, {size} more"
    else:
        verdict = (
            f"Neither {first.name} nor {run.name} can be called better by these games: {shown[1]} and {shown[0]} "
            f"{what}, a difference of {size}"
        )
    return [f"{verdict} ({between}, {p})."]


def _value(run: Run, measure: str) -> float:
    value = run.win_rate if measure == "win_rate" else run.measures[measure]
    assert value is not None, "what was tested has a value"
    return value


def _games(n: int) -> str:
    return "1 game" if n == 1 else f"{n} games"


def _percent(share: float) -> str:
    return f"{100.0 * share:.1f}%"
