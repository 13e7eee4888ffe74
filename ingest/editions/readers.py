"""Readers of editions: each yields the text of the pages of a PDF as one library prints it."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

Reader = Callable[[Path], Iterator[str]]


def pdfplumber(path: Path) -> Iterator[str]:
    """Yield the text of each page by pdfplumber: Hebrew in visual order, English often without spaces."""
    import pdfplumber

    with pdfplumber.open(path) as pdf:
        for page in pdf.pages:
            yield page.extract_text() or ""
            page.close()  # frees its characters


def pypdf(path: Path) -> Iterator[str]:
    """Yield the text of each page by pypdf."""
    import pypdf

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    for page in pypdf.PdfReader(path).pages:
        yield page.extract_text() or ""


def pypdfium2(path: Path) -> Iterator[str]:
    """Yield the text of each page by pypdfium2, which is near to what PyMuPDF prints."""
    import pypdfium2

    with pypdfium2.PdfDocument(path) as pdf:
        for page in pdf:
            yield page.get_textpage().get_text_range().replace("\r\n", "\n")


def pymupdf(path: Path) -> Iterator[str]:
    """Yield the text of each page by PyMuPDF; its licence keeps it out of our dependencies, so the user installs it."""
    import pymupdf

    with pymupdf.open(path) as pdf:
        for page in pdf:
            yield page.get_text()


READERS: dict[str, Reader] = {
    "pdfplumber": pdfplumber,
    "pypdf": pypdf,
    "pypdfium2": pypdfium2,
    "pymupdf": pymupdf,
}
