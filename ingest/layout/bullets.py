"""Bullets that are drawn and not written, as browsers print them: they become glyphs of their rows."""

import math
from collections.abc import Iterable, Sequence

from ingest.layout.bidi import is_rtl_letter
from ingest.layout.rows import Row
from ingest.pdf.model import Box, Glyph

MAX_GAP = 2.2
"""Maximal white space between a bullet and its line, in font sizes."""

MIN_ROOM = 3.0
"""Minimal white space on the other side of a bullet, in font sizes."""


def add_bullets(rows: Sequence[Row], dots: Iterable[Box]) -> None:
    """Add a bullet to each row that has a drawn dot before its first word."""
    for dot in dots:
        middle = (dot.top + dot.bottom) / 2
        for row in rows:
            if 0.05 < (row.y - middle) / row.size < 0.6 and _begins(row, dot):
                first = row.glyphs[0]
                bullet = Glyph("•", dot.x0, dot.x1, row.y, row.size, first.font, False)
                row.merge([bullet])
                break


def _begins(row: Row, dot: Box) -> bool:
    """Return whether a dot is before the text next to it, in reading direction."""
    n_letters = n_rtl = 0
    left = right = math.inf
    for glyph in row.glyphs:
        if glyph.text == " ":
            continue
        n_letters += glyph.text.isalpha()
        n_rtl += is_rtl_letter(glyph.text)
        if glyph.x0 >= dot.x1:
            right = min(right, glyph.x0 - dot.x1)
        else:
            left = min(left, dot.x0 - glyph.x1)
    before, after = (right, left) if n_rtl > n_letters / 2 else (left, right)
    return after <= MAX_GAP * row.size and before >= MIN_ROOM * row.size
