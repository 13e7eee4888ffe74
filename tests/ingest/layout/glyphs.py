"""Glyphs set by hand."""

from ingest.pdf.model import Glyph


def glyph(
    text: str, x0: float, x1: float, y: float = 100.0, size: float = 10.0
) -> Glyph:
    """Return one glyph between two edges, in font 0."""
    return Glyph(text, x0, x1, y, size, 0, False)


def glyphs(
    text: str,
    x: float = 0.0,
    y: float = 100.0,
    size: float = 10.0,
    height: float = 0.0,
) -> list[Glyph]:
    """Return glyphs half an em wide; spaces are white and no glyphs."""
    result = []
    for char in text:
        right = x + size / 2
        if char != " ":
            result.append(glyph(char, x, right, y, size))
            result[-1].height = height
        x = right
    return result
