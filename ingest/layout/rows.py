"""Rows of a page: glyphs on one baseline, with indices, exponents and stacked fractions."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from ingest.pdf.model import Glyph

SEGMENT_GAP = 1.1
"""Minimal white space between two lines of one row (table cells, columns), in ems."""

STACK_REACH = 0.65
"""Maximal white space next to a stacked fraction, in ems; a note in the margin is farther away."""

MAX_STACK, MAX_STACKED = 0.95, 24
"""Maximal distance in ems between a row and the numerator or denominator in a gap of it, and their maximal glyphs."""

MAX_INDEX_RISE, MAX_INDEX_GLYPHS, INDEX_REACH, INDEX_SIZE = 0.62, 12, 0.4, 0.75
"""Limits of an index: its distance from the row in ems, its glyphs, the white space around it in ems, and its size in
sizes of the row."""

NEAR_ROWS = 3
"""Number of rows above and below that are searched for the base of an index; other columns have rows among them."""


_Edges = tuple[float, float]
"""Left and right edge."""


@dataclass(slots=True)
class Row:
    """Glyphs on one baseline, from left to right; `y` and `size` are baseline and font size of its largest piece."""

    y: float
    size: float
    glyphs: list[Glyph]


@dataclass(frozen=True, slots=True)
class _Span:
    """Successive glyphs on one baseline, with the edges of the whole."""

    glyphs: list[Glyph]
    y: float
    size: float
    edges: _Edges
    is_mark: bool

    def is_level(self, row: Row) -> bool:
        """Return whether it is on the baseline of a row."""
        return abs(row.y - self.y) < 0.12 * min(row.size, self.size)

    def distance(self, row: Row) -> float | None:
        """Return how far it is from its place in a row; None if it is no part of it, infinity if it may be an index."""
        rise = (row.y - self.y) / row.size
        is_small = self.size < 0.87 * row.size
        level = self.is_level(row)
        if level or (abs(rise) < 0.25 and not is_small):
            is_part = level and self.size > 0.5 * row.size
            if is_part or _touches(row, self.edges, 1.0):
                # indices of the next column share many baselines
                is_apart = is_small and not _touches(row, self.edges, 0.5)
                return abs(rise) + 2 * is_apart
        if not -0.5 < rise < 0.7 or not (is_small or self.is_mark):
            return None
        reach = 2.5 if self.is_mark else 0.5
        return 1 + abs(rise) if _touches(row, self.edges, reach) else math.inf


def rows_of(glyphs: list[Glyph]) -> list[Row]:
    """Group the glyphs of a page into rows, from top to bottom; indices and exponents are in the row of their base."""
    by_y: dict[int, list[Row]] = defaultdict(list)
    waiting: list[_Span] = []
    spans = _spans(glyphs)
    for span in sorted(spans, key=lambda span: -span.size * min(len(span.glyphs), 6)):
        row, is_unsure = _row_of(span, by_y)
        if is_unsure:
            waiting.append(span)
        else:
            _put(span, row, by_y)
    for span in waiting:  # the row that they touch may have come later
        _put(span, _row_of(span, by_y)[0], by_y)

    rows = [row for bucket in by_y.values() for row in bucket]
    rows.sort(key=lambda row: row.y)
    for row in rows:
        row.glyphs.sort(key=lambda glyph: glyph.x0)
    return _with_indices(_with_stacked(_rejoined(rows)))


def _spans(glyphs: list[Glyph]) -> list[_Span]:
    """Join glyphs that are drawn one after the other on one baseline; spans of spaces are left out."""
    parts: list[list[Glyph]] = []
    last: Glyph | None = None
    for glyph in glyphs:
        if last is None or not _continues(glyph, last):
            parts.append([])
        parts[-1].append(glyph)
        last = glyph

    spans = []
    for part in parts:
        if any(glyph.text != " " for glyph in part):
            edges = min(g.x0 for g in part), max(g.x1 for g in part)
            is_mark = len(part) <= 3 and not any(g.text.isalnum() for g in part)
            spans.append(_Span(part, part[0].y, part[0].size, edges, is_mark))
    return spans


def _continues(glyph: Glyph, last: Glyph) -> bool:
    """Return whether a glyph is on the baseline of the last one and next to it."""
    em = last.size
    gap = max(glyph.x0 - last.x1, last.x0 - glyph.x1)
    return (
        abs(glyph.y - last.y) < 0.05 * em
        and abs(glyph.size - em) < 0.05 * em
        and -0.3 * em < gap < SEGMENT_GAP * em
    )


def _row_of(span: _Span, by_y: dict[int, list[Row]]) -> tuple[Row | None, bool]:
    """Return the row that glyphs belong to, or None, and whether a better row may come.

    A better row may come for glyphs that are small and near like an index of a row but do not touch it, and for glyphs
    a little above or below the baseline of a row, which may be in the next column.
    """
    best: Row | None = None
    least = math.inf
    is_index = False
    bucket = int(span.y // 20)
    for row in (*by_y[bucket - 1], *by_y[bucket], *by_y[bucket + 1]):
        distance = span.distance(row)
        is_index = is_index or distance == math.inf
        if distance is not None and distance < least:
            best, least = row, distance
    if best is None:
        return None, is_index
    return best, least < 1 and not span.is_level(best)


def _put(span: _Span, row: Row | None, by_y: dict[int, list[Row]]) -> None:
    """Add glyphs to a row; if it is None, make a new row of them."""
    if row is None:
        row = Row(span.y, span.size, [])
        by_y[int(row.y // 20)].append(row)
    row.glyphs.extend(span.glyphs)


def _with_stacked(rows: list[Row]) -> list[Row]:
    """Make a small fraction in a row of the pieces above and below a gap of that row."""
    merged: set[int] = set()
    for above, row, below in zip(rows, rows[1:], rows[2:], strict=False):
        if _is_stacked(above, row, below):
            for part, shift in ((above, -0.35), (below, 0.35)):
                for glyph in part.glyphs:
                    glyph.y = row.y + shift * row.size
                    glyph.size = 0.7 * row.size
                _merge(row, part.glyphs)
                merged.add(id(part))
    return [row for row in rows if id(row) not in merged]


def _is_stacked(above: Row, row: Row, below: Row) -> bool:
    """Return whether the rows above and below a row are numerators and denominators in gaps of it."""
    is_near = max(row.y - above.y, below.y - row.y) < MAX_STACK * row.size
    n_stacked = max(len(above.glyphs), len(below.glyphs))
    if not is_near or n_stacked > MAX_STACKED or len(row.glyphs) < 3:
        return False
    upper, lower = _pieces(above), _pieces(below)
    return (
        len(upper) == len(lower)
        and all(map(_is_over, upper, lower))
        # two lines in a margin touch nothing
        and all(_touches(row, piece, STACK_REACH) for piece in upper)
        and not _fills(row, above.glyphs + below.glyphs)
    )


def _with_indices(rows: list[Row]) -> list[Row]:
    """Merge small rows a little above or below the gaps of another row into it as indices, at any font size."""
    merged: set[int] = set()
    for position, small in enumerate(rows):
        glyphs = [glyph for glyph in small.glyphs if glyph.text != " "]
        if len(glyphs) > MAX_INDEX_GLYPHS:
            continue
        near = rows[max(0, position - NEAR_ROWS) : position + 1 + NEAR_ROWS]
        near.sort(key=lambda row: abs(row.y - small.y))
        for large in near:
            if id(large) not in merged and _is_index(small, glyphs, large):
                for glyph in glyphs:
                    glyph.size = min(glyph.size, INDEX_SIZE * large.size)
                _merge(large, glyphs)
                merged.add(id(small))
                break

    return [row for row in rows if id(row) not in merged]


def _is_index(small: Row, glyphs: list[Glyph], large: Row) -> bool:
    """Return whether the visible glyphs of a small row are indices in gaps of a large one."""
    return (
        abs(large.y - small.y) < MAX_INDEX_RISE * large.size
        and len(large.glyphs) > len(glyphs)
        and small.size < 1.05 * large.size  # a drop cap is larger
        and small is not large
        and not _fills(large, glyphs)
        and all(_touches(large, piece, INDEX_REACH) for piece in _pieces(small))
    )


def _merge(row: Row, glyphs: list[Glyph]) -> None:
    row.glyphs = sorted(row.glyphs + glyphs, key=lambda glyph: glyph.x0)


def _pieces(row: Row) -> list[_Edges]:
    """Return left and right edges of the runs of glyphs in a row."""
    pieces: list[_Edges] = []
    for glyph in row.glyphs:
        if glyph.text == " ":
            continue
        if pieces and glyph.x0 - pieces[-1][1] < 0.5 * row.size:
            pieces[-1] = pieces[-1][0], max(pieces[-1][1], glyph.x1)
        else:
            pieces.append((glyph.x0, glyph.x1))
    return pieces


def _is_over(upper: _Edges, lower: _Edges) -> bool:
    """Return whether two runs have nearly the same centre."""
    widest = max(upper[1] - upper[0], lower[1] - lower[0])
    return abs(sum(upper) - sum(lower)) / 2 < 0.25 * widest


def _fills(row: Row, glyphs: list[Glyph]) -> bool:
    """Return whether one of the visible glyphs is above or below a glyph of a row."""
    middles = [(glyph.x0 + glyph.x1) / 2 for glyph in glyphs if glyph.text != " "]
    return any(
        other.text != " " and any(other.x0 < middle < other.x1 for middle in middles)
        for other in row.glyphs
    )


def _rejoined(rows: list[Row]) -> list[Row]:
    """Merge halves of one row with slightly different baselines, as at a change of fonts."""
    joined = rows[:1]
    for row in rows[1:]:
        above = joined[-1]
        left, right = sorted((above, row), key=lambda half: half.glyphs[0].x0)
        is_other_half = (
            row.y - above.y < 0.25 * row.size
            and abs(row.size - above.size) < 0.13 * row.size
            and -1 < right.glyphs[0].x0 - left.glyphs[-1].x1 < row.size
        )
        if is_other_half:
            above.glyphs = left.glyphs + right.glyphs
        else:
            joined.append(row)
    return joined


def _touches(row: Row, edges: _Edges, reach: float) -> bool:
    """Return whether a glyph of a row is within `reach` ems of a span."""
    room = reach * row.size
    x0, x1 = edges
    return any(glyph.x0 - room < x1 and x0 < glyph.x1 + room for glyph in row.glyphs)
