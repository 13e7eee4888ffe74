"""The suite that every reader of ours passes: the one that ships, and a bundled lecture."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from benchmarks.reading import Piece, labels_of, quality
from quarry.configs.settings import load
from quarry.ingest.pipeline.read_document import read_pdf
from tests.contracts.reader import ReaderContract

LECTURES = Path(__file__).resolve().parents[2] / "data" / "lectures"


class BundledReaderContract(ReaderContract):
    """What every reader of ours does; a subclass gives its name."""

    def test_a_bundled_lecture_is_read_as_it_was_written(self) -> None:
        path = LECTURES / "hebrew" / "01-algorithms-and-data.pdf"
        settings = dataclasses.replace(load().ingest, reader=self.name)
        paragraphs = read_pdf(path, path.stem, "", settings).paragraphs
        pieces = [Piece(paragraph.opening_sentence, paragraph.text) for paragraph in paragraphs]
        found = quality(labels_of(LECTURES / "hebrew" / "truth.jsonl"), pieces)
        assert found.missing == 0
        assert found.opening_exact >= 0.95
        assert found.mean_f1 >= 0.95
