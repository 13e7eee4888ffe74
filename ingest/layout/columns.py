"""Columns of a page in reading order, parted at the gutters of its lines."""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median

from ingest.layout.lines import Line

SAME_GUTTER = 12.0
"""Maximal distance between gutters of two pages that count as one, in points."""

MIN_COLUMN_LINES = 7
"""Minimal number of lines on each side of a gutter between columns; with fewer it parts the cells of a small table."""

MIN_WIDTH = 120
"""Minimal width of two columns, in points."""


class Columns:
    """Columns of the pages of a document; the gutters of earlier pages also part a last page of few lines.

    Args:
        rtl: whether the document reads from right to left.
    """

    def __init__(self, rtl: bool) -> None:
        self._rtl = rtl
        self._gutters: list[float] = []

    def of(
        self,
        lines: Sequence[Line],
        left: float,
        right: float,
    ) -> list[list[Line]]:
        """Part lines into columns, in reading order; a line across a gutter ends the columns above it.

        Args:
            left, right: edges of the part of the page with these lines.
        """
        gutter = self._gutter(lines, left, right)
        if gutter is None:
            return [sorted(lines, key=lambda line: line.y)] if lines else []

        columns = []
        rows = rows_of_lines(lines)
        bands = itertools.groupby(rows, lambda row: _runs_across(row, gutter))
        for is_across, rows_there in bands:
            band = list(itertools.chain.from_iterable(rows_there))
            if is_across:
                columns.append(band)
                continue
            on_left = [line for line in band if line.x1 <= gutter + 1]
            on_right = [line for line in band if line.x1 > gutter + 1]
            sides = [(on_left, left, gutter), (on_right, gutter, right)]
            if self._rtl:
                sides.reverse()
            for side in sides:
                columns += self.of(*side)
        return columns

    def _gutter(
        self,
        lines: Sequence[Line],
        left: float,
        right: float,
    ) -> float | None:
        """Return the x that parts lines into columns, and store it for the next pages."""
        gutter = _gutter_between(lines, left, right)
        if gutter is not None:
            others = [x for x in self._gutters if abs(x - gutter) > SAME_GUTTER]
            self._gutters = [*others, gutter]
            return gutter
        for x in self._gutters:
            if left < x < right and _parts_few_lines(lines, x):
                return x
        return None


def rows_of_lines(lines: Iterable[Line]) -> list[list[Line]]:
    """Group lines by their baseline, from top to bottom."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.y):
        if not rows or abs(rows[-1][0].y - line.y) >= 0.5:
            rows.append([])
        rows[-1].append(line)
    return rows


def _runs_across(row: Sequence[Line], gutter: float) -> bool:
    return any(line.x0 < gutter - 1 and line.x1 > gutter + 1 for line in row)


def _gutter_between(lines: Sequence[Line], left: float, right: float) -> float | None:
    """Return the x that parts two columns of lines, None for lines in one column."""
    width = right - left
    if width < MIN_WIDTH:
        return None
    wide = [line for line in lines if line.x1 - line.x0 > 0.15 * width]
    edges: Counter[int] = Counter()
    for line in wide:
        edges[round(line.x0) - 2] += 1
        edges[round(line.x1) + 2] += 1

    gutter = None
    least = math.inf
    for x, count in sorted(edges.items()):
        is_middle = 0.2 * width < x - left < 0.8 * width
        if count < MIN_COLUMN_LINES // 2 or not is_middle:
            continue
        on_left, on_right = _beside(wide, x, 0)
        fewer = min(len(on_left), len(on_right))
        n_across = len(wide) - len(on_left) - len(on_right)
        if fewer < MIN_COLUMN_LINES or n_across >= min(least, 0.6 * fewer):
            continue
        if _fills_column(on_left, left, x) and _fills_column(on_right, x, right):
            end = max(line.x1 for line in on_left)
            start = min(line.x0 for line in on_right)
            gutter = (end + start) / 2
            least = n_across
    return gutter


def _beside(lines: Sequence[Line], x: float, reach: float) -> list[list[Line]]:
    """Return the lines to the left of x, and those to its right; they may reach over it by some points."""
    on_left = [line for line in lines if line.x1 <= x + reach]
    on_right = [line for line in lines if line.x0 >= x - reach]
    return [on_left, on_right]


def _fills_column(lines: Sequence[Line], left: float, right: float) -> bool:
    """Return whether the lines on one side of a gutter fill it, or are in columns themselves."""
    # a note in the margin, in a row with the text, must not make the column wider
    tenth = len(lines) // 10
    starts = sorted(line.x0 for line in lines)
    ends = sorted(line.x1 for line in lines)
    width = ends[-1 - tenth] - starts[tenth]
    n_wide = sum(line.x1 - line.x0 > 0.7 * width for line in lines)
    if n_wide >= 0.4 * len(lines):
        return True
    return _gutter_between(lines, left, right) is not None


def _parts_few_lines(lines: Sequence[Line], x: float) -> bool:
    """Return whether a few lines are on both sides of a gutter of other pages, in the same rows, and none across it."""
    few, many = sorted(_beside(lines, x, 1), key=len)
    n_across = len(lines) - len(few) - len(many)
    if len(few) < 2 or n_across > 0:
        return False
    reach = 2 * median(line.size for line in lines)
    heights = [line.y for line in many]
    top = min(heights) - reach
    bottom = max(heights) + reach
    n_level = sum(top < line.y < bottom for line in few)
    return n_level >= 0.6 * len(few)
