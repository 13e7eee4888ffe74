"""ingest/layout/lines.py, on glyphs; test_extract.py has more, on small PDFs."""

import pytest

from ingest.layout.formulas.steps import with_formulas
from ingest.layout.line import Line, Word, make_line
from ingest.layout.lines import cut_row
from ingest.layout.rows import find_rows
from ingest.pdf.model import Fonts, Glyph
from tests.ingest.layout.glyphs import glyph, glyphs
from tests.ingest.layout.read_lines import read_hebrew_line, read_lines


def hebrew_line(*ends: float) -> Line:
    """Return a line with a word at each right end, from right to left; the last one begins 60 points before."""
    words = []
    for end in ends:
        words.append(Word("שלום", end - 60, end, 10, 0, False, False))
    return make_line(words, 88, True, 0)


def test_spaced_capitals_are_one_word() -> None:
    for text, space, expected in (
        ("TREES", 1.5, "TREES"),
        ("TREES", 3.0, "T R E E S"),
        ("TRE", 1.5, "T R E"),
        ("trees", 1.5, "t r e e s"),
    ):
        drawn: list[Glyph] = []
        for position, letter in enumerate(text):
            drawn += glyphs(letter, 50 + position * (5 + space))
        assert read_lines(drawn) == [expected], (text, space)


def test_letters_of_a_text_in_spaced_print_are_words_and_those_of_a_list_are_not() -> (
    None
):
    for text, expected in (
        ("a sum of even numbers", "a sum of even numbers"),
        ("abcdefghijklmnop", " ".join("abcdefghijklmnop")),
    ):
        drawn: list[Glyph] = []
        x = 50.0
        for letter in text:
            drawn += glyphs(letter, x) if letter != " " else []
            x += 5 + 2.0
        assert read_lines(drawn) == [expected], text


def test_a_formula_below_hebrew_ends_on_its_left_with_a_stop() -> None:
    fonts = Fonts()
    fonts.number("Serif")
    for above, text in (
        (hebrew_line(75), "∀x>0."),
        (hebrew_line(175, 75), "∀x>0."),  # below the text of an item
        (hebrew_line(110), "∀x>0."),  # where Hebrew is aligned at the left
        (hebrew_line(95), ".∀x>0"),  # elsewhere, as code
        (None, ".∀x>0"),
    ):
        (row,) = find_rows(glyphs(".∀x>0", 50, 100))
        (line,) = cut_row(row, fonts, True, above)
        assert line.text == text


def test_a_dash_is_after_a_latin_label_that_begins_where_hebrew_does() -> None:
    fonts = Fonts()
    fonts.number("Serif")
    for above, drawn, text in (
        (hebrew_line(75), "-Moor", "Moor-"),
        (hebrew_line(110), "-Moor", "-Moor"),  # where Hebrew is aligned at the left
        (hebrew_line(75), "-x+yz", "-x+yz"),
        (None, "-Moor", "-Moor"),
    ):
        (row,) = find_rows(glyphs(drawn, 50, 100))
        (line,) = cut_row(row, fonts, True, above)
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
        (line,) = cut_row(row, fonts, True, hebrew_line(75))
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
    assert read_lines(drawn) == ["of it"]


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        ("x<|y|~.1", "1. x<|y|"),
        ("x<|y|~1.", "1. x<|y|"),
        ("םולש 51%●", "● 51% שלום"),
        ("םולש Luhn~.a", "a. Luhn שלום"),
        ("םולש :main~o", "o main: שלום"),
        ("םולש x<y o", "x<y o שלום"),
        ("םולש~(2", "2) שלום"),
        ("םולש~)2", "2) שלום"),
        ("םולש~2)", "2) שלום"),
        ("םולש~(2)", "(2) שלום"),
        ("םולש a.", "a. שלום"),
        ("vitamin a.", "vitamin a."),
        ("out~of~chapter~10.", "out of chapter 10."),
    ],
)
def test_the_number_of_a_hebrew_item_is_at_its_right_end(drawn: str, read: str) -> None:
    assert read_hebrew_line(drawn) == read


def test_a_number_in_the_brackets_of_the_next_word_is_no_number_of_an_item() -> None:
    fonts = Fonts()
    fonts.number("Serif")
    fonts.as_drawn = True
    for drawn, number, read in (
        ("םולש (קנ", "7)", "(7 נק) שלום"),
        ("םולש קנ", "7)", "7) נק שלום"),
    ):
        text = glyphs(drawn, 50)
        text += glyphs(number, text[-1].x1 + 7)
        (row,) = find_rows(text)
        (line,) = cut_row(row, fonts, True)
        assert line.text == read


def test_a_bullet_of_word_that_touches_hebrew_is_apart_in_a_font_of_its_own() -> None:
    fonts = Fonts()
    fonts.number("Serif")
    bullet_font = fonts.number("Courier")
    for text, font, read in (
        ("םולשo", bullet_font, "◦ שלום"),
        ("םולשo", 0, "oשלום"),
        ("םולשx", bullet_font, "xשלום"),
    ):
        (row,) = find_rows(glyphs(text, 50, 100))
        row.glyphs[-1].font = font
        (line,) = cut_row(row, fonts, True)
        assert line.text == read


def test_a_modal_operator_touches_its_formula_and_a_bullet_does_not() -> None:
    for sign, x, read in (("□", 55, "□A"), ("□", 58, "□ A"), ("•", 55, "• A")):
        assert read_lines(glyphs(sign, 50) + glyphs("A", x)) == [read]


def test_letters_at_several_heights_are_no_word() -> None:
    fonts = Fonts()
    fonts.number("Serif")
    for index, moved in ((glyphs("jk", 5, 102, 7), 0.0), (glyphs("jk", 5, 100), 3.0)):
        index[0].shift = moved
        (row,) = find_rows(glyphs("A", 0, 100) + index + glyphs("is", 20, 100))
        (line,) = cut_row(row, fonts, False)
        assert [word.is_term for word in line.words] == [True, False]
        assert line.n_prose_words == 0


@pytest.mark.parametrize(("gap", "read"), [(1.5, "of x, y"), (1.3, "of x,y")])
def test_a_thin_space_parts_words_and_kerning_does_not(gap: float, read: str) -> None:
    drawn = [*glyphs("of x,"), *glyphs("y", 25 + gap)]
    assert read_lines(drawn) == [read]


@pytest.mark.parametrize(
    ("first", "gap", "second", "hinted", "read"),
    [
        ("the time.", 1.1, "And", False, "the time. And"),
        ("the clock”", 1.1, "or", False, "the clock” or"),
        ("the time.", 0.9, "And", False, "the time.And"),
        ("of i.i.", 1.1, "d.", False, "of i.i.d."),
        ("the time.", 0.6, "“And", False, "the time. “And"),
        ("the time.", 0.4, "“And", False, "the time.“And"),
        ("the page", 1.1, "And", False, "the pageAnd"),
        ("the page", 1.1, "And", True, "the page And"),
        ("the follicle", 1.1, "-led", True, "the follicle-led"),
        ("of f", 1.1, "- a", True, "of f - a"),
        ("of x", 1.1, ", y", True, "of x, y"),
        ("of .", 1.1, ".", True, "of . ."),
    ],
)
def test_a_narrow_gap_parts_words_after_a_mark_and_where_the_reader_sees_a_space(
    first: str, gap: float, second: str, hinted: bool, read: str
) -> None:
    after = glyphs(second, 5 * len(first) + gap)
    after[0].parted = hinted
    assert read_lines(glyphs(first) + after) == [read]


def test_glyphs_of_bitmap_fonts_do_not_touch_and_are_no_words() -> None:
    for gap, read in ((1.1, "project"), (1.3, "pro ject")):
        drawn = [*glyphs("p", 0), *glyphs("r", 5.7), *glyphs("o", 11.4)]
        after = glyphs("ject", 16.4 + gap)
        after[0].parted = True
        assert read_lines(drawn + after) == [read], gap


def test_a_space_that_is_drawn_over_the_next_letter_parts_no_words() -> None:
    for x0, gap, read in (
        (19.5, 0.2, "trees"),
        (16.5, 0.6, "tree s"),
        (19.5, 1.6, "tree s"),
    ):
        drawn = [*glyphs("tree", 0), glyph(" ", x0, x0 + 3), *glyphs("s", 20 + gap)]
        assert read_lines(drawn) == [read], (x0, gap)


@pytest.mark.parametrize(
    ("first", "gap", "second", "read"),
    [
        ("of f(", 2.4, "x) = y", "of f(x) = y"),
        ("of f(x", 2.4, ") = y", "of f(x) = y"),
        ("of f(", 2.6, "x) = y", "of f( x) = y"),
        ("of (", 2.4, "אב", "of ( בא"),
        ("א f(", 2.4, "x)", "א f(x)"),
        ("א f(", 2.4, "x", "א f( x"),
        ("of (x)", 2.4, "y", "of (x) y"),
    ],
)
@pytest.mark.parametrize("hinted", [False, True])
def test_a_narrow_gap_inside_latin_brackets_parts_no_words(
    first: str, gap: float, second: str, read: str, hinted: bool
) -> None:
    after = glyphs(second, 5 * len(first) + gap)
    after[0].parted = hinted
    assert read_lines(glyphs(first) + after) == [read]


def test_an_exponent_after_an_index_is_no_word() -> None:
    index, exponent = glyphs("i", 20, 104, 7), glyphs("2", 24, 96, 7)
    exponent[0].parted = True
    drawn = [*glyphs("of x"), *index, *exponent, *glyphs("= 1", 30)]
    assert read_lines(drawn) == ["of xi2 = 1"]


def test_brackets_of_a_latin_line_that_are_stored_as_in_hebrew_are_turned() -> None:
    fonts = Fonts()
    fonts.number("Serif")
    for stored, rtl, text in (
        (")most(:D1", True, "(most):D1"),
        ("find){x:[1]}(.", True, "find({x:[1]})."),
        ("a)item", True, "a)item"),
        (")most(:D1", False, ")most(:D1"),
    ):
        (row,) = find_rows(glyphs(stored, 50, 100))
        (line,) = cut_row(row, fonts, rtl)
        assert line.text == text


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        ("međutim", "međutim"),
        ("između", "između"),
        ("Đorđe", "Đorđe"),
        ("ad̄ b", "ad̄ b"),  # a mean
    ],
)
def test_a_d_with_a_bar_is_a_letter_in_a_word(drawn: str, read: str) -> None:
    bars = {"đ": "d\u0304", "Đ": "D\u0304"}
    set_glyphs = glyphs(drawn.replace("d\u0304", "đ"))
    for one in set_glyphs:
        one.text = bars.get(one.text, one.text)
    (line,) = read_lines(set_glyphs)
    assert line == read
