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
"""Minimum for a narrow gutter: glyphs of a row on each side, rows that end or have a gap there, the share of these
among the rows with text on both sides, and points between two gutters."""

MIN_COLUMN_LINES = 7
"""Minimal number of lines on each side of a gutter between columns; with fewer it parts the cells of a small table."""

MIN_WIDTH = 120
"""Minimal width of two columns, in points."""

_Gap = tuple[float, float]


def narrow_gutters(rows: Sequence[Row]) -> list[float]:
    """Return the x of narrow gutters of a page, between columns that are no farther apart than some words.

    At a gutter nearly every row with text on both sides has a gap. The gaps between words are at different places in
    different rows.
    """
    spaced = [(row, _gaps(row)) for row in rows]
    in_gaps: Counter[int] = Counter()
    starts: Counter[int] = Counter()
    for row, gaps in spaced:
        starts[round(row.glyphs[0].x0) - 1] += 1
        for left, right in gaps:
            starts[round(right) - 1] += 1
            in_gaps.update(range(math.ceil(left), int(right) + 1))

    # short rows may run across a gap of the others, as headings do
    long = [pair for pair in spaced if len(pair[0].glyphs) > 2 * GUTTER_GLYPHS]
    gutters: list[float] = []
    for counts, rows_there in ((in_gaps, long), (starts, spaced)):
        for x, count in counts.most_common():
            is_apart = all(abs(x - other) >= MIN_COLUMN for other in gutters)
            is_common = count >= MIN_GUTTER_ROWS and is_apart
            if is_common and _parts_columns(x, rows_there):
                gutters.append(float(x))
    return gutters


def _parts_columns(x: float, rows: Sequence[tuple[Row, list[_Gap]]]) -> bool:
    """Return whether many rows end before x or have a gap there, and few run across it."""
    n_ended = n_across = 0
    for row, gaps in rows:
        left, right = row.glyphs[0].x0, row.glyphs[-1].x1
        if right <= x:
            n_ended += len(row.glyphs) > GUTTER_GLYPHS
        elif any(start <= x <= end for start, end in gaps):
            n_ended += 1
        elif left < x:
            n_across += 1
    is_common = n_ended >= MIN_GUTTER_ROWS
    return is_common and n_ended > GUTTER_SHARE * (n_ended + n_across)


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


def cut_at_gutters(
    row: Row, gutters: Sequence[float], widest: float
) -> list[list[Glyph]]:
    """Cut the glyphs of a row at wide gaps and at the narrow gutters of its page.

    Args:
        widest: the widest gap between two words, in ems.

    Returns:
        The pieces; each begins with a visible glyph.
    """
    pieces: list[list[Glyph]] = []
    right = -math.inf
    for glyph in row.glyphs:
        if glyph.text != " ":
            gap = (glyph.x0 - right) / row.size
            is_gutter = any(right <= x <= glyph.x0 for x in gutters)
            if gap > (MIN_GAP if is_gutter else widest):
                pieces.append([])
            right = max(right, glyph.x1)
        if pieces:
            pieces[-1].append(glyph)
    return pieces


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
        on_left = [line for line in wide if line.x1 <= x]
        on_right = [line for line in wide if line.x0 >= x]
        fewer = min(len(on_left), len(on_right))
        n_across = len(wide) - len(on_left) - len(on_right)
        if fewer < MIN_COLUMN_LINES or not n_across < min(least, 0.6 * fewer):
            continue
        if _fills_column(on_left, left, x) and _fills_column(on_right, x, right):
            edge = max(line.x1 for line in on_left)
            gutter = (edge + min(line.x0 for line in on_right)) / 2
            least = n_across
    return gutter


def _fills_column(lines: Sequence[Line], left: float, right: float) -> bool:
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
    if len(few) < 2 or len(few) + len(many) < len(lines):
        return False
    reach = 2 * median(line.size for line in lines)
    n_level = sum(min(many) - reach < y < max(many) + reach for y in few)
    return n_level >= 0.6 * len(few)
