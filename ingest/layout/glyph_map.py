"""Glyphs of a page, found by their places: used where accents and parts of formulas are looked for."""

from collections import defaultdict
from collections.abc import Iterable

from ingest.pdf.model import Glyph

_BUCKET = 20
"""Height of the parts of a page in which glyphs are looked for, in points."""


class GlyphMap:
    """The visible glyphs of a page, found by their places."""

    def __init__(self, glyphs: Iterable[Glyph]) -> None:
        self._by_y: dict[int, list[Glyph]] = defaultdict(list)
        for glyph in glyphs:
            if glyph.text != " ":
                self.add(glyph)

    def add(self, glyph: Glyph) -> None:
        """Add a glyph at its place."""
        self._by_y[int(glyph.y // _BUCKET)].append(glyph)

    def remove(self, glyph: Glyph) -> None:
        """Remove a glyph, as before its baseline changes."""
        self._by_y[int(glyph.y // _BUCKET)].remove(glyph)

    def near(self, x0: float, x1: float, y: float, reach: float) -> list[Glyph]:
        """Return the glyphs between two edges whose baselines are at most `reach` from a height."""
        glyphs = []
        for bucket in sorted(self._by_y):
            top = bucket * _BUCKET
            if not top - reach <= y < top + _BUCKET + reach:
                continue
            for glyph in self._by_y[bucket]:
                if glyph.x0 < x1 and x0 < glyph.x1 and abs(glyph.y - y) <= reach:
                    glyphs.append(glyph)
        return glyphs
