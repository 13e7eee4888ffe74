"""The text of pages as pypdf prints it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path


def pages(path: Path) -> Iterator[str]:
    """Yield the text of each page."""
    import pypdf

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    for page in pypdf.PdfReader(path).pages:
        yield page.extract_text() or ""
