"""ingest/layout/superscripts.py: accents, fractions, and the marks of notes and citations."""

from ingest.layout.superscripts import with_accents, with_scripts, without_marks
from ingest.pdf.model import Glyph, text_of


def drawn(
    text: str,
    x0: float,
    x1: float,
    y: float = 100.0,
) -> Glyph:
    """One glyph of ten points."""
    return Glyph(text, x0, x1, y, 10.0, 0, False)


def row(
    text: str,
    x: float = 0.0,
    y: float = 100.0,
    size: float = 10.0,
) -> list[Glyph]:
    """Glyphs half an em wide."""
    glyphs = []
    for char in text:
        right = x + 0.5 * size
        glyphs.append(Glyph(char, x, right, y, size, 0, False))
        x = right
    return glyphs


def raised(text: str, x: float) -> list[Glyph]:
    return row(text, x, 96.0, 7.0)


def lowered(text: str, x: float) -> list[Glyph]:
    return row(text, x, 104.0, 7.0)


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
    ):
        glyphs = row(word)
        glyphs += raised(mark, glyphs[-1].x1)
        glyphs += row(after, glyphs[-1].x1)

        (rest,) = without_marks([glyphs])
        assert text_of(rest) == expected


def test_a_raised_number_after_a_bracket_is_an_exponent_where_no_word_is_inside() -> (
    None
):
    for text, expected in (
        ("(x − 10)", "10)2"),
        ("{−1, 10}", "10}2"),
        ("(all of 10)", "10)"),
        ("in 10)", "10)"),
    ):
        words = list(map(row, text.split()))
        words[-1] += raised("2", words[-1][-1].x1)
        assert text_of(without_marks(words)[-1]) == expected


def test_a_raised_number_after_a_formula_with_an_index_is_an_exponent() -> None:
    glyphs = [*row("E"), *lowered("abc", 5)]
    glyphs += row("XYZ", glyphs[-1].x1)
    glyphs += raised("2", glyphs[-1].x1)
    (word,) = without_marks([glyphs])
    assert text_of(word) == "EabcXYZ2"


def test_an_accent_over_a_letter_and_a_dot_below_it_become_one_with_it() -> None:
    umlaut = [*row("G"), drawn("¨", 5, 10), drawn("o", 5, 10), *row("del", 10)]
    assert text_of(with_accents(umlaut)) == "Gödel"
    bitmap = [*row("p"), drawn("«", 4.8, 9.8), drawn("e", 5, 10), *row("«a", 10)]
    assert text_of(with_accents(bitmap)) == "pé«a"
    dotless = [drawn("´", 0.5, 4), drawn("ı", 0, 3)]
    assert text_of(with_accents(dotless)) == "í"
    point = [*row("םל"), drawn("\u05b6", 6.5, 8), drawn(" ", 6.5, 6.5)]
    assert text_of(with_accents(point)) == "םל\u05b6 "
    dot_below = [*row("an"), drawn(".", 6, 8.5, 102.4), *row("ka.", 10)]
    assert text_of(with_accents(dot_below)) == "aṇka."
    negated = [*row("a"), drawn("\u0338", 7, 13), drawn("=", 7, 15), *row("/b", 18)]
    assert text_of(with_accents(negated)) == "a≠/b"
    overlaid = [drawn("∈", 0, 7), drawn("/", 1, 6), *row("a", 10)]
    assert text_of(with_accents(overlaid)) == "∉a"
    at_one_place = [drawn("´e", 0, 5), drawn("ˆ", 20, 25)]
    assert text_of(with_accents(at_one_place)) == "éˆ"


def test_an_index_under_an_exponent_comes_first_and_primes_are_part_of_their_letter() -> (
    None
):
    apart = [*row("a ", 9), *lowered("3", 20), *raised("12", 26)]
    assert text_of(with_scripts(apart, 100, 10)) == "a 312"
    index = [*row("x"), *raised("2", 5), *lowered("i", 5.1)]
    assert text_of(with_scripts(index, 100, 10)) == "xi2"
    primed = [*row("x"), *lowered("i", 5), *raised("′", 5.1)]
    assert text_of(with_scripts(primed, 100, 10)) == "x′i"
