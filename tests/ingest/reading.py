"""Small PDFs, set by hand and read again."""

import itertools
import tempfile
from pathlib import Path
from typing import Any

from ingest.layout.arrange import Arranged, arrange
from ingest.layout.extract import Pdf, extract
from ingest.layout.line import PlacedLine
from tests.contracts.handmade import Run, pdf


def extracted(content: bytes, *reader: str) -> Pdf:
    """Read the bytes of a file named lecture.pdf, with the default reader unless another is named."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "lecture.pdf")
        path.write_bytes(content)
        return extract(path, *reader)


def arranged(*pages: list[Run], **options: Any) -> Arranged:
    """Read pages of runs; the options are those of `pdf`."""
    return arrange(extracted(pdf(pages, **options)))


def in_order(*pages: list[Run], **options: Any) -> list[PlacedLine]:
    """Return the lines of pages of runs in reading order."""
    return list(itertools.chain.from_iterable(arranged(*pages, **options).pages))
