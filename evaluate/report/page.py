"""Runs as one HTML page that needs no network and no other file."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from quarry.evaluate.report.figures import DARK_OF, PALETTE, in_words, run_figures
from quarry.evaluate.report.summary import headline, lecture_figures, paired_tests, won_by_one
from quarry.evaluate.runs.contrast import differing, same_games, shown
from quarry.evaluate.runs.outcome_summary import fate
from quarry.evaluate.runs.record import CandidateRecord, FoundRecord, GameRecord, HitRecord
from quarry.evaluate.runs.run import Run, play_of

FOLDER = Path(__file__).resolve().parent
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:"
"""The page may load nothing; plotly writes styles and draws pictures of its own."""
N_HITS = 10
"""Hits, and candidates after the answers, that a game shows; the labelled paragraph is always among them."""


def render(runs: Sequence[Run]) -> str:
    """Return the page of some runs; runs of the same games are tested against each other.

    No text of a run is taken for markup: jinja2 escapes the texts of the page, and the texts for scripts are JSON
    without angle brackets. The page's policy runs only the two scripts of the page and fetches nothing.
    """
    plotly, script, style = (
        (FOLDER / name).read_text(encoding="utf-8") for name in ("plotly-basic.min.js", "report.js", "report.css")
    )
    lectures = lecture_figures(runs)
    figures = run_figures(runs, lectures)
    tests = paired_tests(runs)
    paragraphs: list[list[Any]] = []
    games = _games(runs, paragraphs)
    data = {"figures": figures, "games": games, "paragraphs": paragraphs}
    data |= {"runs": [run.name for run in runs], "colours": PALETTE, "dark": DARK_OF}
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
        tests=[test.as_json() for test in tests],
        same_games=len(runs) > 1 and same_games(runs),
        won_by_one=won_by_one(runs),
        documents=lectures,
        rows=_rows(runs),
        figures=figures,
        alts={name: in_words(figure) for name, figure in figures.items()},
        policy=f"{POLICY}; script-src {_hashes(plotly, script)}",
        style=Markup(style),
        plotly=Markup(plotly),
        script=Markup(script),
        data=json_in_html(data),
    )


def json_in_html(document: object) -> Markup:
    """Return JSON for a script element: none of its characters means anything to HTML."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.translate({ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}))


def _hashes(*scripts: str) -> str:
    """Return the scripts' hashes, which a content security policy lets run."""
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    return " ".join(f"'sha256-{digest}'" for digest in digests)


def _rows(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return a line of the table of games for each game: its hint and lecture, and its outcome in each run."""
    records = {record["game_id"]: record for run in reversed(runs) for record in run.answerable}
    plays = [
        {game_id: [play for play in run.per_game if play["game_id"] == game_id] for game_id in records} for run in runs
    ]
    return [
        {
            "game_id": game_id,
            "hint": record["hint"],
            "document": record["truth"]["document"] if record["truth"] else "",
            "outcomes": [_outcome(of_run[game_id]) for of_run in plays],
        }
        for game_id, record in sorted(records.items())
    ]


def _outcome(plays: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the rank of a game's paragraph in a run, and how its plays ended."""
    won = [play["won"] for play in plays if play["won"] is not None]
    return {
        "there": bool(plays),
        "rank": plays[0]["rank"] if plays else None,
        "lost_at": next((play["lost_at"] for play in plays if play["lost_at"]), None),
        "won": f"{sum(won)}/{len(won)}" if len(won) > 1 else None,
    }


def _games(runs: Sequence[Run], paragraphs: list[list[Any]]) -> dict[str, list[dict[str, Any] | None]]:
    """Return what each game shows when it is opened, run by run; None where a run has no such game.

    Args:
        paragraphs: receives document, page and opening sentence of each paragraph once; games refer to them by index.
    """
    known: dict[tuple[Any, ...], int] = {}

    def index_of(item: FoundRecord) -> int:
        key = (item["document"], item["page"], item["opening_sentence"])
        if key not in known:
            known[key] = len(paragraphs)
            paragraphs.append(list(key))
        return known[key]

    def found(items: Sequence[HitRecord] | Sequence[CandidateRecord], record: GameRecord) -> list[dict[str, Any]]:
        right = record["truth"]["paragraph_id"] if record["truth"] else ""
        kept = ("slot", "strategy", "rank", "relevance", "why", "prior", "belief")
        return [
            {"place": place, "right": item["paragraph_id"] == right, "paragraph": index_of(item)}
            | {key: value for key, value in item.items() if key in kept}
            for place, item in enumerate(items, 1)
            if place <= N_HITS or item["paragraph_id"] == right
        ]

    def opened(record: GameRecord) -> dict[str, Any]:
        search, play = record["search"], play_of(record, 0)
        shown_play = None
        if play:
            kept = ("answers", "bits", "guess", "private_score", "breakdown", "n_candidates")
            shown_play = {key: play[key] for key in kept} | {"candidates": found(play["candidates"], record)}  # type: ignore[literal-required]
        questions = [[question["question_text"], *question["options"].values()] for question in record["questions"]]
        return {
            "game": {
                key: record[key] for key in ("book_name", "hint", "association_domain", "associative_word", "truth")
            },
            "search": {key: search[key] for key in ("book", "answered_by", "failures")},
            "outcomes": [fate(record, each) for each in record["plays"]] or [fate(record, None)],
            "hits": found(search["hits"], record),
            "questions": questions,
            "play": shown_play,
        }

    by_run = [{record["game_id"]: record for record in run.answerable} for run in runs]
    game_ids = sorted({game_id for records in by_run for game_id in records})
    return {
        game_id: [opened(records[game_id]) if game_id in records else None for records in by_run]
        for game_id in game_ids
    }
