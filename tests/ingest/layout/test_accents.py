"""ingest/layout/accents.py: accents and dots drawn apart from their letters."""

from ingest.layout.accents import with_accents
from ingest.layout.glyph_map import GlyphMap
from ingest.pdf.model import Glyph, text_of
from tests.ingest.layout.glyphs import glyph, glyphs


def _with_accents(whole: list[Glyph]) -> str:
    return text_of(with_accents(whole, GlyphMap(whole)))


def test_an_accent_over_a_letter_and_a_dot_below_it_become_one_with_it() -> None:
    umlaut = [*glyphs("G"), glyph("¨", 5, 10), glyph("o", 5, 10), *glyphs("del", 10)]
    assert _with_accents(umlaut) == "Gödel"
    bitmap = [*glyphs("p"), glyph("«", 4.8, 9.8), glyph("e", 5, 10), *glyphs("«a", 10)]
    assert _with_accents(bitmap) == "pé«a"
    dotless = [glyph("´", 0.5, 4), glyph("ı", 0, 3)]
    assert _with_accents(dotless) == "í"
    point = [*glyphs("םל"), glyph("\u05b6", 6.5, 8), glyph(" ", 6.5, 6.5)]
    assert _with_accents(point) == "םל\u05b6 "
    dot_below = [*glyphs("an"), glyph(".", 6, 8.5, 102.4), *glyphs("ka.", 10)]
    assert _with_accents(dot_below) == "aṇka."
    negated = [
        *glyphs("a"),
        glyph("\u0338", 7, 13),
        glyph("=", 7, 15),
        *glyphs("/b", 18),
    ]
    assert _with_accents(negated) == "a≠/b"
    overlaid = [glyph("∈", 0, 7), glyph("/", 1, 6), *glyphs("a", 10)]
    assert _with_accents(overlaid) == "∉a"
    line = [glyph("\u0305", x, x + 5) for x in (0, 3, 6, 9)]
    assert _with_accents([*glyphs("L-5"), *line]) == "L\u0304-5\u0304"
    large = [glyph("x", 0, 8, 110, 15), glyph("⎯", 0, 8), *glyphs("y", 0, 90)]
    assert _with_accents(large) == "x\u0304y", "the letter below the line"
    at_one_place = [glyph("´e", 0, 5), glyph("ˆ", 20, 25)]
    assert _with_accents(at_one_place) == "éˆ"


def test_an_accent_is_found_by_its_place_and_a_dot_below_is_drawn_next_to_its_letter() -> (
    None
):
    late = [*glyphs("x of it"), glyph("¯", 0, 5)]
    assert _with_accents(late) == "x\u0304ofit"
    bullet = [*glyphs("a of it"), glyph(".", 1, 3.5, 102.4)]
    assert _with_accents(bullet) == "aofit."
