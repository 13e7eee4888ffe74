"""ingest/layout/superscripts.py: exponents, and the marks of notes and citations."""

from ingest.layout.lines import cut_row
from ingest.layout.rows import find_rows
from ingest.layout.superscripts import with_scripts, without_marks
from ingest.pdf.model import Fonts, Glyph, text_of
from tests.contracts.handmade import Run, pdf
from tests.ingest.layout.glyphs import glyph, glyphs
from tests.ingest.reading import extracted


def raised(text: str, x: float) -> list[Glyph]:
    return glyphs(text, x, 96.0, 7.0)


def lowered(text: str, x: float) -> list[Glyph]:
    return glyphs(text, x, 104.0, 7.0)


def test_marks_of_notes_are_left_out_and_exponents_stay() -> None:
    for word, mark, after, expected in (
        ("list", "1", "", "list"),
        ("list.", "12", "", "list."),
        ("k.", "1", "", "k."),
        ("believed", "15,16", ",", "believed,"),
        ("word", "†", "", "word"),
        ("x", "2", "", "x2"),
        ("cos", "2", "", "cos2"),
        ("1+tan", "2", "", "1+tan2"),
        ("(r/R)", "3", "", "(r/R)3"),
        ("(trees)", "3", "", "(trees)"),
        ("mass", "−1", "", "mass−1"),
        ("mass", "-1", ".", "mass-1."),
    ):
        whole = glyphs(word)
        whole += raised(mark, whole[-1].x1)
        whole += glyphs(after, whole[-1].x1)

        (rest,) = without_marks([whole])
        assert text_of(rest) == expected


def test_the_mark_of_a_note_at_the_end_of_a_line_is_part_of_its_width() -> None:
    fonts = Fonts()
    fonts.number("Serif")
    text = glyphs("list.")
    (row,) = find_rows([*text, *raised("12", text[-1].x1)])
    (line,) = cut_row(row, fonts, False)
    assert (line.text, line.x1) == ("list.", 32.0)


def test_a_raised_number_apart_after_an_abbreviation_is_no_mark() -> None:
    for word, n_words in (("ref.", 2), ("list.", 1)):
        text = glyphs(word)
        mark = raised("61", text[-1].x1 + 3)
        assert len(without_marks([text, mark])) == n_words


def test_where_no_note_is_the_first_a_raised_number_is_an_exponent() -> None:
    for number, y, text in (
        ("1", 60, "add age"),
        ("7", 60, "add age2"),
        ("1", 64, "add age2"),
    ):
        runs = [
            Run(50, 64, "we know"),
            Run(87, y, number, 7),
            Run(50, 100, "add age"),
            Run(86, 96, "2", 7),
        ]
        (page,) = extracted(pdf([runs])).pages
        assert page.lines[-1].text == text


def test_a_raised_number_after_a_bracket_is_an_exponent_where_no_word_is_inside() -> (
    None
):
    for text, expected in (
        ("(x − 10)", "10)2"),
        ("{−1, 10}", "10}2"),
        ("(xi − mean)", "mean)2"),
        ("(meanX)", "(meanX)2"),
        ("(all of 10)", "10)"),
        ("in 10)", "10)"),
    ):
        words = list(map(glyphs, text.split()))
        words[-1] += raised("2", words[-1][-1].x1)
        assert text_of(without_marks(words)[-1]) == expected


def test_a_raised_number_after_a_formula_with_an_index_is_an_exponent() -> None:
    for end, expected in (("XYZ", "EabcXYZ2"), (".", "Eabc.")):
        whole = [*glyphs("E"), *lowered("abc", 5)]
        whole += glyphs(end, whole[-1].x1)
        whole += raised("2", whole[-1].x1)
        (word,) = without_marks([whole])
        assert text_of(word) == expected


def test_an_index_under_an_exponent_comes_first_and_primes_are_part_of_their_letter() -> (
    None
):
    apart = [*glyphs("a", 9), glyph(" ", 14, 19), *lowered("3", 20), *raised("12", 26)]
    assert text_of(with_scripts(apart, 100, 10)) == "a 312"
    index = [*glyphs("x"), *raised("2", 5), *lowered("i", 5.1)]
    assert text_of(with_scripts(index, 100, 10)) == "xi2"
    small = [*glyphs("x", size=8), *lowered("i", 4), *raised("2", 8)]
    assert text_of(with_scripts(small + glyphs("=", 12, size=8), 100, 10)) == "xi2="
    starred = [*glyphs("x"), *lowered("i", 5), *raised("2", 5.5)]
    assert text_of(with_scripts(starred + glyphs("∗", 9, size=5), 100, 10)) == "xi∗2"
    binomial = [*glyphs("("), *lowered("k", 5), *raised("n", 5.1), *glyphs(")", 10)]
    assert text_of(with_scripts(binomial, 100, 10)) == "(nk)"
    primed = [*glyphs("x"), *lowered("i", 5), *raised("′", 5.1)]
    assert text_of(with_scripts(primed, 100, 10)) == "x′i"


def test_the_degree_of_a_root_is_before_it_and_an_exponent_after_it() -> None:
    for x, expected in ((2.0, "3√x"), (11.0, "√x3")):
        drawn = [*glyphs("√x"), *raised("3", x)]
        drawn.sort(key=lambda one: one.x0)
        assert text_of(with_scripts(drawn, 100, 10)) == expected
    small = [*raised("√", 0), *raised("3", 1)]  # of an exponent
    assert text_of(with_scripts(small, 100, 10)) == "√3"
    twice = [*glyphs("x"), *raised("′", 5), *lowered("i", 5.1), *raised("′", 7)]
    assert text_of(with_scripts(twice, 100, 10)) == "x′′i"


def test_an_index_after_an_exponent_stays_there() -> None:
    for parts, expected in (
        (["-abc", "+2", "-de"], "eabc2de"),
        (["+x", "-i", "+y", "-j"], "exiyj"),
    ):
        row = glyphs("e", 0)
        for part in parts:
            draw = raised if part[0] == "+" else lowered
            row += draw(part[1:], row[-1].x1)
        assert text_of(with_scripts(row, 100, 10)) == expected
