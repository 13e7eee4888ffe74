"""Runs -> one HTML page that needs nothing beside it."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from quarry.evaluate.report.documents import documents
from quarry.evaluate.report.figures import DARK, PALETTE, in_words, run_figures
from quarry.evaluate.report.referees import Table, won_against
from quarry.evaluate.report.summary import headline, paired_tests, won_by_one
from quarry.evaluate.runs.contrast import differing, same_games, shown
from quarry.evaluate.runs.outcome_summary import fate
from quarry.evaluate.runs.record import CandidateRecord, GameRecord, HitRecord, PlayRecord
from quarry.evaluate.runs.run import Run, play_of

FOLDER = Path(__file__).resolve().parent
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:"
"""What the page may load: nothing; plotly writes styles and draws pictures of its own."""
N_HITS = 10
"""Hits, and candidates after the answers, that a game shows; the labelled paragraph is always among them."""


def render(runs: Sequence[Run], sweep: Mapping[str, Any] | None = None, tables: Sequence[Table] = ()) -> str:
    """The page.

    No text of a run is taken for markup: jinja2 escapes what stands in the page, what scripts read stands in JSON
    without angle brackets and is put on the page as text, and the page's policy runs no script but its own three and
    fetches nothing.

    Args:
        runs: of any games; those of the same games are tested against each other.
        sweep: as `quarry.evaluate.report.sweep.sweep_part` makes it of a study.
        tables: of referees; with one, there need be no run.
    """
    from plotly.offline import get_plotlyjs

    plotly = get_plotlyjs()
    script = (FOLDER / "report.js").read_text(encoding="utf-8")
    lectures = documents(runs)
    figures = run_figures(runs, lectures) | _drawn(sweep)
    if (won := won_against(tables)) is not None:
        figures["against"] = won
    tests = paired_tests(runs)
    data = {
        "figures": figures,
        "games": _games(runs),
        "runs": [run.name for run in runs],
        "colours": PALETTE,
        "dark": DARK,
    }
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
        measures=list(runs[0].measures) if runs else [],
        played=any(run.win_rate is not None for run in runs),
        headline=headline(runs, tests, tables),
        differing={setting: [shown(setting, value) for value in values] for setting, values in differing(runs).items()},
        tests=[test.as_json() for test in tests],
        same_games=len(runs) > 1 and same_games(runs),
        won_by_one=won_by_one(runs),
        documents=lectures,
        rows=_rows(runs),
        figures=figures,
        alts={name: in_words(figure) for name, figure in figures.items()},
        sweep=sweep,
        tables=tables,
        policy=f"{POLICY}; script-src {_hashes(plotly, script)}",
        style=Markup((FOLDER / "report.css").read_text(encoding="utf-8")),
        plotly=Markup(plotly),
        script=Markup(script),
        data=json_in_html(data),
    )


def _drawn(sweep: Mapping[str, Any] | None) -> dict[str, Any]:
    """The plots of a study that have something to show."""
    return {name: figure for name, figure in sweep["figures"].items() if figure} if sweep else {}


def json_in_html(document: object) -> Markup:
    """A document as JSON that can stand between script tags: no character in it means anything to HTML."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    for char, escaped in (
        ("<", "\\u003c"),
        (">", "\\u003e"),
        ("&", "\\u0026"),
        ("\u2028", "\\u2028"),
        ("\u2029", "\\u2029"),
    ):
        text = text.replace(char, escaped)
    return Markup(text)


def _hashes(*scripts: str) -> str:
    """The sources that a content security policy lets run."""
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    return " ".join(f"'sha256-{digest}'" for digest in digests)


def _rows(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """A line of the table of games each: what is known of it, and what became of it in each run."""
    records = {record["game_id"]: record for run in reversed(runs) for record in run.records if record["answerable"]}
    outcomes: list[dict[str, list[dict[str, Any]]]] = []
    for run in runs:
        plays: dict[str, list[dict[str, Any]]] = {}
        for game in run.per_game:
            plays.setdefault(game["game_id"], []).append(game)
        outcomes.append(plays)
    order = sorted(records)
    return [
        {
            "game_id": game_id,
            "hint": records[game_id]["hint"],
            "document": truth["document"] if (truth := records[game_id]["truth"]) else "",
            "outcomes": [_outcome(plays.get(game_id, [])) for plays in outcomes],
        }
        for game_id in order
    ]


def _outcome(plays: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Rank and fate of one game in one run, over its repeats."""
    if not plays:
        return {"rank": None, "lost_at": None, "won": None, "there": False}
    won = [play["won"] for play in plays if play["won"] is not None]
    lost = next((play["lost_at"] for play in plays if play["lost_at"]), None)
    return {
        "rank": plays[0]["rank"],
        "lost_at": lost,
        "won": f"{sum(won)}/{len(won)}" if len(won) > 1 else None,
        "there": True,
    }


def _games(runs: Sequence[Run]) -> dict[str, list[dict[str, Any] | None]]:
    """What each game shows when it is opened, run by run; None where a run has no such game."""
    by_run = [{record["game_id"]: record for record in run.records if record["answerable"]} for run in runs]
    return {
        game_id: [_opened(records[game_id]) if game_id in records else None for records in by_run]
        for game_id in sorted({game_id for records in by_run for game_id in records})
    }


def _opened(record: GameRecord) -> dict[str, Any]:
    truth, search, play = record["truth"], record["search"], play_of(record, 0)
    right = truth["paragraph_id"] if truth else ""
    return {
        "book_name": record["book_name"],
        "hint": record["hint"],
        "domain": record["association_domain"],
        "word": record["associative_word"],
        "truth": truth,
        "book": search["book"],
        "answered_by": search["answered_by"],
        "failures": search["failures"],
        "fates": [fate(record, each) for each in record["plays"]] or [fate(record, None)],
        "hits": _shown(search["hits"], right),
        "questions": [
            [question["question_text"], list(question["options"].values())] for question in record["questions"]
        ],
        "play": _shown_play(play, right) if play else None,
    }


def _shown_play(play: PlayRecord, right: str) -> dict[str, Any]:
    return {
        "answers": play["answers"],
        "bits": play["bits"],
        "candidates": _shown(play["candidates"], right),
        "guess": play["guess"],
        "private_score": play["private_score"],
        "breakdown": play["breakdown"],
        "n_candidates": play["n_candidates"],
    }


def _shown(items: Sequence[HitRecord] | Sequence[CandidateRecord], right: str) -> list[dict[str, Any]]:
    """The first ten, and the labelled one wherever it is, each with its place."""
    return [
        {**item, "place": place, "right": item["paragraph_id"] == right}
        for place, item in enumerate(items, 1)
        if place <= N_HITS or item["paragraph_id"] == right
    ]
