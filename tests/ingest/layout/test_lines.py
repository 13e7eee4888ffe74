"""layout/lines.py: ligatures that the file does not name; all else is tested on small PDFs in test_extract.py."""

from __future__ import annotations

import pytest

from quarry.ingest.layout.lines import Row, alleys_of, lines_of, rows_of
from quarry.ingest.pdf.model import UNKNOWN, Fonts, Glyph

EMS_F, EMS_I, OTHER = 0.3, 0.25, 0.5
"""Ems that f, i and all other letters are wide."""


def _read(before: str, width: float, after: str, fonts: Fonts | None = None, font: int = 0) -> str:
    """A word with an unknown glyph of that width, in ems, as it is read from a font of ten points."""
    if fonts is None:
        fonts = Fonts()
        fonts.number("Serif")
        for letter, ems in (("f", EMS_F), ("i", EMS_I)):
            fonts.saw(0, letter, ems)
    glyphs: list[Glyph] = []
    x = 100.0
    for char in (*before, UNKNOWN, *after):
        unknown = char == UNKNOWN
        right = x + 10 * (width if unknown else OTHER)
        glyphs.append(Glyph(char, x, right, 50.0, 10.0, font if unknown else 0, False))
        x = right
    return lines_of(Row(50.0, 10.0, glyphs), fonts, rtl=False, mirrored=False)[0].text


@pytest.mark.parametrize(
    ("before", "width", "after", "read"),
    [
        # a ligature is a little narrower than its letters: f f are 0.6 wide, f i 0.55, f f i 0.85
        ("di", 0.57, "erent", "different"),
        ("o", 0.57, "", "off"),
        ("de", 0.51, "ne", "define"),
        ("over", 0.51, "ow", "overflow"),
        ("di", 0.77, "cult", "difficult"),
        ("shu", 0.77, "e", "shuffle"),
    ],
)
def test_an_unnamed_ligature_is_told_by_its_width_and_the_letter_after_it(
    before: str, width: float, after: str, read: str
) -> None:
    assert _read(before, width, after) == read


@pytest.mark.parametrize(
    ("before", "width", "after"), [("x", 1.0, "y"), ("x", 0.3, "y"), ("1", 0.57, "a"), ("n", 0.57, "K")]
)
def test_an_unnamed_glyph_of_another_width_or_place_stays_unknown(before: str, width: float, after: str) -> None:
    assert _read(before, width, after) == f"{before}{UNKNOWN}{after}"


def test_a_sign_of_another_font_between_letters_is_no_ligature() -> None:
    fonts = Fonts()
    fonts.number("Serif")
    assert _read("n", 0.57, "k", fonts, fonts.number("Symbols")) == f"n{UNKNOWN}k"


def test_the_narrowest_width_that_a_letter_was_seen_with_is_its_own() -> None:
    fonts = Fonts()
    fonts.number("Serif")
    for ems in (0.57, 0.3, 0.31):  # a reader may give each letter of a ligature that is named the width of both
        fonts.saw(0, "f", ems)
    assert (fonts.width(0, "f"), _read("di", 0.57, "erent", fonts)) == (0.3, "different")


def _row(y: float, words: list[tuple[float, str]]) -> Row:
    glyphs = [
        Glyph(char, x + 5 * at, x + 5 * at + 5, y, 10, 0, False) for x, word in words for at, char in enumerate(word)
    ]
    return Row(y, 10.0, glyphs)


def test_columns_with_little_white_between_are_parted_where_all_rows_have_a_gap() -> None:
    rows = [_row(20 + 12 * n, [(50, "a" * 30), (208, "b" * 30)]) for n in range(12)]  # 8 points, less than an em
    (alley,) = alleys_of(rows)
    assert 200 <= alley <= 208
    fonts = Fonts()
    fonts.number("Serif")
    assert [line.text for line in lines_of(rows[0], fonts, False, False, [alley])] == ["a" * 30, "b" * 30]


def test_gaps_between_words_that_fall_in_different_places_part_no_columns() -> None:
    rows = [_row(20 + 12 * n, [(50, "a" * (20 + n)), (58 + 5 * (20 + n), "b" * 30)]) for n in range(12)]
    assert alleys_of(rows) == []


def _spaced(words: list[str], space: float) -> list[str]:
    """Words in ten points with a space of so many ems between them, as the lines that the row is cut into."""
    fonts = Fonts()
    fonts.number("Serif")
    glyphs: list[Glyph] = []
    x = 100.0
    for word in words:
        for char in word:
            glyphs.append(Glyph(char, x, x + 5, 50.0, 10.0, 0, False))
            x += 5
        x += 10 * space
    return [line.text for line in lines_of(Row(50.0, 10.0, glyphs), fonts, rtl=False, mirrored=False)]


def test_a_line_stretched_to_fill_a_column_stays_whole() -> None:
    assert _spaced(["Twelve", "fifths", "make", "seven"], 1.3) == ["Twelve fifths make seven"]


def test_cells_are_parted_by_spaces_as_wide_where_they_hold_figures_or_few_words() -> None:
    assert _spaced(["1720", "1810", "1912", "2001"], 1.3) == ["1720", "1810", "1912", "2001"]
    assert _spaced(["spring", "summer"], 1.3) == ["spring", "summer"]


def test_a_space_far_wider_than_the_others_of_its_line_parts_it() -> None:
    fonts = Fonts()
    fonts.number("Serif")
    glyphs = [Glyph(char, x, x + 5, 50.0, 10.0, 0, False) for x, char in _placed("one of many", 100.0)]
    glyphs += [Glyph(char, x, x + 5, 50.0, 10.0, 0, False) for x, char in _placed("boats in port", 171.0)]
    cut = lines_of(Row(50.0, 10.0, glyphs), fonts, rtl=False, mirrored=False)
    assert [line.text for line in cut] == ["one of many", "boats in port"]


def _placed(text: str, x: float) -> list[tuple[float, str]]:
    return [(x + 5 * at, char) for at, char in enumerate(text) if char != " "]


def test_the_halves_of_a_stretched_row_stay_together_beside_another_column() -> None:
    fonts = Fonts()
    fonts.number("Serif")
    glyphs = [
        Glyph(char, x, x + 5, y, 10.0, 0, False)
        # the next column stands a little lower, nearer to the second half than the first half does
        for text, left, y in (("another column", 168.0, 101.5), ("second half", 105.0, 100.0), ("first", 50.0, 100.0))
        for x, char in _placed(text, left)
    ]
    row = next(row for row in rows_of(glyphs, fonts) if row.glyphs[0].text == "f")
    assert "".join(glyph.text for glyph in row.glyphs).startswith("firstsecondhalf")
