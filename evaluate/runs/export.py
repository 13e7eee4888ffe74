"""Runs as files that other tools read: TREC runs and qrels, and tables as parquet and csv."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, get_type_hints
from urllib.parse import quote

import pyarrow as pa
from pyarrow import csv, parquet

from evaluate.runs.record import LOST, HitRecord
from evaluate.runs.run import COLUMNS, Run
from quarry.files import written_together

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
    with written_together(folder) as work:
        written = _export_to(work, runs)
    return [folder / path.name for path in written]


def _export_to(folder: Path, runs: Sequence[Run]) -> list[Path]:
    written: list[Path] = []
    for run in runs:
        paths = [folder / f"{run.name}.run", folder / f"{run.name}.qrels"]
        with (
            paths[0].open("w", encoding="utf-8") as ranking,
            paths[1].open("w", encoding="utf-8") as qrels,
        ):
            for record in run.records:
                if not record["answerable"]:
                    continue
                game_id, truth = trec_id(record["game_id"]), record["truth"]
                truth_id = truth["paragraph_id"] if truth else LOST
                qrels.write(f"{game_id} 0 {trec_id(truth_id)} 1\n")
                # tools sort by the score: a hit in a slot of the book may precede a more relevant one
                for place, hit in enumerate(record["search"]["hits"], 1):
                    ranked = f"{trec_id(hit['paragraph_id'])} {place} {-place}"
                    ranking.write(f"{game_id} Q0 {ranked} {trec_id(run.name)}\n")
        written += paths

    measured = {"measure": str, "value": float, "low": float, "high": float}
    hits = {"game_id": str, "place": int, **get_type_hints(HitRecord), "right": bool}
    written += _write_table(folder / "runs", measured, _measures(runs))
    written += _write_table(folder / "games", COLUMNS, _plays(runs))
    written += _write_table(folder / "hits", hits, _hits(runs))
    return written


def _write_table(path: Path, columns: Mapping[str, type], rows: Rows) -> list[Path]:
    """Write rows as PATH.parquet and PATH.csv, some at a time; return both paths.

    An apostrophe goes before a text that would begin a formula of a spreadsheet.
    """
    kinds = {"run": str, **columns}
    schema = pa.schema([(name, ARROW[kind]) for name, kind in kinds.items()])
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


def trec_id(name: str) -> str:
    """Return a name with its white space as in URLs (%20 and the like), since TREC's formats part columns by it."""
    return re.sub(r"[\s%]", lambda sign: quote(sign[0]), name)


def _measures(runs: Sequence[Run]) -> Rows:
    for run in runs:
        for name, (value, (low, high)) in run.figures.items():
            figure = {"value": value, "low": low, "high": high}
            yield {"run": run.name, "measure": name, **figure}


def _plays(runs: Sequence[Run]) -> Rows:
    for run in runs:
        for play in run.plays[[*COLUMNS]].itertuples(index=False):
            yield {"run": run.name, **play._asdict()}


def _hits(runs: Sequence[Run]) -> Rows:
    for run in runs:
        for record in run.records:
            truth_id = record["truth"] and record["truth"]["paragraph_id"]
            of_game = {"run": run.name, "game_id": record["game_id"]}
            for place, hit in enumerate(record["search"]["hits"], 1):
                right = hit["paragraph_id"] == truth_id
                yield {**of_game, "place": place, **hit, "right": right}
