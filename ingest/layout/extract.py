"""Text of a PDF as pages of lines of words with boxes, from the glyphs of any reader."""

from __future__ import annotations

import contextlib
import datetime
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from quarry.configs.imports import find
from quarry.ingest.errors import SourceError
from quarry.ingest.layout.bidi import is_rtl_letter
from quarry.ingest.layout.lines import Line, lines_of
from quarry.ingest.layout.rows import Row, narrow_gutters, rows_of
from quarry.ingest.pdf.glyph_names import with_glyph_names
from quarry.ingest.pdf.model import Box, GlyphPage, PdfReader
from quarry.ingest.pdf.ocr import REMEDY, OcrReader, languages
from quarry.ingest.pdf.pdfium import PdfiumReader
from quarry.ingest.pdf.tables import RuledTables

RIGHT_TO_LEFT_SHARE = 0.3
"""Minimal share of right-to-left letters in a document that reads from the right; the rest is formulas and names."""

SAMPLE_PAGES = 64
"""Number of evenly spread pages from which the direction of a document is found."""

MOSTLY_BOLD = 0.7
"""Maximal share of bold glyphs in a document; above it, the weights that the file gives its fonts mean nothing."""

MAX_PAGES = 10_000
"""Maximal number of pages; a file of a few bytes may claim a million."""

READERS: dict[str, Callable[[Path, bytes], PdfReader]] = {
    "pypdfium2": PdfiumReader,
    "tesseract": OcrReader,
}
"""Readers of PDFs by name."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page; `lines` from top to bottom, and from left to right within a row; `tables` are those with rules."""

    number: int
    width: float
    height: float
    lines: tuple[Line, ...]
    tables: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Pdf:
    """Text and metadata of a file.

    Attributes:
        metadata_title, metadata_author: from the metadata of the file, "" if absent; often wrong.
        date: ISO date of the file's creation, or else of its last change, from its metadata; "" if absent.
        rtl: whether the document as a whole reads from right to left.
        reader: name of the reader of the document.
        n_seen: number of pages that were read by OCR.
        n_unread: number of scanned pages that were left out.
    """

    pages: Sequence[Page]
    metadata_title: str
    metadata_author: str
    date: str
    rtl: bool
    reader: str = "pypdfium2"
    n_seen: int = 0
    n_unread: int = 0


def extract(path: Path, reader: str = "auto") -> Pdf:
    """Read the text of a PDF with its geometry.

    Args:
        path: the file.
        reader: name of one of `READERS`; `auto` is PDFium. Scanned pages are read by Tesseract if it is installed.

    Raises:
        SourceError: the file is encrypted, truncated, damaged, not a PDF, or without text on any page.
    """
    reader = "pypdfium2" if reader == "auto" else reader
    with contextlib.closing(_OpenPdf(path, with_glyph_names(_content(path)), reader)) as document:
        n_sampled = min(document.n_pages, SAMPLE_PAGES)
        spread = [number * document.n_pages // n_sampled for number in range(n_sampled)]
        sample = {index: document.page(index) for index in spread}
        rtl = _is_rtl(row for _, rows, _ in sample.values() for row in rows)
        _check_weights(sample.values())
        pages: list[Page] = []
        n_seen = 0
        has_letters = False
        for index in range(document.n_pages):
            page, rows, page_reader = sample.pop(index) if index in sample else document.page(index)
            gutters, fonts = narrow_gutters(rows), page_reader.fonts
            lines = tuple(line for row in rows for line in lines_of(row, fonts, rtl, gutters))
            has_letters = has_letters or any(char.isalpha() for line in lines for char in line.text)
            n_seen += isinstance(page_reader, OcrReader)
            tables = document.tables.on(index) if page.ruled else ()
            pages.append(Page(index + 1, page.width, page.height, lines, tuple(tables)))
        title, author = (_on_one_line(document.reader.metadata(key)) for key in ("Title", "Author"))
        dates = (_iso_date(document.reader.metadata(key)) for key in ("CreationDate", "ModDate"))
        date = next(filter(None, dates), "")
    if not has_letters:
        remedy = "and OCR sees no text either; leave it out" if languages() else REMEDY
        raise SourceError(f"{path}: no text layer; {remedy}")
    return Pdf(pages, title, author, date, rtl, reader, n_seen, document.n_unread)


_RowPage = tuple[GlyphPage, list[Row], PdfReader]


class _OpenPdf:
    """An open PDF: its reader, its tables, and OCR for its scanned pages.

    Raises:
        SourceError: the reader cannot open the file, or the file has no pages or too many.
    """

    def __init__(self, path: Path, content: bytes, reader: str) -> None:
        self._path, self._content = path, content
        self._ocr: OcrReader | None = None
        self.tables = RuledTables(content)
        self.n_unread = 0
        self.reader = find(READERS, reader, "ingest.reader")(path, content)
        self.n_pages = self.reader.n_pages
        if not 0 < self.n_pages <= MAX_PAGES:
            self.reader.close()
            raise SourceError(f"{path}: must have 1 to {MAX_PAGES} pages, claims {self.n_pages}; split it")

    def page(self, index: int) -> _RowPage:
        """Return the page at a position, 0-based, its rows, and its reader.

        Raises:
            SourceError: the page is damaged.
        """
        reader: PdfReader = self.reader
        page = reader.page(index)
        if page.scanned and languages():
            self._ocr = self._ocr or OcrReader(self._path, self._content)
            reader, page = self._ocr, self._ocr.page(index)
        elif page.scanned:
            self.n_unread += not page.glyphs
        return page, rows_of(page.glyphs), reader

    def close(self) -> None:
        """Free the file."""
        self.reader.close()
        self.tables.close()
        if self._ocr is not None:
            self._ocr.close()


def _is_rtl(rows: Iterable[Row]) -> bool:
    """Return whether text reads from right to left."""
    letters = [glyph.text for row in rows for glyph in row.glyphs if glyph.text.isalpha()]
    return sum(map(is_rtl_letter, letters)) > RIGHT_TO_LEFT_SHARE * len(letters)


def _check_weights(pages: Iterable[_RowPage]) -> None:
    """Ignore the weights of fonts, and judge them by their names alone, if most of the text would be bold."""
    bold: Counter[bool] = Counter()
    fonts = None
    for _, rows, reader in pages:
        fonts = reader.fonts
        bold.update(fonts.bold[glyph.font] for row in rows for glyph in row.glyphs)
    if fonts is not None and bold[True] > MOSTLY_BOLD * bold.total():
        fonts.distrust_weights()


def _content(path: Path) -> bytes:
    """Read a file; raise SourceError if it is not a PDF or is truncated."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path}: must be readable: {error.strerror}; check its permissions") from error
    if b"%PDF-" not in content[:1024]:
        raise SourceError(f"{path}: must be a PDF, got another format; convert it first")
    if b"startxref" not in content[-4096:]:
        raise SourceError(f"{path}: must be a whole PDF, its end is missing; get the file again")
    return content


def _on_one_line(text: str) -> str:
    """Return a text with single spaces and without unprintable characters."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _iso_date(text: str) -> str:
    """Convert a date of the metadata (D:YYYYMMDD...) to YYYY-MM-DD; return "" if it is invalid."""
    digits = re.match(r"(?:D:)?(\d{4})(\d\d)(\d\d)", text)
    try:
        return datetime.date(*map(int, digits.groups())).isoformat() if digits else ""
    except ValueError:
        return ""
