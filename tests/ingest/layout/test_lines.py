"""ingest/layout/{rows,gutters,lines}.py, on glyphs; test_extract.py has more, on small PDFs."""

from collections.abc import Iterable

from ingest.layout.gutters import narrow_gutters
from ingest.layout.lines import lines_of
from ingest.layout.rows import Row, rows_of
from ingest.pdf.model import Fonts, Glyph, text_of


def _glyphs(
    text: str,
    x: float,
    y: float,
    size: float = 10.0,
) -> list[Glyph]:
    """Glyphs half an em wide; spaces are white and no glyphs."""
    glyphs = []
    for char in text:
        if char != " ":
            glyphs.append(Glyph(char, x, x + size / 2, y, size, 0, False))
        x += size / 2
    return glyphs


def _rows(second: Iterable[float]) -> list[Row]:
    """Rows of two words, the second one at these places."""
    rows = []
    for number, x in enumerate(second):
        y = 20 + 12 * number
        first = "a" * int((x - 58) / 5)
        glyphs = _glyphs(first, 50, y)
        glyphs += _glyphs("b" * 30, x, y)
        rows.append(Row(y, 10.0, glyphs))
    return rows


def test_columns_with_little_white_between_are_parted_where_all_rows_have_a_gap() -> (
    None
):
    rows = _rows([208] * 12)  # 8 points, less than an em
    (gutter,) = narrow_gutters(rows)
    assert 200 <= gutter <= 208
    fonts = Fonts()
    fonts.number("Serif")
    left, right = lines_of(rows[0], fonts, False, [gutter])
    assert left.text == "a" * 30
    assert right.text == "b" * 30


def test_gaps_between_words_that_fall_in_different_places_part_no_columns() -> None:
    assert narrow_gutters(_rows(range(158, 218, 5))) == []


def test_the_halves_of_a_stretched_row_stay_together_next_to_another_column() -> None:
    # the next column is a little lower, and nearer to the second half than the first half is
    glyphs = _glyphs("another column", 168, 101.5)
    glyphs += _glyphs("second half", 105, 100)
    glyphs += _glyphs("first", 50, 100)
    texts = [text_of(row.glyphs) for row in rows_of(glyphs)]
    assert any(text.startswith("firstsecondhalf") for text in texts)


def test_a_fraction_of_two_rows_and_an_index_are_in_the_row_of_their_base() -> None:
    glyphs = _glyphs("half", 50, 100)
    glyphs += _glyphs("1", 76, 94)
    glyphs += _glyphs("2", 76, 106)
    glyphs += _glyphs("of it", 90, 100)
    (row,) = rows_of(glyphs)
    assert sorted(glyph.y for glyph in row.glyphs if glyph.text in "12") == [
        96.5,
        103.5,
    ]

    glyphs = _glyphs("tree", 50, 100)
    glyphs += _glyphs("i", 71, 105.5, 9.9)
    (row,) = rows_of(glyphs)
    assert text_of(row.glyphs) == "treei"
    assert row.glyphs[-1].size == 7.5
