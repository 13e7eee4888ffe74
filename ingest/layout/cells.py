"""Cells of ruled tables with text: each is a column of its own, in the order of the rows."""

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ingest.layout.line import Line
from ingest.pdf.model import Box, Table


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of a column that are in one cell, or around the tables: then `cell` is None."""

    lines: Sequence[Line]
    cell: Box | None


def split_by_cells(
    lines: Iterable[Line], tables: Iterable[Table], rtl: bool
) -> list[Part]:
    """Part the lines of a column into those around tables and those of each cell, in reading order.

    Args:
        rtl: whether the cells of a row follow each other from right to left.
    """
    rows = []
    boxes = []
    for table in sorted(tables, key=lambda table: table.box.top):
        for row in sorted(table.text_rows, key=_top):
            rows.append(sorted(row, key=lambda cell: cell.x0, reverse=rtl))
            boxes.append(table.box)

    places: defaultdict[tuple[float, int], list[Line]] = defaultdict(list)
    for line in lines:
        places[_place(line, rows, boxes)].append(line)
    parts = []
    for number, position in sorted(places):
        cell = rows[int(number)][position] if number % 1 else None
        parts.append(Part(places[number, position], cell))
    return parts


def walls_at(y: float, tables: Iterable[Table]) -> list[float]:
    """Return the places of the vertical rules between cells with text at a height, in points."""
    walls = []
    for row in itertools.chain.from_iterable(table.text_rows for table in tables):
        if any(cell.top < y < cell.bottom for cell in row):
            walls += [cell.x0 for cell in row]
    return walls


def _place(
    line: Line, rows: Sequence[Sequence[Box]], boxes: Sequence[Box]
) -> tuple[float, int]:
    """Return the place of a line: the number of rows above it, a half more in a cell, and the number of its cell.

    A line beside a table has its place above the table.

    Args:
        rows: the cells of each row.
        boxes: the rectangle of the table of each row.
    """
    middle = (line.x0 + line.x1) / 2
    n_above = 0
    for number, (row, box) in enumerate(zip(rows, boxes, strict=True)):
        for position, cell in enumerate(row):
            if cell.holds(middle, line.y):
                return number + 0.5, position
        edge = _top(row) if box.holds(middle, line.y) else box.bottom
        n_above += edge < line.y
    return float(n_above), 0


def _top(row: Sequence[Box]) -> float:
    return min(cell.top for cell in row)
