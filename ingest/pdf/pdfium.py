"""PDFium as a reader: fast, and right about characters; the default."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from quarry.ingest.errors import SourceError
from quarry.ingest.pdf.model import MAX_SLANT, SKIPPED, UNKNOWN, Box, Fonts, Glyph, GlyphPage, character
from quarry.ingest.pdf.tex import encoding_measured, encoding_named

_PASSWORD_ERROR = 4
MAX_PAGES_HELD = 500
"""Pages after which a file is opened anew: PDFium holds what it parsed, some 20 kB a page, until it is closed."""
_NEAR = 2.0
"""Points up to which two lines meet."""
_MIN_RULE = 3.0
"""Points from which on a path may rule a table; LaTeX draws the rule beside a row in three pieces."""
_MIN_RULES = 3
"""Lines in either direction from which on a page may have a ruled table: two rows and two columns."""
_MIN_TABLE_WIDTH = 150.0
"""Points that a table must be wide to have text in its cells; figures of arrays and trees are narrower."""
_MAX_OBJECTS = 4_000
"""Objects looked at on one page; a page with more is a plot or a map."""
_MAX_RULES = 2_000
"""Lines in one direction up to which they may be a table's; more are a plot's."""
FEW_GLYPHS = 40
"""Glyphs up to which a page may be an image with no more than a stamp or a number on it."""
MIN_IMAGE_SHARE = 0.5
"""Share of the page from which on an image is what it shows."""
MIN_OVERHANG, MAX_OVERHANG = 0.03, 0.4
"""Ems by which a glyph leans over its neighbours if it does; more is a width that the file tells wrongly."""
UNNAMED = "unnamed "
"""Begins the name by which a font without one is known here."""


class PdfiumReader:
    """One PDF opened with PDFium.

    Raises:
        SourceError: it is encrypted, damaged or without pages.
    """

    name = "pypdfium2"

    def __init__(self, path: Path, content: bytes) -> None:
        self.fonts = Fonts()
        self._path, self._content = path, content
        self._n_read = 0
        self._unnamed: dict[int, dict[int, float]] = {}
        try:
            self._document = pypdfium2.PdfDocument(content)
            self._n_pages = len(self._document)
        except pypdfium2.PdfiumError as error:
            if getattr(error, "err_code", None) == _PASSWORD_ERROR or "assword" in str(error):
                raise SourceError(f"{path}: is encrypted; save it without a password") from error
            raise SourceError(f"{path}: must be a whole PDF, is damaged; get the file again") from error

    @property
    def n_pages(self) -> int:
        """How many pages it has."""
        return self._n_pages

    def metadata(self, key: str) -> str:
        """A value of the file's metadata, "" if it is not there."""
        return str(self._document.get_metadata_value(key))

    def page(self, index: int) -> GlyphPage:
        """The page at a position, 0-based.

        Raises:
            SourceError: it is damaged.
        """
        try:
            if self._n_read == MAX_PAGES_HELD:
                self._document.close()
                self._document = pypdfium2.PdfDocument(self._content)
                self._n_read = 0
            self._n_read += 1
            page = self._document[index]
        except pypdfium2.PdfiumError as error:
            raise SourceError(
                f"{self._path} page {index + 1}: must be readable, is damaged; get the file again"
            ) from error
        try:
            text_page = page.get_textpage()
            try:
                frame = _Frame(page.get_rotation() // 90, *page.get_bbox())
                glyphs = _glyphs(text_page.raw, self.fonts, frame, self._unnamed)
                hidden = _is_hidden(text_page.raw)
            finally:
                text_page.close()
            width, height = page.get_size()
            scanned = (len(glyphs) < FEW_GLYPHS or hidden) and _image_share(page) > MIN_IMAGE_SHARE
            return GlyphPage(width, height, glyphs, _is_ruled(page.raw), scanned)
        except pypdfium2.PdfiumError as error:
            raise SourceError(
                f"{self._path} page {index + 1}: must be readable, is damaged; get the file again"
            ) from error
        finally:
            page.close()

    def tables(self, index: int) -> Sequence[Box]:
        """None: PDFium tells lines, not tables."""
        return ()

    def close(self) -> None:
        """Free the file."""
        self._document.close()


def _by_address(function: Any, result: Any, *arguments: Any) -> Any:
    """A function of PDFium that takes addresses as plain numbers, which is much faster than checked pointers."""
    return ctypes.CFUNCTYPE(result, *arguments)(ctypes.cast(function, ctypes.c_void_p).value or 0)


_get_unicode = _by_address(pdfium.FPDFText_GetUnicode, ctypes.c_uint, ctypes.c_void_p, ctypes.c_int)
_has_map_error = _by_address(pdfium.FPDFText_HasUnicodeMapError, ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
_get_text_object = _by_address(pdfium.FPDFText_GetTextObject, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
_get_font = _by_address(pdfium.FPDFTextObj_GetFont, ctypes.c_void_p, ctypes.c_void_p)
_get_object = _by_address(pdfium.FPDFPage_GetObject, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
_get_type = _by_address(pdfium.FPDFPageObj_GetType, ctypes.c_int, ctypes.c_void_p)
_get_bounds = _by_address(pdfium.FPDFPageObj_GetBounds, ctypes.c_int, ctypes.c_void_p, *[ctypes.c_void_p] * 4)
_get_box = _by_address(pdfium.FPDFText_GetLooseCharBox, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)


@dataclass(slots=True)
class _Frame:
    """How the coordinates of a page become those of its glyphs: quarter turns clockwise, and the visible part."""

    turn: int
    left: float
    bottom: float
    right: float
    top: float

    @property
    def height(self) -> float:
        """Points from the top of the page as it is seen to its foot."""
        return self.right - self.left if self.turn % 2 else self.top - self.bottom

    @property
    def width(self) -> float:
        """Points from the left of the page as it is seen to its right."""
        return self.top - self.bottom if self.turn % 2 else self.right - self.left

    def baseline(self, x: float, y: float) -> float:
        """Where a baseline stands, downwards from the top of the page as it is seen."""
        return (self.top - y, x - self.left, y - self.bottom, self.right - x)[self.turn]

    def span(self, left: float, top: float, right: float, bottom: float) -> tuple[float, float]:
        """Left and right edge of a glyph's box on the page as it is seen."""
        if self.turn == 0:
            return left - self.left, right - self.left
        if self.turn == 1:
            return bottom - self.bottom, top - self.bottom
        if self.turn == 2:
            return self.right - right, self.right - left
        return self.top - top, self.top - bottom


def _style(raw: Any, position: int, font: int, frame: _Frame) -> tuple[float, float, int, bool]:
    """Baseline, size, number of the font, and whether it is upright and on the page, of a character's text object."""
    matrix, x, y = pdfium.FS_MATRIX(), ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetMatrix(raw, position, ctypes.byref(matrix))
    pdfium.FPDFText_GetCharOrigin(raw, position, ctypes.byref(x), ctypes.byref(y))
    size = pdfium.FPDFText_GetFontSize(raw, position) * math.hypot(matrix.c, matrix.d)
    turns = math.degrees(math.atan2(matrix.b, matrix.a)) / 90 if matrix.a or matrix.b else 0.0
    upright = (round(turns) - frame.turn) % 4 == 0 and abs(turns - round(turns)) < MAX_SLANT / 90
    base = frame.baseline(x.value, y.value)
    return base, max(size, 0.5), font, upright and 0 <= base <= frame.height


class _Styles:
    """Baseline, size, font and whether it is read, of the text objects of a page.

    Attributes:
        known: address of a text object -> its style.
    """

    def __init__(self, raw: Any, fonts: Fonts, frame: _Frame) -> None:
        self._raw, self._fonts, self._frame = raw, fonts, frame
        self._numbers: dict[int, int] = {}
        self.known: dict[int, tuple[float, float, int, bool]] = {}

    def learn(self, address: int | None, position: int) -> tuple[float, float, int, bool]:
        """The style of a text object, of which the character at `position` is the first; kept in `known`."""
        if not address:
            return 0.0, 1.0, 0, False
        font_address = _get_font(address) or 0
        if font_address not in self._numbers:
            self._numbers[font_address] = _font(self._fonts, font_address)
        self.known[address] = _style(self._raw, position, self._numbers[font_address], self._frame)
        return self.known[address]


class _Characters:
    """What the codes of a page's fonts stand for; the fonts without a name are told by how wide their glyphs are.

    Attributes:
        texts: (number of the font, code) -> text.
        unsure: those of them that the file does not explain.
        overhangs: ems by which some of them lean over what stands before them.

    Args:
        unnamed: number of such a font -> code -> width in ems, of the pages before; grows.
    """

    def __init__(self, address: int | None, fonts: Fonts, unnamed: dict[int, dict[int, float]]) -> None:
        self._address, self._fonts, self._unnamed = address, fonts, unnamed
        self.texts: dict[tuple[int, int], str] = {}
        self.unsure: set[tuple[int, int]] = set()
        self.overhangs: dict[tuple[int, int], float] = {}
        self._pending: list[tuple[Glyph, int]] = []

    def learn(self, font: int, code: int, position: int, em_width: float) -> str:
        """The text of a code of a font, of which the character at `position` is the first; kept in `texts`."""
        unmapped = _is_unmapped(self._address, position)
        name = self._fonts.names[font]
        text = _unmapped_character(name, code) if unmapped else character(code)
        self.texts[font, code] = text
        self._fonts.saw(font, text, em_width)
        if unmapped:
            if encoding_named(name) is None:
                self.unsure.add((font, code))
            if name.startswith(UNNAMED):
                self._unnamed.setdefault(font, {})[code] = em_width
        return text

    def measure(self, font: int, code: int, overhang: float) -> None:
        """Remember by how many ems the glyph of a code leans over what stands before it."""
        if overhang:
            self.overhangs[font, code] = overhang

    def mark_unsure(self, glyph: Glyph, code: int) -> None:
        """Remember a glyph, of which the file does not say what it stands for."""
        glyph.sure = False
        if glyph.font in self._unnamed:
            self._pending.append((glyph, code))

    def settle(self) -> None:
        """Give the glyphs of fonts without a name their texts, now that all of the page have been seen."""
        encodings = {font: encoding_measured(self._unnamed[font]) for font in {item.font for item, _ in self._pending}}
        for glyph, code in self._pending:
            encoding, glyph.sure = encodings[glyph.font]
            glyph.text = encoding.get(code, glyph.text)


def _glyphs(raw: Any, fonts: Fonts, frame: _Frame, unnamed: dict[int, dict[int, float]]) -> list[Glyph]:
    box = (ctypes.c_float * 4)()  # FS_RECTF: left, top, right, bottom
    box_address, raw_address = ctypes.addressof(box), ctypes.cast(raw, ctypes.c_void_p).value
    styles = _Styles(raw, fonts, frame)
    characters = _Characters(raw_address, fonts, unnamed)
    texts, unsure, overhangs = characters.texts, characters.unsure, characters.overhangs
    plain, origin, width = frame.turn == 0, frame.left, frame.width
    glyphs: list[Glyph] = []
    last: Glyph | None = None
    drawn = (0.0, 0.0, 0.0)
    previous_address, half, parted = 0, 0, False
    for position in range(pdfium.FPDFText_CountChars(raw)):
        code = _get_unicode(raw_address, position)
        if code in SKIPPED and not (code < 32 and _is_unmapped(raw_address, position)):
            continue
        if (
            0xD800 <= code < 0xE000
        ):  # half of a character outside the basic plane; PDFium turns the halves round in Hebrew
            code, half = _whole(half, code)
            if half:
                continue
        if code == 32 and pdfium.FPDFText_IsGenerated(raw, position):
            parted = True
            continue
        address = _get_text_object(raw_address, position)
        base, size, font, upright = styles.known.get(address) or styles.learn(address, position)
        if not upright:
            continue
        _get_box(raw_address, position, box_address)
        # no turn is what nearly every page has: without a call for each glyph
        x0, x1 = (box[0] - origin, box[2] - origin) if plain else frame.span(*box)
        if x1 < 0 or x0 > width:
            continue
        text = texts.get((font, code))
        if text is None:
            text = characters.learn(font, code, position, (x1 - x0) / size)
            characters.measure(font, code, _overhang(raw, position, size, box[0]) if plain else 0.0)
        if last is not None and drawn == (x0, base, x1):  # two letters of one glyph, or drawn twice to look bold
            if address == previous_address:
                last.text = _unswapped(last.text + text)
            continue
        drawn = x0, base, x1
        if overhangs and (font, code) in overhangs:
            x0 += overhangs[font, code] * size
        previous_address = address
        last = Glyph(text, x0, x1, base, size, font, parted and code < 0x0590)
        if unsure and (font, code) in unsure:
            characters.mark_unsure(last, code)
        glyphs.append(last)
        parted = False
    characters.settle()
    return glyphs


def _unswapped(text: str) -> str:
    """The letters of a glyph whose file has the two bytes of each turned round, as Ghostscript writes ligatures."""
    turned = text.encode("utf-16-be", "replace").decode("utf-16-le", "replace")
    return turned if not text.isascii() and turned.isascii() and turned.isalpha() else text


def _whole(half: int, code: int) -> tuple[int, int]:
    """The character of two halves, and 0; or the first half twice, if the other one is still to come."""
    if not half:
        return code, code
    high, low = min(half, code), max(half, code)
    return 0x10000 + ((high - 0xD800) << 10) + low - 0xDC00, 0


def _overhang(raw: Any, position: int, size: float, left: float) -> float:
    """Ems by which a glyph whose box begins at `left` leans over what stands before it, 0 if hardly.

    PDFium's box holds all of the glyph: that of an italic f or j would hide the space before it.
    """
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(raw, position, ctypes.byref(x), ctypes.byref(y))
    over = (x.value - left) / size
    return over if MIN_OVERHANG < over < MAX_OVERHANG else 0.0


def _is_unmapped(address: int | None, position: int) -> bool:
    """Whether the file does not say what a character stands for, so that PDFium gives its code."""
    return bool(_has_map_error(address, position) == 1)


def _unmapped_character(font: str, code: int) -> str:
    """The text of a code that the file does not explain, as TeX's fonts have it if the font is one of them."""
    encoding = encoding_named(font)
    if encoding is None:
        return character(code)
    return encoding.get(code, UNKNOWN)


def _font(fonts: Fonts, address: int) -> int:
    """The number of a font of PDFium's; those without a name are told apart by where they stand in memory."""
    if not address:
        return fonts.number(UNNAMED)
    font = ctypes.cast(address, pdfium.FPDF_FONT)
    buffer = ctypes.create_string_buffer(256)
    pdfium.FPDFFont_GetBaseFontName(font, buffer, 256)
    flags = pdfium.FPDFFont_GetFlags(font)
    heavy = pdfium.FPDFFont_GetWeight(font) >= 600 or bool(flags > 0 and flags & 0x40000)
    name = buffer.value.decode("utf-8", "replace")
    return fonts.number(name or f"{UNNAMED}{address}", heavy)


def _is_hidden(raw: Any) -> bool:
    """Whether the first text of a page is drawn so that it cannot be seen, as what an OCR engine lays under a scan."""
    item = pdfium.FPDFText_GetTextObject(raw, 0)
    return bool(item) and pdfium.FPDFTextObj_GetTextRenderMode(item) == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE


def _image_share(page: pypdfium2.PdfPage) -> float:
    """Share of a page that its images cover, 0..1; those in strips are counted together."""
    width, height = page.get_size()
    covered = 0.0
    for item in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=2):
        left, bottom, right, top = item.get_bounds()
        area = max(0.0, right - left) * max(0.0, top - bottom)
        covered += area if math.isfinite(area) else 0.0
    return min(1.0, covered / max(1.0, float(width * height)))


def _is_ruled(raw: Any) -> bool:
    """Whether lines cross on a page as in a table of two rows and two columns, wide enough for text."""
    edges = (ctypes.c_float * 4)()
    first = ctypes.addressof(edges)
    address = ctypes.cast(raw, ctypes.c_void_p).value
    across: set[tuple[int, int, int]] = set()
    down: set[tuple[int, int, int]] = set()
    n_objects = pdfium.FPDFPage_CountObjects(raw)
    for position in range(min(n_objects, _MAX_OBJECTS)):
        item = _get_object(address, position)
        if _get_type(item) != pdfium.FPDF_PAGEOBJ_PATH:
            continue
        if not _get_bounds(item, first, first + 4, first + 8, first + 12) or not all(map(math.isfinite, edges)):
            continue
        left, bottom, right, top = (round(edge) for edge in edges)
        if right - left >= _MIN_RULE:
            across |= {(bottom, left, right), (top, left, right)}
        if top - bottom >= _MIN_RULE:
            down |= {(left, bottom, top), (right, bottom, top)}
    if not (_MIN_RULES <= len(across) <= _MAX_RULES and _MIN_RULES <= len(down) <= _MAX_RULES):
        return False
    heights = set()
    for y, left, right in across:
        crossed = {
            x for x, bottom, top in down if left - _NEAR <= x <= right + _NEAR and bottom - _NEAR <= y <= top + _NEAR
        }
        # the two edges of a drawn line are one ruling
        if crossed and max(crossed) - min(crossed) >= _MIN_TABLE_WIDTH and _n_apart(crossed) >= _MIN_RULES:
            heights.add(y)
    return _n_apart(heights) >= _MIN_RULES


def _n_apart(places: set[int]) -> int:
    """How many places there are, those nearer to each other than a cell's least size counted once."""
    apart: list[int] = []
    for place in sorted(places):
        if not apart or place - apart[-1] >= _MIN_RULE:
            apart.append(place)
    return len(apart)
