"""ingest/layout/columns.py: two texts side by side in a few rows; test_arrange.py has columns of whole pages."""

from __future__ import annotations

from pathlib import Path

from quarry.ingest.layout.arrange import arrange
from quarry.ingest.layout.columns import bands_of
from quarry.ingest.layout.extract import extract
from quarry.ingest.layout.lines import Line, Word
from tests.contracts.handmade import Run, lines, pdf

CODE = ["def total(values):", "    n = 0", "    for v in values:", "        n += v", "    return n"]
PROSE = [
    "The loop goes over every value that it is",
    "given and adds it to what it has already.",
    "Nothing is kept but the sum itself, so the",
    "memory that it takes does not grow.",
]
TERMS = ["deterministic automaton", "regular expression"]


def _texts(tmp_path: Path, runs: list[Run]) -> list[str]:
    path = tmp_path / "lecture.pdf"
    path.write_bytes(pdf([runs]))
    return [line.text for line in arrange(extract(path)).lines]


def _code(x: float, y: float) -> list[Run]:
    indents = [len(text) - len(text.lstrip()) for text in CODE]
    return [
        Run(x + 6 * indent, y + 12 * row, text.strip(), font="mono")
        for row, (text, indent) in enumerate(zip(CODE, indents, strict=True))
    ]


def _line(x0: float, x1: float, y: float, n_words: int) -> Line:
    """A line from right to left of words of one width."""
    width = (x1 - x0) / n_words
    words = [Word("מלה", x1 - (n + 1) * width, x1 - n * width, 10, 0, False, False) for n in range(n_words)]
    return Line(tuple(words), x0, x1, y, 10, 0, 0, True)


def test_prose_to_the_right_of_a_listing_is_read_after_it(tmp_path: Path) -> None:
    read = _texts(tmp_path, [*_code(50, 200), *lines(PROSE, 300, 200)])
    assert read == [text.strip() for text in CODE] + PROSE


def test_what_stands_above_and_below_over_the_whole_width_stays_there(tmp_path: Path) -> None:
    across = "a line over the whole width of the page, from its left margin to its right, beside which nothing stands"
    page = [Run(50, 180, across), *_code(50, 200), *lines(PROSE, 300, 200), Run(50, 280, across)]
    assert _texts(tmp_path, page) == [across, *[text.strip() for text in CODE], *PROSE, across]


def test_terms_beside_their_definitions_are_read_across(tmp_path: Path) -> None:
    page = [*lines(TERMS, 50, 200, leading=24), *lines(PROSE, 300, 200)]
    assert _texts(tmp_path, page) == [f"{TERMS[0]} {PROSE[0]}", PROSE[1], f"{TERMS[1]} {PROSE[2]}", PROSE[3]]


def test_prose_from_right_to_left_beside_a_listing_is_told_by_its_right_margin() -> None:
    rows = [
        [_line(50, end, y, 3), _line(start, 550, y, 8)]
        for y, end, start in ((100, 120, 310), (112, 180, 302), (124, 90, 318), (136, 150, 305))
    ]
    assert [(band.first, band.end) for band in bands_of(rows)] == [(0, 4)]
    ragged = [[row[0], _line(start, 550, row[0].y, 8)] for row, start in zip(rows, (310, 450, 470, 430), strict=True)]
    assert bands_of(ragged) == []
