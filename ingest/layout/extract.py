"""Text of a PDF as pages of lines of words with boxes, from the glyphs of any reader."""

import contextlib
import datetime
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from configs.faults import fault_and_remedy
from ingest.errors import SourceError
from ingest.layout.bidi import STOPS, has_rtl_letter, is_rtl_letter, pairs_as_drawn
from ingest.layout.bullets import add_bullets
from ingest.layout.cells import walls_at
from ingest.layout.formulas.steps import with_formulas
from ingest.layout.line import Line
from ingest.layout.lines import cut_row
from ingest.layout.rows import Row, find_rows, visible_glyphs
from ingest.layout.superscripts import has_notes
from ingest.pdf.glyph_names import with_glyph_names
from ingest.pdf.model import Box, Fonts, GlyphPage, PdfReader, Table, text_of
from ingest.pdf.ocr import with_text_layer
from ingest.pdf.pdfium import PdfiumReader
from quarry.plugins import find
from quarry.terminal import pluralize

RTL_PAGE_SHARE = 0.5
"""Minimum share of right-to-left letters of a page that reads from right to left in another document."""

RIGHT_TO_LEFT_SHARE, SURE_SHARE = 0.2, 0.05
"""Minimum shares of right-to-left letters in a document that reads from the right, the latter if stops say so too.

The rest is code, formulas and names.
"""

MIN_RIGHT_ENDS = 3
"""Minimum number by which stops at the right ends of right-to-left rows outnumber those at their left ends, in a
document that is set from left to right; the other way round in one that surely reads from the right."""

SAMPLE_PAGES = 64
"""Number of evenly spread pages from which the direction of a document is found."""

MOSTLY = 0.7
"""Maximum share of bold glyphs in a document, and of letters of fixed pitch; above it, neither means anything."""

MAX_PAGES = 10_000
"""Maximum number of pages; a file of a few bytes may claim a million."""

OWN_STOPS = 0.7
"""Minimum share of the stops after right-to-left letters that are in fonts of such letters, if formulas have others."""

SAME_END = 2.0
"""Maximum distance of the ends of a rule from the edges of the table or page that it spans, in points."""

READERS: dict[str, Callable[[Path, bytes], PdfReader]] = {
    "pypdfium2": PdfiumReader,
}
"""Readers of PDFs by name."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page; lengths in points.

    Attributes:
        number: 1-based.
        lines: from top to bottom, and from left to right within a row.
        tables: those with rules.
        pictures: images beside which text may be set.
        rtl: whether it reads from right to left, as all pages of such a document do.
    """

    number: int
    width: float
    height: float
    lines: Sequence[Line]
    tables: Sequence[Table]
    pictures: Sequence[Box] = ()
    rtl: bool = False


@dataclass(frozen=True, slots=True)
class Pdf:
    """Text and metadata of a file.

    Attributes:
        metadata_title, metadata_author: from the metadata of the file, "" if absent; often wrong.
        date: ISO date of the file's creation, or else of its last change, from its metadata; "" if absent.
        reader: name of the reader of the document.
        unreadable: numbers of the pages whose text only OCR can read.
        notes: which pages were read by OCR, or why they were not.
        typeset: whether TeX or Typst printed it, and no word processor or browser, according to its metadata.
    """

    pages: Sequence[Page]
    metadata_title: str
    metadata_author: str
    date: str
    reader: str
    unreadable: Sequence[int] = ()
    notes: Sequence[str] = ()
    typeset: bool = False


def extract(path: Path, reader: str = "pypdfium2") -> Pdf:
    """Read the text of a PDF with its geometry; pages without a text layer are read by OCR if it is installed.

    Args:
        path: the file.
        reader: name of one of `READERS`, or a dotted path.

    Raises:
        SourceError: the file is encrypted, truncated, damaged, not a PDF, or without text on any page.
    """
    content = _content(path)
    pdf = _read(path, content, reader)
    if pdf.unreadable:
        pages = _ranges(pdf.unreadable)
        try:
            content = with_text_layer(content, pdf.unreadable)
        except SourceError as error:
            note = f"no readable text on {pages}; {error}"
        else:
            pdf = _read(path, content, reader)
            note = f"{pages} read by OCR"
        pdf = replace(pdf, notes=(note,))

    for page in pdf.pages:
        for line in page.lines:
            if any(map(str.isalpha, line.text)):
                return pdf
    why = "; ".join(pdf.notes) or "no text and no image of text; leave it out"
    raise SourceError(f"{path}: {why}")


def _read(path: Path, content: bytes, reader: str) -> Pdf:
    """Read the text of a PDF from its bytes."""
    document = _OpenPdf(path, with_glyph_names(content), reader)
    with contextlib.closing(document):
        pages = document.pages()
        metadata = document.reader.metadata

        return Pdf(
            pages=pages,
            metadata_title=_printable(metadata("Title")),
            metadata_author=_printable(metadata("Author")),
            date=_metadata_date(metadata("CreationDate"))
            or _metadata_date(metadata("ModDate")),
            reader=document.reader.name,
            unreadable=sorted(document.unreadable),
            typeset=any(_TYPESETTER.search(metadata(key)) for key in _PROGRAMS),
        )


def _ranges(numbers: Sequence[int]) -> str:
    """Return sorted page numbers in words: `2 pages (3-4)`."""
    ranges: list[tuple[int, int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1] = ranges[-1][0], number
        else:
            ranges.append((number, number))
    parts = [str(low) if low == high else f"{low}-{high}" for low, high in ranges]
    return f"{pluralize(len(numbers), 'page')} ({', '.join(parts)})"


def _content(path: Path) -> bytes:
    """Read a file; raise SourceError if it is not a PDF or is truncated."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SourceError(
            f"{path} cannot be read: {fault_and_remedy(error)}"
        ) from error

    fault = ""
    if not content:
        fault = "is empty; get the file again"
    elif b"%PDF-" not in content[:1024]:
        fault = "not a PDF; convert it first"
    elif b"startxref" not in content[-4096:]:
        fault = "the end of the PDF is missing; get the file again"
    if fault:
        raise SourceError(f"{path}: {fault}")
    return content


_PROGRAMS = ("Creator", "Producer")
"""Keys of the programs that made a file in its metadata."""

_TYPESETTER = re.compile(r"TeX|Typst|dvi")
"""Part of the names of the programs TeX and Typst, and of those that print their files."""

_RowPage = tuple[GlyphPage, list[Row]]


class _OpenPdf:
    """An open PDF: its reader, and the numbers of its pages whose text only OCR can read.

    Raises:
        SourceError: the reader cannot open the file, or the file has no pages or too many.
    """

    def __init__(self, path: Path, content: bytes, reader: str) -> None:
        self.unreadable: list[int] = []
        self.reader = find(READERS, reader, "ingest.reader")(path, content)
        self._n_pages = self.reader.n_pages
        if not 0 < self._n_pages <= MAX_PAGES:
            self.reader.close()
            raise SourceError(
                f"{path} claims {self._n_pages} pages, and 1 to {MAX_PAGES} can be read; split it"
            )

    def pages(self) -> list[Page]:
        """Read all pages.

        Raises:
            SourceError: a page is damaged.
        """
        n_sampled = min(self._n_pages, SAMPLE_PAGES)
        sample = {}
        for number in range(n_sampled):
            index = number * self._n_pages // n_sampled
            sample[index] = self._read(index)
        fonts = self.reader.fonts
        sampled = list(
            itertools.chain.from_iterable(rows for _, rows in sample.values())
        )
        is_rtl_document = _has_rtl_text(sampled)
        _calibrate_fonts(fonts, sampled)

        pages = []
        exponents: Sequence[str] = ("2", "3")
        for index in range(self._n_pages):
            read = sample.pop(index, None) or self._read(index)
            page, rows = read
            if exponents and any(map(has_notes, rows)):
                exponents = ()
            rtl = is_rtl_document or _has_rtl_text(rows, RTL_PAGE_SHARE)
            lines: list[Line] = []
            above: Line | None = None
            for row in rows:
                walls = walls_at(row.y, page.tables)
                for line in cut_row(row, fonts, rtl, above, walls, exponents):
                    lines.append(line)
                    above = line if line.rtl else above
            whole = Page(
                number=index + 1,
                width=page.width,
                height=page.height,
                lines=lines,
                tables=page.tables,
                pictures=page.pictures,
                rtl=rtl,
            )
            pages.append(whole)
        return pages

    def _read(self, index: int) -> _RowPage:
        """Return the page at a position, 0-based, and its rows."""
        page = self.reader.page(index)
        if page.needs_ocr:
            self.unreadable.append(index + 1)
        # a rule across the whole page is a stripe of its background
        boxes = [Box(0, 0, page.width, page.height)]
        boxes += (table.box for table in page.tables)
        bars = [rule for rule in page.ruled_lines if not _spans(rule, boxes)]
        rows = find_rows(with_formulas(page.glyphs, bars))
        add_bullets(rows, page.dots)
        return page, rows

    def close(self) -> None:
        """Free the file."""
        self.reader.close()


def _spans(rule: Box, boxes: Iterable[Box]) -> bool:
    """Return whether a rule is at least as wide as a box that it is in."""
    for box in boxes:
        gap = max(rule.x0 - box.x0, box.x1 - rule.x1)
        is_inside = box.top - SAME_END < rule.top < box.bottom + SAME_END
        if is_inside and gap < SAME_END:
            return True
    return False


def _has_rtl_text(rows: Iterable[Row], least: float = 0.0) -> bool:
    """Return whether text reads from right to left.

    Stops at the right ends of rows with right-to-left letters show that these are set from left to right, those at
    their left ends the contrary.

    Args:
        least: minimum share of right-to-left letters, however they end.
    """
    n_letters = 0
    n_rtl = 0
    n_right_ends = 0
    for row in rows:
        text = text_of(row.glyphs).strip()
        letters = [glyph.text for glyph in row.glyphs if glyph.text.isalpha()]
        n_letters += len(letters)
        n_rtl += sum(map(is_rtl_letter, letters))
        if has_rtl_letter(text):
            n_right_ends += _ends_with_stop(text) - _ends_with_stop(text[::-1])
    is_sure = n_right_ends <= -MIN_RIGHT_ENDS
    share = max(least, SURE_SHARE if is_sure else RIGHT_TO_LEFT_SHARE)
    return n_rtl > share * n_letters and n_right_ends < MIN_RIGHT_ENDS


def _ends_with_stop(text: str) -> bool:
    """Return whether a text ends with a letter and a stop."""
    return text[-1:] in STOPS and text[-2:-1].isalpha()


def _calibrate_fonts(fonts: Fonts, rows: Iterable[Row]) -> None:
    """Set in `fonts` what a sample of the text shows: brackets as they are drawn, and fonts of left-to-right text.

    Distrust weights if most of the text would be bold, and fixed pitch if most of it is letters of fixed pitch.
    """
    n_glyphs = n_bold = n_typed = n_pairs = 0
    for row in rows:
        for glyph in visible_glyphs(row.glyphs):
            n_glyphs += 1
            n_bold += fonts.bold[glyph.font]
            n_typed += glyph.text.isalpha() and fonts.mono(glyph.font)
        n_pairs += pairs_as_drawn(text_of(row.glyphs))
    fonts.as_drawn = n_pairs > 0
    fonts.embedded = _embedded_fonts(rows, len(fonts.names))
    if n_bold > MOSTLY * n_glyphs:
        fonts.distrust_weights()
    if n_typed > MOSTLY * n_glyphs:
        fonts.distrust_pitch()


def _embedded_fonts(rows: Iterable[Row], n_fonts: int) -> frozenset[int]:
    """Return the fonts of formulas and of words in other scripts: those without a right-to-left letter in the sample.

    There are none if the stops after right-to-left words come from such fonts: a browser takes only letters from
    another font.
    """
    rtl_fonts = set()
    n_stops: Counter[int] = Counter()
    for row in rows:
        for left, right in itertools.pairwise(row.glyphs):
            if is_rtl_letter(right.text):
                rtl_fonts.add(right.font)
                n_stops[left.font] += left.text in STOPS

    n_own = sum(n_stops[font] for font in rtl_fonts)
    if n_own < OWN_STOPS * n_stops.total():
        return frozenset()
    return frozenset(range(n_fonts)) - rtl_fonts


def _printable(text: str) -> str:
    """Return a text with single spaces and without unprintable characters."""
    printable = (char if char.isprintable() else " " for char in text)
    return " ".join("".join(printable).split())


def _metadata_date(text: str) -> str:
    """Convert a date of the metadata (D:YYYYMMDD...) to YYYY-MM-DD; return "" if it is invalid."""
    match = re.match(r"(?:D:)?(\d{4})(\d\d)(\d\d)", text)
    if match is None:
        return ""
    try:
        return datetime.date(*map(int, match.groups())).isoformat()
    except ValueError:
        return ""
