"""Runs as one HTML page that needs no network and no other file."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

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
FIRST_OPTION = 0xE000
"""The private character that takes the place of option A in a question's wording; report.js puts the options back."""
Found = TypeVar("Found", HitRecord, CandidateRecord)


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
    shared = _Shared()
    data = {"figures": figures, "games": _games(runs, shared), "shared": shared.items}
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


class _Shared:
    """What several games or runs show, each item once; games refer to an item by its index."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self._places: dict[str, int] = {}

    def index(self, item: object) -> int:
        """Return the index of an item, which is added if it is new."""
        place = self._places.setdefault(json.dumps(item), len(self.items))
        if place == len(self.items):
            self.items.append(item)
        return place


def _games(runs: Sequence[Run], shared: _Shared) -> dict[str, list[dict[str, Any] | None]]:
    """Return what each game shows when it is opened, run by run; None where a run has no such game."""
    by_run = [{record["game_id"]: record for record in run.answerable} for run in runs]
    game_ids = sorted({game_id for records in by_run for game_id in records})
    return {
        game_id: [_opened(records[game_id], shared) if game_id in records else None for records in by_run]
        for game_id in game_ids
    }


def _opened(record: GameRecord, shared: _Shared) -> dict[str, Any]:
    search, play, right = (
        record["search"],
        play_of(record, 0),
        (record["truth"] or {"paragraph_id": ""})["paragraph_id"],
    )
    shown_play = None
    if play:
        kept = ("answers", "bits", "guess", "private_score", "breakdown", "n_candidates")
        candidates = [
            [*_place(place, item, right, shared), round(item["prior"], 4), round(item["belief"], 4)]
            for place, item in _kept(play["candidates"], right)
        ]
        shown_play = {key: play[key] for key in kept} | {"candidates": candidates}  # type: ignore[literal-required]
    described = ("book_name", "hint", "association_domain", "associative_word", "truth")
    return {
        "game": shared.index({key: record[key] for key in described}),  # type: ignore[literal-required]
        "search": {"book": search["book"], "answered_by": search["answered_by"], "failures": search["failures"]},
        "outcomes": [fate(record, each) for each in record["plays"]] or [fate(record, None)],
        "hits": [
            [*_place(place, hit, right, shared), hit["rank"], round(hit["relevance"], 3), shared.index(hit["why"])]
            for place, hit in _kept(search["hits"], right)
        ],
        "questions": shared.index([_question(question, shared) for question in record["questions"]]),
        "play": shown_play,
    }


def _kept(items: Sequence[Found], right: str) -> list[tuple[int, Found]]:
    """Return the first items, and the labelled one, with their places."""
    return [(place, item) for place, item in enumerate(items, 1) if place <= N_HITS or item["paragraph_id"] == right]


def _place(place: int, item: FoundRecord, right: str, shared: _Shared) -> list[Any]:
    paragraph = [item["document"], item["page"], item["opening_sentence"]]
    return [place, int(item["paragraph_id"] == right), shared.index(paragraph), item["slot"], item["strategy"]]


def _question(question: Mapping[str, Any], shared: _Shared) -> list[Any]:
    """Return the index of the question's wording and its options.

    In the wording a private character takes the place of each option, so that questions of one kind share it.
    """
    text, options = question["question_text"], list(question["options"].values())
    wording = text
    for place in sorted(range(len(options)), key=lambda place: -len(options[place])):
        wording = wording.replace(options[place] or "\n", chr(FIRST_OPTION + place))
    again = "".join(
        options[ord(char) - FIRST_OPTION] if 0 <= ord(char) - FIRST_OPTION < len(options) else char for char in wording
    )
    return [shared.index(wording if again == text else text), *options]
