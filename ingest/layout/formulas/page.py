"""Glyphs of a page whose formulas are put on one line: found by their places, and moved."""

import itertools
import math
from collections.abc import Iterable

from ingest.layout.accents import with_accents
from ingest.layout.glyph_map import GlyphMap
from ingest.pdf.model import Glyph, edges, space_between

ALIGNED = 0.3
"""Maximum distance of two edges, or of the middles of two parts of a formula, that are aligned, in ems."""

ALIKE = 0.25
"""Maximum difference of two heights that are alike, in ems."""

LIMIT_SIZE = 0.82
"""Maximum font size of a limit, in sizes of its operator."""

ONE_LINE = 0.52
"""Maximum distance of the baselines of two glyphs of one limit, numerator or denominator, in sizes of the larger."""

TALL = 1.12
"""Minimum height of brackets around several rows, in ems."""

CLOSING_BRACKET = {"(": ")", "[": "]", "{": "}"}


class FormulaPage:
    """The glyphs of a page, and the same found by their places.

    Attributes:
        glyphs: in the order of drawing, without accents of their own.
        places: follows each change.
        largest_size: their largest font size, 0 on an empty page.
    """

    def __init__(self, glyphs: list[Glyph]) -> None:
        self.places = GlyphMap(glyphs)
        self.glyphs = with_accents(glyphs, self.places)
        self.largest_size = max((glyph.size for glyph in glyphs), default=0.0)

    def insert_after(self, glyph: Glyph, mark: Glyph) -> None:
        """Insert a glyph after another one in the order of drawing."""
        self.places.add(mark)
        self.glyphs.insert(self.glyphs.index(glyph) + 1, mark)

    def put_in_line(
        self, rows: list[list[Glyph]], y: float, size: float, gap: float = 0.0
    ) -> None:
        """Move the rows of a formula to a baseline, one after the other, squeezed into their width.

        Args:
            rows: glyphs that have a baseline in common, but for indices and exponents; empty ones are left out.
            size: font size of the line.
            gap: white space between rows before they are squeezed, in points; it parts words.
        """
        rows = list(filter(None, rows))
        x, end = edges(itertools.chain.from_iterable(rows))
        spans = [edges(row) for row in rows]
        width = sum(x1 - x0 + gap for x0, x1 in spans) - gap
        scale = (end - x) / width

        for row, (x0, x1) in zip(rows, spans, strict=True):
            main = largest_glyph(row)
            ratio = size / main.size
            base = main.y
            for glyph in row:
                self.places.remove(glyph)
                shifted = y + (glyph.y - base) * ratio
                glyph.shift += shifted - glyph.y
                glyph.y = shifted
                glyph.x0 = x + (glyph.x0 - x0) * scale
                glyph.x1 = x + (glyph.x1 - x0) * scale
                glyph.size *= ratio
                self.places.add(glyph)
            x += (x1 - x0 + gap) * scale
        for row in rows[1:]:
            row[0].parted |= gap > 0


def largest_glyph(part: Iterable[Glyph]) -> Glyph:
    """Return the largest glyph."""
    return max(part, key=lambda glyph: glyph.size)


def grow(
    seeds: list[Glyph],
    y: float,
    around: list[Glyph] | None = None,
    most: float = math.inf,
) -> list[Glyph]:
    """Return the one of `seeds` nearest to a height, and all glyphs on its level that are next to it or to each other.

    Args:
        around: other glyphs, `seeds` by default.
        most: maximum white space between them in ems.
    """
    piece = sorted(seeds, key=lambda glyph: abs(glyph.y - y))[:1]
    rest = seeds if around is None else around
    # a queue: glyphs found here are searched from in turn
    for last in piece:
        others = []
        for glyph in rest:
            if glyph is last:
                continue

            gap = space_between(glyph, last)
            is_level = abs(glyph.y - last.y) < ONE_LINE * max(glyph.size, last.size)
            if is_level and gap < most * max(glyph.size, last.size):
                piece.append(glyph)
            else:
                others.append(glyph)
        rest = others
    return piece
