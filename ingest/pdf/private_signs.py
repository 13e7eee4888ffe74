"""Signs at private or wrong codes: those of Symbol, arrows of Wingdings, pieces of brackets, ligatures of Calibri."""

import itertools
from collections.abc import Sequence

from pdfminer.fontmetrics import FONT_METRICS
from pypdf._codecs import charset_encoding

from ingest.pdf.model import UNKNOWN, Glyph

_SYMBOL = charset_encoding["/Symbol"]
_, _WIDTHS = FONT_METRICS["Symbol"]
SAME_WIDTH = 10
"""Maximum difference of the width of a sign from that in Symbol, in thousandths of an em."""

_ARROWS = dict(enumerate("←→↑↓↖↗↙↘⇐⇒⇑⇓", 0xF0DF))
"""Arrows of Wingdings; Word writes them for "-->" and the like."""

_PIECES = dict(enumerate("⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭", 0xF8EB))
"""Pieces of tall brackets at the codes of Adobe."""

LIGATURES = {"Ō": "ft", "ƞ": "tf", "Ɵ": "ti", "Ʃ": "tt", "ƫ": "tti"}
"""Ligatures of Calibri by the letters at their numbers as glyphs, which Windows writes into files."""


def private_sign(code: int, font: str, width: float) -> str:
    """Return the sign at a private code, UNKNOWN if it cannot be known.

    Windows adds F000 to the codes of fonts of symbols. These may have no name, but Symbol has widths of its own.

    Args:
        width: in thousandths of an em.
    """
    if "Wingdings" in font:
        return _ARROWS.get(code, UNKNOWN)
    sign = _SYMBOL[code & 0xFF]
    is_as_wide = abs(width - _WIDTHS.get(sign, 0)) < SAME_WIDTH
    if 0xF020 <= code < 0xF100 and is_as_wide:
        return sign
    return _PIECES.get(code, UNKNOWN)


def spell_ligatures(glyphs: Sequence[Glyph]) -> None:
    """Spell the ligatures of Calibri in the fonts of a page where such a letter is after a small Latin one."""
    fonts = set()
    for before, glyph in itertools.pairwise(glyphs):
        is_inside_word = "a" <= before.text <= "z" and before.y == glyph.y
        if glyph.text in LIGATURES and is_inside_word and not glyph.parted:
            fonts.add(glyph.font)
    for glyph in glyphs:
        if glyph.font in fonts:
            glyph.text = LIGATURES.get(glyph.text, glyph.text)
