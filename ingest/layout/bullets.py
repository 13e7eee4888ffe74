"""Bullets that are drawn and not written, as browsers print them: they become glyphs of their rows."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ingest.layout.bidi import is_rtl_letter
from ingest.layout.rows import Row, visible_glyphs
from ingest.pdf.model import Box

BULLET_GAP = 2.2
"""Maximum white space between a bullet and its line, in font sizes."""

MIN_BULLET_RISE = 0.05
"""Minimum height of the middle of a bullet above the baseline of its line, in font sizes."""

MAX_BULLET_RISE = 0.6
"""Maximum height of the middle of a bullet above the baseline of its line, in font sizes."""

BULLET_ROOM = 3.0
"""Minimum white space between a bullet and the column before it, in font sizes."""


def add_bullets(rows: Sequence[Row], dots: Sequence[Box]) -> None:
    """Add a bullet to each row that has a drawn dot before its first word.

    A dot between two texts of a row is a bullet of the second column only if another dot is at the same distance from
    the edge of the page; else it may be the head of an arrow.
    """
    n_at = Counter(round(dot.x0) for dot in dots)
    for dot in dots:
        least_room = BULLET_ROOM if n_at[round(dot.x0)] > 1 else math.inf
        middle = (dot.top + dot.bottom) / 2

        for row in rows:
            rise = (row.y - middle) / row.size
            if MIN_BULLET_RISE < rise < MAX_BULLET_RISE and _begins(
                row, dot, least_room
            ):
                first = row.glyphs[0]
                bullet = replace(
                    first, text="•", x0=dot.x0, x1=dot.x1, y=row.y, size=row.size
                )
                row.merge([bullet])
                break


def _begins(row: Row, dot: Box, least_room: float) -> bool:
    """Return whether a dot is before the text next to it, in reading direction.

    Args:
        least_room: minimum white space on its other side, in font sizes.
    """
    n_letters = n_rtl = 0
    left = right = math.inf
    for glyph in visible_glyphs(row.glyphs):
        n_letters += glyph.text.isalpha()
        n_rtl += is_rtl_letter(glyph.text)
        if glyph.x0 >= dot.x1:
            right = min(right, glyph.x0 - dot.x1)
        else:
            left = min(left, dot.x0 - glyph.x1)
    before, after = (right, left) if n_rtl > n_letters / 2 else (left, right)
    return after <= BULLET_GAP * row.size and before >= least_room * row.size
