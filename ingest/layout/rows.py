"""Rows of a page: glyphs on one baseline, with indices, exponents and stacked fractions."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from ingest.layout.superscripts import ACCENTS
from ingest.pdf.model import Glyph, space_between

SEGMENT_GAP = 1.1
"""Minimum white space between two lines of one row (table cells, columns), in ems."""

INDEX_RISE = 0.62
INDEX_REACH = 0.4
INDEX_SIZE = 0.75
"""Maximum distance of an index from its row and the white space around it, in ems; its size in sizes of the row."""

MAX_INDEX = 12
"""Maximum number of glyphs of an index."""

NEAR_ROWS = 3
"""Number of rows above and below that are searched for the base of an index; other columns have rows among them."""

_BUCKET = 20
"""Height of the parts of a page in which the row of a glyph is looked for, in points."""


@dataclass(slots=True)
class Row:
    """Glyphs on one baseline, from left to right; `y` and `size` are baseline and font size of its largest piece."""

    y: float
    size: float
    glyphs: list[Glyph]

    def touches(
        self, x0: float, x1: float, reach: float, least_size: float = 0.0
    ) -> bool:
        """Return whether a glyph of at least a font size is within `reach` ems of a span."""
        left = x0 - reach * self.size
        right = x1 + reach * self.size
        return any(
            glyph.x0 < right and left < glyph.x1 and glyph.size >= least_size
            for glyph in self.glyphs
        )

    def is_level(self, other: Row) -> bool:
        """Return whether it is on the baseline of another row."""
        return abs(other.y - self.y) < 0.12 * min(other.size, self.size)

    def merge(self, glyphs: Iterable[Glyph]) -> None:
        """Add glyphs in their places."""
        self.glyphs.extend(glyphs)
        self.glyphs.sort(key=lambda glyph: glyph.x0)


def find_rows(glyphs: list[Glyph]) -> list[Row]:
    """Number the glyphs of a page as they are drawn, and group them into rows from top to bottom.

    Indices and exponents are in the row of their base.
    """
    for order, glyph in enumerate(glyphs):
        glyph.order = order
    spans = _find_spans(glyphs)
    spans.sort(key=lambda span: -span.size * min(len(span.glyphs), 6))
    by_y: dict[int, list[Row]] = defaultdict(list)
    waiting = [span for span in spans if not _put(span, by_y, may_wait=True)]
    for span in waiting:
        _put(span, by_y, may_wait=False)

    rows = list(itertools.chain.from_iterable(by_y.values()))
    rows.sort(key=lambda row: row.y)
    for row in rows:
        row.merge(())
    return _merge_indices(_merge_halves(rows))


def _find_spans(glyphs: list[Glyph]) -> list[Row]:
    """Join glyphs that are drawn one after the other on one baseline; spans of spaces are left out."""
    parts = [glyphs[:1]]
    for last, glyph in itertools.pairwise(glyphs):
        em = last.size
        is_level = abs(glyph.y - last.y) < 0.05 * em
        is_alike = abs(glyph.size - em) < 0.05 * em
        is_next = -0.3 * em < space_between(last, glyph) < SEGMENT_GAP * em
        if not (is_level and is_alike and is_next):
            parts.append([])
        parts[-1].append(glyph)
    return [
        Row(part[0].y, part[0].size, part) for part in parts if visible_glyphs(part)
    ]


def _distance(span: Row, row: Row) -> float | None:
    """Return how far a span is from its place in a row; None if it is no part of it, infinity if it may be an index."""
    rise = (row.y - span.y) / row.size
    if not -0.5 <= rise < 0.7:
        return None
    x0, x1 = _edges(span)
    # formulas may be larger than the text of their row
    is_small = span.size < 0.87 * row.size or row.touches(x0, x1, 0.2, span.size / 0.87)
    is_near = abs(rise) < 0.25 and not is_small and row.touches(x0, x1, 1.0)
    if is_near or span.is_level(row):
        # indices of the next column share many baselines
        is_apart = is_small and not row.touches(x0, x1, 0.5)
        return abs(rise) + 2 * is_apart

    is_mark = _is_mark(span)
    if not (is_small or is_mark):
        return None
    # smaller text on this baseline is in another column
    base_size = span.size if is_small else 0.0
    is_beside = row.touches(x0, x1, 2.5 if is_mark else 0.5, base_size)
    return 1 + abs(rise) if is_beside else math.inf


def _edges(span: Row) -> tuple[float, float]:
    """Return the left and the right edge of a span."""
    glyphs = span.glyphs
    return min(glyph.x0 for glyph in glyphs), max(glyph.x1 for glyph in glyphs)


def _is_mark(span: Row) -> bool:
    """Return whether a span is a few signs without letters or digits."""
    # Unicode counts a circumflex as a letter
    texts = [glyph.text for glyph in span.glyphs if glyph.text not in ACCENTS]
    return len(span.glyphs) <= 3 and not any(map(str.isalnum, texts))


def visible_glyphs(glyphs: Iterable[Glyph]) -> list[Glyph]:
    """Return the glyphs without the spaces."""
    return [glyph for glyph in glyphs if glyph.text != " "]


def _put(span: Row, by_y: dict[int, list[Row]], may_wait: bool) -> bool:
    """Add glyphs to their row, or make a new row of them; return whether that is done.

    Args:
        may_wait: whether nothing is done if a better row may come: for glyphs that are small and near like an index
            of a row but do not touch it, and for glyphs a little above or below the baseline of a row, which may be
            in the next column.
    """
    best = None
    least = math.inf
    is_index = False
    bucket = int(span.y // _BUCKET)
    near = by_y[bucket - 1] + by_y[bucket] + by_y[bucket + 1]
    for row in near:
        distance = _distance(span, row)
        is_index = is_index or distance == math.inf
        if distance is not None and distance < least:
            best = row
            least = distance

    if best is None:
        if may_wait and is_index:
            return False
        best = Row(span.y, span.size, [])
        by_y[bucket].append(best)
    elif may_wait:
        is_unsure = least < 1 and not span.is_level(best)
        if is_unsure or least >= 2:
            return False
    best.glyphs += span.glyphs
    return True


def _merge_halves(rows: list[Row]) -> list[Row]:
    """Merge halves of one row with slightly different baselines, as at a change of fonts."""
    joined = rows[:1]
    for row in rows[1:]:
        above = joined[-1]
        left, right = sorted(
            (above.glyphs, row.glyphs), key=lambda glyphs: glyphs[0].x0
        )
        gap = right[0].x0 - left[-1].x1
        is_level = row.y - above.y < 0.25 * row.size
        is_alike = abs(row.size - above.size) < 0.13 * row.size
        if is_level and is_alike and -1 < gap < row.size:
            above.merge(row.glyphs)
        else:
            joined.append(row)
    return joined


def _merge_indices(rows: list[Row]) -> list[Row]:
    """Merge small rows a little above or below the gaps of another row into it as indices, at any font size."""
    merged = set()
    for position, small in enumerate(rows):
        first = max(0, position - NEAR_ROWS)
        near = rows[first : position + 1 + NEAR_ROWS]
        near.sort(key=lambda row: abs(row.y - small.y))
        for large in near:
            # a drop cap is larger
            is_small = small.size < 1.05 * large.size and large is not small
            if id(large) in merged or not is_small:
                continue

            most = min(MAX_INDEX, len(large.glyphs) - 1)
            if _fits(small, large, INDEX_RISE, INDEX_REACH, most):
                for glyph in small.glyphs:
                    glyph.size = min(glyph.size, INDEX_SIZE * large.size)
                large.merge(visible_glyphs(small.glyphs))
                merged.add(id(small))
                break
    return [row for row in rows if id(row) not in merged]


def _fits(
    small: Row,
    row: Row,
    rise: float,
    reach: float,
    most: int,
) -> bool:
    """Return whether a small row is above or below gaps of a row, and next to its glyphs.

    Args:
        rise: maximum distance of the baselines in ems.
        reach: maximum white space next to each piece of the small row in ems.
        most: maximum number of glyphs of the small row.
    """
    if abs(row.y - small.y) >= rise * row.size:
        return False
    glyphs = visible_glyphs(small.glyphs)
    if len(glyphs) > most:
        return False

    middles = [(glyph.x0 + glyph.x1) / 2 for glyph in glyphs]
    for other in visible_glyphs(row.glyphs):
        if any(other.x0 < x < other.x1 for x in middles):
            return False
    return all(row.touches(*piece, reach) for piece in _pieces(small))


def _pieces(row: Row) -> list[tuple[float, float]]:
    """Return left and right edges of the runs of glyphs in a row."""
    pieces: list[tuple[float, float]] = []
    for glyph in visible_glyphs(row.glyphs):
        left = glyph.x0
        right = glyph.x1
        if pieces and left - pieces[-1][1] < 0.5 * row.size:
            left, end = pieces.pop()
            right = max(right, end)
        pieces.append((left, right))
    return pieces
