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

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from quarry.evaluate.report.plots import in_words, run_plots
from quarry.evaluate.report.summary import (
    MOST_SHOWN,
    differing,
    headline,
    lecture_figures,
    paired_tests,
    shown,
)
from quarry.evaluate.runs.record import CandidateRecord, GameRecord, HitRecord, fate
from quarry.evaluate.runs.run import GameRow, Run, play_of

FOLDER = Path(__file__).resolve().parent
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:"
"""The page may load nothing; plotly writes styles and draws pictures."""
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
        differing={name: [shown(name, value) for value in values] for name, values in differing(runs).items()},
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
    by_run = [
        {game_id: _opened(record) for game_id, record in run.find(set(game_ids)).items() if record["answerable"]}
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
