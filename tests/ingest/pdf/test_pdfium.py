"""ingest/pdf/pdfium.py: the contract, and where lines cross like a table's."""

from __future__ import annotations

from pathlib import Path

import pytest
import typst

from ingest.pdf.pdfium import PdfiumReader
from tests.contracts.handmade import Run, grid, pdf
from tests.contracts.reader import ReaderContract


class TestPdfium(ReaderContract):
    name = "pypdfium2"


@pytest.mark.parametrize(
    ("drawing", "ruled"),
    [
        (grid([50, 150, 300], [100, 130, 160]), True),
        (grid([50, 150, 300], [100, 130]), False),
        (grid([50, 300], [100, 130, 160]), False),
        (grid([50, 80, 110], [100, 130, 160]), False),
        ("", False),
    ],
    ids=[
        "two by two cells",
        "one row",
        "one column",
        "a small array of a figure",
        "nothing",
    ],
)
def test_a_page_is_ruled_where_lines_cross_as_in_a_table_of_text(
    drawing: str, ruled: bool
) -> None:
    reader = PdfiumReader(
        Path("lecture.pdf"), pdf([[Run(60, 120, "cell")]], drawing=drawing)
    )
    assert reader.page(0).ruled is ruled


def test_a_figure_that_a_font_draws_small_and_high_is_a_mark_and_a_narrow_one_is_not() -> (
    None
):
    reader = PdfiumReader(
        Path("lecture.pdf"),
        typst.compile(b"#set page(width: 300pt)\nIn 11 trees.#super[1] So 21."),
    )
    figures = [glyph for glyph in reader.page(0).glyphs if glyph.text in "12"]
    assert [glyph.size < 8 for glyph in figures] == [False, False, True, False, False]
