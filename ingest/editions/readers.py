"""Readers of editions: each returns or yields the text of the pages of a PDF as one library prints it."""

import functools
import importlib.util
import logging
from collections.abc import Callable, Iterable
from pathlib import Path

from ingest.editions.stream_order import stream_text

PageTexts = Iterable[str]
Reader = Callable[[Path], PageTexts]
"""A function that returns or yields the text of each page of a file."""

WITHOUT_PYMUPDF = (
    "Without PyMuPDF, the texts that its referees hold are made from pdfplumber's (.99 of the characters are right): "
    "pip install pymupdf"
)
"""The cost of its absence, for ingest and doctor."""


def pdfplumber(path: Path) -> PageTexts:
    """Return the text of each page by pdfplumber: Hebrew in visual order, English often without spaces."""
    texts, _ = _by_pdfplumber(path, path.stat().st_mtime_ns)
    return texts


def pymupdf(path: Path) -> PageTexts:
    """Yield the text of each page by PyMuPDF, in the order of the content stream.

    Its licence keeps PyMuPDF out of our dependencies. If the user has not installed it, the text is made from the
    characters of pdfplumber.
    """
    if not has_pymupdf():
        _, texts = _by_pdfplumber(path, path.stat().st_mtime_ns)
        yield from texts
        return
    import pymupdf

    with pymupdf.open(path) as pdf:
        for page in pdf:
            yield page.get_text()


def has_pymupdf() -> bool:
    """Return whether the user has installed PyMuPDF."""
    return importlib.util.find_spec("pymupdf") is not None


@functools.lru_cache(maxsize=1)
def _by_pdfplumber(path: Path, modified_ns: int) -> tuple[PageTexts, PageTexts]:
    """Return two texts of each page: pdfplumber's own, and its characters in the order of the content stream."""
    import pdfplumber

    texts, streams = [], []
    with pdfplumber.open(path) as pdf:
        for page in pdf.pages:
            texts.append(page.extract_text() or "")
            streams.append(stream_text(page.chars))
            page.close()  # frees its characters
    return texts, streams


def pypdf(path: Path) -> PageTexts:
    """Yield the text of each page by pypdf."""
    import pypdf

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    for page in pypdf.PdfReader(path).pages:
        yield page.extract_text() or ""


def pypdfium2(path: Path) -> PageTexts:
    """Yield the text of each page by pypdfium2."""
    import pypdfium2

    with pypdfium2.PdfDocument(path) as pdf:
        for page in pdf:
            yield page.get_textpage().get_text_range().replace("\r\n", "\n")


EDITION_READERS: dict[str, Reader] = {
    "pdfplumber": pdfplumber,
    "pypdf": pypdf,
    "pypdfium2": pypdfium2,
    "pymupdf": pymupdf,
}
