"""ingest/pdf/tables.py: ruled tables."""

from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path

import pytest

from ingest.pdf.model import Table
from ingest.pdf.pdfium import PdfiumReader
from tests.contracts.handmade import PAGE_HEIGHT, PAGE_WIDTH, Run, grid, pdf

ROWS = [100.0, 130.0, 160.0]
BOATS = "boats come home at night " * 5


def tables_of(
    *runs: Run,
    xs: Sequence[float],
    ys: Sequence[float] = ROWS,
) -> Sequence[Table]:
    """Return the tables of a page that is ruled at these places."""
    content = pdf([runs], drawing=grid(xs, ys))
    return PdfiumReader(Path("lecture.pdf"), content).page(0).tables


def test_tables_have_two_rows_and_two_columns() -> None:
    cell = Run(60, 120, "cell")
    (table,) = tables_of(cell, xs=[50, 150, 300])
    assert astuple(table.box) == pytest.approx((50, 100, 300, 160), abs=1)
    assert not tables_of(cell, xs=[50, 300])


def test_a_table_ends_where_no_row_has_two_cells() -> None:
    # the box of a text below the table touches it
    content = pdf(
        [[Run(60, 120, "cell"), Run(60, 190, BOATS)]],
        drawing=grid([50, 150, 300], ROWS) + "\n" + grid([50, 300], [155, 220]),
    )
    (table,) = PdfiumReader(Path("lecture.pdf"), content).page(0).tables
    assert table.box.bottom < 170


def test_boxes_from_edge_to_edge_of_a_page_are_no_table() -> None:
    cell = Run(60, 120, "cell")
    assert tables_of(cell, xs=[9, 150, PAGE_WIDTH - 9])
    assert not tables_of(cell, xs=[0, 150, PAGE_WIDTH])


@pytest.mark.parametrize(
    ("texts", "n_rows"),
    [
        (["boats"] * 6, 3),
        (["boats", "1"] * 3, 0),  # answers and their ticks
        (["boats"] * 4, 0),
        (["boats"] * 4 + [BOATS * 2] * 2, 0),
        (["boats"] * 6 + [BOATS * 2] * 2, 3),
    ],
)
def test_rows_of_data_have_short_texts_in_two_cells(
    texts: Sequence[str], n_rows: int
) -> None:
    ys = [100.0 + 30 * number for number in range(len(texts) // 2 + 1)]
    runs = []
    for number, text in enumerate(texts):
        row, column = divmod(number, 2)
        runs.append(Run((60, 310)[column], ys[row] + 20, text, 2))
    (table,) = tables_of(*runs, xs=[50, 300, 590], ys=ys)
    assert len(table.data_rows) == n_rows
    for y, box in zip(ys, table.data_rows, strict=False):
        assert astuple(box) == pytest.approx((50, y, 590, y + 30), abs=1)


def test_a_frame_of_one_column_of_text_is_no_table() -> None:
    texts = [Run(60, y, BOATS, 5) for y in (115, 145)]
    bullets = [Run(51, y, "•", 5) for y in (115, 145)]
    for more, n_tables in (([], 0), ([Run(51, 115, "1", 5)], 1), (bullets, 0)):
        assert len(tables_of(*texts, *more, xs=[50, 55, 500])) == n_tables


def test_a_frame_around_most_of_the_text_is_no_table() -> None:
    others = [Run(310, 115, BOATS, 5), Run(60, 215, BOATS, 5)]
    for n_lines, n_tables in ((4, 0), (2, 1)):
        runs = [Run(60, 115 + 12 * number, BOATS, 5) for number in range(n_lines)]
        found = tables_of(*runs, *others, xs=[50, 300, 580], ys=[100, 200, 230])
        assert len(found) == n_tables


def test_the_backgrounds_of_words_and_lines_are_no_table() -> None:
    text = "boats come home at night and leave in the morning"
    runs = [Run(50, y, text, 8) for y in (110, 122, 134)]
    for split, n_tables in ((150, 0), (390, 1)):
        backgrounds = []
        for top in (100, 112, 124):
            bottom = PAGE_HEIGHT - top - 12
            backgrounds.append(f"50 {bottom} {split - 50} 12 re f")
            backgrounds.append(f"{split} {bottom} {400 - split} 12 re f")
        content = pdf([runs], drawing=f"1 g {' '.join(backgrounds)} 0 g")
        page = PdfiumReader(Path("lecture.pdf"), content).page(0)
        assert len(page.tables) == n_tables


def test_the_backgrounds_of_a_whole_page_are_no_table() -> None:
    runs = [Run(60, y, "cell") for y in (115, 445)]
    whole = tables_of(*runs, xs=[0, 300, PAGE_WIDTH], ys=[0, 400, PAGE_HEIGHT])
    assert not whole


def test_curves_are_no_rules() -> None:
    round_corners = "\n".join(
        f"{x} {y} m {x} {y - 50} {x + 100} {y - 50} {x + 100} {y} c {x} {y} l S"
        for x in (50, 152, 254)
        for y in (700, 648, 596)
    )
    content = pdf([[Run(60, 120, "cell")]], drawing=round_corners)
    assert not PdfiumReader(Path("lecture.pdf"), content).page(0).tables


def test_tables_of_a_turned_page_are_where_it_is_shown() -> None:
    runs = [Run(60, y, "cell") for y in (115, 145)]
    drawing = grid([50, 150, 300], [100, 130, 300])
    content = pdf([runs], drawing=drawing).replace(b"/MediaBox", b"/Rotate 90/MediaBox")
    (table,) = PdfiumReader(Path("lecture.pdf"), content).page(0).tables
    shown = (PAGE_HEIGHT - 300, 50, PAGE_HEIGHT - 100, 300)
    assert astuple(table.box) == pytest.approx(shown, abs=1)
