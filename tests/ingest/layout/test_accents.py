"""ingest/layout/accents.py: accents and dots drawn apart from their letters."""

import pytest

from ingest.layout.accents import with_accents
from ingest.layout.formulas.steps import with_formulas
from ingest.layout.glyph_map import GlyphMap
from ingest.pdf.model import Glyph, text_of
from tests.ingest.layout.glyphs import glyph, glyphs
from tests.ingest.layout.read_lines import read_lines


def _with_accents(whole: list[Glyph]) -> str:
    return text_of(with_accents(whole, GlyphMap(whole)))


ACCENTS = {
    "an umlaut": (
        [*glyphs("G"), glyph("¨", 5, 10), glyph("o", 5, 10), *glyphs("del", 10)],
        "Gödel",
    ),
    "a bitmap accent": (
        [*glyphs("p"), glyph("«", 4.8, 9.8), glyph("e", 5, 10), *glyphs("«a", 10)],
        "pé«a",
    ),
    "a ring that reaches over the letter before its own": (
        [glyph("l", 0, 3.3), glyph("˚", 1.2, 10), glyph("u", 2.8, 9)],
        "lů",
    ),
    "a letter without dot": ([glyph("´", 0.5, 4), glyph("ı", 0, 3)], "í"),
    "a Hebrew point": (
        [*glyphs("םל"), glyph("\u05b6", 6.5, 8), glyph(" ", 6.5, 6.5)],
        "םל\u05b6 ",
    ),
    "an Arabic point": ([glyph("\u064f", 1, 4), *glyphs("ي")], "ي\u064f"),
    "a dot below": (
        [*glyphs("an"), glyph(".", 6, 8.5, 102.4), *glyphs("ka.", 10)],
        "aṇka.",
    ),
    "a negated sign": (
        [
            *glyphs("a"),
            glyph("\u0338", 7, 13),
            glyph("=", 7, 15),
            *glyphs("/b", 18),
        ],
        "a≠/b",
    ),
    "a sign and its slash at one place of a right-to-left line": (
        [glyph("=/", 0, 7), *glyphs("a/b", 10), glyph("⊆/", 30, 37)],
        "≠a/b⊈",
    ),
    "a sign under a slash": (
        [glyph("∈", 0, 7), glyph("/", 1, 6), *glyphs("a", 10)],
        "∉a",
    ),
    "a hat over a sign": (
        [*glyphs("a"), glyph("=", 7, 15), glyph("ˆ", 8, 13), *glyphs("ˆ", 18)],
        "a≙ˆ",
    ),
    "a line over several letters": (
        [*glyphs("L-5"), *[glyph("\u0305", x, x + 5) for x in (0, 3, 6, 9)]],
        "L\u0304-5\u0304",
    ),
    "a line over the letter below it": (
        [glyph("x", 0, 8, 110, 15), glyph("⎯", 0, 8), *glyphs("y", 0, 90)],
        "x\u0304y",
    ),
    "an accent and a letter at one place": (
        [glyph("´e", 0, 5), glyph("c¸", 5, 10), glyph("ˆ", 20, 25)],
        "éçˆ",
    ),
}


@pytest.mark.parametrize(("drawn", "read"), ACCENTS.values(), ids=ACCENTS)
def test_an_accent_over_a_letter_and_a_dot_below_it_become_one_with_it(
    drawn: list[Glyph], read: str
) -> None:
    assert _with_accents(drawn) == read


def test_an_accent_is_found_by_its_place_and_a_dot_below_is_drawn_next_to_its_letter() -> (
    None
):
    late = [*glyphs("x of it"), glyph("¯", 0, 5)]
    assert _with_accents(late) == "x\u0304ofit"
    bullet = [*glyphs("a of it"), glyph(".", 1, 3.5, 102.4)]
    assert _with_accents(bullet) == "aofit."


def test_a_circumflex_above_a_tall_letter_is_on_it() -> None:
    drawn = glyphs("of b here", 50, 100)
    drawn += glyphs("ˆ", 65, 97.2)
    assert read_lines(with_formulas(drawn, [])) == ["of b\u0302 here"]


def test_a_wide_accent_leaves_the_blank_after_its_letter() -> None:
    drawn = [*glyphs("f", 50), glyph("˜", 49, 59), *glyphs("is", 59)]
    assert read_lines(with_accents(drawn, GlyphMap(drawn))) == ["f\u0303 is"]
