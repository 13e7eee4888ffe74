"""Summary of runs in words and figures: the better run, settings that differ, figures of each lecture."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from quarry.configs.terminal import pluralize
from quarry.evaluate.errors import RunError
from quarry.evaluate.runs.comparison import PairedTest, compare
from quarry.evaluate.runs.measures import interval
from quarry.evaluate.runs.run import Run

NOWHERE = "not in the store"
"""Name of the lecture of a game that was lost at ingest."""
MOST_SHOWN = 1_000
"""Most games that a report shows one by one."""
MADE_WITH = ("referee", "repeats", "seed", "store_fingerprint", "games_digest", "commit")
"""Attributes of a run that are compared together with its settings."""


def summary(runs: Sequence[Run]) -> dict[str, Any]:
    """Return the document of `report --json`."""
    tests = paired_tests(runs)
    return {
        "headline": headline(runs, tests),
        "differing": differing(runs),
        "runs": {run.name: {key: value for key, value in run.as_json().items() if key != "per_game"} for run in runs},
        "tests": [asdict(test) for test in tests],
        "documents": lecture_figures(runs),
    }


def paired_tests(runs: Sequence[Run]) -> list[PairedTest]:
    """Return the tests of each run against the first; empty if the runs cannot be compared."""
    try:
        return compare(runs)
    except RunError:
        return []


def differing(runs: Sequence[Run]) -> dict[str, list[Any]]:
    """Return each run's value of every setting that is not the same in all runs, by the name of the setting."""
    found = [{**{key: getattr(run, key) for key in MADE_WITH}, **dict(_flat(run.settings))} for run in runs]
    names = dict.fromkeys(name for one in found for name in one)
    rows = {name: [values.get(name) for values in found] for name in names}
    return {name: values for name, values in rows.items() if any(value != values[0] for value in values)}


def _flat(tree: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the leaves of settings by their dotted names."""
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def shown(setting: str, value: object) -> str:
    """Return a value of `differing` for people: as in YAML, commits shortened."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value[:10] if setting == "commit" else value or '""'
    return json.dumps(value, ensure_ascii=False)


def lecture_figures(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return the figures of each lecture's games by run, None if a run has no such games, in the order of the names.

    `share` is of games won, or without a referee of games with their paragraph among the hits; `rr` is the mean
    reciprocal rank.
    """
    lectures = {row.game_id: row.document for run in reversed(runs) for row in run.games if row.document}
    found: dict[str, list[dict[str, Any] | None]] = {}
    for column, run in enumerate(runs):
        of = np.array([lectures.get(row.game_id, NOWHERE) for row in run.games])
        shares = np.array([float(row.rank is not None) for row in run.games]) if run.won is None else run.won
        for name in sorted(set(of.tolist())):
            chosen = of == name
            found.setdefault(name, [None] * len(runs))[column] = {
                "games": int(chosen.sum()),
                "share": round(float(shares[chosen].mean()), 6),
                "share_interval": [round(end, 6) for end in interval(shares[chosen], run.seed)],
                "rr": round(float(run.values["RR"][chosen].mean()), 6),
            }
    return [{"document": name, "runs": found[name]} for name in sorted(found, key=lambda name: (name == NOWHERE, name))]


def headline(runs: Sequence[Run], tests: Sequence[PairedTest]) -> list[str]:
    """Return the results in sentences: each run against the first, or each by itself if they cannot be compared."""
    if tests:
        return [_of_two(runs[0], run, tests) for run in runs[1:]]
    said = [_of_one(run) for run in runs]
    if len(runs) > 1:
        said.append("These runs are not of the same games and referee, so their figures say nothing about each other.")
    return said


def _of_one(run: Run) -> str:
    if not run.rows:
        return f"{run.name} has no game with its paragraph in the course."
    names = [name for name in ("win_rate", "RR", "Success@1", "Success@20") if name in run.figures]
    figures = ", ".join(
        f"{name.replace('_', ' ')} {value:.3f} [{low:.3f}, {high:.3f}]"
        for name in names
        for value, (low, high) in [run.figures[name]]
    )
    lost = f"; {pluralize(run.lost_at_ingest, 'game')} lost at ingest" if run.lost_at_ingest else ""
    return f"{run.name}, {pluralize(len(run.games), 'game')}, referee {run.referee}: {figures}{lost}."


def _of_two(first: Run, run: Run, tests: Sequence[PairedTest]) -> str:
    """Say which of two runs is better, and by how much: in the win rate, or in RR if nothing was played."""
    by_measure = {test.measure: test for test in tests if test.preset == run.name}
    test = by_measure.get("win_rate", by_measure["RR"])
    names = f"{run.name} is {test.verdict} than {first.name}"
    if test.verdict not in ("better", "worse"):
        names = f"Between {run.name} and {first.name} there is {test.verdict}"
    values = " against ".join(f"{one.figures[test.measure][0]:.3f}" for one in (run, first))
    p = f"p {test.p_holm:.3f}" if test.p_holm >= 0.001 else "p below 0.001"
    return (
        f"{names}: {test.measure.replace('_', ' ')} {values} over {pluralize(test.n_games, 'game')}, a difference of "
        f"{test.difference:+.3f} (95% interval {test.low:+.3f} to {test.high:+.3f}, {p})."
    )
