"""ingest/layout/superscripts.py: accents, fractions, and the marks of notes and citations."""

from __future__ import annotations

import pytest

from ingest.layout.superscripts import with_accents, with_fractions, without_marks
from ingest.pdf.model import Glyph


def row(text: str, x: float = 0.0, y: float = 100.0, size: float = 10.0) -> list[Glyph]:
    return [
        Glyph(char, x + 0.5 * size * at, x + 0.5 * size * (at + 1), y, size, 0, False)
        for at, char in enumerate(text)
    ]


def spelt(words: list[list[Glyph]]) -> list[str]:
    return ["".join(glyph.text for glyph in word) for word in words]


@pytest.mark.parametrize(
    ("word", "mark", "after", "expected"),
    [
        ("list", "1", "", "list"),
        ("list.", "12", "", "list."),
        ("believed", "15,16", ",", "believed,"),
        ("word", "†", "", "word"),
        ("x", "2", "", "x2"),
        ("cos", "2", "", "cos2"),
        ("(r/R)", "3", "", "(r/R)3"),
        ("(trees)", "3", "", "(trees)"),
        ("mass", "−1", "", "mass−1"),
    ],
)
def test_marks_of_notes_are_left_out_and_exponents_stay(
    word: str, mark: str, after: str, expected: str
) -> None:
    base = row(word)
    raised = row(mark, base[-1].x1, 96.0, 7.0)
    assert spelt(without_marks([base + raised + row(after, raised[-1].x1)])) == [
        expected
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["(x", "−", "10)"], "10)2"),
        (["(all", "of", "10)"], "10)"),
        (["in", "10)"], "10)"),
    ],
)
def test_a_raised_number_after_a_bracket_is_an_exponent_where_no_word_is_inside(
    words: list[str], expected: str
) -> None:
    line = [row(word, 40.0 * at) for at, word in enumerate(words)]
    line[-1] += row("2", line[-1][-1].x1, 96.0, 7.0)
    assert spelt(without_marks(line))[-1] == expected


def over(text: str, x0: float, x1: float, y: float = 100.0) -> Glyph:
    return Glyph(text, x0, x1, y, 10, 0, False)


@pytest.mark.parametrize(
    ("glyphs", "text"),
    [
        ([*row("G"), over("¨", 5, 10), over("o", 5, 10), *row("del", 10)], "Gödel"),
        ([over("´", 0.5, 4), over("ı", 0, 3)], "í"),
        ([*row("an"), over(".", 6, 8.5, 102.4), *row("ka.", 10)], "aṇka."),
    ],
)
def test_an_accent_over_a_letter_and_a_dot_below_it_become_one_with_it(
    glyphs: list[Glyph], text: str
) -> None:
    assert spelt([with_accents(glyphs)]) == [text]


@pytest.mark.parametrize(
    ("glyphs", "text"),
    [
        ([*row("a ", 9), *row("3", 20.1, 104, 7), *row("1", 20, 96, 7)], "a 1/3"),
        ([*row("x"), *row("2", 5, 96, 7), *row("i", 5.1, 104, 7)], "x2i"),
    ],
)
def test_a_number_over_a_number_is_a_fraction_and_an_index_under_an_exponent_is_none(
    glyphs: list[Glyph], text: str
) -> None:
    assert spelt([with_fractions(glyphs, 100, 10)]) == [text]
