"""The text of pages as PyMuPDF prints it; its licence keeps it out of our dependencies, so the user installs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def pages(path: Path) -> Iterator[str]:
    """Yield the text of each page."""
    import pymupdf

    with pymupdf.open(path) as pdf:
        for page in pdf:
            yield page.get_text()
