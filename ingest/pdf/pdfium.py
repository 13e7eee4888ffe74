"""Reader of glyphs with PDFium, the default reader: it is fast, and right about characters."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from quarry.ingest.errors import SourceError
from quarry.ingest.pdf.model import MAX_SLANT, SKIPPED, UNKNOWN, Fonts, Glyph, GlyphPage, character
from quarry.ingest.pdf.tex import encoding_measured, encoding_named

_NEAR = 2.0
"""Maximal distance of two lines that meet, in points."""
_MIN_RULE = 3.0
"""Minimal length of a rule of a table, in points; LaTeX draws the vertical rule of a row in three pieces."""
_MIN_RULES = 3
"""Minimal number of rules of a table in each direction: two rows and two columns."""
_MIN_TABLE_WIDTH = 150.0
"""Minimal width of a table, in points; figures of arrays and trees are narrower."""
_MAX_OBJECTS = 4_000
"""Maximal number of objects checked on one page; a page with more is a plot or a map."""
_MAX_RULES = 2_000
"""Maximal number of rules of a table in one direction; more are a plot."""
FEW_GLYPHS = 40
"""Minimal number of glyphs on a page of text; a scanned page may have fewer, as in a stamp or a page number."""
MIN_IMAGE_SHARE = 0.5
"""Minimal share of a scanned page that images cover."""
MIN_OVERHANG, MAX_OVERHANG = 0.03, 0.4
"""Least and greatest overhang of a glyph over the one before it, in ems; more is a wrong width in the file."""
SUPERIOR = 0.2
"""Minimal height of a superscript digit that a font draws at full size, above the baseline, in ems."""
UNNAMED = "unnamed "
"""Prefix of the names given to fonts without a name."""


class PdfiumReader:
    """Reader of glyphs with PDFium.

    Raises:
        SourceError: the file is encrypted, damaged or without pages.
    """

    name = "pypdfium2"

    def __init__(self, path: Path, content: bytes) -> None:
        self.fonts = Fonts()
        self._path = path
        self._unnamed: dict[int, dict[int, float]] = {}
        try:
            self._document = pypdfium2.PdfDocument(content)
            self.n_pages = len(self._document)
        except pypdfium2.PdfiumError as error:
            if error.err_code == pdfium.FPDF_ERR_PASSWORD:
                raise SourceError(f"{path}: is encrypted; save it without a password") from error
            raise SourceError(f"{path}: must be a whole PDF, is damaged; get the file again") from error

    def page(self, index: int) -> GlyphPage:
        """Return the page at a position, 0-based.

        Raises:
            SourceError: the page is damaged.
        """
        try:
            page = self._document[index]
        except pypdfium2.PdfiumError as error:
            raise self.damaged(index) from error
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
            raise self.damaged(index) from error
        finally:
            page.close()

    def metadata(self, key: str) -> str:
        """Return a value of the file's metadata, "" if it is absent."""
        return str(self._document.get_metadata_value(key))

    def damaged(self, index: int) -> SourceError:
        """Return the error of a page, 0-based, that cannot be read."""
        return SourceError(f"{self._path} page {index + 1}: must be readable, is damaged; get the file again")

    def close(self) -> None:
        """Free the file."""
        self._document.close()


def _by_address(function: Any, result: Any, *arguments: Any) -> Any:
    """Declare a function of PDFium with addresses as plain numbers, which are much faster than checked pointers."""
    return ctypes.CFUNCTYPE(result, *arguments)(ctypes.cast(function, ctypes.c_void_p).value or 0)


_get_unicode = _by_address(pdfium.FPDFText_GetUnicode, ctypes.c_uint, ctypes.c_void_p, ctypes.c_int)
_has_map_error = _by_address(pdfium.FPDFText_HasUnicodeMapError, ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
_get_text_object = _by_address(pdfium.FPDFText_GetTextObject, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
_get_font = _by_address(pdfium.FPDFTextObj_GetFont, ctypes.c_void_p, ctypes.c_void_p)
_get_object = _by_address(pdfium.FPDFPage_GetObject, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
_get_type = _by_address(pdfium.FPDFPageObj_GetType, ctypes.c_int, ctypes.c_void_p)
_get_bounds = _by_address(pdfium.FPDFPageObj_GetBounds, ctypes.c_int, ctypes.c_void_p, *[ctypes.c_void_p] * 4)
_get_tight_box = _by_address(
    pdfium.FPDFText_GetCharBox, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, *[ctypes.c_void_p] * 4
)
_get_box = _by_address(pdfium.FPDFText_GetLooseCharBox, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)


@dataclass(slots=True)
class _Frame:
    """Rotation of a page in quarter turns clockwise, and its visible part in the coordinates of the file."""

    turn: int
    left: float
    bottom: float
    right: float
    top: float

    @property
    def height(self) -> float:
        """Height of the page as shown, in points."""
        return self.right - self.left if self.turn % 2 else self.top - self.bottom

    @property
    def width(self) -> float:
        """Width of the page as shown, in points."""
        return self.top - self.bottom if self.turn % 2 else self.right - self.left

    def baseline(self, x: float, y: float) -> float:
        """Return the distance of a baseline from the top of the page as shown."""
        return (self.top - y, x - self.left, y - self.bottom, self.right - x)[self.turn]

    def span(self, left: float, top: float, right: float, bottom: float) -> tuple[float, float]:
        """Return left and right edge of a glyph's box on the page as shown."""
        if self.turn == 0:
            return left - self.left, right - self.left
        if self.turn == 1:
            return bottom - self.bottom, top - self.bottom
        if self.turn == 2:
            return self.right - right, self.right - left
        return self.top - top, self.top - bottom


_Style = tuple[float, float, int, bool]
"""Baseline, size and font of a text object, and whether it is upright and on the page."""


class _PageText:
    """Styles of the text objects of a page and texts of the codes of its fonts, each read from PDFium once.

    A font without a name is identified by the widths of its glyphs.

    Attributes:
        styles: address of a text object -> its style.
        texts: (number of the font, code) -> text.
        unmapped: codes of fonts without a name, which the file does not map to characters.
        pending: glyphs with such codes.
        overhangs: overhang of some glyphs over the ones before them, in ems.

    Args:
        unnamed: number of a font without a name -> code -> width in ems, from the pages before; codes are added.
    """

    def __init__(self, raw: Any, fonts: Fonts, frame: _Frame, unnamed: dict[int, dict[int, float]]) -> None:
        self._raw, self._fonts, self._frame, self._unnamed = raw, fonts, frame, unnamed
        self.address = ctypes.cast(raw, ctypes.c_void_p).value
        self._fonts_by_address: dict[int, int] = {}
        self.styles: dict[int, _Style] = {}
        self.texts: dict[tuple[int, int], str] = {}
        self.unmapped: set[tuple[int, int]] = set()
        self.pending: list[tuple[Glyph, int]] = []
        self.overhangs: dict[tuple[int, int], float] = {}

    def learn_style(self, address: int | None, position: int) -> _Style:
        """Return the style of a text object with the character at `position`, and store it in `styles`."""
        if not address:
            return 0.0, 1.0, 0, False
        font_address = _get_font(address) or 0
        if font_address not in self._fonts_by_address:
            self._fonts_by_address[font_address] = _font(self._fonts, font_address)
        matrix = pdfium.FS_MATRIX()
        pdfium.FPDFText_GetMatrix(self._raw, position, ctypes.byref(matrix))
        size = pdfium.FPDFText_GetFontSize(self._raw, position) * math.hypot(matrix.c, matrix.d)
        turns = math.degrees(math.atan2(matrix.b, matrix.a)) / 90 if matrix.a or matrix.b else 0.0
        upright = (round(turns) - self._frame.turn) % 4 == 0 and abs(turns - round(turns)) < MAX_SLANT / 90
        base = self._frame.baseline(*_origin(self._raw, position))
        on_page = 0 <= base <= self._frame.height
        self.styles[address] = base, max(size, 0.5), self._fonts_by_address[font_address], upright and on_page
        return self.styles[address]

    def learn_text(self, font: int, code: int, position: int, em_width: float) -> str:
        """Return the text of a code of a font, first used at `position`, and store it in `texts`."""
        name = self._fonts.names[font]
        text = character(code)
        if _is_unmapped(self.address, position):
            encoding = encoding_named(name)
            if encoding is not None:
                text = encoding.get(code, UNKNOWN)
            elif name.startswith(UNNAMED):
                self.unmapped.add((font, code))
                self._unnamed.setdefault(font, {})[code] = em_width
        self._fonts.saw(font, text, em_width)
        self.texts[font, code] = text
        return text

    def settle(self) -> None:
        """Set the texts of the glyphs of fonts without a name, after all glyphs of the page are known."""
        encodings = {font: encoding_measured(self._unnamed[font]) for font in {item.font for item, _ in self.pending}}
        for glyph, code in self.pending:
            glyph.text = encodings[glyph.font].get(code, glyph.text)


def _glyphs(raw: Any, fonts: Fonts, frame: _Frame, unnamed: dict[int, dict[int, float]]) -> list[Glyph]:
    """Read the glyphs of a page in the order of drawing."""
    box = (ctypes.c_float * 4)()  # FS_RECTF: left, top, right, bottom
    page_text = _PageText(raw, fonts, frame, unnamed)
    box_address, raw_address = ctypes.addressof(box), page_text.address
    styles, texts, unmapped, overhangs = page_text.styles, page_text.texts, page_text.unmapped, page_text.overhangs
    plain, origin, width = frame.turn == 0, frame.left, frame.width
    glyphs: list[Glyph] = []
    last: Glyph | None = None
    drawn = (0.0, 0.0, 0.0)
    previous_address, half, parted = 0, 0, False
    for position in range(pdfium.FPDFText_CountChars(raw)):
        code = _get_unicode(raw_address, position)
        if code in SKIPPED and not (code < 32 and _is_unmapped(raw_address, position)):
            continue
        if 0xD800 <= code < 0xE000:  # half of a surrogate pair; PDFium swaps the halves in Hebrew
            code, half = _whole(half, code)
            if half:
                continue
        if code == 32 and pdfium.FPDFText_IsGenerated(raw, position):
            parted = True
            continue
        address = _get_text_object(raw_address, position)
        base, size, font, upright = styles.get(address) or page_text.learn_style(address, position)
        if not upright:
            continue
        _get_box(raw_address, position, box_address)
        # nearly every page is not rotated: no call for each glyph
        x0, x1 = (box[0] - origin, box[2] - origin) if plain else frame.span(*box)
        if x1 < 0 or x0 > width:
            continue
        text = texts.get((font, code))
        if text is None:
            text = page_text.learn_text(font, code, position, (x1 - x0) / size)
            if plain and (overhang := _overhang(raw, position, size, box[0])):
                overhangs[font, code] = overhang
        if last is not None and drawn == (x0, base, x1):  # two letters of one glyph, or drawn twice to look bold
            if address == previous_address:
                last.text += text
            continue
        drawn = x0, base, x1
        if overhangs and (font, code) in overhangs:
            x0 += overhangs[font, code] * size
        previous_address = address
        last = Glyph(text, x0, x1, base, size, font, parted and code < 0x0590)
        if unmapped and (font, code) in unmapped:
            page_text.pending.append((last, code))
        if 48 <= code <= 57 and plain and _is_superior(raw_address, position, base, size, frame):
            last.y, last.size = base - 0.35 * size, 0.65 * size
        glyphs.append(last)
        parted = False
    page_text.settle()
    return glyphs


def _whole(half: int, code: int) -> tuple[int, int]:
    """Return the character of a surrogate pair and 0, or the first half twice if the other half is missing yet."""
    if not half:
        return code, code
    high, low = min(half, code), max(half, code)
    return 0x10000 + ((high - 0xD800) << 10) + low - 0xDC00, 0


def _origin(raw: Any, position: int) -> tuple[float, float]:
    """Return the origin of a character in the coordinates of the file."""
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(raw, position, ctypes.byref(x), ctypes.byref(y))
    return x.value, y.value


def _overhang(raw: Any, position: int, size: float, left: float) -> float:
    """Return the overhang of a glyph with the left edge `left` over the one before it, in ems, 0 if it is small.

    PDFium's box includes the overhang of an italic f or j, which would hide the space before it.
    """
    over = (_origin(raw, position)[0] - left) / size
    return over if MIN_OVERHANG < over < MAX_OVERHANG else 0.0


def _is_superior(address: int | None, position: int, base: float, size: float, frame: _Frame) -> bool:
    """Return whether a digit is drawn above the baseline, as the superscript digits of a font."""
    box = (ctypes.c_double * 4)()
    first = ctypes.addressof(box)
    _get_tight_box(address, position, first, first + 8, first + 16, first + 24)  # left, right, bottom, top
    return base - frame.baseline(0.0, box[2]) > SUPERIOR * size


def _is_unmapped(address: int | None, position: int) -> bool:
    """Return whether the file does not explain a character, so that PDFium returns its code."""
    return bool(_has_map_error(address, position) == 1)


def _font(fonts: Fonts, address: int) -> int:
    """Return the number of a font; fonts without a name are identified by their address in memory."""
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
    """Return whether the first text of a page is invisible, as the text layer that OCR engines add to a scan."""
    item = pdfium.FPDFText_GetTextObject(raw, 0)
    return bool(item) and pdfium.FPDFTextObj_GetTextRenderMode(item) == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE


def _image_share(page: pypdfium2.PdfPage) -> float:
    """Return the share of a page that its images cover together, 0..1."""
    width, height = page.get_size()
    covered = 0.0
    for item in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=2):
        left, bottom, right, top = item.get_bounds()
        area = max(0.0, right - left) * max(0.0, top - bottom)
        covered += area if math.isfinite(area) else 0.0
    return min(1.0, covered / max(1.0, float(width * height)))


def _is_ruled(raw: Any) -> bool:
    """Return whether lines cross on a page as in a table of two rows and two columns, wide enough for text."""
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
    """Count positions, and those within the least size of a cell once."""
    apart: list[int] = []
    for place in sorted(places):
        if not apart or place - apart[-1] >= _MIN_RULE:
            apart.append(place)
    return len(apart)
