"""PDF -> pages of lines of words with boxes, page by page, from the glyphs of whichever reader opens the file."""

from __future__ import annotations

import contextlib
import datetime
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from quarry.configs.imports import find
from quarry.ingest.errors import SourceError
from quarry.ingest.layout.bidi import has_rtl_letter, is_rtl_letter, votes_for_mirrored_brackets
from quarry.ingest.layout.lines import Line, Row, alleys_of, lines_of, rows_of
from quarry.ingest.pdf.doubt import WORTH_ASKING, doubtfulness, oddness
from quarry.ingest.pdf.model import Box, Fonts, GlyphPage, PdfReader
from quarry.ingest.pdf.ocr import REMEDY, OcrReader, languages
from quarry.ingest.pdf.pdfium import PdfiumReader
from quarry.ingest.pdf.plumber import PlumberReader

RIGHT_TO_LEFT_SHARE = 0.3
"""Share of right-to-left letters from which on a document reads from the right; the rest is formulas and names."""

SAMPLE_PAGES = 64
"""Pages, evenly spread, that tell a document's direction and whether its text is doubtful."""

MOSTLY_BOLD = 0.7
"""Share of a document's glyphs from which on a weight that a file gives its fonts says nothing."""

MAX_TABLE_PAGES = 200
"""Pages of a file on which another reader is asked for ruled tables: at 0.2 s each, more would take the time of all."""

MUCH_BETTER = 0.5
"""Ratio of odd pieces in a text layer under a scan to those that OCR yields, below which the text layer is used."""

READERS: dict[str, Callable[[Path, bytes], PdfReader]] = {
    "pypdfium2": PdfiumReader,
    "pdfplumber": PlumberReader,
    "tesseract": OcrReader,
}
"""The readers; the first is the one to ask first."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page; `lines` from top to bottom, and from left to right within a row; `tables` are those that are ruled."""

    number: int
    width: float
    height: float
    lines: tuple[Line, ...]
    tables: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Pdf:
    """What a file holds.

    Attributes:
        metadata_title, metadata_author: as the file's metadata have them, "" if they do not; often wrong.
        date: ISO date on which the file was made, or else changed, by its metadata; "" if they have none.
        rtl: whether the document as a whole reads from right to left.
        reader: the reader that read it.
        readers: page, 1-based -> the reader of that page, where it is another one.
    """

    pages: Sequence[Page]
    metadata_title: str
    metadata_author: str
    date: str
    rtl: bool
    reader: str = "pypdfium2"
    readers: Mapping[int, str] = field(default_factory=dict)


def extract(path: Path, reader: str = "auto") -> Pdf:
    """The text of a PDF with its geometry.

    Args:
        path: the file.
        reader: which library reads it; `auto` takes the first of `READERS`, and another one too where what the first
            yields does not look like text, or where tables may be ruled.

    Raises:
        SourceError: encrypted, truncated, damaged, not a PDF, or without text on any page.
    """
    content = _content(path)
    if reader != "auto":
        return _extract(path, content, reader)
    first, *others = READERS
    pdf = _extract(path, content, first, others[0])
    doubt = _doubt(pdf)
    for name in others:
        if doubt < WORTH_ASKING or (name == "tesseract" and not languages()):
            break
        try:
            other = _extract(path, content, name)
        except SourceError:
            continue
        other_doubt = _doubt(other)
        if other_doubt < doubt:
            pdf, doubt = other, other_doubt
    return pdf


def count_pages(path: Path, reader: str = "auto") -> int:
    """How many pages a PDF has, by the reader that is asked first.

    Raises:
        SourceError: encrypted, truncated, damaged or not a PDF.
    """
    first = next(iter(READERS)) if reader == "auto" else reader
    with contextlib.closing(find(READERS, first, "ingest.reader")(path, _content(path))) as document:
        return document.n_pages


def glyph_pages(path: Path, reader: str = "pypdfium2") -> Iterator[GlyphPage]:
    """The pages of a PDF as glyphs with boxes, before they are made lines of words.

    Raises:
        SourceError: encrypted, truncated, damaged or not a PDF.
    """
    with contextlib.closing(find(READERS, reader, "ingest.reader")(path, _content(path))) as document:
        for index in range(document.n_pages):
            yield document.page(index)


def _extract(path: Path, content: bytes, reader: str, other: str | None = None) -> Pdf:
    """As `extract` with one reader; `other` is asked for ruled tables, and for pages that the first cannot read."""
    with contextlib.closing(_Opened(path, content, reader, other)) as document:
        sample = {index: document.page(index) for index in _spread(document.n_pages)}
        rtl, mirrored = _direction(row for page in sample.values() for row in page.rows)
        _check_weights(sample.values())
        pages: list[Page] = []
        readers: dict[int, str] = {}
        has_letters = False
        alleys: list[float] = []
        for index in range(document.n_pages):
            page = sample.pop(index, None) or document.page(index)
            alleys = alleys_of(page.rows, alleys)
            lines = tuple(line for row in page.rows for line in lines_of(row, page.fonts, rtl, mirrored, alleys))
            has_letters = has_letters or any(char.isalpha() for line in lines for char in line.text)
            tables = document.tables(index) if page.ruled else ()
            if page.reader != reader:
                readers[index + 1] = page.reader
            pages.append(Page(index + 1, page.width, page.height, lines, tuple(tables)))
        title, author = (_printable(document.metadata(key)) for key in ("Title", "Author"))
        dates = (_iso_date(document.metadata(key)) for key in ("CreationDate", "ModDate"))
        date = next(filter(None, dates), "")
    if document.n_unread:
        print(f"{path}: {document.n_unread} pages are images and were left out; {REMEDY}", file=sys.stderr)
    if not has_letters:
        remedy = "and OCR sees no text either; leave it out" if languages() else REMEDY
        raise SourceError(f"{path}: no text layer; {remedy}")
    return Pdf(pages, title, author, date, rtl, reader, readers)


@dataclass(frozen=True, slots=True)
class _RowPage:
    """A page whose glyphs stand in rows, and the fonts of the reader that read it."""

    width: float
    height: float
    rows: list[Row]
    ruled: bool
    fonts: Fonts
    reader: str


class _Opened:
    """One PDF opened with the reader in charge and, once it is needed, with another.

    Raises:
        SourceError: the reader in charge cannot open it, or it has no pages.
    """

    def __init__(self, path: Path, content: bytes, reader: str, other: str | None) -> None:
        self._path, self._content, self._other_name = path, content, other
        self._other: PdfReader | None = None
        self._ocr: OcrReader | None = None
        self._n_asked = 0
        self.n_unread = 0
        self._reader = find(READERS, reader, "ingest.reader")(path, content)
        self.n_pages = self._reader.n_pages
        if not self.n_pages:
            self._reader.close()
            raise SourceError(f"{path}: must have pages, got none; get the file again")

    def metadata(self, key: str) -> str:
        """A value of the file's metadata, "" if it is not there."""
        return self._reader.metadata(key)

    def page(self, index: int) -> _RowPage:
        """The page at a position, 0-based, as the other reader sees it where the one in charge calls it damaged.

        Raises:
            SourceError: both do.
        """
        reader = self._reader
        try:
            page = reader.page(index)
        except SourceError as error:
            try:
                reader = self._ask_other()
                page = reader.page(index)
            except SourceError:
                raise error from None
        if page.scanned:
            reader, page = self._looked_at(index, reader, page)
        rows = rows_of(page.glyphs, reader.fonts)
        return _RowPage(page.width, page.height, rows, page.ruled, reader.fonts, reader.name)

    def _looked_at(self, index: int, reader: PdfReader, page: GlyphPage) -> tuple[PdfReader, GlyphPage]:
        """A page that is an image as OCR reads it, unless the text laid under it makes more sense; and who read it."""
        if not languages():
            self.n_unread += not page.glyphs
            return reader, page
        self._ocr = self._ocr or OcrReader(self._path, self._content)
        seen = self._ocr.page(index)
        if page.glyphs:
            odd, odd_seen = oddness(_plain_lines(page, reader.fonts)), oddness(_plain_lines(seen, self._ocr.fonts))
            if odd < MUCH_BETTER * odd_seen:
                return reader, page
        return self._ocr, seen

    def tables(self, index: int) -> Sequence[Box]:
        """The ruled tables of a page, 0-based; () where that cannot be told, or was asked `MAX_TABLE_PAGES` times."""
        if self._other_name is None:
            return self._reader.tables(index)
        if self._n_asked == MAX_TABLE_PAGES:
            return ()
        self._n_asked += 1
        try:
            return self._ask_other().tables(index)
        except SourceError:  # a second opinion that cannot be had costs nothing
            return ()

    def close(self) -> None:
        """Free the file."""
        self._reader.close()
        for reader in (self._other, self._ocr):
            if reader is not None:
                reader.close()

    def _ask_other(self) -> PdfReader:
        if self._other_name is None:
            raise SourceError(f"{self._path}: has no second reader; set ingest.reader to auto")
        if self._other is None:
            self._other = find(READERS, self._other_name, "ingest.reader")(self._path, self._content)
        return self._other


def _plain_lines(page: GlyphPage, fonts: Fonts) -> list[str]:
    """The lines of a page, without regard to its direction."""
    glyphs = [replace(glyph) for glyph in page.glyphs]
    return [line.text for row in rows_of(glyphs, fonts) for line in lines_of(row, fonts, rtl=False, mirrored=False)]


def _spread(n_pages: int) -> list[int]:
    """The positions of at most `SAMPLE_PAGES` pages, evenly spread."""
    n_sampled = min(n_pages, SAMPLE_PAGES)
    return [number * n_pages // n_sampled for number in range(n_sampled)]


def _doubt(pdf: Pdf) -> float:
    return doubtfulness(line.text for index in _spread(len(pdf.pages)) for line in pdf.pages[index].lines)


def _direction(rows: Iterable[Row]) -> tuple[bool, bool]:
    """Whether the text reads from right to left, and whether its brackets are stored mirrored."""
    n_letters = n_rtl = votes = 0
    for row in rows:
        text = "".join(glyph.text for glyph in row.glyphs)
        n_letters += sum(map(str.isalpha, text))
        if has_rtl_letter(text):
            n_rtl += sum(map(is_rtl_letter, text))
            votes += votes_for_mirrored_brackets([glyph.text for glyph in row.glyphs])
    return n_rtl > RIGHT_TO_LEFT_SHARE * n_letters, votes > 0


def _check_weights(pages: Iterable[_RowPage]) -> None:
    """Have fonts judged by their names alone where most of a text would be bold by what the file says of its fonts."""
    bold: Counter[bool] = Counter()
    fonts = None
    for page in pages:
        fonts = page.fonts
        bold.update(fonts.bold[glyph.font] for row in page.rows for glyph in row.glyphs)
    if fonts is not None and bold[True] > MOSTLY_BOLD * bold.total():
        fonts.distrust_weights()


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path}: must be readable: {error.strerror}; check its permissions") from error
    if b"%PDF-" not in content[:1024]:
        raise SourceError(f"{path}: must be a PDF, its first bytes say otherwise; convert it first")
    if b"startxref" not in content[-4096:]:
        raise SourceError(f"{path}: must be a whole PDF, its end is missing; get the file again")
    return content


def _printable(text: str) -> str:
    """A text of the metadata on one line, without what cannot be seen."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _iso_date(text: str) -> str:
    """A date of the metadata (D:YYYYMMDD...) as YYYY-MM-DD, "" if it is none."""
    digits = re.match(r"(?:D:)?(\d{4})(\d\d)(\d\d)", text)
    try:
        return datetime.date(*map(int, digits.groups())).isoformat() if digits else ""
    except ValueError:
        return ""
