"""Narrow gutters between columns, no wider than some spaces between words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from quarry.ingest.layout.rows import Row
from quarry.ingest.pdf.model import Glyph

GUTTER_GAP = 0.55
"""Minimal white space at a narrow gutter, in ems."""

GUTTER_GLYPHS, MIN_GUTTER_ROWS, GUTTER_SHARE, MIN_COLUMN = 8, 10, 0.75, 90
"""Minimum for a narrow gutter: glyphs of a row on each side, rows with a gap there, the share of these among the rows
with text on both sides, and points between two gutters."""

MAX_COLUMNS = 5
"""Number of positions at which most rows begin that are tried as edges of columns."""


def narrow_gutters(rows: Sequence[Row]) -> list[float]:
    """Return the x of narrow gutters of a page, between columns that are no farther apart than some words.

    At a gutter nearly every row with text on both sides has a gap. The gaps between words are at different places in
    different rows.
    """
    found: list[float] = []
    crossing = [(row, _gaps(row)) for row in rows if len(row.glyphs) > 2 * GUTTER_GLYPHS]
    places = Counter(x for _, gaps in crossing for left, right in gaps for x in range(math.ceil(left), int(right) + 1))
    for x, count in places.most_common():
        if count < MIN_GUTTER_ROWS:
            break
        if any(abs(x - other) < MIN_COLUMN for other in found):
            continue
        n_across = sum(
            row.glyphs[0].x0 < x < row.glyphs[-1].x1 and not any(left <= x <= right for left, right in gaps)
            for row, gaps in crossing
        )
        if count > GUTTER_SHARE * (count + n_across):
            found.append(float(x))
    starts = Counter(round(row.glyphs[0].x0) for row in rows)
    starts.update(round(right) for _, gaps in crossing for _, right in gaps)
    for start, count in starts.most_common(MAX_COLUMNS):
        edge = start - 1.0
        if (
            count >= MIN_GUTTER_ROWS
            and all(abs(edge - other) >= MIN_COLUMN for other in found)
            and _is_edge(edge, rows)
        ):
            found.append(edge)
    return found


def _is_edge(x: float, rows: Sequence[Row]) -> bool:
    """Return whether a column begins at x: many rows end before x or have a gap there, and few run across it."""
    n_before = n_across = n_parted = 0
    for row in rows:
        if row.glyphs[-1].x1 <= x:
            n_before += len(row.glyphs) > GUTTER_GLYPHS
        elif row.glyphs[0].x0 < x:
            parted = any(left <= x <= right for left, right in _gaps(row))
            n_parted += parted
            n_across += not parted
    n_ended = n_before + n_parted
    return n_ended >= MIN_GUTTER_ROWS and n_across <= (1 - GUTTER_SHARE) * n_ended


def _gaps(row: Row) -> list[tuple[float, float]]:
    """Return the gaps of a row that may belong to a gutter, with text on both sides."""
    glyphs = [glyph for glyph in row.glyphs if glyph.text != " "]
    gaps = []
    right = -math.inf
    for position, glyph in enumerate(glyphs):
        if glyph.x0 - right > GUTTER_GAP * row.size and GUTTER_GLYPHS <= position <= len(glyphs) - GUTTER_GLYPHS:
            gaps.append((right, glyph.x0))
        right = max(right, glyph.x1)
    return gaps


def cut_at_gutters(row: Row, gutters: Sequence[float]) -> list[list[Glyph]]:
    """Cut the glyphs of a row at the narrow gutters of its page; each piece begins with a visible glyph."""
    sides: list[list[Glyph]] = []
    right = -math.inf
    for glyph in row.glyphs:
        if glyph.text != " ":
            is_gutter = glyph.x0 - right > GUTTER_GAP * row.size and any(right <= x <= glyph.x0 for x in gutters)
            if is_gutter or not sides:
                sides.append([])
            right = max(right, glyph.x1)
        if sides:
            sides[-1].append(glyph)
    return sides
