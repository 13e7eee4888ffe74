"""ingest/layout/formulas.py, on glyphs; `formulas.py` beside it prints random formulas."""

import shutil

import pytest

from ingest.layout.formulas import with_formulas
from ingest.layout.rows import find_rows
from ingest.pdf.model import Box, Glyph, text_of
from tests.ingest.layout.formulas import read_formulas
from tests.ingest.layout.styles import PHRASES


def _drawn(
    text: str,
    x: float,
    y: float = 100.0,
    size: float = 10.0,
    height: float = 0.0,
) -> list[Glyph]:
    """Glyphs half an em wide."""
    glyphs = []
    for char in text:
        glyphs.append(Glyph(char, x, x + size / 2, y, size, 0, False, height=height))
        x += size / 2
    return glyphs


def _bar(x0: float, x1: float, y: float) -> Box:
    return Box(x0, y, x1, y)


@pytest.mark.parametrize(
    ("glyphs", "bars", "read"),
    [
        (  # a fraction in the line, and one as large as the line with a root below
            [*_drawn("a=", 0), *_drawn("bc", 11, 96, 7), *_drawn("n", 13, 104, 7)],
            [_bar(11, 18, 97.5)],
            ["a=bc/n"],
        ),
        (
            [*_drawn("a=", 0), *_drawn("s", 15, 93), *_drawn("√n", 12, 107)],
            [_bar(12, 22, 97.5), _bar(17, 22, 99.5)],
            ["a=s/√n"],
        ),
        (  # a line over a letter, also below another line of text
            [*_drawn("1", 0, 88), *_drawn("edges", 7, 88), *_drawn("y", 0)],
            [_bar(0, 5, 94.5)],
            ["1edges", "ȳ"],
        ),
        ([*_drawn("∂f", 0)], [_bar(0, 5, 94.5)], ["∂\u0304f"]),
        (  # underscores of TeX are on the baseline, an underline is below it
            [*_drawn("a", 0), *_drawn("b", 8), *_drawn("c", 30)],
            [_bar(5, 8, 99.8), _bar(27, 30, 100.7)],
            ["a_bc"],
        ),
        (  # a fraction of Word, a caption over the rule of a table, and the cells of a table
            [*_drawn("a=", 0), *_drawn("25", 11, 93, 8), *_drawn("60", 11, 106, 8)],
            [_bar(11, 19, 97.5)],
            ["a=25/60"],
        ),
        (
            [*_drawn("Table1", 0, 88), *_drawn("Mean", 5, 106.5)],
            [_bar(0, 30, 96.1)],
            ["Table1", "Mean"],
        ),
        (
            [*_drawn("Mean", 0, 90), *_drawn("1.23", 0)],
            [_bar(0, 20, 94), _bar(20.4, 40, 94)],
            ["Mean", "1.23"],
        ),
        (  # exponents of a numerator
            [
                *_drawn("a=", 0),
                *_drawn("R", 12, 96, 7),
                *_drawn("5", 16, 93, 5),
                *_drawn("n", 14, 104, 7),
            ],
            [_bar(11, 19, 97.5)],
            ["a=R5/n"],
        ),
        (  # an underscore of TeX
            [*_drawn("x", 0), *_drawn("train", 9)],
            [_bar(5.5, 8.5, 99.8)],
            ["x_train"],
        ),
        (  # an underlined title
            [*_drawn("Title:", 0, 88), *_drawn("a word", 0)],
            [_bar(0, 30, 89.5)],
            ["Title:", "aword"],
        ),
        (
            [
                *_drawn("n", 21, 88, 7),
                *_drawn("a∑", 15, 100, 10, 14)[1:],
                *_drawn("i=1", 17, 109, 7),
                *_drawn("x", 28),
            ],
            [],
            ["∑i=1nx"],
        ),
        (
            [
                *_drawn("∫", 0, height=16),
                *_drawn("1", 5, 92, 7),
                *_drawn("0", 5, 106, 7),
                *_drawn("f", 10),
            ],
            [],
            ["∫01f"],
        ),
        (
            [*_drawn("a→b", 0), *_drawn("d", 6, 93, 7)],
            [],
            ["a→db"],
        ),
        (
            [
                *_drawn("f={", 0, height=24),
                *_drawn("1ifa", 17, 94),
                *_drawn("0else", 17, 106),
                *_drawn("so", 45),
            ],
            [],
            ["f={1ifa0elseso"],
        ),
        (
            [
                *_drawn("(", 0, height=24),
                *_drawn("ab", 6, 94),
                *_drawn("cd", 6, 106),
                *_drawn(")", 18, height=24),
            ],
            [],
            ["(abcd)"],
        ),
    ],
)
def test_parts_above_and_below_each_other_are_put_on_one_line(
    glyphs: list[Glyph], bars: list[Box], read: list[str]
) -> None:
    rows = find_rows(with_formulas(glyphs, bars))
    assert [text_of(row.glyphs).replace(" ", "") for row in rows] == read


@pytest.mark.parametrize("language", PHRASES)
@pytest.mark.parametrize(
    ("program", "least"),
    [("typst", 0.9), pytest.param("chromium", 0.6, marks=pytest.mark.long)],
)
def test_openings_with_random_formulas_are_read_as_printed(
    program: str, least: float, language: str
) -> None:
    if shutil.which(program) is None and program == "chromium":
        pytest.skip("no Chromium is installed: Typst prints the same formulas")
    right: list[bool] = []
    for values in read_formulas(program, language, seed=3, n_documents=3).values():
        right += values
    assert sum(right) >= least * len(right)
