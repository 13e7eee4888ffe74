"""Gutters between columns: narrow ones from the gaps in rows of glyphs, others from the edges of lines."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

from ingest.layout.rows import Row
from ingest.pdf.model import Glyph

if TYPE_CHECKING:
    from ingest.layout.lines import Line

MIN_GAP = 0.55
"""Minimal white space at a narrow gutter, in ems."""

GUTTER_GLYPHS, MIN_GUTTER_ROWS, GUTTER_SHARE, MIN_COLUMN = 8, 10, 0.75, 90
"""Minimum for a narrow gutter: glyphs of a row on each side, rows with a gap there, the share of these among the rows
with text on both sides, and points between two gutters."""

MAX_COLUMNS = 5
"""Number of positions at which most rows begin that are tried as edges of columns."""

MIN_COLUMN_LINES = 7
"""Minimal number of lines on each side of a gutter between columns; with fewer it parts the cells of a small table."""

MIN_KNOWN_LINES = 2
"""Minimal number of lines on each side of a gutter that earlier pages have."""

MIN_WIDTH = 120
"""Minimal width of two columns, in points."""

_Gap = tuple[float, float]
_Spaced = Sequence[tuple[Row, list[_Gap]]]
"""Rows with their gaps."""


def narrow_gutters(rows: Sequence[Row]) -> list[float]:
    """Return the x of narrow gutters of a page, between columns that are no farther apart than some words.

    At a gutter nearly every row with text on both sides has a gap. The gaps between words are at different places in
    different rows.
    """
    spaced = [(row, _gaps(row)) for row in rows]
    crossing = [pair for pair in spaced if len(pair[0].glyphs) > 2 * GUTTER_GLYPHS]
    inside = [gap for _, gaps in crossing for gap in gaps]
    counts: Counter[int] = Counter()
    for left, right in inside:
        counts.update(range(math.ceil(left), int(right) + 1))
    starts = Counter(round(row.glyphs[0].x0) for row in rows)
    starts.update(round(right) for _, right in inside)

    gutters: list[float] = []
    for place, count in counts.most_common():
        if count < MIN_GUTTER_ROWS:
            break
        if _is_apart(place, gutters) and _is_open(place, count, crossing):
            gutters.append(float(place))
    _add_edges(gutters, starts, spaced)
    return gutters


def _add_edges(gutters: list[float], starts: Counter[int], rows: _Spaced) -> None:
    """Add the edges of columns at which many rows begin, away from the gutters."""
    for start, count in starts.most_common(MAX_COLUMNS):
        is_common = count >= MIN_GUTTER_ROWS and _is_apart(start - 1, gutters)
        if is_common and _begins_column(start - 1, rows):
            gutters.append(start - 1.0)


def _is_open(x: float, n_gaps: int, rows: _Spaced) -> bool:
    """Return whether nearly all rows with text on both sides of x have a gap there."""
    n_across = sum(_runs_across(row, x, gaps) for row, gaps in rows)
    return n_gaps > GUTTER_SHARE * (n_gaps + n_across)


def _is_apart(x: float, gutters: Sequence[float]) -> bool:
    return all(abs(x - other) >= MIN_COLUMN for other in gutters)


def _runs_across(row: Row, x: float, gaps: Sequence[_Gap]) -> bool:
    """Return whether a row has text on both sides of x and no gap there."""
    is_inside = row.glyphs[0].x0 < x < row.glyphs[-1].x1
    return is_inside and not any(left <= x <= right for left, right in gaps)


def _begins_column(x: float, rows: _Spaced) -> bool:
    """Return whether a column begins at x: many rows end before x or have a gap there, and few run across it."""
    n_ended = n_across = 0
    for row, gaps in rows:
        if row.glyphs[-1].x1 <= x:
            n_ended += len(row.glyphs) > GUTTER_GLYPHS
        elif _runs_across(row, x, gaps):
            n_across += 1
        elif row.glyphs[0].x0 < x:
            n_ended += 1
    return n_ended >= MIN_GUTTER_ROWS and n_across <= (1 - GUTTER_SHARE) * n_ended


def _gaps(row: Row) -> list[_Gap]:
    """Return the gaps of a row that may belong to a gutter, with text on both sides."""
    glyphs = [glyph for glyph in row.glyphs if glyph.text != " "]
    gaps = []
    right = -math.inf
    for position, glyph in enumerate(glyphs):
        has_text = GUTTER_GLYPHS <= position <= len(glyphs) - GUTTER_GLYPHS
        if has_text and glyph.x0 - right > MIN_GAP * row.size:
            gaps.append((right, glyph.x0))
        right = max(right, glyph.x1)
    return gaps


def cut_at_gutters(row: Row, gutters: Sequence[float]) -> list[list[Glyph]]:
    """Cut the glyphs of a row at the narrow gutters of its page; each piece begins with a visible glyph."""
    sides: list[list[Glyph]] = []
    right = -math.inf
    for glyph in row.glyphs:
        if glyph.text != " ":
            is_wide = glyph.x0 - right > MIN_GAP * row.size
            is_gutter = is_wide and any(right <= x <= glyph.x0 for x in gutters)
            if is_gutter or not sides:
                sides.append([])
            right = max(right, glyph.x1)
        if sides:
            sides[-1].append(glyph)
    return sides


def gutter_between(lines: Sequence[Line], left: float, right: float) -> float | None:
    """Return the x that parts two columns of lines, None for lines in one column."""
    width = right - left
    if len(lines) < 2 * MIN_COLUMN_LINES or width < MIN_WIDTH:
        return None
    wide = [line for line in lines if line.x1 - line.x0 > 0.15 * width]
    edges = Counter(round(line.x0) - 2 for line in wide)
    edges.update(round(line.x1) + 2 for line in wide)

    least = math.inf
    gutter: float | None = None
    for x, count in sorted(edges.items()):
        is_middle = 0.2 * width < x - left < 0.8 * width
        if not is_middle or count < MIN_COLUMN_LINES // 2:
            continue
        parting = _parting(wide, left, x, right)
        if parting is not None and parting[0] < least:
            least, gutter = parting
    return gutter


def _parting(
    lines: Sequence[Line], left: float, x: float, right: float
) -> tuple[int, float] | None:
    """Return the number of lines across a gutter at x, and its middle; None if x parts no two columns."""
    on_left = [line for line in lines if line.x1 <= x]
    on_right = [line for line in lines if line.x0 >= x]
    fewer = min(len(on_left), len(on_right))
    n_across = len(lines) - len(on_left) - len(on_right)
    if (
        fewer < MIN_COLUMN_LINES
        or n_across > 0.6 * fewer
        or not _fills_columns(on_left, left, x)
        or not _fills_columns(on_right, x, right)
    ):
        return None
    edge = max(line.x1 for line in on_left)
    return n_across, (edge + min(line.x0 for line in on_right)) / 2


def _fills_columns(lines: Sequence[Line], left: float, right: float) -> bool:
    """Return whether the lines on one side of a gutter fill it, or are in columns themselves."""
    # a note in the margin, in a row with the text, must not make the column wider
    tenth = len(lines) // 10
    end = sorted(line.x1 for line in lines)[-1 - tenth]
    width = end - sorted(line.x0 for line in lines)[tenth]
    n_wide = sum(line.x1 - line.x0 > 0.7 * width for line in lines)
    return n_wide >= 0.4 * len(lines) or gutter_between(lines, left, right) is not None


def parts_few_lines(lines: Sequence[Line], x: float) -> bool:
    """Return whether a few lines are on both sides of a gutter of other pages, in the same rows, and none across it."""
    on_left = [line.y for line in lines if line.x1 <= x + 1]
    on_right = [line.y for line in lines if line.x0 >= x - 1]
    few, many = sorted((on_left, on_right), key=len)
    is_crossed = any(line.x0 < x - 1 and line.x1 > x + 1 for line in lines)
    if is_crossed or len(few) < MIN_KNOWN_LINES:
        return False
    reach = 2 * median(line.size for line in lines)
    n_level = sum(min(many) - reach < y < max(many) + reach for y in few)
    return n_level >= 0.6 * len(few)
