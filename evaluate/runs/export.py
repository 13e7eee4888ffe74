"""Runs as files that other tools read: TREC runs and qrels, and frames as parquet and csv."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from quarry.evaluate.runs.record import LOST
from quarry.evaluate.runs.run import Run, play_of
from quarry.player.search.core import log_odds_of

STEP = 1e-4
"""By which one score is above the next at least."""
FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a spreadsheet takes for the beginning of a formula, full width forms as well (OWASP, CSV Injection)."""


def export(runs: Sequence[Run], folder: Path) -> list[Path]:
    """Write each run as NAME.run and NAME.qrels in TREC's format, and all of them as frames; the files written.

    The frames are `runs` (a row a run and measure), `games` (a row a run, game and repeat), `hits` (a row a hit of the
    search) and `answers` (a row a question of a played game), each as .parquet and .csv.

    Raises:
        OSError: a file cannot be written.
    """
    written = []
    for run in runs:
        for suffix, lines in (("run", trec_run(run)), ("qrels", trec_qrels(run))):
            path = folder / f"{run.name}.{suffix}"
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            written.append(path)
    for name, rows in (("runs", _runs), ("games", game_rows), ("hits", _hits), ("answers", _answers)):
        frame = pd.DataFrame([row for run in runs for row in rows(run)])
        if frame.empty:
            continue
        frame.to_parquet(folder / f"{name}.parquet", index=False)
        frame.map(_as_cell).to_csv(folder / f"{name}.csv", index=False)
        written += [folder / f"{name}.parquet", folder / f"{name}.csv"]
    return written


def _as_cell(value: Any) -> Any:
    """A value as a cell of a spreadsheet: a text that would begin a formula begins with an apostrophe instead."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_BEGINS) else value


def trec_run(run: Run) -> list[str]:
    """Return `game_id Q0 paragraph_id rank score name` for the hits of every answerable game.

    The score is the log-odds of relevance. Where a slot is reserved for a book, a hit may precede a more relevant one:
    then the scores of the first hits are raised, since tools sort by the score.
    """
    return [
        f"{trec_id(record['game_id'])} Q0 {trec_id(hit['paragraph_id'])} {place} {score:.6f} {trec_id(run.name)}"
        for record in run.records
        if record["answerable"]
        for hits in [record["search"]["hits"]]
        for place, (hit, score) in enumerate(
            zip(hits, falling(log_odds_of(hit["relevance"]) for hit in hits), strict=True), 1
        )
    ]


def falling(scores: Iterable[float]) -> list[float]:
    """The scores, each above the next: those that are not are raised, along with all before them, by as little.

    Tools sort by the score and break ties by name, and trec_eval reads it with seven digits.
    """
    found: list[float] = []
    raised = 0.0
    for score in reversed(list(scores)):
        if found:
            raised += max(0.0, found[-1] + STEP - (score + raised))
        found.append(score + raised)
    return found[::-1]


def trec_qrels(run: Run) -> list[str]:
    """Return `game_id 0 paragraph_id 1` of every answerable game; nothing finds what was lost at ingest."""
    return [
        f"{trec_id(record['game_id'])} 0 {trec_id(truth['paragraph_id'] if (truth := record['truth']) else LOST)} 1"
        for record in run.records
        if record["answerable"]
    ]


def trec_id(name: str) -> str:
    """A name without white space, which TREC's formats part columns by: as in URLs, by %20 and the like."""
    return "".join(
        char if not char.isspace() and char != "%" else "".join(f"%{byte:02X}" for byte in char.encode())
        for char in name
    )


def _runs(run: Run) -> list[dict[str, Any]]:
    rows = [
        {"run": run.name, "measure": name, "value": value, "low": low, "high": high}
        for name, value in run.measures.items()
        for low, high in [run.intervals[name]]
    ]
    if run.win_rate_interval is not None:
        low, high = run.win_rate_interval
        rows.append({"run": run.name, "measure": "win_rate", "value": run.win_rate, "low": low, "high": high})
    return rows


def game_rows(run: Run) -> list[dict[str, Any]]:
    """A row for each answerable game and repeat, as `Run.to_dataframe` has them."""
    records = {record["game_id"]: record for record in run.records}
    rows = []
    for game in run.per_game:
        record = records[game["game_id"]]
        truth, book, play = record["truth"], record["search"]["book"], play_of(record, game["repeat"])
        rows.append(
            {
                "run": run.name,
                **game,
                "book_name": record["book_name"],
                "hint": record["hint"],
                "paragraph_id": truth["paragraph_id"] if truth else None,
                "document": truth["document"] if truth else None,
                "book": book["document"] if book else None,
                "book_tier": book["tier"] if book else None,
                "book_confidence": book["confidence"] if book else None,
                "prior_rank": play["prior_rank"] if play else None,
                "confidence": play["guess"]["confidence"] if play else None,
                "private_score": play["private_score"] if play else None,
                "embed_ms": record["search"]["embed_ms"],
                "search_ms": record["search"]["search_ms"],
                "questions_ms": record["questions_ms"],
                "decide_ms": record["decide_ms"],
            }
        )
    return rows


def _hits(run: Run) -> list[dict[str, Any]]:
    return [
        {
            "run": run.name,
            "game_id": record["game_id"],
            "place": place,
            **hit,
            "right": (truth := record["truth"]) is not None and truth["paragraph_id"] == hit["paragraph_id"],
        }
        for record in run.records
        for place, hit in enumerate(record["search"]["hits"], 1)
    ]


def _answers(run: Run) -> list[dict[str, Any]]:
    return [
        {
            "run": run.name,
            "game_id": record["game_id"],
            "repeat": play["repeat"],
            "question_number": question["question_number"],
            "question_text": question["question_text"],
            **{f"option_{letter}": text for letter, text in question["options"].items()},
            "answer": answer,
        }
        for record in run.records
        for play in record["plays"]
        for question, answer in zip(record["questions"], play["answers"], strict=True)
    ]
