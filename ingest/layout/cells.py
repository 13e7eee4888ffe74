"""Cells of ruled tables with text: each is a column of its own, in the order of the rows."""

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ingest.layout.line import Line
from ingest.pdf.model import Box, Table

_Position = tuple[int, bool, int]
"""Row of a line, whether it is outside cells, and its column."""


@dataclass(frozen=True, slots=True)
class CellLines:
    """Lines of a column that are in one cell; `cell` is None for those outside cells."""

    lines: Sequence[Line]
    cell: Box | None


def split_by_cells(
    lines: Iterable[Line], tables: Iterable[Table], rtl: bool
) -> list[CellLines]:
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

    positions: defaultdict[_Position, list[Line]] = defaultdict(list)
    for line in lines:
        positions[_position(line, rows, boxes)].append(line)
    parts = []
    for position in sorted(positions):
        number, is_outside, column = position
        cell = None if is_outside else rows[number][column]
        parts.append(CellLines(positions[position], cell))
    return parts


def walls_at(y: float, tables: Iterable[Table]) -> list[float]:
    """Return the places of the vertical rules between cells with text at a height, in points."""
    walls = []
    for row in itertools.chain.from_iterable(table.text_rows for table in tables):
        if any(cell.top < y < cell.bottom for cell in row):
            walls += [cell.x0 for cell in row]
    return walls


def _position(
    line: Line, rows: Sequence[Sequence[Box]], boxes: Sequence[Box]
) -> _Position:
    """Return the row and the column of the smallest cell with a line; outside cells, the last row above, or -1.

    A line beside a table has its position above the table.

    Args:
        rows: the cells of each row.
        boxes: the rectangle of the table of each row.
    """
    last_above = -1
    inside = []
    for number, (row, box) in enumerate(zip(rows, boxes, strict=True)):
        for column, cell in enumerate(row):
            if line.is_in(cell):
                inside.append((cell.area, number, column))
        edge = _top(row) if line.is_in(box) else box.bottom
        last_above = number if edge < line.y else last_above
    if inside:
        _, number, column = min(inside)
        return number, False, column
    return last_above, True, 0


def _top(row: Sequence[Box]) -> float:
    return min(cell.top for cell in row)
