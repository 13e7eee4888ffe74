"""ingest/layout/{rows,gaps,lines,embedded}.py, on glyphs; test_extract.py has more, on small PDFs."""

import itertools
import math

import pytest

from ingest.layout.bidi import is_rtl_letter
from ingest.layout.formulas.steps import with_formulas
from ingest.layout.lines import cut_row
from ingest.layout.rows import find_rows
from ingest.pdf.model import Fonts, Glyph, text_of
from tests.ingest.layout.glyphs import glyph, glyphs


def _lines(drawn: list[Glyph]) -> list[str]:
    fonts = Fonts()
    fonts.number("Serif")
    lines = []
    for row in find_rows(drawn):
        lines += cut_row(row, fonts, False)
    return [line.text for line in lines]


def test_columns_with_little_white_between_are_parted_if_they_are_drawn_one_by_one() -> (
    None
):
    left = []
    right = []
    for y in (20, 32, 44):
        left.append(glyphs("a" * 30, 50, y))
        right.append(glyphs("b" * 30, 208, y))  # 8 points, less than an em
    by_columns = list(itertools.chain(*left, *right))
    assert _lines(by_columns) == ["a" * 30, "b" * 30] * 3

    by_rows = itertools.chain.from_iterable(zip(left, right, strict=True))
    whole = "a" * 30 + " " + "b" * 30
    assert _lines(list(itertools.chain(*by_rows))) == [whole] * 3


def test_the_halves_of_a_stretched_row_stay_together_next_to_another_column() -> None:
    # the next column is a little lower, and nearer to the second half than the first half is
    drawn = glyphs("another column", 168, 101.5)
    drawn += glyphs("second half", 105, 100)
    drawn += glyphs("first", 50, 100)
    texts = [text_of(row.glyphs) for row in find_rows(drawn)]
    assert any(text.startswith("firstsecondhalf") for text in texts)


def test_an_index_is_in_the_row_of_its_base() -> None:
    drawn = glyphs("tree", 50, 100)
    drawn += glyphs("i", 71, 105.5, 9.9)
    (row,) = find_rows(drawn)
    assert text_of(row.glyphs) == "treei"
    assert row.glyphs[-1].size == 7.5


def test_a_circumflex_above_a_tall_letter_is_on_it() -> None:
    drawn = glyphs("of b here", 50, 100)
    drawn += glyphs("ˆ", 65, 97.2)
    assert _lines(with_formulas(drawn, [])) == ["of b\u0302 here"]


def test_the_base_of_an_index_is_no_smaller_than_the_index() -> None:
    drawn = glyphs("title", 50, 100, 28)
    drawn += glyphs("heading", 160, 86, 12)
    drawn += glyphs("a line", 160, 100.5)
    assert _lines(drawn) == ["heading", "title", "a line"]


def test_a_formula_below_hebrew_ends_on_its_left_with_a_stop() -> None:
    fonts = Fonts()
    fonts.number("Serif")
    for edge, text in (
        (75, "∀x>0."),
        (95, ".∀x>0"),  # elsewhere, as code
        (math.nan, ".∀x>0"),
    ):
        (row,) = find_rows(glyphs(".∀x>0", 50, 100))
        (line,) = cut_row(row, fonts, True, edge)
        assert line.text == text


def test_a_stop_of_the_text_ends_a_line_of_code_below_hebrew() -> None:
    fonts = Fonts()
    fonts.number("Serif")
    mono = fonts.number("Mono")
    for font, text in ((0, "moor."), (mono, ".moor")):
        drawn = glyphs(".moor", 50, 100)
        for sign in drawn:
            sign.font = font if sign.text == "." else mono
        (row,) = find_rows(drawn)
        (line,) = cut_row(row, fonts, True, 75)
        assert line.text == text


def test_a_formula_with_hebrew_above_its_signs_reads_from_left_to_right() -> None:
    fonts = Fonts()
    fonts.number("Serif")
    for drawn in (
        [*glyphs("x=y", 50), glyph("א", 57, 59, 96.5, 5)],
        with_formulas([*glyphs("x=y", 50), glyph("א", 56.5, 58.5, 92, 5)], []),
    ):
        (row,) = find_rows(drawn)
        (line,) = cut_row(row, fonts, True)
        assert line.text == "x=אy"


def test_a_stored_blank_parts_words_though_an_italic_leans_over_it() -> None:
    drawn = [
        *glyphs("of", 50, 100),
        glyph(" ", 60, 62.5),
        *glyphs("it", 62.5, 100),
    ]
    drawn[1].x1 = 63
    assert _lines(drawn) == ["of it"]


def _hebrew_line(drawn: str, last: int = -1) -> str:
    """The line that is read where formulas are in a font without Hebrew; a tilde is a space of two thirds of an em.

    The sign at the position `last` is drawn last, in the font of formulas. The other stops, commas and hyphens next to
    a space or to Hebrew are in the font of Hebrew, and so are long arrows.
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


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        (".downloads םולש", "שלום downloads."),
        (".solve() םולש", "שלום solve()."),
        (".log םולש", "שלום .log"),  # the ending of a file's name
    ],
)
def test_a_stop_drawn_after_the_word_on_its_right_ends_a_hebrew_sentence(
    drawn: str, read: str
) -> None:
    assert _hebrew_line(drawn, last=0) == read


def test_a_formula_with_a_hebrew_stop_on_its_left_reads_as_part_of_hebrew() -> None:
    assert _hebrew_line(".0.57") == "0.57."


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        (".∞ < |A|,|B| םולש", "שלום ∞ < |A|,|B|."),
        (".0 ∉ A םולש", "שלום 0 ∉ A."),
        (".A=[0,1) םולש", "שלום A=[0,1)."),
        ("זאו (lo + hi) / 2 םולש", "שלום (lo + hi) / 2 ואז"),
        ("אבא (G+S) P םולש", "שלום (G+S) P אבא"),
        (".{P,Q} ⊈ l םולש", "שלום {P,Q} ⊈ l."),
        ("xn = |an| :םולש", "שלום: xn = |an|"),
        (".|an − L| < ε םולש", "שלום |an − L| < ε."),
        ("םולש __init__.py םולש", "שלום __init__.py שלום"),
        ("םולש log.* םולש", "שלום *.log שלום"),  # as the algorithm displays it
        (":(a<0) םולש", "שלום (a<0):"),
        ("}A} ⊆ F םולש", "שלום {A} ⊆ F"),  # PDFium turned the first bracket
        ("םולש ,x םולש", "שלום x, שלום"),  # a comma of the sentence
        ("םולש - x-ב", "ב-x - שלום"),
        (".x=0 ⟹ y=0 םולש", "שלום x=0 ⟹ y=0."),
    ],
)
def test_a_formula_in_a_font_of_its_own_reads_from_left_to_right(
    drawn: str, read: str
) -> None:
    assert _hebrew_line(drawn) == read


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        ("x<|y|~.1", "1. x<|y|"),
        ("x<|y|~1.", "1. x<|y|"),
        ("םולש 51%●", "● 51% שלום"),
        ("םולש Luhn~.a", "a. Luhn שלום"),
        ("םולש :main~o", "o main: שלום"),
        ("םולש x<y o", "x<y o שלום"),
        ("out~of~chapter~10.", "out of chapter 10."),
    ],
)
def test_the_number_of_a_hebrew_item_is_at_its_right_end(drawn: str, read: str) -> None:
    assert _hebrew_line(drawn) == read


def test_letters_at_several_heights_are_no_word() -> None:
    fonts = Fonts()
    fonts.number("Serif")
    for index, moved in ((glyphs("jk", 5, 102, 7), 0.0), (glyphs("jk", 5, 100), 3.0)):
        index[0].shift = moved
        (row,) = find_rows(glyphs("A", 0, 100) + index + glyphs("is", 20, 100))
        (line,) = cut_row(row, fonts, False)
        assert [word.is_term for word in line.words] == [True, False]
        assert line.n_words == 0
