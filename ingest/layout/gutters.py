"""Narrow gutters between columns, found by the gaps in the rows of a page, and rows cut at gaps and gutters."""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from statistics import median

from ingest.layout.rows import SEGMENT_GAP, Row
from ingest.pdf.model import Glyph

MIN_GAP = 0.55
"""Minimal white space at a narrow gutter, in ems."""

GUTTER_GLYPHS = 8
"""Minimal number of glyphs of a row on each side of a narrow gutter."""

MIN_GUTTER_ROWS = 10
"""Minimal number of rows that end or have a gap at a narrow gutter."""

GUTTER_SHARE = 0.75
"""Minimal share of these rows among those with text on both sides of the gutter."""

MIN_COLUMN = 90
"""Minimal distance of two narrow gutters, in points."""

MIN_SPACE = 0.16
MAX_SPACE = 1.8
"""Minimal and maximal width of a space between two words of justified text, in ems."""

MIN_SPACES = 3
STRETCH = 1.5
"""Minimal number of spaces that define the usual one, and the largest space as a multiple of the usual one."""

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
    long = []
    for row, gaps in spaced:
        if len(row.glyphs) > 2 * GUTTER_GLYPHS:
            long.append((row, gaps))
    gutters: list[float] = []
    for counts, rows_there in ((in_gaps, long), (starts, spaced)):
        for x, count in counts.most_common():
            if count < MIN_GUTTER_ROWS:
                break
            is_apart = all(abs(x - other) >= MIN_COLUMN for other in gutters)
            if is_apart and _parts_columns(x, rows_there):
                gutters.append(float(x))
    return gutters


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


def _parts_columns(x: float, rows: Sequence[tuple[Row, list[_Gap]]]) -> bool:
    """Return whether many rows end before x or have a gap there, and few run across it."""
    n_ended = 0
    n_across = 0
    for row, gaps in rows:
        if row.glyphs[-1].x1 <= x:
            n_ended += len(row.glyphs) > GUTTER_GLYPHS
        elif any(left <= x <= right for left, right in gaps):
            n_ended += 1
        elif row.glyphs[0].x0 < x:
            n_across += 1
    is_common = n_ended >= MIN_GUTTER_ROWS
    return is_common and n_ended > GUTTER_SHARE * (n_ended + n_across)


def cut_at_gutters(row: Row, gutters: Sequence[float]) -> list[list[Glyph]]:
    """Cut the glyphs of a row at wide gaps and at the narrow gutters of its page.

    Returns:
        The pieces; each begins with a visible glyph.
    """
    segment_gap = _segment_gap(row)
    pieces: list[list[Glyph]] = []
    right = -math.inf
    for glyph in row.glyphs:
        if glyph.text != " ":
            is_gutter = any(right <= x <= glyph.x0 for x in gutters)
            widest = MIN_GAP if is_gutter else segment_gap
            if (glyph.x0 - right) / row.size > widest:
                pieces.append([])
            right = max(right, glyph.x1)
        if pieces:
            pieces[-1].append(glyph)
    return pieces


def _segment_gap(row: Row) -> float:
    """Return the minimal white space between two lines of a row, in ems; more if all its spaces are stretched."""
    visible = [glyph for glyph in row.glyphs if glyph.text != " "]
    spaces = []
    for glyph, following in itertools.pairwise(visible):
        space = (following.x0 - glyph.x1) / row.size
        if space > MIN_SPACE:
            spaces.append(space)
    if len(spaces) < MIN_SPACES:
        return SEGMENT_GAP
    return min(MAX_SPACE, max(SEGMENT_GAP, STRETCH * median(spaces)))
