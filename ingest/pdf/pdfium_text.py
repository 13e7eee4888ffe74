"""Glyphs of a page, with PDFium."""

from __future__ import annotations

import ctypes
import itertools
import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from ingest.pdf.frame import Frame
from ingest.pdf.ligatures import FOREIGN, OF_CALIBRI, spell_ligatures
from ingest.pdf.model import (
    AXIS,
    MAX_SLANT,
    MIRRORED,
    SKIPPED,
    UNKNOWN,
    Fonts,
    Glyph,
    character,
)
from ingest.pdf.private_signs import has_own_signs, private_letters, private_sign
from ingest.pdf.tex import (
    BRACKET_PIECES,
    LARGE,
    LOW_QUOTES,
    MSA,
    OMX,
    PAIRED,
    RELATION_SIGNS,
    draws_lines,
    encoding_named,
    join_bracket_pieces,
    join_relation,
    raise_low_quote,
)

MIN_OVERHANG = 0.03
"""Minimum overhang of a glyph over the one before it, in ems."""

MAX_OVERHANG = 0.4
"""Maximum overhang of a glyph over the one before it, in ems; more is a wrong width in the file."""

TALL_SIGNS = frozenset("()[]{}/\\⟨⟩⌊⌋⌈⌉√∫∬∭∮∑∏∐⋃⋂⋁⋀⨀⨁⨂⨄").union(BRACKET_PIECES)
"""Signs that some fonts draw below or above the baseline of their formula."""

MIN_HANG = 0.2
"""Minimum distance of such a sign from the baseline, in ems."""

HYPHENS = ("-", "\xad")
"""Hyphens to which one glyph may be mapped."""

NEGATED = {"∈": "∉", "∋": "∌"}
"""Signs that PDFium returns in right-to-left text for negated ones."""

MIN_NEGATED = 0.75
"""Minimum height of a negated sign, in ems."""

MIN_POINTS = 2.0
"""Size in points below which that of a font is measured: the unit of bitmap fonts of Ghostscript is a pixel."""

BRACKETS = frozenset(map(ord, "()[]{}/"))
"""Codes of signs that are an em high."""

LETTERS_HEIGHT = 0.89
"""Height of letters from the highest to the lowest one, in ems (Computer Modern)."""

SUPERIOR = 0.2
"""Minimum height above the baseline of a superscript digit that a font draws at full size, in ems."""

SUPERIOR_RISE = 0.35
"""Rise that such a digit gets, in ems."""

SUPERIOR_SIZE = 0.65
"""Size that such a digit gets, in ems."""

FIRST_RTL = 0x590
"""Code of the first character of a right-to-left script."""

FIRST_MATHEMATICAL = 0x1D400
"""Code of the first mathematical letter."""

_PDFIUM_DIRECTIONS = {"L": "L", "R": "R", "AL": "R"} | dict.fromkeys(
    ("AN", "EN", "NSM", "CS", "ES", "ET", "BN"), "weak"
)
"""Direction of a character in PDFium, by its bidirectional class; others are neutral and take the direction before."""
Region = tuple[float, float, float, float]
"""Left, bottom, right and top of a rectangle in the coordinates of a file."""
UNCLIPPED: Region = (-math.inf, -math.inf, math.inf, math.inf)
"""Region of text that is not clipped."""
STRETCHED = 10
"""Minimum height of print in its widths that a browser stretches; its size is that of its width."""
UNNAMED = "unnamed "
"""Prefix of the names given to fonts without a name."""


def by_address(function: Any) -> Any:
    """Declare a function of PDFium with addresses as plain numbers, which are much faster than checked pointers."""
    types = []
    for declared in (function.restype, *function.argtypes):
        is_pointer = hasattr(declared, "contents")
        types.append(ctypes.c_void_p if is_pointer else declared)
    address = ctypes.cast(function, ctypes.c_void_p).value or 0
    return ctypes.CFUNCTYPE(*types)(address)


_get_unicode = by_address(pdfium.FPDFText_GetUnicode)
_has_map_error = by_address(pdfium.FPDFText_HasUnicodeMapError)
_get_text_object = by_address(pdfium.FPDFText_GetTextObject)
_get_font = by_address(pdfium.FPDFTextObj_GetFont)
_get_width = by_address(pdfium.FPDFFont_GetGlyphWidth)
_get_clip = by_address(pdfium.FPDFPageObj_GetClipPath)
_count_paths = by_address(pdfium.FPDFClipPath_CountPaths)
_count_segments = by_address(pdfium.FPDFClipPath_CountPathSegments)
_get_segment = by_address(pdfium.FPDFClipPath_GetPathSegment)
_get_point = by_address(pdfium.FPDFPathSegment_GetPoint)
_get_bounds = by_address(pdfium.FPDFPageObj_GetBounds)
_get_tight_box = by_address(pdfium.FPDFText_GetCharBox)
_get_box = by_address(pdfium.FPDFText_GetLooseCharBox)


class _Style(NamedTuple):
    """Style of a text object.

    Attributes:
        base: its baseline, in points from the top.
        size: its font size, in points.
        font: number of its font.
        is_shown: whether it is upright and on the page, and not cut off.
        is_mathematical: whether its font is one of mathematics.
        bearing: distance of its first box from its origin, in points, if its characters are given by its tag and have
            tight boxes; else 0.
        slant: slant of regular print, as a share of its height; 0 if it is upright.
        element: number of its element in the structure of the page; 0 if it has none.
        is_seen: whether it is neither invisible nor transparent.
        clip: the region to which a browser clips it after stretching it; else infinite.
    """

    base: float = 0.0
    size: float = 1.0
    font: int = 0
    is_shown: bool = False
    is_mathematical: bool = False
    bearing: float = 0.0
    slant: float = 0.0
    element: int = 0
    is_seen: bool = True
    clip: Region = UNCLIPPED


def _is_space_of_point(glyph: Glyph, before: Glyph) -> bool:
    """Return whether a glyph is the space without width that some programs write after a point of Hebrew."""
    is_empty = glyph.text == " " and glyph.x1 <= glyph.x0
    return is_empty and unicodedata.combining(before.text[-1]) > 0


class PageText:
    """Text of a page: styles of its text objects and texts of the codes of its fonts are read from PDFium once.

    Args:
        r2l: whether the file says that its pages follow each other from right to left.
        elements: number of the element of each object in the structure of the file, by its address.
        cut: addresses of the text objects that the forms around them cut off.
    """

    def __init__(
        self,
        raw: Any,
        fonts: Fonts,
        frame: Frame,
        r2l: bool,
        elements: Mapping[int, int],
        cut: frozenset[int],
    ) -> None:
        self._raw = raw
        self._elements = elements
        self._cut = cut
        self._fonts = fonts
        self._frame = frame
        self._r2l = r2l
        self._address = ctypes.cast(raw, ctypes.c_void_p).value

        self._box = (ctypes.c_float * 4)()  # FS_RECTF: left, top, right, bottom
        self._box_address = ctypes.addressof(self._box)
        self._styles: dict[int, _Style] = {}
        self._turns: Counter[int] = Counter()
        self._drawn_sizes: dict[int, float] = {}
        self._texts: dict[tuple[int, int, bool], tuple[str, float]] = {}
        self._last_place = (0.0, 0.0, 0.0)
        self._last_object: int | None = None
        self._has_ligatures = False
        self._private: set[tuple[int, str]] = set()

    def glyphs(self) -> list[Glyph]:
        """Read the glyphs of the page in the order of drawing."""
        glyphs: list[Glyph] = []
        parted = False
        for position, code in self._codes():
            if code == 32 and pdfium.FPDFText_IsGenerated(self._raw, position):
                parted = True
                continue
            glyph = self._glyph(position, code, glyphs)
            if glyph is None or (glyphs and _is_space_of_point(glyph, glyphs[-1])):
                continue
            if (
                glyph.text in RELATION_SIGNS
                and glyphs
                and join_relation(glyphs[-1], glyph)
            ):
                continue
            if glyph.text in BRACKET_PIECES:
                join_bracket_pieces(glyphs, glyph)
            if glyphs and glyphs[-1].text in LOW_QUOTES:
                raise_low_quote(glyphs[-1], glyph)

            glyph.parted = parted and code < FIRST_RTL
            glyphs.append(glyph)
            parted = False
        if self._has_ligatures or self._private:
            private = frozenset(self._private)
            spell_ligatures(glyphs, private, self._fonts.ligatures)
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
            codes = self._undo_mirroring(codes)

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

    def _undo_mirroring(self, codes: Iterable[int]) -> list[int]:
        """Return the codes of a page as the file has them.

        PDFium mirrors signs after a right-to-left letter and before the next other letter, and the first ones of a line
        that it reads from right to left, as all lines of some files.
        """
        stored: list[int] = []
        for line in "".join(map(chr, codes)).split("\n"):
            kinds = []
            for char in line:
                # letters of mathematics are neutral in PDFium
                known = unicodedata.bidirectional(char) if char < "\ud800" else ""
                kinds.append(_PDFIUM_DIRECTIONS.get(known, " "))

            is_right = self._is_right_to_left(kinds, len(stored))
            for char, kind in zip(line, kinds, strict=True):
                if kind in ("L", "R"):
                    is_right = kind == "R"
                is_mirrored = is_right and kind == " "
                stored.append(ord(char.translate(MIRRORED) if is_mirrored else char))
            stored.append(ord("\n"))
        return stored[:-1]

    def _is_right_to_left(self, kinds: Sequence[str], start: int) -> bool:
        """Return whether PDFium reads a line from right to left: it has as many such runs, its first letter is right.

        Args:
            kinds: directions of the characters of the line.
            start: the position of the first one.
        """
        runs = [kind for kind, _ in itertools.groupby(kinds)]
        if self._r2l or not 0 < runs.count("R") >= runs.count("L"):
            return self._r2l
        letters = [
            place for place, kind in enumerate(kinds, start) if kind in ("L", "R")
        ]
        first, _ = _origin(self._raw, letters[0])
        last, _ = _origin(self._raw, letters[-1])
        return len(letters) == 1 or first > last

    def _glyph(
        self,
        position: int,
        code: int,
        before: list[Glyph],
    ) -> Glyph | None:
        """Return a glyph; None if it is not upright, off the page, no text, or a copy or letter of the one before."""
        item = _get_text_object(self._address, position)
        style = self._styles.get(item) or self._learn_style(item, position)
        if not style.is_shown:
            return None
        frame = self._frame
        _get_box(self._address, position, self._box_address)
        if style.slant:
            self._straighten_box(style.slant, style.base)
        # nearly every page is not rotated: no call for each glyph
        x0 = self._box[0] - frame.left
        x1 = self._box[2] - frame.left
        if frame.turn:
            x0, x1 = self._edges()
        if x1 < 0 or x0 > frame.width:
            return None

        place = x0, style.base, x1
        is_same_place = place == self._last_place
        is_same_object = item == self._last_object
        self._last_place, self._last_object = place, item
        if is_same_place and before and is_same_object:
            # its box is that of the whole glyph
            before[-1].text = _both_letters(before[-1].text, character(code), code)
            return None
        # a code that the file does not explain may be that of another sign
        is_unmapped = style.is_mathematical and self._is_unmapped(position)
        key = style.font, code, is_unmapped
        learnt = self._texts.get(key)
        text, overhang = learnt or self._learn_text(key, position, style.size)
        is_copy = bool(before) and is_same_place and text == before[-1].text
        if is_copy or not text:  # a copy looks bold
            return None

        left = x0 + overhang * style.size - style.bearing
        glyph = Glyph(
            text,
            left,
            x1,
            style.base,
            style.size,
            style.font,
            parted=False,
            element=style.element,
            is_seen=style.is_seen,
        )
        if frame.turn == 0:
            self._measure(glyph, code, position, style)
        return glyph

    def _straighten_box(self, slant: float, base: float) -> None:
        """Remove from the last box what it holds of the glyphs beside its own, which is slanted."""
        level = self._frame.top - base
        rise, drop = self._box[1] - level, level - self._box[3]
        self._box[0] += max(slant * drop, -slant * rise)
        self._box[2] -= max(slant * rise, -slant * drop)

    def _measure(self, glyph: Glyph, code: int, position: int, style: _Style) -> None:
        """Measure a sign that may be tall, and a digit that may be raised."""
        if glyph.text in TALL_SIGNS:
            self._set_height(glyph, position, style)
        elif glyph.text in NEGATED:
            top, bottom = self._heights(position)
            if bottom - top > MIN_NEGATED * glyph.size:
                glyph.text = NEGATED[glyph.text]
        elif 48 <= code <= 57:
            self._raise_superior(glyph, position)

    def _set_height(self, glyph: Glyph, position: int, style: _Style) -> None:
        """Measure a tall sign, and move one that hangs to the row of its formula.

        Browsers stretch the middle pieces of brackets, and clip them to their lengths.
        """
        top, bottom = self._heights(position)
        top = max(top, self._frame.top - style.clip[3])
        bottom = min(bottom, self._frame.top - style.clip[1])
        glyph.height = bottom - top
        level = (top + bottom) / 2 + AXIS * glyph.size
        if abs(level - glyph.y) > MIN_HANG * glyph.size:
            glyph.y = level

    def _raise_superior(self, glyph: Glyph, position: int) -> None:
        """Raise a digit that its font draws as a superscript at full size."""
        _, bottom = self._heights(position)
        if glyph.y - bottom > SUPERIOR * glyph.size:
            glyph.y -= SUPERIOR_RISE * glyph.size
            glyph.size *= SUPERIOR_SIZE

    def _edges(self) -> tuple[float, float]:
        """Return left and right edge of the last box on the page as shown."""
        left, top, right, bottom = self._box
        one, _ = self._frame.on_page(left, top)
        other, _ = self._frame.on_page(right, bottom)
        return min(one, other), max(one, other)

    def _heights(self, position: int) -> tuple[float, float]:
        """Return top and bottom of what is drawn of a character, on a page that is not rotated."""
        box = (ctypes.c_double * 4)()  # left, right, bottom, top
        _get_tight_box(self._address, position, *_addresses(box))
        return self._frame.top - box[3], self._frame.top - box[2]

    def _learn_style(self, address: int | None, position: int) -> _Style:
        """Return the style of a text object with the character at `position`, and store it in `_styles`."""
        if not address:
            return _Style()
        matrix = pdfium.FS_MATRIX()
        pdfium.FPDFText_GetMatrix(self._raw, position, ctypes.byref(matrix))
        scale = math.hypot(matrix.c, matrix.d)
        width_scale = math.hypot(matrix.a, matrix.b)
        is_stretched = scale > STRETCHED * width_scale
        if is_stretched:
            scale = width_scale
        size = pdfium.FPDFText_GetFontSize(self._raw, position) * scale
        if size < MIN_POINTS:
            size = self._drawn_size(_get_font(address))

        turns = math.degrees(math.atan2(matrix.b, matrix.a)) / 90
        is_straight = abs(turns - round(turns)) < MAX_SLANT / 90
        self._turns[round(turns) % 4] += is_straight
        is_upright = is_straight and (round(turns) - self._frame.turn) % 4 == 0

        origin = _origin(self._raw, position)
        _, base = self._frame.on_page(*origin)
        _get_box(self._address, position, self._box_address)
        bearing = 0.0 if self._frame.turn else max(0.0, self._box[0] - origin[0])
        slant = 0.0 if self._frame.turn or not matrix.d else matrix.c / matrix.d
        is_on_page = 0 <= base <= self._frame.height
        clip = clip_of(address)
        is_cut = address in self._cut or are_apart(bounds_of(address), clip)
        is_shown = is_upright and is_on_page and not is_cut
        font = _font(self._fonts, _get_font(address) or 0)
        is_mathematical = encoding_named(self._fonts.names[font], True) is not None
        style = _Style(
            base,
            max(size, 0.5),
            font,
            is_shown,
            is_mathematical,
            bearing,
            slant,
            element=self._elements.get(address, 0),
            is_seen=_is_seen(address),
            clip=clip if is_stretched else UNCLIPPED,
        )
        self._styles[address] = style
        return style

    def _drawn_size(self, font: int) -> float:
        """Return the size of a font by its highest and lowest glyphs, which brackets make an em apart."""
        if font not in self._drawn_sizes:
            heights, depths = [0.0], [0.0]
            share = LETTERS_HEIGHT
            for position in range(pdfium.FPDFText_CountChars(self._raw)):
                item = _get_text_object(self._address, position)
                if not item or _get_font(item) != font:
                    continue
                _, base = self._frame.on_page(*_origin(self._raw, position))
                top, bottom = self._heights(position)
                heights.append(base - top)
                depths.append(bottom - base)
                if _get_unicode(self._address, position) in BRACKETS:
                    share = 1.0
            self._drawn_sizes[font] = (max(heights) + max(depths)) / share

        return self._drawn_sizes[font]

    def _learn_text(
        self,
        key: tuple[int, int, bool],
        position: int,
        size: float,
    ) -> tuple[str, float]:
        """Return the text of a font and a code, first used at `position`, and its overhang in ems, and store both."""
        font, code, _ = key
        left, right = self._edges()
        text = self._read_text(font, code, position)
        self._fonts.saw(font, text, (right - left) / size)

        # PDFium's box includes the overhang of an italic f or j, which would hide the space before it
        x, _ = _origin(self._raw, position)
        overhang = (x - self._box[0]) / size
        # a wide letter fills its square, and the box of another program's font may not
        is_wide = unicodedata.east_asian_width(text[:1] or " ") == "W"
        highest = math.inf if is_wide else MAX_OVERHANG
        if self._frame.turn or not MIN_OVERHANG < overhang < highest:
            overhang = 0.0
        self._texts[key] = text, overhang
        return text, overhang

    def _read_text(self, font: int, code: int, position: int) -> str:
        """Return the text of a code of a font, first used at `position`."""
        name = self._fonts.names[font]
        if draws_lines(name):
            return ""
        text = private_letters(code, name) or character(code)
        is_ornament = has_own_signs(name) and 0x20 < code < 0x100
        if 0xF000 <= code < 0xF900 or is_ornament:
            text = self._sign_at(position, code, name)
        self._has_ligatures |= text in OF_CALIBRI

        # PDFium has no character for the code 0
        encoding = encoding_named(name, code == 0 or self._is_unmapped(position))
        if encoding is not None:
            return encoding.get(code, UNKNOWN)
        for table, large_encoding in ((LARGE, OMX), (PAIRED, MSA)):
            translated = text.translate(table)
            if translated != text and encoding_named(name, True) is large_encoding:
                return translated

        is_control = unicodedata.category(chr(code)) in ("Cc", "Co")
        is_private = is_control and text in (UNKNOWN, chr(code))
        if is_private or chr(code) in FOREIGN:
            text = chr(code)
            self._private.add((font, text))
        return text

    def _sign_at(self, position: int, code: int, font: str) -> str:
        """Return the sign of a glyph whose font has signs of its own, by the width of the glyph."""
        width = ctypes.c_float()
        handle = _get_font(_get_text_object(self._address, position))
        _get_width(handle, code, 1000.0, ctypes.addressof(width))
        names = f"{font}, {_family(handle)}"
        return private_sign(code | 0xF000, names, width.value)

    def _is_unmapped(self, position: int) -> bool:
        """Return whether the file does not explain a character, so that PDFium returns its code."""
        return bool(_has_map_error(self._address, position) == 1)


def _both_letters(first: str, second: str, code: int) -> str:
    """Return the two letters of one glyph.

    Acrobat maps each mathematical letter of Word to two, and a space or hyphen may be mapped to several.

    Args:
        code: of the second letter.
    """
    if first == second and (code >= FIRST_MATHEMATICAL or first == " "):
        return first
    if first in HYPHENS and second in HYPHENS:
        return "-"
    return first + second


def _is_seen(address: int) -> bool:
    """Return whether the text of a text object is neither invisible nor transparent."""
    item = ctypes.cast(address, pdfium.FPDF_PAGEOBJECT)
    mode = pdfium.FPDFTextObj_GetTextRenderMode(item)
    if mode == pdfium.FPDF_TEXTRENDERMODE_INVISIBLE:
        return False
    color = [ctypes.c_uint(1) for _ in range(4)]
    pdfium.FPDFPageObj_GetFillColor(item, *map(ctypes.byref, color))
    opacity = color[-1].value
    return opacity > 0 or mode != pdfium.FPDF_TEXTRENDERMODE_FILL


def clip_of(address: int) -> Region:
    """Return the region to which an object is clipped, infinite without one."""
    region = UNCLIPPED
    clip = _get_clip(address)
    for path in range(_count_paths(clip) if clip else 0):
        xs, ys = [], []
        point = (ctypes.c_float * 2)()
        for number in range(_count_segments(clip, path)):
            _get_point(_get_segment(clip, path, number), *_addresses(point))
            xs.append(point[0])
            ys.append(point[1])
        if xs:
            region = common_region(region, (min(xs), min(ys), max(xs), max(ys)))
    return region


def common_region(one: Region, other: Region) -> Region:
    """Return what two regions have in common."""
    left, bottom = max(one[0], other[0]), max(one[1], other[1])
    return left, bottom, min(one[2], other[2]), min(one[3], other[3])


def are_apart(one: Region, other: Region) -> bool:
    """Return whether two regions have nothing in common."""
    left, bottom, right, top = common_region(one, other)
    return right < left or top < bottom


def bounds_of(address: int) -> Region:
    """Return the region of an object, in the coordinates of its form or page."""
    edges = (ctypes.c_float * 4)()
    _get_bounds(address, *_addresses(edges))
    return edges[0], edges[1], edges[2], edges[3]


def _addresses(numbers: Any) -> list[int]:
    """Return the address of each number of an array of C."""
    first, end = ctypes.addressof(numbers), ctypes.sizeof(numbers)
    return [first + offset for offset in range(0, end, end // len(numbers))]


def _origin(raw: Any, position: int) -> tuple[float, float]:
    """Return the origin of a character in the coordinates of the file."""
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(raw, position, ctypes.byref(x), ctypes.byref(y))
    return x.value, y.value


def _family(address: int | None) -> str:
    """Return the name of the family of a font, as its embedded program has it; "" if it has none."""
    buffer = ctypes.create_string_buffer(256)
    pdfium.FPDFFont_GetFamilyName(
        ctypes.cast(address or 0, pdfium.FPDF_FONT), buffer, 256
    )
    return buffer.value.decode("utf-8", "replace")


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
