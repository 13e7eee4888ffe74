"""The text of pages as pdfplumber prints it: Hebrew in visual order, English often without spaces."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def pages(path: Path) -> Iterator[str]:
    """Yield the text of each page."""
    import pdfplumber

    with pdfplumber.open(path) as pdf:
        for page in pdf.pages:
            yield page.extract_text() or ""
            page.close()  # frees its characters
