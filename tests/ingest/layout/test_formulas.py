"""ingest/layout/formulas, on glyphs; `formulas.py` in this folder prints random formulas."""

import shutil

import pytest

from ingest.layout.formulas.steps import with_formulas
from ingest.layout.rows import find_rows
from ingest.pdf.model import Box, Glyph, text_of
from tests.ingest.layout.formulas import read_formulas
from tests.ingest.layout.glyphs import glyphs
from tests.ingest.layout.styles import PHRASES


def _bar(x0: float, x1: float, y: float) -> Box:
    return Box(x0, y, x1, y)


@pytest.mark.parametrize(
    ("drawn", "bars", "read"),
    [
        pytest.param(
            [*glyphs("a=", 0), *glyphs("bc", 11, 96, 7), *glyphs("n", 13, 104, 7)],
            [_bar(11, 18, 97.5)],
            ["a=bc/n"],
            id="a fraction in the line",
        ),
        pytest.param(
            [*glyphs("a=", 0), *glyphs("s", 15, 93), *glyphs("√n", 12, 107)],
            [_bar(12, 22, 97.5), _bar(17, 22, 99.5)],
            ["a=s/√n"],
            id="a fraction as large as the line with a root below",
        ),
        pytest.param(
            [
                *glyphs("a=", 0, 200, 44),
                *glyphs("2", 49, 170, 44),
                *glyphs("n", 49, 231, 44),
            ],
            [_bar(48, 72, 189)],
            ["a=2/n"],
            id="a fraction in large print",
        ),
        pytest.param(
            [*glyphs("1", 0, 88), *glyphs("edges", 7, 88), *glyphs("y", 0)],
            [_bar(0, 5, 94.5)],
            ["1edges", "ȳ"],
            id="a line over a letter below another line of text",
        ),
        pytest.param(
            [*glyphs("∂f", 0)],
            [_bar(0, 5, 94.5)],
            ["∂\u0304f"],
            id="a line over a sign",
        ),
        pytest.param(
            [*glyphs("1,n", 0)],
            [_bar(0, 15, 93)],
            ["1̄,n̄"],
            id="a line over digits and letters",
        ),
        pytest.param(
            [*glyphs("12", 0)],
            [_bar(0, 10, 93)],
            ["12"],
            id="numbers below the rule of a sum",
        ),
        pytest.param(
            [*glyphs("s", 12, 82), *glyphs("t", 12, 94.5), *glyphs("n", 12, 113)],
            [_bar(12, 17, 86.5), _bar(11.5, 17.5, 99.5)],
            ["s/t/n"],
            id="a fraction in a numerator",
        ),
        pytest.param(
            [*glyphs("a", 0), *glyphs("b", 8), *glyphs("c", 30)],
            [_bar(5, 8, 99.8), _bar(27, 30, 100.7)],
            ["a_bc"],
            id="underscores of TeX are on the baseline, an underline is below it",
        ),
        pytest.param(
            [*glyphs("a", 0), *glyphs("b", 8)],
            [_bar(4.5, 8.5, 100.2)],
            ["ab"],
            id="a piece of an interrupted underline",
        ),
        pytest.param(
            [*glyphs("a=", 0), *glyphs("25", 11, 93, 8), *glyphs("60", 11, 106, 8)],
            [_bar(11, 19, 97.5)],
            ["a=25/60"],
            id="a fraction of Word",
        ),
        pytest.param(
            [*glyphs("Table1", 0, 88), *glyphs("Mean", 5, 106.5)],
            [_bar(0, 30, 96.1)],
            ["Table1", "Mean"],
            id="a caption over the rule of a table",
        ),
        pytest.param(
            [*glyphs("Mean", 0, 90), *glyphs("1.23", 0)],
            [_bar(0, 20, 94), _bar(20.4, 40, 94)],
            ["Mean", "1.23"],
            id="the cells of a table",
        ),
        pytest.param(
            [
                *glyphs("a=", 0),
                *glyphs("R", 12, 96, 7),
                *glyphs("5", 16, 93, 5),
                *glyphs("n", 14, 104, 7),
            ],
            [_bar(11, 19, 97.5)],
            ["a=R5/n"],
            id="exponents of a numerator",
        ),
        pytest.param(
            [
                *glyphs("ab=", 0),
                *glyphs("t", 17, 96, 7),
                *glyphs("n−1", 20, 93, 5),
                *glyphs("k", 20, 104, 7),
            ],
            [_bar(17, 27.5, 97.5)],
            ["ab=tn−1/k"],
            id="more exponents than letters",
        ),
        pytest.param(
            [*glyphs("0,", 5), *glyphs("1", 16.2, 96, 7), *glyphs("2", 16.2, 104.2, 7)],
            [_bar(16, 20, 97.6)],
            ["0,1/2"],
            id="a fraction after a comma, which is no root",
        ),
        pytest.param(
            [*glyphs("שלום", 0, 88), *glyphs("∂", 22, 88), *glyphs("ל", 0)],
            [_bar(22, 27, 82.5), _bar(0, 5, 94.5)],
            ["שלום∂̄", "ל"],
            id="a line over a sign, and one under a line of Hebrew",
        ),
        pytest.param(
            [*glyphs("x", 0), *glyphs("train", 9)],
            [_bar(5.5, 8.5, 99.8)],
            ["x_train"],
            id="an underscore of TeX",
        ),
        pytest.param(
            [*glyphs("Title:", 0, 88), *glyphs("a word", 0)],
            [_bar(0, 30, 89.5)],
            ["Title:", "aword"],
            id="an underlined title",
        ),
        pytest.param(
            [
                *glyphs("n", 21, 88, 7),
                *glyphs("a∑", 15, 100, 10, 14)[1:],
                *glyphs("i=1", 17, 109, 7),
                *glyphs("x", 28),
            ],
            [],
            ["∑i=1nx"],
            id="a sum with limits",
        ),
        pytest.param(
            [
                *glyphs("∫", 0, height=16),
                *glyphs("1", 5, 92, 7),
                *glyphs("0", 5, 106, 7),
                *glyphs("f", 10),
            ],
            [],
            ["∫01f"],
            id="an integral with limits",
        ),
        pytest.param(
            [
                *glyphs("c", 0, 88),
                *glyphs("min", 2),
                *glyphs("ab∈AB", 0.75, 107, 7),
                *glyphs("max", 21.5),
                *glyphs("cd∈CD", 20.25, 107, 7),
                *glyphs("f", 40),
            ],
            [],
            ["c", "minab∈ABmaxcd∈CDf"],
            id="limits of two names next to each other",
        ),
        pytest.param(
            [
                *glyphs("The", 0, 106.5, 8),
                *glyphs("lampwasonallnight", 14, 106.5, 8),
                *glyphs("sup", 0, 98),
            ],
            [],
            ["sup", "Thelampwasonallnight"],
            id="a line of smaller text below a name is no limit",
        ),
        pytest.param(
            [*glyphs("a→b", 0), *glyphs("d", 6, 93, 7)],
            [],
            ["a→db"],
            id="a letter over an arrow",
        ),
        pytest.param(
            [*glyphs("a=b", 0, 84), *glyphs("c", 0), *glyphs("n", 5, 95, 7)],
            [],
            ["a=b", "cn"],
            id="an exponent below a sign of the line above",
        ),
        pytest.param(
            [
                *glyphs("f={", 0, height=24),
                *glyphs("1ifa", 17, 94),
                *glyphs("0else", 17, 106),
                *glyphs("so", 45),
            ],
            [],
            ["f={1ifa0elseso"],
            id="cases after a brace",
        ),
        pytest.param(
            [
                *glyphs("(", 0, height=13.4),
                *glyphs("n", 5, 95, 8),
                *glyphs("k", 4.5, 104.8, 8),
                *glyphs(")", 9, height=13.4),
            ],
            [],
            ["(nk)"],
            id="a binomial",
        ),
        pytest.param(
            [
                *glyphs("(", 0, height=24),
                *glyphs("ab", 6, 94),
                *glyphs("cd", 6, 106),
                *glyphs(")", 18, height=24),
            ],
            [],
            ["(abcd)"],
            id="a matrix",
        ),
    ],
)
def test_parts_above_and_below_each_other_are_put_on_one_line(
    drawn: list[Glyph], bars: list[Box], read: list[str]
) -> None:
    rows = find_rows(with_formulas(drawn, bars))
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
