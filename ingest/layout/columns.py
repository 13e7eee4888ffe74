"""Columns of a page in reading order: a gutter between columns is found from many lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median

from quarry.ingest.layout.lines import Line

MIN_COLUMN_LINES = 7
"""Minimal number of lines on each side of a gutter between columns; with fewer it parts the cells of a small table."""

SAME_GUTTER = 12.0
"""Maximal distance between gutters of two pages that count as one, in points."""

MIN_KNOWN_LINES = 2
"""Minimal number of lines on each side of a gutter that earlier pages have."""


def columns_of(lines: Sequence[Line], left: float, right: float, rtl: bool, known: list[float]) -> list[list[Line]]:
    """Part lines into columns, in reading order; a line across a gutter ends the columns above it.

    Args:
        known: gutters of the pages before, used for a last page of few lines; gutters of this page are added.
    """
    gutter = _gutter(lines, left, right)
    if gutter is not None:
        known[:] = [x for x in known if abs(x - gutter) > SAME_GUTTER] + [gutter]
    else:
        gutter = next((x for x in known if left < x < right and _is_parted(lines, x)), None)
    if gutter is None:
        return [sorted(lines, key=lambda line: line.y)] if lines else []
    columns: list[list[Line]] = []
    sides: tuple[list[Line], list[Line]] = ([], [])
    across: list[Line] = []
    for row in [*rows_of_lines(lines), []]:
        is_across = any(line.x0 < gutter - 1 and line.x1 > gutter + 1 for line in row)
        if (is_across or not row) and any(sides):
            parts = ((sides[0], left, gutter), (sides[1], gutter, right))
            for side, low, high in reversed(parts) if rtl else parts:
                columns.extend(columns_of(side, low, high, rtl, known))
            sides = ([], [])
        if is_across:
            across.extend(row)
            continue
        if across:
            columns.append(across)
            across = []
        for line in row:
            sides[0 if line.x1 <= gutter + 1 else 1].append(line)
    return columns


def _is_parted(lines: Sequence[Line], x: float) -> bool:
    """Return whether a few lines are on both sides of a gutter of other pages, in the same rows, and none across it."""
    if any(line.x0 < x - 1 and line.x1 > x + 1 for line in lines):
        return False
    on_left = [line.y for line in lines if line.x1 <= x + 1]
    on_right = [line.y for line in lines if line.x0 >= x - 1]
    if min(len(on_left), len(on_right)) < MIN_KNOWN_LINES:
        return False
    few, many = sorted((on_left, on_right), key=len)
    reach = 2 * median(line.size for line in lines)
    return sum(min(many) - reach < y < max(many) + reach for y in few) >= 0.6 * len(few)


def _gutter(lines: Sequence[Line], left: float, right: float) -> float | None:
    """Return the x that parts two columns, None for lines in one column."""
    width = right - left
    if len(lines) < 2 * MIN_COLUMN_LINES or width < 120:
        return None
    wide = [line for line in lines if line.x1 - line.x0 > 0.15 * width]
    best: tuple[int, float] | None = None
    low, high = left + 0.2 * width, left + 0.8 * width
    edges = Counter(round(line.x0) - 2 for line in wide) + Counter(round(line.x1) + 2 for line in wide)
    for middle in sorted(x for x, count in edges.items() if low < x < high and count >= MIN_COLUMN_LINES // 2):
        on_left = [line for line in wide if line.x1 <= middle]
        on_right = [line for line in wide if line.x0 >= middle]
        n_across = len(wide) - len(on_left) - len(on_right)
        if min(len(on_left), len(on_right)) < MIN_COLUMN_LINES or n_across > 0.6 * min(len(on_left), len(on_right)):
            continue
        left_edge = max(line.x1 for line in on_left)
        if not (_fills_columns(on_left, left, middle) and _fills_columns(on_right, middle, right)):
            continue
        score = -n_across
        if best is None or score > best[0]:
            best = (score, (left_edge + min(line.x0 for line in on_right)) / 2)
    return best[1] if best else None


def _fills_columns(lines: Sequence[Line], left: float, right: float) -> bool:
    """Return whether the lines on one side of a gutter fill it, or are in columns themselves."""
    # a note in the margin, in a row with the text, must not make the column wider
    tenth = len(lines) // 10
    width = sorted(line.x1 for line in lines)[-1 - tenth] - sorted(line.x0 for line in lines)[tenth]
    if sum(line.x1 - line.x0 > 0.7 * width for line in lines) >= 0.4 * len(lines):
        return True
    return _gutter(lines, left, right) is not None


def rows_of_lines(lines: Iterable[Line]) -> list[list[Line]]:
    """Group lines by their baseline, from top to bottom."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.y):
        if rows and abs(rows[-1][0].y - line.y) < 0.5:
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows
