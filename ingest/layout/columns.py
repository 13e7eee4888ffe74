"""Columns of a page in reading order: zones next to each other, parted at gutters of their own."""

import itertools
from collections.abc import Iterable, Sequence

from ingest.layout.gutters import Gutter, find_gutters
from ingest.layout.line import Line
from ingest.pdf.model import space_between

MIN_COLUMN_LINES = 7
"""Minimum number of lines on each side of a gutter that the order of drawing does not show; with fewer it parts the
cells of a small table."""

MIN_LINE_SHARE = 0.15
"""Minimum width of a line of a column, as a share of both columns; shorter ones are labels."""

ONE_BASELINE = 0.5
"""Maximum distance of the baselines of the lines of one row, in points."""

MIN_WIDTH = 120
"""Minimum width of two columns, in points."""


def find_columns(
    lines: Sequence[Line],
    left: float,
    right: float,
    rtl: bool,
) -> list[list[Line]]:
    """Part lines into columns, in reading order; a line across a gutter ends the columns above it.

    Args:
        left, right: edges of the part of the page with these lines, in points.
        rtl: whether the document reads from right to left.
    """
    if not lines:
        return []
    rows = group_by_baseline(lines)
    gutter = _gutter(rows, left, right)
    if gutter is None:
        return [list(itertools.chain.from_iterable(rows))]

    above = list(itertools.chain.from_iterable(rows[: gutter.start]))
    below = list(itertools.chain.from_iterable(rows[gutter.end :]))
    columns = find_columns(above, left, right, rtl)
    for on_left, on_right in gutter.bands():
        sides = [(on_left, left, gutter.x), (on_right, gutter.x, right)]
        if rtl:
            sides.reverse()
        for side in sides:
            columns += find_columns(*side, rtl)
    return columns + find_columns(below, left, right, rtl)


def _gutter(rows: Sequence[Sequence[Line]], left: float, right: float) -> Gutter | None:
    """Return the highest gutter between rows, None for rows in one column."""
    if right - left < MIN_WIDTH:
        return None
    least_width = MIN_LINE_SHARE * (right - left)
    by_height = sorted(find_gutters(rows), key=lambda gutter: -gutter.height)
    for gutter in by_height:
        if gutter.is_drawn_by_columns:
            return gutter
        n_wide = []
        for side in gutter.sides:
            n_wide.append(sum(line.x1 - line.x0 > least_width for line in side))
        if min(n_wide) >= MIN_COLUMN_LINES:
            return gutter
    return None


def group_by_baseline(lines: Iterable[Line]) -> list[list[Line]]:
    """Group lines by their baseline, from top to bottom; one that is printed over others is a row of its own."""
    rows: list[list[Line]] = []
    level: list[list[Line]] = []  # the last rows, which are on one baseline
    for line in sorted(lines, key=lambda line: line.y):
        if level and line.y - level[0][0].y >= ONE_BASELINE:
            level = []
        for row in level:
            if all(space_between(line, other) >= -line.size for other in row):
                row.append(line)
                break
        else:
            level.append([line])
            rows.append(level[-1])
    return rows
