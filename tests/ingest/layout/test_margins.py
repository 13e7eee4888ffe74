"""ingest/layout/margins.py: line numbers and notes, on pages set by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from quarry.ingest.layout.arrange import arrange
from quarry.ingest.layout.extract import extract
from quarry.ingest.layout.margins import without_line_numbers
from tests.contracts.handmade import Run, lines, pdf


def _read(tmp_path: Path, runs: Sequence[Run]) -> list[tuple[str, float]]:
    path = tmp_path / "lecture.pdf"
    path.write_bytes(pdf([runs]))
    return [(line.text, round(line.x0)) for line in without_line_numbers(extract(path).pages[0]).lines]


def _numbered(numbers: Sequence[int], x: float) -> list[Run]:
    rows = [(100 + 12 * row, number) for row, number in enumerate(numbers)]
    return [run for y, number in rows for run in (Run(x, y, str(number), size=6), Run(60, y, "a line of text"))]


def test_small_numbers_that_count_the_lines_are_dropped(tmp_path: Path) -> None:
    assert _read(tmp_path, _numbered([1, 2, 3, 4, 5, 6], 30)) == [("a line of text", 60)] * 6
    assert _read(tmp_path, _numbered([1, 2, 3, 4, 5, 6], 53)) == [("a line of text", 60)] * 6


def test_numbers_that_do_not_count_stay(tmp_path: Path) -> None:
    read = _read(tmp_path, _numbered([7, 3, 9, 1, 4, 2], 30))
    assert [text for text, _ in read[:2]] == ["7", "a line of text"]
    assert len(read) == 12


TEXT = [f"row {row} of the text, which is set in print of ten points" for row in range(10)]
"""In Helvetica of ten points each row is 218.4 points wide."""


def _in_order(tmp_path: Path, runs: Sequence[Run]) -> list[str]:
    path = tmp_path / "lecture.pdf"
    path.write_bytes(pdf([runs]))
    return [line.text for line in arrange(extract(path)).lines]


def test_a_note_in_smaller_print_beside_the_text_is_read_after_it(tmp_path: Path) -> None:
    # on the baseline of a row and 13.6 points, 1.36 em, to the right of it
    notes = [Run(292, 124, "a note on", size=7), Run(292, 134, "the text", size=7)]
    text = lines(TEXT, 60, 100)
    assert _in_order(tmp_path, [*text, *notes]) == [*TEXT, "a note on", "the text"]


def test_small_print_within_the_text_stays_there(tmp_path: Path) -> None:
    text = [*lines(TEXT, 60, 100), Run(60, 220, "a figure of a tree", size=7)]
    assert _in_order(tmp_path, text) == [*TEXT, "a figure of a tree"]
