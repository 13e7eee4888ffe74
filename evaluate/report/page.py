"""Runs as one HTML page that needs no network and no other file."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from quarry.configs.terminal import pluralize
from quarry.evaluate.errors import RunError
from quarry.evaluate.runs.comparison import PairedTest, compare
from quarry.evaluate.runs.measures import interval
from quarry.evaluate.runs.record import CandidateRecord, GameRecord, HitRecord, fate
from quarry.evaluate.runs.run import GameRow, Run, play_of

FOLDER = Path(__file__).resolve().parent
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:"
"""The page may load nothing; plotly writes styles and draws pictures."""
MOST_SHOWN = 1_000
"""Most games that a report shows one by one."""
NOWHERE = "not in the store"
"""Name of the lecture of a game that was lost at ingest."""
OUTCOMES = {
    "held": "found, or won",
    "answers": "lost by the answers",
    "search": "lost in the search",
    "book": "lost at the book",
    "ingest": "lost at ingest",
}
Series = dict[str, Any]
"""`name`, `x` and `y`; `ends` are those of the 95% intervals of y."""
N_ITEMS = 10
"""Hits, and candidates after the answers, that a game shows; the labelled paragraph is always among them."""


def render(runs: Sequence[Run]) -> str:
    """Return the page of some runs; runs of the same games are tested against each other.

    No text of a run becomes markup: jinja2 escapes the texts of the page, and the data of the scripts is compressed
    JSON, in base64. The policy of the page allows its two scripts alone, and no request.
    """
    plotly, script, style = (
        (FOLDER / name).read_text(encoding="utf-8") for name in ("plotly-basic.min.js", "report.js", "report.css")
    )
    game_ids = _shown(runs)
    plots = run_plots(runs)
    tests = paired_tests(runs)
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"plain": lambda head: (head, ""), "numbered": lambda head: (head, "n")}
    return environment.get_template("report.html").render(
        runs=[(run.name, run.as_json()) for run in runs],
        measures=list(runs[0].measures),
        played=any(run.played for run in runs),
        headline=headline(runs, tests),
        tests=[asdict(test) for test in tests],
        documents=lecture_figures(runs),
        rows=_rows(runs, game_ids),
        n_games=len({row.game_id for run in runs for row in run.games}),
        plots={name: in_words(series) for name, series in plots.items()},
        policy=f"{POLICY}; script-src {_hashes(plotly, script)}",
        style=Markup(style),
        plotly=Markup(plotly),
        script=Markup(script),
        data=packed({"plots": plots, "games": _games(runs, game_ids), "runs": [run.name for run in runs]}),
    )


def packed(document: object) -> str:
    """Return a document as JSON, compressed with gzip, in base64: a tenth of the length, and no character of markup."""
    return base64.b64encode(gzip.compress(json.dumps(document).encode(), mtime=0)).decode()


def _hashes(*scripts: str) -> str:
    """Return the hashes by which a content security policy allows scripts."""
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    return " ".join(f"'sha256-{digest}'" for digest in digests)


def _shown(runs: Sequence[Run]) -> list[str]:
    """Return the ids of the games that the page lists: at most `MOST_SHOWN`, with lost games chosen first."""
    lost: dict[str, bool] = {}
    for row in (row for run in runs for row in run.rows):
        lost[row.game_id] = lost.get(row.game_id, False) or row.lost_at is not None
    return sorted(sorted(lost, key=lambda game_id: (not lost[game_id], game_id))[:MOST_SHOWN])


def _rows(runs: Sequence[Run], game_ids: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows of the table of games: hint and lecture of each game, and its outcome in each run."""
    plays: list[dict[str, list[GameRow]]] = [{game_id: [] for game_id in game_ids} for _ in runs]
    for run, of_run in zip(runs, plays, strict=True):
        for row in run.rows:
            of_run.get(row.game_id, []).append(row)
    games = [(game_id, next(of_run[game_id][0] for of_run in plays if of_run[game_id])) for game_id in game_ids]
    return [
        {
            "game_id": game_id,
            "hint": row.hint,
            "document": row.document or "",
            "outcomes": [_outcome(of_run[game_id]) for of_run in plays],
        }
        for game_id, row in games
    ]


def _outcome(plays: Sequence[GameRow]) -> dict[str, Any]:
    """Return the rank of a game's paragraph in a run, and how its plays ended."""
    won = [play.won for play in plays if play.won is not None]
    return {
        "there": bool(plays),
        "rank": plays[0].rank if plays else None,
        "lost_at": next((play.lost_at for play in plays if play.lost_at), None),
        "won": f"{sum(won)}/{len(won)}" if len(won) > 1 else None,
    }


def _games(runs: Sequence[Run], game_ids: Sequence[str]) -> dict[str, list[dict[str, Any] | None]]:
    """Return the details of each game by run, None if a run has no such game; the page shows them on a click."""
    shown = set(game_ids)
    by_run = [
        {
            record["game_id"]: _opened(record)
            for record in run.records
            if record["answerable"] and record["game_id"] in shown
        }
        for run in runs
    ]
    return {game_id: [of_run.get(game_id) for of_run in by_run] for game_id in game_ids}


def _opened(record: GameRecord) -> dict[str, Any]:
    """Return a record with its first hits and candidates, and the labelled one; of the plays only the first."""
    play = play_of(record, 0)
    search = {**record["search"], "hits": _first(record["search"]["hits"], record)}
    shown = {**play, "candidates": _first(play["candidates"], record)} if play else None
    outcomes = [fate(record, each) for each in record["plays"]] or [fate(record, None)]
    return {**record, "search": search, "plays": [], "play": shown, "outcomes": outcomes}


def _first(items: Sequence[HitRecord] | Sequence[CandidateRecord], record: GameRecord) -> list[dict[str, Any]]:
    """Return the first items, and the labelled one, with their ranks."""
    truth_id = record["truth"]["paragraph_id"] if record["truth"] else ""
    found = [(place, item, item["paragraph_id"] == truth_id) for place, item in enumerate(items, 1)]
    return [{**item, "place": place, "right": right} for place, item, right in found if place <= N_ITEMS or right]


def paired_tests(runs: Sequence[Run]) -> list[PairedTest]:
    """Return the tests of each run against the first; empty if the runs cannot be compared."""
    try:
        return compare(runs)
    except RunError:
        return []


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


def run_plots(runs: Sequence[Run]) -> dict[str, list[Series]]:
    """Return the series of each plot by the id of its section, without plots that have no data."""
    plots = {
        "success": [_success(run) for run in runs if any(row.n_hits for row in run.games)],
        "lost": [series for outcome in OUTCOMES if any((series := _lost(runs, outcome))["x"])],
    }
    return {name: series for name, series in plots.items() if series}


def _success(run: Run) -> Series:
    """Return Success@k over k."""
    ranks = [row.rank for row in run.games]
    cutoffs = range(1, 1 + max(row.n_hits for row in run.games))
    found = [np.array([float(rank is not None and rank <= cutoff) for rank in ranks]) for cutoff in cutoffs]
    y, ends = [float(each.mean()) for each in found], [interval(each, 0) for each in found]
    return {"name": run.name, "x": list(cutoffs), "y": y, "ends": ends}


def _lost(runs: Sequence[Run], outcome: str) -> Series:
    """Return how many plays of each run had an outcome."""
    counts = [sum((row.lost_at or "held") == outcome for row in run.rows) for run in runs]
    return {"name": OUTCOMES[outcome], "outcome": outcome, "x": counts, "y": [run.name for run in runs]}


def in_words(series: Sequence[Series]) -> str:
    """Return the values of a plot, series by series."""

    def short(value: object) -> str:
        return f"{value:.3g}" if isinstance(value, float) else str(value)

    pairs = [", ".join(f"{short(x)} {short(y)}" for x, y in zip(one["x"], one["y"], strict=True)) for one in series]
    return ". ".join(f"{one['name']}: {values}" for one, values in zip(series, pairs, strict=True))
