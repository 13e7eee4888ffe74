"""Reader of glyphs with PDFium, the default reader: it is fast, and right about characters."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium

from ingest.errors import SourceError
from ingest.pdf.model import (
    AXIS,
    MAX_SLANT,
    MIRRORED,
    SKIPPED,
    UNKNOWN,
    Box,
    Fonts,
    Glyph,
    GlyphPage,
    character,
)
from ingest.pdf.tex import encoding_named

_NEAR = 2.0
"""Maximal distance of two lines that meet, in points."""
_MIN_RULE = 3.0
"""Minimal length of a rule of a table, in points; LaTeX draws the vertical rule of a row in three pieces."""
_MIN_RULES = 3
"""Minimal number of rules of a table in each direction: two rows and two columns."""
_MIN_TABLE_WIDTH = 150.0
"""Minimal width of a table, in points; figures of arrays and trees are narrower."""
_MIN_DOT = 1.5
_MAX_DOT = 9.0
"""Minimal and maximal width of a drawn bullet, in points."""
_MAX_DOTS = 100
"""Maximal number of drawn bullets of a page; more are a plot."""
_MAX_OBJECTS = 4_000
"""Maximal number of paths checked on one page; a page with more is a plot or a map."""
_MAX_RULES = 2_000
"""Maximal number of rules of a table in one direction; more are a plot."""
FEW_GLYPHS = 40
"""Minimal number of glyphs on a page of text; a stamp has fewer."""
MIN_IMAGE_SHARE = 0.5
"""Minimal share of a scanned page that images cover."""
MIN_LINE = 12
SAME_WIDTH = 0.35
"""Minimal number of glyphs of an invisible line with a size of its own, and minimal logarithm of its relative width."""
MEAN_WIDTH = 0.5
"""Mean width of the glyphs of a text, in ems."""
MIN_OVERHANG = 0.03
MAX_OVERHANG = 0.4
"""Minimum and maximum overhang of a glyph over the one before it, in ems; more is a wrong width in the file."""
TALL_SIGNS = frozenset("()[]{}⟨⟩⌊⌋⌈⌉√∫∬∭∮∑∏∐⋃⋂⋁⋀⨀⨁⨂⨄")
MIN_DROP = 0.2
"""Signs that some fonts draw below or above the baseline of their formula, and the minimal distance, in ems."""
_MAX_BAR = 2.0
"""Maximal height of the bar of a fraction, in points."""

SUPERIOR = 0.2
"""Minimal height of a superscript digit that a font draws at full size, above the baseline, in ems."""
FIRST_RTL = 0x590
"""Code of the first character of a right-to-left script."""
_DIRECTIONS = {"L": "L", "R": "R", "AL": "R"} | dict.fromkeys(
    ("AN", "EN", "NSM", "CS", "ES", "ET", "BN"), "weak"
)
"""Direction of a character in PDFium, by its bidirectional class; others are neutral and take the direction before."""
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
        try:
            self._document = pypdfium2.PdfDocument(content)
            self.n_pages = len(self._document)
        except pypdfium2.PdfiumError as error:
            fault = "the PDF is damaged; get the file again"
            if error.err_code == pdfium.FPDF_ERR_PASSWORD:
                fault = "is encrypted; save it without a password"
            raise SourceError(f"{path}: {fault}") from error
        name = ctypes.create_string_buffer(8)
        pdfium.FPDF_VIEWERREF_GetName(self._document.raw, b"Direction", name, 8)
        self._r2l = name.value == b"R2L"

    def page(self, index: int) -> GlyphPage:
        """Return the page at a position, 0-based.

        Raises:
            SourceError: the page is damaged.
        """
        with self._opened(index) as page:
            turn = page.get_rotation() // 90
            frame = _Frame(turn, *page.get_bbox(), *page.get_size())
            with contextlib.closing(page.get_textpage()) as text_page:
                raw = text_page.raw
                text = _PageText(raw, self.fonts, frame, self._r2l)
                glyphs = text.glyphs()
                turn = text.usual_turn
                if turn != frame.turn and len(glyphs) < FEW_GLYPHS:
                    sideways = frame.turned(turn)
                    text = _PageText(raw, self.fonts, sideways, self._r2l)
                    turned = text.glyphs()
                    if len(turned) >= FEW_GLYPHS:  # and not a stamp
                        frame, glyphs = sideways, turned
                # the text layer that OCR engines add to a scan is invisible
                item = pdfium.FPDFText_GetTextObject(raw, 0)
                mode = pdfium.FPDFTextObj_GetTextRenderMode(item)
                hidden = bool(item) and mode == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE

            if hidden:
                _even_sizes(glyphs)
            paths = list(_bounds(page, pdfium.FPDF_PAGEOBJ_PATH, 1))
            return GlyphPage(
                width=frame.width,
                height=frame.height,
                glyphs=glyphs,
                dots=_dots(paths, frame),
                bars=_bars(paths, frame),
                ruled=frame.turn == page.get_rotation() // 90 and _is_ruled(paths),
                scanned=not glyphs and _image_share(page) > MIN_IMAGE_SHARE,
            )

    def metadata(self, key: str) -> str:
        """Return a value of the file's metadata, "" if it is absent."""
        return str(self._document.get_metadata_value(key))

    @contextlib.contextmanager
    def _opened(self, index: int) -> Iterator[pypdfium2.PdfPage]:
        """Yield the page at a position, 0-based, and close it.

        Raises:
            SourceError: the page is damaged.
        """
        try:
            with contextlib.closing(self._document[index]) as page:
                yield page
        except pypdfium2.PdfiumError as error:
            raise SourceError(
                f"{self._path} page {index + 1} is damaged; get the file again"
            ) from error

    def close(self) -> None:
        """Free the file."""
        self._document.close()


def _by_address(function: Any) -> Any:
    """Declare a function of PDFium with addresses as plain numbers, which are much faster than checked pointers."""
    types = []
    for declared in (function.restype, *function.argtypes):
        is_pointer = hasattr(declared, "contents")
        types.append(ctypes.c_void_p if is_pointer else declared)
    address = ctypes.cast(function, ctypes.c_void_p).value or 0
    return ctypes.CFUNCTYPE(*types)(address)


_get_unicode = _by_address(pdfium.FPDFText_GetUnicode)
_has_map_error = _by_address(pdfium.FPDFText_HasUnicodeMapError)
_get_text_object = _by_address(pdfium.FPDFText_GetTextObject)
_get_font = _by_address(pdfium.FPDFTextObj_GetFont)
_get_tight_box = _by_address(pdfium.FPDFText_GetCharBox)
_get_box = _by_address(pdfium.FPDFText_GetLooseCharBox)


@dataclass(slots=True)
class _Frame:
    """Rotation of a page in quarter turns clockwise, its visible part in the coordinates of the file, and its size."""

    turn: int
    left: float
    bottom: float
    right: float
    top: float
    width: float
    height: float

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return a point as its distances from the left edge and the top of the page as shown."""
        left = x - self.left
        right = self.right - x
        down = self.top - y
        up = y - self.bottom
        turned = ((left, down), (up, left), (right, up), (down, right))
        return turned[self.turn]

    def turned(self, turn: int) -> _Frame:
        """Return the frame of a page that is seen in another rotation."""
        sides = self.width, self.height
        width, height = sides if (turn - self.turn) % 2 == 0 else sides[::-1]
        return replace(self, turn=turn, width=width, height=height)


_Style = tuple[float, float, int, bool]
"""Baseline, size and font of a text object, and whether it is upright and on the page."""


class _PageText:
    """Text of a page: styles of its text objects and texts of the codes of its fonts are read from PDFium once.

    Args:
        r2l: whether the file says that its pages follow each other from right to left.
    """

    def __init__(
        self,
        raw: Any,
        fonts: Fonts,
        frame: _Frame,
        r2l: bool,
    ) -> None:
        self._raw = raw
        self._fonts = fonts
        self._frame = frame
        self._r2l = r2l
        self._address = ctypes.cast(raw, ctypes.c_void_p).value
        self._box = (ctypes.c_float * 4)()  # FS_RECTF: left, top, right, bottom
        self._box_address = ctypes.addressof(self._box)
        self._styles: dict[int, _Style] = {}
        self._turns: Counter[int] = Counter()
        self._texts: dict[tuple[int, int], str] = {}
        self._overhangs: dict[tuple[int, int], float] = {}
        self._drawn = (0.0, 0.0, 0.0, 0)

    def glyphs(self) -> list[Glyph]:
        """Read the glyphs of the page in the order of drawing."""
        glyphs: list[Glyph] = []
        parted = False
        for position, code in self._codes():
            if code == 32 and pdfium.FPDFText_IsGenerated(self._raw, position):
                parted = True
                continue
            glyph = self._glyph(position, code, glyphs)
            if glyph is not None:
                glyph.parted = parted and code < FIRST_RTL
                glyphs.append(glyph)
                parted = False
        return glyphs

    @property
    def usual_turn(self) -> int:
        """Rotation of most of its text, in quarter turns; that of the page if it has none."""
        page_turn = self._frame.turn
        return max(range(4), key=lambda turn: (self._turns[turn], turn == page_turn))

    def _codes(self) -> Iterator[tuple[int, int]]:
        """Yield position and code of the characters that are not skipped; a surrogate pair is one character."""
        half = 0
        n_chars = pdfium.FPDFText_CountChars(self._raw)
        codes = [_get_unicode(self._address, place) for place in range(n_chars)]
        if self._r2l or max(codes, default=0) >= FIRST_RTL:
            codes = _unmirrored(codes, self._r2l)
        for position, code in enumerate(codes):
            if code in SKIPPED and not (code < 32 and self._is_unmapped(position)):
                continue
            if 0xD800 <= code < 0xE000:
                if not half:
                    half = code
                    continue
                high, low = sorted((half, code))
                code = 0x10000 + ((high - 0xD800) << 10) + low - 0xDC00
                half = 0
            yield position, code

    def _glyph(
        self,
        position: int,
        code: int,
        before: list[Glyph],
    ) -> Glyph | None:
        """Return a glyph; None if it is not upright, outside the page, or drawn where the one before it is."""
        item = _get_text_object(self._address, position)
        style = self._styles.get(item) or self._learn_style(item, position)
        base, size, font, upright = style
        if not upright:
            return None
        frame = self._frame
        _get_box(self._address, position, self._box_address)
        # nearly every page is not rotated: no call for each glyph
        x0 = self._box[0] - frame.left
        x1 = self._box[2] - frame.left
        if frame.turn:
            x0, x1 = self._edges()
        if x1 < 0 or x0 > frame.width:
            return None

        key = font, code
        text = self._texts.get(key) or self._learn_text(key, position, size)
        *place, drawn_by = self._drawn
        self._drawn = x0, base, x1, item
        if before and place == [x0, base, x1]:
            if item == drawn_by:  # two letters of one glyph; or it looks bold
                before[-1].text += text
            return None

        x0 += self._overhangs.get(key, 0.0) * size
        glyph = Glyph(text, x0, x1, base, size, font, False)
        if frame.turn == 0:
            self._set_height(glyph, position, is_digit=48 <= code <= 57)
        return glyph

    def _set_height(self, glyph: Glyph, position: int, *, is_digit: bool) -> None:
        """Move a tall sign that hangs to the row of its formula, and raise a superscript digit of a font."""
        base, size = glyph.y, glyph.size
        if glyph.text in TALL_SIGNS:
            top, bottom = self._heights(position)
            glyph.height = bottom - top
            level = (top + bottom) / 2 + AXIS * size
            if abs(level - base) > MIN_DROP * size:
                glyph.y = level
        elif is_digit:
            _, bottom = self._heights(position)
            if base - bottom > SUPERIOR * size:
                glyph.y = base - 0.35 * size
                glyph.size = 0.65 * size

    def _edges(self) -> tuple[float, float]:
        """Return left and right edge of the last box on the page as shown."""
        left, top, right, bottom = self._box
        one, _ = self._frame.place(left, top)
        other, _ = self._frame.place(right, bottom)
        return min(one, other), max(one, other)

    def _heights(self, position: int) -> tuple[float, float]:
        """Return top and bottom of what is drawn of a character, on a page that is not rotated."""
        box = (ctypes.c_double * 4)()  # left, right, bottom, top
        edges = [ctypes.addressof(box) + 8 * number for number in range(4)]
        _get_tight_box(self._address, position, *edges)
        _, bottom = self._frame.place(0.0, box[2])
        _, top = self._frame.place(0.0, box[3])
        return top, bottom

    def _learn_style(self, address: int | None, position: int) -> _Style:
        """Return the style of a text object with the character at `position`, and store it in `_styles`."""
        if not address:
            return 0.0, 1.0, 0, False
        matrix = pdfium.FS_MATRIX()
        pdfium.FPDFText_GetMatrix(self._raw, position, ctypes.byref(matrix))
        scale = math.hypot(matrix.c, matrix.d)
        size = pdfium.FPDFText_GetFontSize(self._raw, position) * scale
        turns = math.degrees(math.atan2(matrix.b, matrix.a)) / 90
        is_straight = abs(turns - round(turns)) < MAX_SLANT / 90
        self._turns[round(turns) % 4] += is_straight
        is_upright = is_straight and (round(turns) - self._frame.turn) % 4 == 0
        _, base = self._frame.place(*_origin(self._raw, position))
        is_shown = is_upright and 0 <= base <= self._frame.height
        font = _font(self._fonts, _get_font(address) or 0)
        style = base, max(size, 0.5), font, is_shown
        self._styles[address] = style
        return style

    def _learn_text(
        self,
        key: tuple[int, int],
        position: int,
        size: float,
    ) -> str:
        """Return the text of a font and a code, first used at `position`, and store it with its overhang."""
        font, code = key
        name = self._fonts.names[font]
        left, right = self._edges()
        em_width = (right - left) / size
        text = character(code)
        # PDFium has no character for the code 0
        is_unmapped = code == 0 or self._is_unmapped(position)
        encoding = encoding_named(name, is_unmapped)
        if encoding is not None:
            text = encoding.get(code, UNKNOWN)
        self._fonts.saw(font, text, em_width)
        self._texts[key] = text

        # PDFium's box includes the overhang of an italic f or j, which would hide the space before it
        x, _ = _origin(self._raw, position)
        over = (x - self._box[0]) / size
        if self._frame.turn == 0 and MIN_OVERHANG < over < MAX_OVERHANG:
            self._overhangs[key] = over
        return text

    def _is_unmapped(self, position: int) -> bool:
        """Return whether the file does not explain a character, so that PDFium returns its code."""
        return bool(_has_map_error(self._address, position) == 1)


def _unmirrored(codes: Iterable[int], r2l: bool) -> list[int]:
    """Return the codes of a page as the file has them.

    PDFium mirrors signs after a right-to-left letter and before the next other letter, and the first ones of a line
    that it takes for a right-to-left line, as all lines of some files.
    """
    stored = []
    for line in "".join(map(chr, codes)).split("\n"):
        kinds = []
        for char in line:
            # letters of mathematics are neutral in PDFium
            known = unicodedata.bidirectional(char) if char < "\ud800" else ""
            kinds.append(_DIRECTIONS.get(known, " "))
        runs = [kind for kind, _ in itertools.groupby(kinds)]
        is_right = r2l or 0 < runs.count("R") >= runs.count("L")
        for char, kind in zip(line, kinds, strict=True):
            if kind in ("L", "R"):
                is_right = kind == "R"
            is_mirrored = is_right and kind == " "
            stored.append(ord(char.translate(MIRRORED) if is_mirrored else char))
        stored.append(ord("\n"))
    return stored[:-1]


def _origin(raw: Any, position: int) -> tuple[float, float]:
    """Return the origin of a character in the coordinates of the file."""
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(raw, position, ctypes.byref(x), ctypes.byref(y))
    return x.value, y.value


def _font(fonts: Fonts, address: int) -> int:
    """Return the number of a font; fonts without a name are identified by their address in memory."""
    if not address:
        return fonts.number(UNNAMED)
    font = ctypes.cast(address, pdfium.FPDF_FONT)
    buffer = ctypes.create_string_buffer(256)
    pdfium.FPDFFont_GetBaseFontName(font, buffer, 256)
    name = buffer.value.decode("utf-8", "replace")
    flags = pdfium.FPDFFont_GetFlags(font)
    is_forced_bold = flags > 0 and flags & 0x40000 > 0
    heavy = is_forced_bold or pdfium.FPDFFont_GetWeight(font) >= 600
    return fonts.number(name or f"{UNNAMED}{address}", heavy)


def _even_sizes(glyphs: list[Glyph]) -> None:
    """Set the font sizes of an invisible text layer by the widths of its glyphs.

    OCR engines stretch letters of any size to the width of the word that they see.
    """
    usual = median([glyph.x1 - glyph.x0 for glyph in glyphs])
    for _, group in itertools.groupby(glyphs, key=lambda glyph: round(glyph.y)):
        line = list(group)
        width = mean([glyph.x1 - glyph.x0 for glyph in line])
        is_usual = len(line) < MIN_LINE or abs(math.log(width / usual)) < SAME_WIDTH
        for glyph in line:
            glyph.size = (usual if is_usual else width) / MEAN_WIDTH


def _image_share(page: pypdfium2.PdfPage) -> float:
    """Return the share of a page that its images cover together, 0..1."""
    width, height = page.get_size()
    covered = 0.0
    for left, bottom, right, top in _bounds(page, pdfium.FPDF_PAGEOBJ_IMAGE, 2):
        covered += max(0.0, right - left) * max(0.0, top - bottom)
    return min(1.0, covered / max(1.0, float(width * height)))


_Bounds = tuple[float, float, float, float]


def _bounds(page: pypdfium2.PdfPage, kind: int, depth: int) -> Iterator[_Bounds]:
    """Yield left, bottom, right and top of the objects of a kind."""
    objects = page.get_objects(filter=[kind], max_depth=depth)
    for item in itertools.islice(objects, _MAX_OBJECTS):
        with contextlib.suppress(pypdfium2.PdfiumError):  # an object without bounds
            bounds = item.get_bounds()
            if all(map(math.isfinite, bounds)):
                yield bounds


def _dots(paths: Iterable[_Bounds], frame: _Frame) -> list[Box]:
    """Return the drawn squares and discs in the size of a bullet, none on a page with many, such as a plot."""
    dots = []
    for left, bottom, right, top in paths:
        shorter, longer = sorted((right - left, top - bottom))
        if shorter >= _MIN_DOT and longer <= min(_MAX_DOT, 1.5 * shorter):
            x0, y0 = frame.place(left, top)
            x1, y1 = frame.place(right, bottom)
            dots.append(Box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)))
    return dots if len(dots) <= _MAX_DOTS else []


def _bars(paths: Iterable[_Bounds], frame: _Frame) -> list[Box]:
    """Return the thin horizontal rules, without their height."""
    bars = []
    for left, bottom, right, top in paths:
        x0, y0 = frame.place(left, top)
        x1, y1 = frame.place(right, bottom)
        y = (y0 + y1) / 2
        height = abs(y1 - y0)
        if height <= _MAX_BAR and 2 * height < abs(x1 - x0):
            bars.append(Box(min(x0, x1), y, max(x0, x1), y))
    return bars


def _is_ruled(paths: Iterable[_Bounds]) -> bool:
    """Return whether lines cross on a page as in a table of two rows and two columns, wide enough for text."""
    across = set()
    down = set()
    for bounds in paths:
        # the two edges of a drawn line count as two
        left, bottom, right, top = map(round, bounds)
        if right - left >= _MIN_RULE:
            across |= {(bottom, left, right), (top, left, right)}
        if top - bottom >= _MIN_RULE:
            down |= {(left, bottom, top), (right, bottom, top)}
    fewer, more = sorted((len(across), len(down)))
    if fewer < _MIN_RULES or more > _MAX_RULES:
        return False

    y, left_end, right_end = np.array(sorted(across)).T[..., None]
    x, lower_end, upper_end = np.array(sorted(down)).T
    crosses = (left_end - _NEAR <= x) & (x <= right_end + _NEAR)
    crosses &= (lower_end - _NEAR <= y) & (y <= upper_end + _NEAR)
    edges_at: dict[int, set[int]] = defaultdict(set)  # Word draws a rule of each cell
    for height, row in zip(y[:, 0].tolist(), crosses, strict=True):
        edges_at[height].update(x[row].tolist())
    heights = []
    for height, edges in edges_at.items():
        is_wide = edges and max(edges) - min(edges) >= _MIN_TABLE_WIDTH
        if is_wide and _are_apart(sorted(edges)):
            heights.append(height)
    return _are_apart(heights)


def _are_apart(places: Iterable[int]) -> bool:
    """Return whether enough sorted places are apart by the least size of a cell."""
    count = 0
    last = -math.inf
    for place in places:
        if place - last >= _MIN_RULE:
            count += 1
            last = place
    return count >= _MIN_RULES
