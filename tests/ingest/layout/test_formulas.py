"""ingest/layout/formulas, on glyphs; `formulas.py` in this folder prints random formulas."""

import shutil

import pytest

from ingest.layout.formulas.steps import with_formulas
from ingest.layout.rows import find_rows
from ingest.pdf.model import Box, Glyph, text_of
from tests.ingest.layout.formulas import read_formulas
from tests.ingest.layout.glyphs import glyphs
from tests.ingest.layout.styles import PHRASES

Word = tuple[str, *tuple[float, ...]]
"""Text, left edge, baseline, size and height."""
Case = tuple[list[Word], list[tuple[float, float, float]], list[str]]
"""Words, bars from left to right at a height, and the lines that are read."""
FORMULAS: dict[str, Case] = {
    "a fraction in the line": (
        [("a=", 0), ("bc", 11, 96, 7), ("n", 13, 104, 7)],
        [(11, 18, 97.5)],
        ["a=bc/n"],
    ),
    "a fraction as large as the line with a root below": (
        [("a=", 0), ("s", 15, 93), ("√n", 12, 107)],
        [(12, 22, 97.5), (17, 22, 99.5)],
        ["a=s/√n"],
    ),
    "a fraction in large print": (
        [("a=", 0, 200, 44), ("2", 49, 170, 44), ("n", 49, 231, 44)],
        [(48, 72, 189)],
        ["a=2/n"],
    ),
    "a line over a letter below another line of text": (
        [("1", 0, 88), ("edges", 7, 88), ("y", 0)],
        [(0, 5, 94.5)],
        ["1edges", "ȳ"],
    ),
    "a line over a sign": ([("∂f", 0)], [(0, 5, 94.5)], ["∂\u0304f"]),
    "a line over digits and letters": ([("1,n", 0)], [(0, 15, 93)], ["1̄,n̄"]),
    "a line over a letter and its index": (
        [("x", 0), ("j", 5, 101.5, 7), (")", 9)],
        [(0, 8.5, 93)],
        ["x\u0304j)"],
    ),
    "a limit below its Spanish name": (
        [("lím", 0, 100, 10), ("n→∞", 2, 107, 7), ("f", 17)],
        [],
        ["límn→∞f"],
    ),
    "numbers below the rule of a sum": ([("12", 0)], [(0, 10, 93)], ["12"]),
    "a fraction in a numerator": (
        [("s", 12, 82), ("t", 12, 94.5), ("n", 12, 113)],
        [(12, 17, 86.5), (11.5, 17.5, 99.5)],
        ["s/t/n"],
    ),
    "underscores of TeX are on the baseline, an underline is below it": (
        [("a", 0), ("b", 8), ("c", 30)],
        [(5, 8, 99.8), (27, 30, 100.7)],
        ["a_bc"],
    ),
    "pieces of an underline below words, above other words": (
        [("abc", 0, 90), ("def", 20, 90), ("ghi", 0, 100), ("jkl", 20, 100)],
        [(-1, 16.5, 91.5), (15.2, 21, 91.5), (19.8, 36, 91.5)],
        ["abcdef", "ghijkl"],
    ),
    "a piece of an interrupted underline": (
        [("a", 0), ("b", 8)],
        [(4.5, 8.5, 100.2)],
        ["ab"],
    ),
    "a fraction of Word": (
        [("a=", 0), ("25", 11, 93, 8), ("60", 11, 106, 8)],
        [(11, 19, 97.5)],
        ["a=25/60"],
    ),
    "a fraction with large brackets": (
        [("a=", 0), ("(", 11, 90, 10, 18), ("n)", 16, 90), ("2", 16, 108)],
        [(11, 26, 97.5)],
        ["a=(n)/2"],
    ),
    "a fraction of Hebrew words, which are read from the right": (
        [("a=", 0), ("דב", 11, 93, 8), ("גא", 11, 106, 8)],
        [(11, 19, 97.5)],
        ["a=גא/דב"],
    ),
    "a long bar of Google Docs": (
        [("a=", 0), ("n", 15.5, 93.5, 8), ("2", 15.5, 105, 8)],
        [(11.7, 23.3, 96.5)],
        ["a=n/2"],
    ),
    "numbers over and under the rule of a table": (
        [("a=", 0), ("n", 20, 93.5, 8), ("2", 20, 105, 8)],
        [(11.5, 33.5, 96.5)],
        ["n", "a=", "2"],
    ),
    "a caption over the rule of a table": (
        [("Table1", 0, 88), ("Mean", 5, 106.5)],
        [(0, 30, 96.1)],
        ["Table1", "Mean"],
    ),
    "the cells of a table": (
        [("Mean", 0, 90), ("1.23", 0)],
        [(0, 20, 94), (20.4, 40, 94)],
        ["Mean", "1.23"],
    ),
    "a column in two kinds of brackets of one height": (
        [
            ("(", 0, 100, 10, 30),
            ("[", 5, 100, 10, 30),
            ("x", 10, 90),
            ("y", 10, 100),
            ("z", 10, 110),
            ("]", 15, 100, 10, 30),
            (")", 20, 100, 10, 30),
        ],
        [],
        ["([xyz])"],
    ),
    "what a variable tends to, set off from the middle of the name above it": (
        [("lim", 0), ("a", 19), ("b", 24), ("n→∞", 6, 109, 7)],
        [],
        ["limn→∞ab"],
    ),
    "a letter below a relation": (
        [("A", 0), ("<", 8), ("B", 16), ("m", 9.2, 106, 5)],
        [],
        ["A<mB"],
    ),
    "exponents of a numerator": (
        [("a=", 0), ("R", 12, 96, 7), ("5", 16, 93, 5), ("n", 14, 104, 7)],
        [(11, 19, 97.5)],
        ["a=R5/n"],
    ),
    "more exponents than letters": (
        [("ab=", 0), ("t", 17, 96, 7), ("n−1", 20, 93, 5), ("k", 20, 104, 7)],
        [(17, 27.5, 97.5)],
        ["ab=tn−1/k"],
    ),
    "a fraction after a comma, which is no root": (
        [("0,", 5), ("1", 16.2, 96, 7), ("2", 16.2, 104.2, 7)],
        [(16, 20, 97.6)],
        ["0,1/2"],
    ),
    "a line over a sign, and one under a line of Hebrew": (
        [("שלום", 0, 88), ("∂", 22, 88), ("ל", 0)],
        [(22, 27, 82.5), (0, 5, 94.5)],
        ["שלום∂̄", "ל"],
    ),
    "an underscore of TeX": ([("x", 0), ("train", 9)], [(5.5, 8.5, 99.8)], ["x_train"]),
    "an underlined item above the next one": (
        [("Rivers", 0, 88), ("Lakes", 2.5, 99)],
        [(0, 30, 89.5)],
        ["Rivers", "Lakes"],
    ),
    "an underlined title": (
        [("Title:", 0, 88), ("a word", 0)],
        [(0, 30, 89.5)],
        ["Title:", "aword"],
    ),
    "an underlined sign above a letter": (
        [("ab<c", 0, 88), ("p", 0), ("r", 10)],
        [(10, 15, 90.2)],
        ["ab<c", "pr"],
    ),
    "a sum with limits": (
        [("n", 21, 88, 7), ("∑", 20, 100, 10, 14), ("i=1", 17, 109, 7), ("x", 28)],
        [],
        ["∑i=1nx"],
    ),
    "an integral with limits": (
        [("∫", 0, 100, 10, 16), ("1", 5, 92, 7), ("0", 5, 106, 7), ("f", 10)],
        [],
        ["∫01f"],
    ),
    "limits of two names next to each other": (
        [
            ("c", 0, 88),
            ("min", 2),
            ("ab∈AB", 0.75, 107, 7),
            ("max", 21.5),
            ("cd∈CD", 20.25, 107, 7),
            ("f", 40),
        ],
        [],
        ["c", "minab∈ABmaxcd∈CDf"],
    ),
    "a line of smaller text below a name is no limit": (
        [("The", 0, 106.5, 8), ("lampwasonallnight", 14, 106.5, 8), ("sup", 0, 98)],
        [],
        ["sup", "Thelampwasonallnight"],
    ),
    "a letter over an arrow": ([("a→b", 0), ("d", 6, 93, 7)], [], ["a→db"]),
    "an exponent below a sign of the line above": (
        [("a=b", 0, 84), ("c", 0), ("n", 5, 95, 7)],
        [],
        ["a=b", "cn"],
    ),
    "cases after a brace": (
        [("f={", 0, 100, 10, 24), ("1ifa", 17, 94), ("0else", 17, 106), ("so", 45)],
        [],
        ["f={1ifa0elseso"],
    ),
    "a binomial": (
        [
            ("(", 0, 100, 10, 13.4),
            ("n", 5, 95, 8),
            ("k", 4.5, 104.8, 8),
            (")", 9, 100, 10, 13.4),
        ],
        [],
        ["(nk)"],
    ),
    "a matrix": (
        [("(", 0, 100, 10, 24), ("ab", 6, 94), ("cd", 6, 106), (")", 18, 100, 10, 24)],
        [],
        ["(abcd)"],
    ),
}


@pytest.mark.parametrize(("words", "rules", "read"), FORMULAS.values(), ids=FORMULAS)
def test_parts_above_and_below_each_other_are_put_on_one_line(
    words: list[Word], rules: list[tuple[float, float, float]], read: list[str]
) -> None:
    drawn: list[Glyph] = []
    for word in words:
        drawn += glyphs(*word)
    bars = [Box(left, y, right, y) for left, right, y in rules]
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
