"""ingest/layout/{rows,lines}.py, on rows of glyphs; test_extract.py has more, on small PDFs."""

from __future__ import annotations

from ingest.layout.gutters import narrow_gutters
from ingest.layout.lines import lines_of
from ingest.layout.rows import Row, rows_of
from ingest.pdf.model import Fonts, Glyph


def _row(y: float, words: list[tuple[float, str]]) -> Row:
    glyphs = [
        Glyph(char, x + 5 * at, x + 5 * at + 5, y, 10, 0, False)
        for x, word in words
        for at, char in enumerate(word)
    ]
    return Row(y, 10.0, glyphs)


def test_columns_with_little_white_between_are_parted_where_all_rows_have_a_gap() -> (
    None
):
    rows = [
        _row(20 + 12 * n, [(50, "a" * 30), (208, "b" * 30)]) for n in range(12)
    ]  # 8 points, less than an em
    (gutter,) = narrow_gutters(rows)
    assert 200 <= gutter <= 208
    fonts = Fonts()
    fonts.number("Serif")
    assert [line.text for line in lines_of(rows[0], fonts, False, [gutter])] == [
        "a" * 30,
        "b" * 30,
    ]


def test_gaps_between_words_that_fall_in_different_places_part_no_columns() -> None:
    rows = [
        _row(20 + 12 * n, [(50, "a" * (20 + n)), (58 + 5 * (20 + n), "b" * 30)])
        for n in range(12)
    ]
    assert narrow_gutters(rows) == []


def _placed(text: str, x: float) -> list[tuple[float, str]]:
    return [(x + 5 * at, char) for at, char in enumerate(text) if char != " "]


def test_the_halves_of_a_stretched_row_stay_together_next_to_another_column() -> None:
    glyphs = [
        Glyph(char, x, x + 5, y, 10.0, 0, False)
        # the next column is a little lower, and nearer to the second half than the first half is
        for text, left, y in (
            ("another column", 168.0, 101.5),
            ("second half", 105.0, 100.0),
            ("first", 50.0, 100.0),
        )
        for x, char in _placed(text, left)
    ]
    row = next(row for row in rows_of(glyphs) if row.glyphs[0].text == "f")
    assert "".join(glyph.text for glyph in row.glyphs).startswith("firstsecondhalf")
