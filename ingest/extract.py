"""PDF -> pages of lines of words with boxes; the only user of the PDF libraries.

The order of the text is rebuilt from where the glyphs stand, not from the order in which the file draws them, so that
right-to-left text comes out the same from producers that store it in logical (LibreOffice) and visual order (LuaTeX).
"""

from __future__ import annotations

import ctypes
import datetime
import math
import re
import unicodedata
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from ingest.bidi import Cluster, has_rtl_letter, is_rtl_letter, logical_text, votes_for_mirrored_brackets
from ingest.errors import SourceError

UNKNOWN = "\ufffd"
"""Stands for a glyph whose character the file does not tell."""

SOFT_HYPHEN = "\u00ad"

WORD_GAP = 0.16
"""Ems of white space from which on two glyphs belong to two words; kerning stays below, word spaces above."""

WORD_GAP_HINTED = 0.05
"""The same where a space is stored, or PDFium sees one: italics lean over it, and a line's last may stand anywhere."""

SEGMENT_GAP = 1.1
"""Ems of white space from which on a row is cut in two lines: table cells, columns. Layout joins what is one."""

RIGHT_TO_LEFT_SHARE = 0.3
"""Share of right-to-left letters from which on a document reads from the right; the rest is formulas and names."""

_LIGATURES = {
    ord(c): unicodedata.normalize("NFKC", c)
    for c in map(chr, (*range(0xFB00, 0xFB07), *range(0xFB1D, 0xFB50)))
    if unicodedata.name(c, "")
}
_SKIPPED = frozenset(
    [0x0A, 0x0D, 0x061C, 0x2060, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
)
"""Line ends, which geometry tells better, and marks that cannot be seen: joiners, directions."""

_MONO_NAME = re.compile(r"mono|courier|consol|typewriter|cmtt|code", re.IGNORECASE)
_BOLD_NAME = re.compile(r"bold|black|heavy|semibold|cmbx|medi$|-b$", re.IGNORECASE)
_PASSWORD_ERROR = 4


@dataclass(frozen=True, slots=True)
class Word:
    """One word as it stands on the page, its text in logical order; lengths in points, y downwards from the top.

    Attributes:
        size: font size.
        raised: points by which it stands above the baseline of its line, negative below.
    """

    text: str
    x0: float
    x1: float
    size: float
    raised: float
    bold: bool
    mono: bool


@dataclass(frozen=True, slots=True)
class Line:
    """Words of one row in reading order, without a wide gap between them; lengths in points, y downwards from the top.

    Attributes:
        y: the baseline.
        size: the font size of most of its characters.
        bold: share of its characters that are bold, 0..1.
        mono: share of its characters in a font of fixed pitch, 0..1.
        rtl: whether it reads from right to left.
    """

    words: tuple[Word, ...]
    x0: float
    x1: float
    y: float
    size: float
    bold: float
    mono: float
    rtl: bool

    @property
    def text(self) -> str:
        """The words with single spaces between."""
        return " ".join(word.text for word in self.words)


@dataclass(frozen=True, slots=True)
class Page:
    """One page; `lines` are from top to bottom, and from left to right within a row."""

    number: int
    width: float
    height: float
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Pdf:
    """What a file holds.

    Attributes:
        metadata_title, metadata_author: as the file's metadata have them, "" if they do not; often wrong.
        date: ISO date on which the file was made, or else changed, by its metadata; "" if they have none.
        rtl: whether the document as a whole reads from right to left.
    """

    pages: tuple[Page, ...]
    metadata_title: str
    metadata_author: str
    date: str
    rtl: bool


@dataclass(slots=True)
class _Glyph:
    """One glyph: what it stands for, where, in which font, and whether PDFium sees a space before it."""

    text: str
    x0: float
    x1: float
    y: float
    size: float
    font: int
    parted: bool


@dataclass(slots=True)
class _Row:
    y: float
    size: float
    glyphs: list[_Glyph]


def extract(path: Path) -> Pdf:
    """The text of a PDF with its geometry.

    Raises:
        SourceError: encrypted, truncated, damaged, not a PDF, or without text on any page.
    """
    document = _open(path)
    try:
        fonts = _Fonts()
        sizes, rows = [], []
        for index in range(len(document)):
            try:
                width, height, glyphs = _read_page(document, index, fonts)
            except pypdfium2.PdfiumError as error:
                raise SourceError(
                    f"{path} page {index + 1}: must be readable, is damaged; get the file again"
                ) from error
            sizes.append((width, height))
            rows.append(_rows(glyphs))
        title, author = (_printable(document.get_metadata_value(key)) for key in ("Title", "Author"))
        date = next(
            filter(None, (_iso_date(document.get_metadata_value(f"{key}Date")) for key in ("Creation", "Mod"))), ""
        )
    finally:
        document.close()
    n_letters = n_rtl = votes = 0
    for row in (row for page in rows for row in page):
        text = "".join(glyph.text for glyph in row.glyphs)
        n_letters += sum(map(str.isalpha, text))
        if has_rtl_letter(text):
            n_rtl += sum(map(is_rtl_letter, text))
            votes += votes_for_mirrored_brackets([glyph.text for glyph in row.glyphs])
    if not n_letters:
        raise SourceError(f"{path}: no text layer; run OCR first (e.g. ocrmypdf)")
    rtl = n_rtl > RIGHT_TO_LEFT_SHARE * n_letters
    mirrored = votes > 0
    pages = tuple(
        Page(number, *size, tuple(line for row in page for line in _lines(row, fonts, rtl, mirrored)))
        for number, (size, page) in enumerate(zip(sizes, rows, strict=True), 1)
    )
    return Pdf(pages, title, author, date, rtl)


def _open(path: Path) -> Any:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path}: must be readable: {error.strerror}; check its permissions") from error
    if b"%PDF-" not in content[:1024]:
        raise SourceError(f"{path}: must be a PDF, its first bytes say otherwise; convert it first")
    if b"startxref" not in content[-4096:]:
        raise SourceError(f"{path}: must be a whole PDF, its end is missing; get the file again")
    try:
        document = pypdfium2.PdfDocument(content)
        if len(document) == 0:
            raise SourceError(f"{path}: must have pages, got none; get the file again")
        return document
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD_ERROR or "assword" in str(error):
            raise SourceError(f"{path}: is encrypted; save it without a password") from error
        raise SourceError(f"{path}: must be a whole PDF, is damaged; get the file again") from error


class _Fonts:
    """Fonts of a document by number, with what their names, flags and glyph widths tell."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self.bold: list[bool] = []
        self._named_mono: list[bool] = []
        self._widths: list[dict[str, float]] = []
        self._judged: list[tuple[int, bool]] = []

    def number(self, text_object: int) -> int:
        """The number of the font that a text object is set in."""
        font = pdfium.FPDFTextObj_GetFont(ctypes.cast(text_object, pdfium.FPDF_PAGEOBJECT))
        if not font:
            return self._add("", 0, 0)
        buffer = ctypes.create_string_buffer(256)
        pdfium.FPDFFont_GetBaseFontName(font, buffer, 256)
        name = buffer.value.decode("utf-8", "replace").partition("+")
        return self._add(name[2] or name[0], pdfium.FPDFFont_GetWeight(font), pdfium.FPDFFont_GetFlags(font))

    def _add(self, name: str, weight: int, flags: int) -> int:
        number = self._numbers.setdefault(name, len(self.bold))
        if number == len(self.bold):
            self.bold.append(bool(_BOLD_NAME.search(name)) or weight >= 600 or bool(flags > 0 and flags & 0x40000))
            self._named_mono.append(bool(_MONO_NAME.search(name)))
            self._widths.append({})
            self._judged.append((0, False))
        return number

    def saw(self, number: int, char: str, em_width: float) -> None:
        """Remember how wide a letter is in a font."""
        widths = self._widths[number]
        if char not in widths and char.isalnum():
            widths[char] = em_width

    def width(self, number: int, char: str) -> float:
        """Ems that a letter is wide in a font, 0 if it was not seen."""
        return self._widths[number].get(char, 0.0)

    def mono(self, number: int) -> bool:
        """Whether a font is of fixed pitch: by name, or because narrow and wide letters are equally wide."""
        if self._named_mono[number]:
            return True
        widths = self._widths[number]
        if len(widths) != self._judged[number][0]:
            values = widths.values()
            self._judged[number] = (
                len(widths),
                len(widths) >= 8 and min(values) > 0 and max(values) - min(values) < 0.01,
            )
        return self._judged[number][1]


def _by_address(function: Any, result: Any, *arguments: Any) -> Any:
    """A function of PDFium that takes addresses as plain numbers, which is much faster than checked pointers."""
    return ctypes.CFUNCTYPE(result, *arguments)(ctypes.cast(function, ctypes.c_void_p).value or 0)


_get_unicode = _by_address(pdfium.FPDFText_GetUnicode, ctypes.c_uint, ctypes.c_void_p, ctypes.c_int)
_get_text_object = _by_address(pdfium.FPDFText_GetTextObject, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
_get_box = _by_address(pdfium.FPDFText_GetLooseCharBox, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)


def _read_page(document: Any, index: int, fonts: _Fonts) -> tuple[float, float, list[_Glyph]]:
    """Width, height and the upright glyphs of a page, y downwards."""
    page = document[index]
    try:
        text_page = page.get_textpage()
        try:
            frame = _Frame(page.get_rotation() // 90, *page.get_bbox())
            glyphs = _glyphs(text_page.raw, fonts, frame)
        finally:
            text_page.close()
        width, height = page.get_size()
    finally:
        page.close()
    return width, height, glyphs


@dataclass(slots=True)
class _Frame:
    """How the coordinates of a page become those of its glyphs: quarter turns clockwise, and the visible part."""

    turn: int
    left: float
    bottom: float
    right: float
    top: float

    def baseline(self, x: float, y: float) -> float:
        """Where a baseline stands, downwards from the top of the page as it is seen."""
        return (self.top - y, x - self.left, y - self.bottom, self.right - x)[self.turn]

    def span(self, box: Any) -> tuple[float, float]:
        """Left and right edge of a glyph's box on the page as it is seen."""
        if self.turn == 0:
            return box.left - self.left, box.right - self.left
        if self.turn == 1:
            return box.bottom - self.bottom, box.top - self.bottom
        if self.turn == 2:
            return self.right - box.right, self.right - box.left
        return self.top - box.top, self.top - box.bottom


def _style(raw: Any, position: int, font: int, frame: _Frame) -> tuple[float, float, int, bool]:
    """Baseline, size, number of the font, and whether it is upright, of the text object that a character belongs to."""
    matrix, x, y = pdfium.FS_MATRIX(), ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetMatrix(raw, position, ctypes.byref(matrix))
    pdfium.FPDFText_GetCharOrigin(raw, position, ctypes.byref(x), ctypes.byref(y))
    size = pdfium.FPDFText_GetFontSize(raw, position) * math.hypot(matrix.c, matrix.d)
    angle = round(math.degrees(math.atan2(matrix.b, matrix.a)) / 90) if matrix.a or matrix.b else 0
    return frame.baseline(x.value, y.value), max(size, 0.5), font, (angle - frame.turn) % 4 == 0


def _glyphs(raw: Any, fonts: _Fonts, frame: _Frame) -> list[_Glyph]:
    box = pdfium.FS_RECTF()
    box_address, raw_address = ctypes.addressof(box), ctypes.cast(raw, ctypes.c_void_p).value
    styles: dict[int, tuple[float, float, int, bool]] = {}
    seen: set[tuple[int, int]] = set()
    glyphs: list[_Glyph] = []
    previous_address, half, parted = 0, 0, False
    for position in range(pdfium.FPDFText_CountChars(raw)):
        code = _get_unicode(raw_address, position)
        if code in _SKIPPED:
            continue
        if (
            0xD800 <= code < 0xE000
        ):  # half of a character outside the basic plane; PDFium turns the halves round in Hebrew
            if not half:
                half = code
                continue
            high, low = min(half, code), max(half, code)
            code, half = 0x10000 + ((high - 0xD800) << 10) + low - 0xDC00, 0
        if code == 32 and pdfium.FPDFText_IsGenerated(raw, position):
            parted = True
            continue
        address = _get_text_object(raw_address, position)
        if not address:
            continue
        if address not in styles:
            styles[address] = _style(raw, position, fonts.number(address), frame)
        base, size, font, upright = styles[address]
        if not upright:
            continue
        _get_box(raw_address, position, box_address)
        x0, x1 = frame.span(box)
        text = _character(code)
        if (font, code) not in seen:
            seen.add((font, code))
            fonts.saw(font, text, (x1 - x0) / size)
        if glyphs and glyphs[-1].x0 == x0 and glyphs[-1].y == base and glyphs[-1].x1 == x1:
            if address == previous_address:
                glyphs[-1].text += text
            continue
        previous_address = address
        glyphs.append(_Glyph(text, x0, x1, base, size, font, parted and code < 0x0590))
        parted = False
    return glyphs


def _character(code: int) -> str:
    """The text of a character code; UNKNOWN where it says nothing, a hyphen for every kind of hyphen."""
    if 33 <= code < 127:
        return chr(code)
    if code in (0x02, 0x2010, 0x2011):  # PDFium gives 2 for a hyphen at a line end
        return "-"
    if code in _LIGATURES:
        return _LIGATURES[code]
    if code in {160, 8199} or 8192 <= code <= 8202 or code in {8239, 9}:
        return " "
    if code < 32 or code in {65534, 65535} or 55296 <= code <= 57343 or 57344 <= code <= 63743 or code > 1114111:
        return UNKNOWN
    if 0x1D400 <= code <= 0x1D7FF:  # letters and digits of mathematics
        return unicodedata.normalize("NFKC", chr(code))
    return chr(code)


def _rows(glyphs: list[_Glyph]) -> list[_Row]:
    """The rows of a page from top to bottom; raised and lowered small glyphs stand in the row they belong to."""
    spans: list[list[_Glyph]] = []
    for glyph in glyphs:
        last = spans[-1][-1] if spans else None
        if (
            last is not None
            and abs(glyph.y - last.y) < 0.05 * last.size
            and abs(glyph.size - last.size) < 0.05 * last.size
            and -0.3 * last.size < max(glyph.x0 - last.x1, last.x0 - glyph.x1) < SEGMENT_GAP * last.size
        ):
            spans[-1].append(glyph)
        else:
            spans.append([glyph])
    spans = [span for span in spans if any(glyph.text != " " for glyph in span)]
    by_y: dict[int, list[_Row]] = defaultdict(list)
    rows: list[_Row] = []
    for span in sorted(spans, key=lambda span: -(span[0].size * min(len(span), 6))):
        y, size = span[0].y, span[0].size
        x0, x1 = min(g.x0 for g in span), max(g.x1 for g in span)
        mark = not any(glyph.text.isalnum() for glyph in span) and len(span) <= 3
        reach = 2.5 if mark else 0.5
        best: _Row | None = None
        best_distance = math.inf
        bucket = int(y // 20)
        for row in (row for near in (bucket - 1, bucket, bucket + 1) for row in by_y[near]):
            rise = (row.y - y) / row.size
            if abs(rise) < 0.12 or (abs(rise) < 0.25 and size > 0.87 * row.size and _touches(row, x0, x1, 1.0)):
                distance = abs(rise)
            elif -0.4 < rise < 0.62 and (size < 0.87 * row.size or mark) and _touches(row, x0, x1, reach):
                distance = 1 + abs(rise)
            else:
                continue
            if distance < best_distance:
                best, best_distance = row, distance
        if best is None:
            best = _Row(y, size, [])
            rows.append(best)
            by_y[bucket].append(best)
        best.glyphs.extend(span)
    rows.sort(key=lambda row: row.y)
    for row in rows:
        row.glyphs.sort(key=lambda glyph: glyph.x0)
    return _rejoined(rows)


def _rejoined(rows: list[_Row]) -> list[_Row]:
    """Rows whose halves stand a little apart in height, as where the font changes, made one."""
    joined: list[_Row] = []
    for row in rows:
        above = joined[-1] if joined else None
        if above is not None and row.y - above.y < 0.25 * row.size and abs(row.size - above.size) < 0.13 * row.size:
            left, right = sorted((above.glyphs, row.glyphs), key=lambda glyphs: glyphs[0].x0)
            if -1 < right[0].x0 - left[-1].x1 < row.size:
                above.glyphs = left + right
                continue
        joined.append(row)
    return joined


def _touches(row: _Row, x0: float, x1: float, reach: float) -> bool:
    room = reach * row.size
    return any(glyph.x0 - room < x1 and x0 < glyph.x1 + room for glyph in row.glyphs)


def _lines(row: _Row, fonts: _Fonts, rtl: bool, mirrored: bool) -> list[Line]:
    """A row cut at its wide gaps, each part in reading order."""
    parts: list[list[_Glyph]] = []
    right = -math.inf
    for glyph in row.glyphs:
        if glyph.text == " ":
            if parts:
                parts[-1].append(glyph)
            continue
        if not parts or glyph.x0 - right > SEGMENT_GAP * row.size:
            parts.append([])
        parts[-1].append(glyph)
        right = max(right, glyph.x1)
    lines = [_line(part, row, fonts, rtl, mirrored) for part in parts]
    return [line for line in lines if line.words]


def _line(glyphs: list[_Glyph], row: _Row, fonts: _Fonts, rtl: bool, mirrored: bool) -> Line:
    while glyphs[-1].text == " ":
        glyphs.pop()
    spelt: list[list[_Glyph]] = [[]]
    right = glyphs[0].x0
    spaced = False
    for glyph in glyphs:
        if glyph.text == " ":
            spaced = True
            continue
        gap = glyph.x0 - right
        hinted = spaced or glyph.parted
        if spelt[-1] and gap > (WORD_GAP_HINTED if hinted else WORD_GAP) * min(glyph.size, row.size):
            spelt.append([])
        spaced = False
        spelt[-1].append(glyph)
        right = max(right, glyph.x1)
    line_rtl = False
    if has_rtl_letter("".join(glyph.text for glyph in glyphs)):
        line_rtl = rtl
        spelt = _reordered(spelt, rtl, mirrored)
    words = [_word(members, row, fonts) for members in spelt if members]
    n_chars = n_bold = n_mono = 0
    sizes: Counter[float] = Counter()
    for word in words:
        length = len(word.text)
        n_chars += length
        n_bold += length * word.bold
        n_mono += length * word.mono
        sizes[word.size] += length
    return Line(
        words=tuple(words),
        x0=min(word.x0 for word in words),
        x1=max(word.x1 for word in words),
        y=row.y,
        size=round(sizes.most_common(1)[0][0], 1),
        bold=n_bold / n_chars,
        mono=n_mono / n_chars,
        rtl=line_rtl,
    )


def _reordered(spelt: list[list[_Glyph]], rtl: bool, mirrored: bool) -> list[list[_Glyph]]:
    """Words from left to right -> words in reading order."""
    members: list[_Glyph] = []
    clusters: list[Cluster] = []
    for word in spelt:
        if clusters:
            clusters.append(Cluster(" ", -1))
        for glyph in word:
            clusters.append(Cluster(glyph.text, len(members)))
            members.append(glyph)
    reordered: list[list[_Glyph]] = [[]]
    for cluster in logical_text(clusters, rtl, mirrored):
        if cluster.text == " ":
            reordered.append([])
        else:
            members[cluster.source].text = cluster.text
            reordered[-1].append(members[cluster.source])
    return reordered


def _word(members: list[_Glyph], row: _Row, fonts: _Fonts) -> Word:
    if members[-1].size < 0.82 * members[0].size:
        members = _without_note_mark(members)
    text = "".join([glyph.text for glyph in members])
    if SOFT_HYPHEN in text:  # seen at a line end only
        text = text[:-1].replace(SOFT_HYPHEN, "") + text[-1].replace(SOFT_HYPHEN, "-")
    if UNKNOWN in text:
        text = "".join(_restored(position, members, fonts) for position in range(len(members)))
    largest = members[0]
    x0, x1 = largest.x0, largest.x1
    for glyph in members:
        if glyph.size > largest.size:
            largest = glyph
        x0 = min(x0, glyph.x0)
        x1 = max(x1, glyph.x1)
    return Word(text, x0, x1, largest.size, row.y - largest.y, fonts.bold[largest.font], fonts.mono(largest.font))


def _without_note_mark(members: list[_Glyph]) -> list[_Glyph]:
    """A word without the raised number or sign at its end that points to a footnote; exponents follow shorter bases."""
    end = len(members)
    base = members[0]
    while end and members[end - 1].size < 0.82 * base.size and base.y - members[end - 1].y > 0.2 * base.size:
        end -= 1
    mark = "".join(glyph.text for glyph in members[end:])
    if not end or len(mark) > 3 or not (mark.isdigit() or not mark.strip("*†‡§¶∗" + UNKNOWN)):
        return members
    text = "".join(glyph.text for glyph in members[:end])
    tail = text.rstrip(".,;:!?)]\"'”’»״׳")
    is_word = (tail[-3:].isalpha() and len(tail) >= 3) or (tail != text and len(text) >= 3)
    return members[:end] if is_word else members


def _restored(position: int, members: list[_Glyph], fonts: _Fonts) -> str:
    """A glyph's text; an unknown one inside a Latin word is an f-ligature, told by its width and what follows."""
    text = members[position].text
    if text != UNKNOWN or position == 0:
        return text
    before, glyph = members[position - 1], members[position]
    after = members[position + 1].text[:1] if position + 1 < len(members) else ""
    if (
        not ("a" <= before.text[-1:].lower() <= "z")
        or abs(glyph.size - before.size) > 0.05 * before.size
        or abs(glyph.y - before.y) > 0.1 * before.size
    ):
        return text
    if after and not "a" <= after <= "z":
        return text
    width = (glyph.x1 - glyph.x0) / glyph.size
    width_of_f = fonts.width(glyph.font, "f") or fonts.width(before.font, "f") or 0.31
    if not 1.5 * width_of_f < width < 3.5 * width_of_f:
        return text
    if width < 2.4 * width_of_f:
        return "ff"
    return "ffl" if after in "aeiouy" else "ffi"


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
