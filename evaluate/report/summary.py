"""Summary of runs in words and figures: the better run, settings that differ, lectures, games that only one run won."""

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
from quarry.evaluate.runs.record import GameRecord, explain
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
        "won_by_one": won_by_one(runs),
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


def same_games(runs: Sequence[Run]) -> bool:
    """Return whether the runs are of the same games; their stores and referees may differ."""
    return all(run.asked == runs[0].asked for run in runs)


def won_by_one(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return the games that only one of two runs won, for each run and the first, with their outcomes in both.

    A played game is won if more than half of its plays were won; without a referee, a game is won if its paragraph is
    the first hit. A run with a referee is not compared with one without. Of many games the first `MOST_SHOWN` by
    game_id are returned.
    """
    first, found = runs[0], []
    for other in runs[1:] if same_games(runs) else ():
        if other.played != first.played:
            continue
        by_first, by_other = _won(first), _won(other)
        shown = set(sorted(game_id for game_id in by_first if by_first[game_id] != by_other[game_id])[:MOST_SHOWN])
        for (game_id, one), two in zip(first.find(shown).items(), other.find(shown).values(), strict=True):
            truth = one["truth"] or two["truth"]
            names = (first.name, other.name) if by_first[game_id] else (other.name, first.name)
            found.append(
                {
                    "game_id": game_id,
                    "hint": one["hint"],
                    "book_name": one["book_name"],
                    "paragraph": f"{truth['document']} p{truth['page']}: {truth['opening_sentence']}" if truth else "",
                    "won_by": names[0],
                    "lost_by": names[1],
                    "sides": [_side(first, one, by_first[game_id]), _side(other, two, by_other[game_id])],
                }
            )
    return found


def _won(run: Run) -> dict[str, bool]:
    """Return whether each game was won, by game_id."""
    if run.won is None:
        return {row.game_id: row.rank == 1 for row in run.games}
    return {row.game_id: bool(share > 0.5) for row, share in zip(run.games, run.won, strict=True)}


def _side(run: Run, record: GameRecord, won: bool) -> dict[str, Any]:
    """Return how a run played a game, explained by the first play that ended as most plays of the game did."""
    play = next((play for play in record["plays"] if play["won"] == won), None)
    return {
        "run": run.name,
        "n_won": sum(play["won"] for play in record["plays"]) if run.played else None,
        "n_plays": run.repeats if run.played else 0,
        "rank": record["search"]["rank"],
        "why": list(explain(record, play)),
    }


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
