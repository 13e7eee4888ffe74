"""ingest/layout/rows.py, on glyphs."""

from ingest.layout.rows import find_rows
from ingest.pdf.model import text_of
from tests.ingest.layout.glyphs import glyphs
from tests.ingest.layout.read_lines import read_lines


def test_the_halves_of_a_stretched_row_stay_together_next_to_another_column() -> None:
    # the next column is a little lower, and nearer to the second half than the first half is
    drawn = glyphs("another column", 168, 101.5)
    drawn += glyphs("second half", 105, 100)
    drawn += glyphs("first", 50, 100)
    texts = [text_of(row.glyphs) for row in find_rows(drawn)]
    assert any(text.startswith("firstsecondhalf") for text in texts)


def test_words_that_ocr_puts_a_little_lower_are_in_the_row_around_them() -> None:
    for lower, n_rows in ((102, 1), (104, 2)):
        drawn = glyphs("look for", 50, 100) + glyphs("to see", 140, 100)
        drawn += glyphs("parties", 95, lower) + glyphs("column", 200, lower)
        assert len(find_rows(drawn)) == n_rows
    overlapping = glyphs("look for it to see", 50, 100)
    assert len(find_rows(overlapping + glyphs("parties", 95, 102))) == 2


def test_an_index_is_in_the_row_of_its_base() -> None:
    drawn = glyphs("tree", 50, 100)
    drawn += glyphs("i", 71, 105.5, 9.9)
    (row,) = find_rows(drawn)
    assert text_of(row.glyphs) == "treei"
    assert row.glyphs[-1].size == 7.5


def test_an_exponent_of_an_exponent_is_in_the_row_of_their_base() -> None:
    for rise, n_rows in ((7.2, 1), (8.5, 2)):
        drawn = glyphs("tree", 50, 100) + glyphs("n", 70, 96, 7)
        drawn += glyphs("2", 73.5, 100 - rise, 5)
        assert len(find_rows(drawn)) == n_rows, rise


def test_words_as_indices_are_in_the_row_of_a_short_formula() -> None:
    above = glyphs("the text of a line", 50, 88, 9)
    drawn = glyphs("*", 40, 103, 11) + glyphs("T", 50, 100, 9)
    drawn += glyphs("sec", 54.5, 102.5, 6.4) + glyphs("=", 66, 100, 9)
    drawn += glyphs("R", 73, 100, 9) + glyphs("ohm", 77.5, 102.5, 6.4)
    drawn += glyphs("+", 90, 100, 9) + glyphs("C", 97, 100, 9)
    drawn += glyphs("farad", 101.5, 102.5, 6.4)
    rows = [text_of(row.glyphs) for row in find_rows([*above, *drawn])]
    assert rows == ["thetextofaline", "*Tsec=Rohm+Cfarad"]


def test_a_watermark_on_the_baseline_of_a_text_is_a_row_of_its_own() -> None:
    drawn = glyphs("the text of a line", 50, 100)
    watermark = glyphs("watermark", 77, 100)
    rows = [text_of(row.glyphs) for row in find_rows([*drawn, *watermark])]
    assert sorted(rows) == ["thetextofaline", "watermark"]
    stacked = [*glyphs("tree", 50, 100), *glyphs("ij", 70, 105, 7)]
    (row,) = find_rows([*stacked, *glyphs("xyz", 70, 96, 7)])
    assert len(row.glyphs) == 9


def test_the_base_of_an_index_is_no_smaller_than_the_index() -> None:
    drawn = glyphs("title", 50, 100, 28)
    drawn += glyphs("heading", 160, 86, 12)
    drawn += glyphs("a line", 160, 100.5)
    assert read_lines(drawn) == ["heading", "title", "a line"]


def test_the_rows_beside_a_huge_letter_are_no_indices_of_it() -> None:
    drawn = glyphs("each of the rows", 50, 100) + glyphs("is parted", 50, 112)
    rows = find_rows(drawn + glyphs("X", 150, 116, 120))
    assert [text_of(row.glyphs) for row in rows] == ["eachoftherows", "isparted", "X"]
