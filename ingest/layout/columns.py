"""Columns of a page in reading order: zones next to each other, parted at gutters of their own."""

import itertools
from collections.abc import Iterable, Sequence
from statistics import median

from ingest.layout.gutters import Gutter, gutters_of
from ingest.layout.lines import Line

SAME_GUTTER = 12.0
"""Maximal distance between gutters of two pages that count as one, in points."""

MIN_COLUMN_LINES = 7
"""Minimal number of lines on each side of a gutter that the order of drawing does not show; with fewer it parts the
cells of a small table."""

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
        if not lines:
            return []
        rows = rows_of_lines(lines)
        gutter = self._gutter(rows, left, right)
        if gutter is None:
            return [list(itertools.chain.from_iterable(rows))]

        above = list(itertools.chain.from_iterable(rows[: gutter.start]))
        below = list(itertools.chain.from_iterable(rows[gutter.end :]))
        columns = self.of(above, left, right)
        for on_left, on_right in gutter.bands():
            sides = [(on_left, left, gutter.x), (on_right, gutter.x, right)]
            if self._rtl:
                sides.reverse()
            for side in sides:
                columns += self.of(*side)
        return columns + self.of(below, left, right)

    def _gutter(
        self,
        rows: Sequence[Sequence[Line]],
        left: float,
        right: float,
    ) -> Gutter | None:
        """Return the highest gutter between rows, None for rows in one column, and store it for the next pages."""
        if right - left < MIN_WIDTH:
            return None
        by_height = sorted(gutters_of(rows), key=lambda gutter: -gutter.height)
        for gutter in by_height:
            wide = []
            for side in gutter.sides:
                wide.append(
                    [line for line in side if line.x1 - line.x0 > 0.15 * (right - left)]
                )
            is_drawn = gutter.is_drawn_by_columns
            has_lines = min(map(len, wide)) >= MIN_COLUMN_LINES
            edges = ((left, gutter.x), (gutter.x, right))
            if has_lines and (is_drawn or all(map(self._fills, wide, edges))):
                others = [x for x in self._gutters if abs(x - gutter.x) > SAME_GUTTER]
                self._gutters = [*others, gutter.x]
                return gutter

            is_known = any(abs(x - gutter.x) < SAME_GUTTER for x in self._gutters)
            is_whole = gutter.end - gutter.start == len(rows)
            if is_drawn or (is_known and is_whole and _are_level(*gutter.sides)):
                return gutter
        return None

    def _fills(self, lines: Sequence[Line], edges: tuple[float, float]) -> bool:
        """Return whether the lines on one side of a gutter fill it, or are in columns themselves."""
        return (
            _fills_column(lines)
            or self._gutter(rows_of_lines(lines), *edges) is not None
        )


def rows_of_lines(lines: Iterable[Line]) -> list[list[Line]]:
    """Group lines by their baseline, from top to bottom."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.y):
        if not rows or abs(rows[-1][0].y - line.y) >= 0.5:
            rows.append([])
        rows[-1].append(line)
    return rows


def _fills_column(lines: Sequence[Line]) -> bool:
    """Return whether the lines on one side of a gutter fill it."""
    # a note in the margin, in a row with the text, must not make the column wider
    tenth = len(lines) // 10
    starts = sorted(line.x0 for line in lines)
    ends = sorted(line.x1 for line in lines)
    width = ends[-1 - tenth] - starts[tenth]
    n_wide = sum(line.x1 - line.x0 > 0.7 * width for line in lines)
    return n_wide >= 0.4 * len(lines)


def _are_level(on_left: Sequence[Line], on_right: Sequence[Line]) -> bool:
    """Return whether most of the few lines on one side of a gutter are in the rows of the other side."""
    few, many = sorted((on_left, on_right), key=len)
    reach = 2 * median(line.size for line in few)
    heights = [line.y for line in many]
    top = min(heights) - reach
    bottom = max(heights) + reach
    n_level = sum(top < line.y < bottom for line in few)
    return n_level >= 0.6 * len(few)
