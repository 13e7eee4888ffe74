"""ingest/pdf/pdfium.py: the contract, and superscript figures."""

from __future__ import annotations

from pathlib import Path

import typst

from quarry.ingest.pdf.pdfium import PdfiumReader
from tests.contracts.reader import ReaderContract


class TestPdfium(ReaderContract):
    name = "pypdfium2"


def test_a_figure_that_a_font_draws_small_and_high_is_a_mark_and_a_narrow_one_is_not() -> None:
    reader = PdfiumReader(Path("lecture.pdf"), typst.compile(b"#set page(width: 300pt)\nIn 11 trees.#super[1] So 21."))
    figures = [glyph for glyph in reader.page(0).glyphs if glyph.text in "12"]
    assert [glyph.size < 8 for glyph in figures] == [False, False, True, False, False]
