"""ingest/layout/cells.py: the text in the cells of ruled tables."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.layout.arrange import arrange
from ingest.layout.cells import split_by_cells
from ingest.layout.extract import extract
from ingest.layout.line import PlacedLine, Word, make_line
from ingest.pdf.model import Box, Table
from tests.contracts.handmade import PAGE_HEIGHT, Run, grid, pdf

ReadLines = Callable[..., list[PlacedLine]]

XS = [50.0, 200.0, 350.0]
YS = [100.0, 160.0, 220.0]
ABOVE = "Above the table there is a line across it"
BELOW = "Below the table there is a line across it"
TEXTS = [
    Run(60, 115, "Boats come home at night"),
    Run(60, 127, "and leave at dawn."),
    Run(210, 115, "Trees grow in the sun"),
    Run(210, 127, "and rest in the dark."),
    Run(60, 175, "Tides rise."),
    Run(210, 175, "Tides fall."),
]
"""Texts of four cells: two of them have two lines."""


def word_at(x: float) -> Word:
    """Return a word of 20 points."""
    return Word("tides", x, x + 20, 10, 0, False, False)


@pytest.fixture
def lines_of(tmp_path: Path) -> ReadLines:
    """Read the lines of a page that is ruled at XS and YS, after drawing something else."""

    def read(runs: list[Run], drawing: str = "") -> list[PlacedLine]:
        path = tmp_path / "lecture.pdf"
        path.write_bytes(pdf([runs], drawing=f"{drawing}\n{grid(XS, YS)}"))
        return list(arrange(extract(path)).pages[0])

    return read


def test_a_cell_is_a_column_of_its_own(lines_of: ReadLines) -> None:
    lines = lines_of([Run(50, 80, ABOVE), *TEXTS, Run(50, 250, BELOW)])
    assert [line.text for line in lines] == [
        ABOVE,
        *(run.text for run in TEXTS),
        BELOW,
    ]
    assert len({line.column for line in lines}) == 6
    first = lines[1]
    assert first.right == pytest.approx(190, abs=2), "the margin is that on the left"


def test_a_mark_in_the_next_cell_is_no_part_of_a_sentence(lines_of: ReadLines) -> None:
    near = [Run(60, 145, "They leave the port at dawn by"), Run(204, 145, "v")]
    assert near[0].text in [line.text for line in lines_of([*TEXTS, *near])]


def test_cells_of_hebrew_follow_each_other_from_right_to_left() -> None:
    cell = [make_line([word_at(50 + 150 * n)], 115.0, True, n) for n in range(2)]
    rows = [[Box(50, 100, 200, 160), Box(200, 100, 350, 160)]]
    tables = [Table(Box(50, 100, 350, 160), (), rows)]
    for rtl, order in ((False, [0, 1]), (True, [1, 0])):
        regions = split_by_cells(cell, tables, rtl)
        assert [region.lines for region in regions] == [[cell[n]] for n in order]


def test_text_below_one_of_two_tables_side_by_side_is_below_it() -> None:
    left, right = Box(50, 110, 190, 170), Box(210, 100, 350, 300)
    tables = [Table(box, (), [[box]]) for box in (left, right)]
    places = [(60, 120), (220, 110), (60, 200)]
    a, b, below = (
        make_line([word_at(x)], y, False, order) for order, (x, y) in enumerate(places)
    )
    regions = split_by_cells([a, b, below], tables, False)
    assert [region.lines for region in regions] == [[b], [a], [below]]


def test_tiles_inside_a_sentence_are_no_cells(lines_of: ReadLines) -> None:
    words = ["Play", "the", "word", "B4", "now"]
    runs = [Run(52 + 100 * n, 115, word) for n, word in enumerate(words[:3])]
    lines = lines_of([*runs, Run(60, 175, "B4"), Run(210, 175, "U5")])
    assert lines[0].text == "Play the word"


def test_text_beside_a_table_stays_whole(lines_of: ReadLines) -> None:
    beside = [Run(400, 115 + 12 * number, f"line {number}") for number in range(6)]
    lines = lines_of([*TEXTS, *beside])
    columns = [line.column for line in lines if line.text.startswith("line")]
    assert len(columns) == 6
    assert len(set(columns)) == 1


def test_backgrounds_part_no_rows(lines_of: ReadLines) -> None:
    fills = "\n".join(
        f"1 g {XS[0]} {PAGE_HEIGHT - y - 12} 150 12 re f" for y in (105, 117)
    )
    texts = [line.text for line in lines_of(TEXTS, fills)]
    assert texts == [run.text for run in TEXTS]
    columns = {line.column for line in lines_of(TEXTS, fills)[:2]}
    assert len(columns) == 1


def test_a_line_across_a_rule_is_not_cut(lines_of: ReadLines) -> None:
    for x in range(54, 90, 3):
        across = Run(x, 145, "This line is longer than its cell and crosses the rule")
        texts = [line.text for line in lines_of([*TEXTS[4:], across])]
        assert across.text in texts, x
