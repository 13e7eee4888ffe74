"""The suite that every reader of ours passes: the one that ships, and a bundled lecture."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from quarry.configs.settings import load
from quarry.ingest.pipeline.read_document import read_pdf
from tests.contracts.reader import ReaderContract
from tests.contracts.reading_accuracy import compare, exact_share, labels_of, mean_f1

LECTURES = Path(__file__).resolve().parents[2] / "data" / "lectures"


class BundledReaderContract(ReaderContract):
    """What every reader of ours does; a subclass gives its name."""

    def test_a_bundled_lecture_is_read_as_it_was_written(self) -> None:
        path = LECTURES / "hebrew" / "01-algorithms-and-data.pdf"
        settings = dataclasses.replace(load().ingest, reader=self.name)
        paragraphs = read_pdf(path, path.stem, "", settings).paragraphs
        found = compare(labels_of(LECTURES / "hebrew" / "truth.jsonl"), paragraphs)
        assert exact_share(found) >= 0.95
        assert mean_f1(found) >= 0.95
