"""Labelled games as a CSV table: the same names as in JSON, a column each."""

from __future__ import annotations

import csv
import functools
import io
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from quarry.evaluate.errors import GamesError

FORM = """\
A games file holds one JSON object a line (.jsonl), or a table with these names as its first line (.csv):
  hint                       what the player is told; always needed
  book_name                  the lecture as the hint-giver calls it
  opening_sentence           the first sentence of the paragraph, verbatim; or
  paragraph_id               as `python -m ingest --paragraphs` gives it; null where nothing is right
  game_id                    of its own; made where it is left out
  paragraph, pdf, page       the whole text, and where it stands: these help to find it
  association_domain, associative_word, split (train, validation or test), in_text_layer (true or false)
hint, book_name and opening_sentence are enough:
  {"hint": "what climbs", "book_name": "Botany", "opening_sentence": "Ivy grows towards light."}
"""
"""What a games file holds, for `--help`."""

DELIMITERS = ",;\t"
WORDS = {"null": None, "true": True, "false": False}
"""Cells of these columns that stand for what JSON has no quotes around."""
WORDED = ("paragraph_id", "in_text_layer")


def csv_records(text: str, path: Path) -> Iterator[tuple[str, Callable[[], Mapping[str, Any]]]]:
    """Where each row stands, for people, and what reads it; an empty cell is as if its column were not there.

    Columns are parted by commas, or by semicolons or tabs where the first line has more of these.

    Raises:
        GamesError: the first line does not name the column hint, or the text is no CSV.
    """
    head = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(DELIMITERS, key=head.count), strict=True)
    columns = [name.strip() for name in next(_rows(reader, path), [])]
    if "hint" not in columns or len(set(columns)) < len(columns):
        raise GamesError(
            f"{path} line 1: must name each column once, hint among them, got {', '.join(columns) or 'nothing'}; "
            "see python -m evaluate check-games --help"
        )
    for row in _rows(reader, path):
        if any(cell.strip() for cell in row):
            where = f"{path} line {reader.line_num}"
            yield where, functools.partial(_record, row, columns, where)


def _rows(reader: Iterator[list[str]], path: Path) -> Iterator[list[str]]:
    try:
        yield from reader
    except csv.Error as error:
        raise GamesError(f"{path}: must be CSV: {error}; save the table as CSV again") from error


def _record(row: list[str], columns: list[str], where: str) -> Mapping[str, Any]:
    if len(row) > len(columns):
        raise GamesError(f"{where}: must have {len(columns)} cells, got {len(row)}; put texts with commas in quotes")
    cells = {name: cell.strip() for name, cell in zip(columns, row, strict=False) if cell.strip()}
    return {name: WORDS.get(cell.lower(), cell) if name in WORDED else cell for name, cell in cells.items()}
