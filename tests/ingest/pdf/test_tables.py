"""ingest/pdf/tables.py: ruled tables."""

from __future__ import annotations

import pytest

from ingest.pdf import tables
from ingest.pdf.model import Box
from ingest.pdf.tables import RuledTables
from tests.contracts.handmade import Run, grid, pdf

CELL = Run(60, 120, "cell")


@pytest.mark.parametrize(
    ("content", "boxes"),
    [
        (
            pdf([[CELL]], drawing=grid([50, 150, 300], [100, 130, 160])),
            [Box(50, 100, 300, 160)],
        ),
        (pdf([[CELL]], drawing=grid([50, 300], [100, 130, 160])), []),
        (b"%PDF-1.4 nothing", []),
    ],
    ids=["two by two cells", "one column", "a damaged file"],
)
def test_tables_have_two_rows_and_two_columns(content: bytes, boxes: list[Box]) -> None:
    found = RuledTables(content)
    assert list(found.on(0)) == boxes
    assert list(found.on(7)) == []
    found.close()


def test_tables_are_sought_on_so_many_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_TABLE_PAGES", 1)
    found = RuledTables(pdf([[CELL]], drawing=grid([50, 150, 300], [100, 130, 160])))
    assert [len(found.on(0)), len(found.on(0))] == [1, 0]
