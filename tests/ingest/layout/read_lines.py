"""Lines that are read from glyphs set by hand."""

from ingest.layout.bidi import is_rtl_letter
from ingest.layout.lines import cut_row
from ingest.layout.rows import find_rows
from ingest.pdf.model import Fonts, Glyph
from tests.ingest.layout.glyphs import glyphs


def read_lines(drawn: list[Glyph]) -> list[str]:
    """Return the texts of the lines of a left-to-right text."""
    fonts = Fonts()
    fonts.number("Serif")
    lines = []
    for row in find_rows(drawn):
        lines += cut_row(row, fonts, False)
    return [line.text for line in lines]


def read_hebrew_line(drawn: str, last: int = -1, in_text: str = "") -> str:
    """Return the line that is read where formulas are in a font without Hebrew; a tilde is a space of 0.67 em.

    The sign at the position `last` is drawn last, in the font of formulas. The other stops, commas and hyphens next to
    a space or to Hebrew are in the font of Hebrew, and so are long arrows and the characters `in_text`.
    """
    fonts = Fonts()
    fonts.number("Serif")
    fonts.embedded = frozenset([fonts.number("Formulas")])
    placed: list[Glyph] = []
    x = 50.0
    for char, around in zip(
        drawn, zip(" " + drawn, drawn[1:] + " ", strict=False), strict=False
    ):
        is_edge = any(other in " ~:" or is_rtl_letter(other) for other in around)
        is_text = is_rtl_letter(char) or (char in ".,:-" and is_edge) or char == "⟹"
        is_text |= char in in_text
        is_text = is_text and len(placed) != last
        if char not in " ~":
            placed += glyphs(char, x)
            placed[-1].font = int(not is_text)
        x += {" ": 3, "~": 7}.get(char, 5)
    if last >= 0:
        placed.append(placed.pop(last))
    (row,) = find_rows(placed)
    (line,) = cut_row(row, fonts, True)

    return line.text
