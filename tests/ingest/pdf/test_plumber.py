"""ingest/pdf/plumber.py: the contract, and ruled tables."""

from __future__ import annotations

from pathlib import Path

from quarry.ingest.pdf.model import Box
from quarry.ingest.pdf.plumber import PlumberReader
from tests.contracts.bundled_reader import BundledReaderContract
from tests.contracts.handmade import Run, grid, pdf


class TestPlumber(BundledReaderContract):
    name = "pdfplumber"


def test_a_ruled_table_is_found_with_its_box() -> None:
    reader = PlumberReader(Path("x.pdf"), pdf([[Run(60, 120, "cell")]], drawing=grid([50, 150, 300], [100, 130, 160])))
    assert reader.tables(0) == [Box(50, 100, 300, 160)]


def test_a_frame_is_no_table() -> None:
    reader = PlumberReader(Path("x.pdf"), pdf([[Run(60, 120, "cell")]], drawing=grid([50, 300], [100, 130, 160])))
    assert reader.tables(0) == []
