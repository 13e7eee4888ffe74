"""ingest/layout/superscripts.py: accents, fractions, and the marks of notes and citations."""

from __future__ import annotations

from ingest.layout.superscripts import with_accents, with_fractions, without_marks
from ingest.pdf.model import Glyph, text_of


def over(text: str, x0: float, x1: float, y: float = 100.0, size: float = 10) -> Glyph:
    return Glyph(text, x0, x1, y, size, 0, False)


def row(text: str, x: float = 0.0, y: float = 100.0, size: float = 10.0) -> list[Glyph]:
    width = 0.5 * size
    glyphs = []
    for at, char in enumerate(text):
        glyphs.append(over(char, x + width * at, x + width * (at + 1), y, size))
    return glyphs


def with_mark(word: list[Glyph], mark: str) -> list[Glyph]:
    return word + row(mark, word[-1].x1, 96.0, 7.0)


def test_marks_of_notes_are_left_out_and_exponents_stay() -> None:
    for word, mark, after, expected in (
        ("list", "1", "", "list"),
        ("list.", "12", "", "list."),
        ("believed", "15,16", ",", "believed,"),
        ("word", "†", "", "word"),
        ("x", "2", "", "x2"),
        ("cos", "2", "", "cos2"),
        ("(r/R)", "3", "", "(r/R)3"),
        ("(trees)", "3", "", "(trees)"),
        ("mass", "−1", "", "mass−1"),
    ):
        glyphs = with_mark(row(word), mark)
        glyphs += row(after, glyphs[-1].x1)
        assert list(map(text_of, without_marks([glyphs]))) == [expected]


def test_a_raised_number_after_a_bracket_is_an_exponent_where_no_word_is_inside() -> (
    None
):
    for text, expected in (
        ("(x − 10)", "10)2"),
        ("(all of 10)", "10)"),
        ("in 10)", "10)"),
    ):
        line = [row(word, 40.0 * at) for at, word in enumerate(text.split())]
        line[-1] = with_mark(line[-1], "2")
        assert text_of(without_marks(line)[-1]) == expected


def test_an_accent_over_a_letter_and_a_dot_below_it_become_one_with_it() -> None:
    for glyphs, expected in (
        ([*row("G"), over("¨", 5, 10), over("o", 5, 10), *row("del", 10)], "Gödel"),
        ([over("´", 0.5, 4), over("ı", 0, 3)], "í"),
        ([*row("an"), over(".", 6, 8.5, 102.4), *row("ka.", 10)], "aṇka."),
        ([over("´e", 0, 5), over("ˆ", 20, 25)], "éˆ"),
    ):
        assert text_of(with_accents(glyphs)) == expected


def test_a_number_over_a_number_is_a_fraction_and_an_index_under_an_exponent_is_none() -> (
    None
):
    for glyphs, expected in (
        ([*row("a ", 9), *row("3", 20.1, 104, 7), *row("1", 20, 96, 7)], "a 1/3"),
        ([*row("a ", 9), *row("3", 20, 104, 7), *row("12", 26, 96, 7)], "a 312"),
        ([*row("x"), *row("2", 5, 96, 7), *row("i", 5.1, 104, 7)], "x2i"),
    ):
        assert text_of(with_fractions(glyphs, 100, 10)) == expected
