"""ingest/layout/margins.py: line numbers and notes, on pages set by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ingest.layout.margins import without_line_numbers
from tests.contracts.handmade import Run, lines, pdf
from tests.ingest.reading import extracted, in_order


def _read(runs: Sequence[Run]) -> list[tuple[str, float]]:
    page = without_line_numbers(extracted(pdf([runs])).pages[0])
    return [(line.text, round(line.x0)) for line in page.lines]


def _numbered(numbers: Sequence[int], x: float) -> list[Run]:
    rows = [(100 + 12 * row, number) for row, number in enumerate(numbers)]
    return [
        run
        for y, number in rows
        for run in (Run(x, y, str(number), size=6), Run(60, y, "a line of text"))
    ]


@pytest.mark.parametrize("x", [30, 53])
def test_small_numbers_that_count_the_lines_are_dropped(x: float) -> None:
    assert _read(_numbered(range(1, 7), x)) == [("a line of text", 60)] * 6


def test_numbers_that_do_not_count_stay() -> None:
    read = _read(_numbered([7, 3, 9, 1, 4, 2], 30))
    assert [text for text, _ in read[:2]] == ["7", "a line of text"]
    assert len(read) == 12


TEXT = [
    f"row {row} of the text, which is set in print of ten points" for row in range(10)
]
"""In Helvetica of ten points each row is 218.4 points wide."""


def test_a_note_in_smaller_print_beside_the_text_is_read_after_it() -> None:
    # on the baseline of a row and 13.6 points, 1.36 em, to the right of it
    notes = [Run(292, 124, "a note on", size=7), Run(292, 134, "the text", size=7)]
    text = lines(TEXT, 60, 100)
    read = in_order([*text, *notes])
    assert [line.text for line in read] == [*TEXT, "a note on", "the text"]


def test_small_print_within_the_text_stays_there() -> None:
    text = [*lines(TEXT, 60, 100), Run(60, 220, "a figure of a tree", size=7)]
    assert [line.text for line in in_order(text)] == [*TEXT, "a figure of a tree"]
