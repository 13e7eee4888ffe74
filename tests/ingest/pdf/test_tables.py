"""ingest/pdf/tables.py: ruled tables."""

import pytest

from ingest.pdf import tables
from ingest.pdf.model import Box
from ingest.pdf.tables import RuledTables
from tests.contracts.handmade import PAGE_HEIGHT, PAGE_WIDTH, Run, grid, pdf


def _page(xs: list[float]) -> bytes:
    """A page with a cell in a grid of two rows, ruled at these places."""
    runs = [Run(60, 120, "cell")]
    return pdf([runs], drawing=grid(xs, [100, 130, 160]))


def test_tables_have_two_rows_and_two_columns() -> None:
    for content, boxes in (
        (_page([50, 150, 300]), [Box(50, 100, 300, 160)]),
        (_page([50, 300]), []),
        (b"%PDF-1.4 nothing", []),
    ):
        ruled = RuledTables(content)
        assert list(ruled.on(0)) == boxes
        assert list(ruled.on(7)) == []
        ruled.close()


def test_a_frame_of_one_column_of_text_is_no_table() -> None:
    runs = [Run(60, y, "boats come home at night " * 5, 5) for y in (115, 145)]
    drawing = grid([50, 55, 500], [100, 130, 160])
    content = pdf([runs], drawing=drawing)
    assert list(RuledTables(content).on(0)) == []
    runs.append(Run(51, 115, "1", 5))
    content = pdf([runs], drawing=drawing)
    assert len(RuledTables(content).on(0)) == 1
    runs[2:] = [Run(51, y, "•", 5) for y in (115, 145)]
    content = pdf([runs], drawing=drawing)
    assert list(RuledTables(content).on(0)) == []


def test_the_backgrounds_of_a_whole_page_are_no_table() -> None:
    runs = [Run(60, y, "cell") for y in (115, 445)]
    drawing = grid([0, 300, PAGE_WIDTH], [0, 400, PAGE_HEIGHT])
    assert list(RuledTables(pdf([runs], drawing=drawing)).on(0)) == []


def test_tables_are_sought_on_so_many_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_TABLE_PAGES", 1)
    ruled = RuledTables(_page([50, 150, 300]))
    assert len(ruled.on(0)) == 1
    assert len(ruled.on(0)) == 0
