"""The text of pages as pypdfium2 prints it, which is near to what PyMuPDF prints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def pages(path: Path) -> Iterator[str]:
    """Yield the text of each page."""
    import pypdfium2

    with pypdfium2.PdfDocument(path) as pdf:
        for page in pdf:
            yield page.get_textpage().get_text_range().replace("\r\n", "\n")
