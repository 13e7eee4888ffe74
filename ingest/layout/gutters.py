"""Gutters: white space from top to bottom between lines next to each other, and the signs that it parts columns.

Typesetting programs draw column by column, so the order of drawing is the first sign: two columns are drawn as l1 l2
l3 r1 r2 r3, and the cells of a table as l1 r1 l2 r2 l3 r3.

References:
    Nagy, Seth: Hierarchical Representation of Optically Scanned Documents, 1984 (recursive cuts).
    Breuel: Two Geometric Algorithms for Layout Analysis, 2002 (white space as the sign of columns).
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ingest.layout.line import Line

SAME_ROW = 0.6
"""Maximum distance of the baselines of two lines next to each other, in font sizes."""

NEAR_ROW = 1.0
"""Maximum distance of the baselines of lines of two columns whose rows are not level, in font sizes."""

NEXT_ROW = 3.0
"""Maximum distance of the baselines of one line and the next one below it, in font sizes."""

REACH = 1.0
"""Maximum distance that a line may reach over a gutter, in points."""

MIN_SIDE_WORDS = 3
"""Minimum number of words on each side of a gutter that the order of drawing shows; with fewer it parts a formula."""

WIDER = 0.15
"""Minimum difference between the distance of two paragraphs and that of two lines, in font sizes."""

MAX_LINE_DISTANCE = 1.7
"""Maximum distance of two lines of one paragraph, in font sizes."""

MAX_STRAY = 0.2
"""Maximum share of lines that are drawn out of order, as formulas that a browser draws last."""

_LETTERS = re.compile(r"[^\W\d_]{3,}")
"""Word of three letters or more."""

Rows = Sequence[Sequence[Line]]
Sides = tuple[list[Line], list[Line]]


@dataclass(frozen=True)
class Gutter:
    """White space around an x, with lines on both sides and none across it.

    Attributes:
        x: in points.
        start, end: positions of its first row and after its last row.
        height: distance between the lines across it, in points.
        sides: the lines on its left and on its right.
    """

    x: float
    start: int
    end: int
    height: float
    sides: Sides

    @cached_property
    def is_drawn_by_columns(self) -> bool:
        """Whether the file draws down the sides, leaving out lines of the other side, and not along the rows."""
        left, right = self.sides
        n_along = 0  # steps from one side to the other in a row
        n_down = {-1: 0, 1: 0}  # steps down a side, past a line of the other side
        for last, line in itertools.pairwise(self._drawn()):
            side = side_of(last, self.x)
            drop = _drop(last, line)
            if side_of(line, self.x) != side:
                n_along += abs(drop) < SAME_ROW
            elif SAME_ROW < drop < NEXT_ROW:
                others = right if side < 0 else left
                n_down[side] += any(
                    _is_in_row(last, other) or last.y < other.y < line.y
                    for other in others
                )

        fewer = min(n_down.values())
        # a side of two lines has one step down, and the step to the other side may be in a row
        has_two_lines = fewer == n_along == 1
        is_down = fewer > n_along or has_two_lines
        return is_down and min(map(_n_long_words, self.sides)) >= MIN_SIDE_WORDS

    def bands(self) -> list[Sides]:
        """Return the sides, cut at the heights at which the file has drawn all above on both sides before the rest."""
        if not self.is_drawn_by_columns:
            return [self.sides]
        drawn = self._drawn()
        first = side_of(drawn[0], self.x)

        heights = [-math.inf]
        lowest = -math.inf
        for position, (last, line) in enumerate(itertools.pairwise(drawn), 1):
            lowest = max(lowest, last.y)
            is_back = side_of(line, self.x) == first != side_of(last, self.x)
            if is_back and lowest < line.y and _begins_band(drawn[position:]):
                upper = self._between(heights[-1], line.y)
                if min(map(len, upper)) > 1:
                    heights.append(line.y)

        return [
            self._between(*edges) for edges in itertools.pairwise([*heights, math.inf])
        ]

    def _drawn(self) -> list[Line]:
        """Return its lines in the order of drawing."""
        return sorted(itertools.chain(*self.sides), key=lambda line: line.order)

    def _between(self, top: float, bottom: float) -> Sides:
        """Return the lines of each side whose baselines are from one height to before another one."""
        left, right = (
            [line for line in side if top <= line.y < bottom] for side in self.sides
        )
        return left, right


def _begins_band(drawn: Sequence[Line]) -> bool:
    """Return whether the first of some lines begins a part of the page: few later ones are above it, none reach it."""
    height = drawn[0].y
    n_above = sum(line.y < height for line in drawn)
    for line, following in itertools.pairwise(drawn):
        if line.y < height <= following.y and _drop(line, following) < NEXT_ROW:
            return False
    return n_above <= MAX_STRAY * len(drawn)


def find_gutters(rows: Rows) -> Iterator[Gutter]:
    """Yield the white spaces that may be gutters of rows."""
    lines = list(itertools.chain.from_iterable(rows))
    for x in _middles(lines):
        is_across = [any(side_of(line, x) == 0 for line in row) for row in rows]
        start = 0
        for is_blocked, part in itertools.groupby(is_across):
            end = start + len(list(part))
            if not is_blocked:
                yield from _trimmed(rows, x, start, end)
            start = end


def side_of(line: Line, x: float) -> int:
    """Return -1 for a line on the left of x, 1 for one on its right, 0 for a line across it."""
    if line.x1 <= x + REACH:
        return -1
    return int(line.x0 >= x - REACH)


def _drop(above: Line, below: Line) -> float:
    """Return how far `below` is under `above`, in sizes of the larger font; negative if it is over it."""
    return (below.y - above.y) / max(above.size, below.size)


def _is_in_row(line: Line, other: Line) -> bool:
    """Return whether two lines are next to each other."""
    return abs(_drop(line, other)) < SAME_ROW


def _n_long_words(lines: Iterable[Line]) -> int:
    """Return the number of words with three letters or more, also inside formulas."""
    return sum(len(_LETTERS.findall(line.text)) for line in lines)


def _middles(lines: Sequence[Line]) -> list[float]:
    """Return the middle of each of the gaps between lines next to each other; lines are from top to bottom."""
    gaps = set()
    for position, line in enumerate(lines):
        for other in itertools.islice(lines, position + 1, None):
            if _drop(line, other) > NEAR_ROW:
                break
            left, right = sorted((line, other), key=lambda each: each.x0)
            if right.x0 - left.x1 > 2 * REACH:
                gaps.add((left.x1 + REACH, right.x0 - REACH))

    middles = set()
    for end in {end for _, end in gaps}:
        start = max(left for left, right in gaps if left <= end <= right)
        middles.add((start + end) / 2)
    return sorted(middles)


def _trimmed(rows: Rows, x: float, start: int, end: int) -> Iterator[Gutter]:
    """Yield the gutter of rows without a line across x, and without the rows that belong to the lines above and below.

    Args:
        start, end: positions of the first row and after the last row.
    """
    while 0 < start < end and (
        n_outside := _n_outside(rows[start:end], rows[start - 1], x)
    ):
        start += n_outside
    while start < end < len(rows) and (
        n_outside := _n_outside(rows[start:end][::-1], rows[end], x)
    ):
        end -= n_outside

    sides = _sides(rows[start:end], x)
    if min(map(len, sides)) > 1:
        top = rows[max(0, start - 1)][0].y
        bottom = rows[min(end, len(rows) - 1)][0].y
        yield Gutter(x, start, end, bottom - top, sides)


def _sides(rows: Rows, x: float) -> Sides:
    """Return the lines on the left of x and those on its right, in the order of the rows."""
    left: list[Line] = []
    right: list[Line] = []
    for line in itertools.chain.from_iterable(rows):
        (left if side_of(line, x) < 0 else right).append(line)
    return left, right


def _n_outside(rows: Rows, across: Sequence[Line], x: float) -> int:
    """Return how many rows belong to the line across a gutter rather than to a side of the gutter.

    Args:
        rows: away from that line.
    """
    n_outside = 0
    sides = _sides(rows, x)
    if not all(sides):
        return 0

    y = across[0].y
    for side, other in (sides, sides[::-1]):
        em = side[0].size
        distances = [abs(line.y - y) for line in side]
        # lines above all lines of the other side may belong to that line, or the first one if it is near
        first_other = abs(other[0].y - y)
        n_above = sum(distance < first_other for distance in distances)
        n_free = n_above or int(distances[0] < MAX_LINE_DISTANCE * em)
        if 0 < n_above < len(side) and distances[n_above] < first_other + REACH:
            n_free += 1  # level with the heading of the next column
        free = itertools.pairwise(distances[: n_free + 1])
        gaps = [farther - distance for distance, farther in free]

        widest = max(gaps, default=0.0)
        if widest > distances[0] + WIDER * em:
            first = next(gap for gap in gaps if gap > widest - WIDER * em)
            last = distances[gaps.index(first)]
            if last < first_other or widest > last + WIDER * em:
                n_near = sum(abs(row[0].y - y) <= last for row in rows)
                n_outside = max(n_outside, n_near)
    return n_outside
