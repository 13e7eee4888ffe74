"""Runs as files that other tools read: TREC runs and qrels, and tables as parquet and csv."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, get_type_hints
from urllib.parse import quote

import pyarrow as pa
from pyarrow import csv, parquet

from evaluate.runs.record import LOST, HitRecord
from evaluate.runs.run import COLUMNS, Run

FORMULA_BEGINS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""Characters that begin a formula in a spreadsheet, full width forms as well (OWASP, CSV Injection)."""
ARROW = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
Rows = Iterator[dict[str, Any]]
N_AT_ONCE = 4_096
"""Rows of a table that are in memory at the same time."""


def export(runs: Sequence[Run], folder: Path) -> list[Path]:
    """Write each run as NAME.run and NAME.qrels in TREC's format, and all of them as tables; return the files written.

    The tables are `runs` (a row a run and measure), `games` (a row a run, game and repeat) and `hits` (a row a hit of
    the search), each as .parquet and .csv.

    Raises:
        OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for run in runs:
        for suffix, lines in (("run", trec_run(run)), ("qrels", trec_qrels(run))):
            path = folder / f"{run.name}.{suffix}"
            with path.open("w", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in lines)
            written.append(path)

    measured = {"measure": str, "value": float, "low": float, "high": float}
    hits = {"game_id": str, "place": int, **get_type_hints(HitRecord), "right": bool}
    tables: dict[str, tuple[Mapping[str, type], Callable[[Run], Rows]]] = {
        "runs": (measured, _measures),
        "games": (COLUMNS, _plays),
        "hits": (hits, _hits),
    }
    for name, (columns, rows_of) in tables.items():
        rows = ({"run": run.name, **row} for run in runs for row in rows_of(run))
        written += _write_table(folder / name, {"run": str, **columns}, rows)
    return written


def _write_table(path: Path, columns: Mapping[str, type], rows: Rows) -> list[Path]:
    """Write rows as PATH.parquet and PATH.csv, some at a time; return both paths.

    An apostrophe goes before a text that would begin a formula of a spreadsheet.
    """
    schema = pa.schema([(name, ARROW[kind]) for name, kind in columns.items()])
    paths = [path.with_suffix(".parquet"), path.with_suffix(".csv")]
    with (
        parquet.ParquetWriter(paths[0], schema) as frames,
        csv.CSVWriter(paths[1], schema) as cells,
    ):
        while chunk := list(islice(rows, N_AT_ONCE)):
            frames.write_table(pa.Table.from_pylist(chunk, schema))
            for row in chunk:
                for name, value in row.items():
                    if isinstance(value, str) and value.startswith(FORMULA_BEGINS):
                        row[name] = f"'{value}"
            cells.write_table(pa.Table.from_pylist(chunk, schema))
    return paths


def trec_run(run: Run) -> Iterator[str]:
    """Yield `game_id Q0 paragraph_id rank score name` for the hits of every answerable game.

    The score is minus the rank, since tools sort by it: a hit in a slot of the book may precede a more relevant one.
    """
    name = trec_id(run.name)
    for record in run.records:
        game_id = trec_id(record["game_id"])
        for place, hit in enumerate(record["search"]["hits"], 1):
            if record["answerable"]:
                yield f"{game_id} Q0 {trec_id(hit['paragraph_id'])} {place} {-place} {name}"


def trec_qrels(run: Run) -> Iterator[str]:
    """Yield `game_id 0 paragraph_id 1` of every answerable game; no ranking holds the id of one lost at ingest."""
    ids = run.games[["game_id", "paragraph_id"]].fillna(LOST)
    for game_id, paragraph_id in ids.itertuples(index=False):
        yield f"{trec_id(game_id)} 0 {trec_id(paragraph_id)} 1"


def trec_id(name: str) -> str:
    """Return a name with its white space as in URLs (%20 and the like), since TREC's formats part columns by it."""
    return re.sub(r"[\s%]", lambda sign: quote(sign[0]), name)


def _measures(run: Run) -> Rows:
    for name, (value, (low, high)) in run.figures.items():
        yield {"measure": name, "value": value, "low": low, "high": high}


def _plays(run: Run) -> Rows:
    for play in run.plays[[*COLUMNS]].itertuples(index=False):
        yield play._asdict()


def _hits(run: Run) -> Rows:
    for record in run.records:
        truth_id = record["truth"] and record["truth"]["paragraph_id"]
        for place, hit in enumerate(record["search"]["hits"], 1):
            right = hit["paragraph_id"] == truth_id
            yield {"game_id": record["game_id"], "place": place, **hit, "right": right}
