"""Columns of a page in reading order, parted at the gutters of its lines."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from ingest.layout.gutters import gutter_between, parts_few_lines
from ingest.layout.lines import Line

SAME_GUTTER = 12.0
"""Maximal distance between gutters of two pages that count as one, in points."""


def columns_of(
    lines: Sequence[Line], left: float, right: float, rtl: bool, earlier: list[float]
) -> list[list[Line]]:
    """Part lines into columns, in reading order; a line across a gutter ends the columns above it.

    Args:
        earlier: gutters of the pages before, used for a last page of few lines; gutters of this page are added.
    """
    gutter = gutter_between(lines, left, right)
    if gutter is not None:
        earlier[:] = [x for x in earlier if abs(x - gutter) > SAME_GUTTER] + [gutter]
    else:
        inside = (x for x in earlier if left < x < right)
        gutter = next((x for x in inside if parts_few_lines(lines, x)), None)
    if gutter is None:
        return [sorted(lines, key=lambda line: line.y)] if lines else []

    columns: list[list[Line]] = []
    bands = itertools.groupby(
        rows_of_lines(lines),
        lambda row: any(line.x0 < gutter - 1 and line.x1 > gutter + 1 for line in row),
    )
    for is_across, rows in bands:
        band = list(itertools.chain.from_iterable(rows))
        if is_across:
            columns.append(band)
            continue
        on_left = [line for line in band if line.x1 <= gutter + 1]
        on_right = [line for line in band if line.x1 > gutter + 1]
        sides = [(on_left, left, gutter), (on_right, gutter, right)]
        for side, low, high in reversed(sides) if rtl else sides:
            columns.extend(columns_of(side, low, high, rtl, earlier))
    return columns


def rows_of_lines(lines: Iterable[Line]) -> list[list[Line]]:
    """Group lines by their baseline, from top to bottom."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.y):
        if rows and abs(rows[-1][0].y - line.y) < 0.5:
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows
