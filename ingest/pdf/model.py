"""Types that readers of PDFs share: glyphs with boxes, pages of glyphs, fonts, and the protocol of a reader."""

from __future__ import annotations

import functools
import re
import sys
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Protocol

from bidi import mirror

UNKNOWN = "\ufffd"
"""Placeholder for a glyph with an unknown character."""

MAX_SLANT = 10.0
"""Maximum slope of a line of text in degrees, as in a scan; a watermark across a page slopes more."""

_COMPATIBLE = (
    range(0x132, 0x134),
    range(0x2F00, 0x2FD6),
    range(0xFB00, 0xFB07),
    range(0xFB1D, 0xFB50),
    range(0x1D400, 0x1D800),
    range(0x210E, 0x210F),  # the italic h
)
"""Codes of ij, of Chinese radicals, of Latin and Hebrew ligatures, and of letters and digits of mathematics."""
SKIPPED = frozenset(
    map(
        ord,
        "\n\r\u061c\u2060\ufeff\u200b\u200c\u200d\u200e\u200f"
        "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
    )
).union(range(0xFE00, 0xFE10))
"""Line ends, which geometry gives better, and invisible characters such as joiners, direction marks and selectors of
variants."""

MIRRORED = str.maketrans(mirror.MIRRORED)
"""Signs that right-to-left text shows turned round, and what they look like there."""

AXIS = 0.25
"""Height of the middle of signs above the baseline of their formula, in ems."""

_MONO_NAME = re.compile(
    r"mono(?!type)|courier|consol|typewriter|^(?:cm|ec|sf)(?:tt|tc|st|it)|(?<!uni)code",
    re.IGNORECASE,
)
"""Part of the name of a font of fixed pitch."""

_BOLD_NAME = re.compile(
    r"bold|black|heavy|demi|medi$|-b$|^(?:cm|ec|sf)(?:ss)?(?:b[xil]|rb|sx|so)",
    re.IGNORECASE,
)
"""Part of the name of a bold font."""


@dataclass(slots=True, eq=False)
class Glyph:
    """One glyph. Lengths in points, on the page as shown.

    Attributes:
        text: its character, UNKNOWN if the file does not explain it; more than one letter for a ligature.
        x0, x1: left edge, and right edge with its advance.
        y: baseline, downwards from the top.
        font: its number in the reader's `fonts`.
        parted: whether the reader detects a space before it that is not stored.
        order: its position among the glyphs of its page as they are drawn.
        height: that of what is drawn of a tall sign, 0 for others.
        shift: how far a part of a formula was moved down to its baseline, negative if up.
        element: number of its element in the structure of the page, such as a paragraph; 0 if it has none.
        is_seen: whether it is neither invisible nor transparent.
    """

    text: str
    x0: float
    x1: float
    y: float
    size: float
    font: int
    parted: bool
    order: int = 0
    height: float = 0.0
    shift: float = 0.0
    element: int = 0
    is_seen: bool = True

    @property
    def middle(self) -> float:
        """Middle of its edges."""
        return (self.x0 + self.x1) / 2


class Span(Protocol):
    """A glyph, a word or a line, with its edges in points."""

    @property
    def x0(self) -> float:
        """Left edge."""
        ...

    @property
    def x1(self) -> float:
        """Right edge."""
        ...


def space_between(one: Span, other: Span) -> float:
    """Return the width of the white space between two glyphs or words of a line; negative if they overlap."""
    return max(other.x0 - one.x1, one.x0 - other.x1)


def edges(spans: Iterable[Span]) -> tuple[float, float]:
    """Return the left and the right edge of glyphs, words or lines."""
    x0, x1 = zip(*[(span.x0, span.x1) for span in spans], strict=True)
    return min(x0), max(x1)


def text_of(glyphs: Iterable[Glyph]) -> str:
    """Return the texts of glyphs as one."""
    return "".join([glyph.text for glyph in glyphs])


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page; lengths in points, y downwards from the top."""

    x0: float
    top: float
    x1: float
    bottom: float

    @property
    def width(self) -> float:
        """Its width."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Its height."""
        return self.bottom - self.top

    @property
    def area(self) -> float:
        """Width times height, in square points."""
        return self.width * self.height

    def holds(self, x: float, y: float) -> bool:
        """Return whether a point is inside it."""
        return self.x0 < x < self.x1 and self.top < y < self.bottom

    def holds_glyph(self, glyph: Glyph) -> bool:
        """Return whether the middle of a glyph is inside it."""
        return self.holds(glyph.middle, glyph.y - AXIS * glyph.size)


@dataclass(frozen=True, slots=True)
class Table:
    """A ruled table.

    Attributes:
        box: the rectangle of all of it.
        data_rows: the rows whose cells are entries of data.
        text_rows: the cells with text of each other row.
    """

    box: Box
    data_rows: Sequence[Box] = ()
    text_rows: Sequence[Sequence[Box]] = ()


@dataclass(frozen=True, slots=True)
class GlyphPage:
    """One page: its upright glyphs in the order of drawing. Lengths in points.

    Attributes:
        tables: those with rules.
        needs_ocr: whether it is an image without text, or its fonts do not tell what their glyphs are.
        dots: drawn shapes that may be bullets.
        ruled_lines: thin horizontal ones, as in fractions.
        pictures: images beside which text may be set.
    """

    width: float
    height: float
    glyphs: list[Glyph]
    tables: Sequence[Table] = ()
    needs_ocr: bool = False
    dots: Sequence[Box] = ()
    ruled_lines: Sequence[Box] = ()
    pictures: Sequence[Box] = ()


class PdfReader(Protocol):
    """One open PDF."""

    name: str
    fonts: Fonts

    @property
    def n_pages(self) -> int:
        """Number of pages."""
        ...

    def metadata(self, key: str) -> str:
        """Return a value of the file's metadata, such as Title, Creator or ModDate; "" if it is absent."""
        ...

    def page(self, index: int) -> GlyphPage:
        """Return the page at a position, 0-based.

        Raises:
            SourceError: the page is damaged.
        """
        ...

    def close(self) -> None:
        """Free the file."""


SAME_PITCH, MOSTLY_ALIKE = 0.01, 0.9
"""Maximum difference of widths in a font of fixed pitch, in ems, and the minimum share of glyphs within it.

The box of a glyph in a bitmap font may be wider than its pitch."""


def of_one_pitch(widths: Collection[float]) -> bool:
    """Return whether the widths of eight glyphs or more are equal, in ems."""
    if len(widths) < 8 or min(widths) <= 0:
        return False
    usual = median(widths)
    n_alike = sum(abs(width - usual) < SAME_PITCH for width in widths)
    return n_alike >= MOSTLY_ALIKE * len(widths)


class Fonts:
    """Fonts of a document by number, and whether they are bold or of fixed pitch.

    Attributes:
        as_drawn: whether brackets of right-to-left text are stored as they are drawn, not as they are read.
        embedded: numbers of the fonts without right-to-left letters, whose text is read from left to right inside
            right-to-left lines; empty if such fonts also have the stops of right-to-left text.
        ligatures: letters of the ligatures without a usual code that pages have shown, by font and text.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self.names: list[str] = []
        self.bold: list[bool] = []
        self.as_drawn = False
        self.embedded: frozenset[int] = frozenset()
        self.ligatures: dict[tuple[int, str], str] = {}
        self._trusts_weights = True
        self._trusts_pitch = True
        self._widths: list[dict[str, float]] = []
        self._mono: dict[tuple[int, int], bool] = {}

    def number(self, name: str, heavy: bool = False) -> int:
        """Return the number of a font by its name without the prefix of a subset; `heavy` if the file calls it bold."""
        name = name.partition("+")[2] or name
        if name not in self._numbers:
            self._numbers[name] = len(self.names)
            self.names.append(name)
            self.bold.append((heavy and self._trusts_weights) or _is_bold(name))
            self._widths.append({})
        return self._numbers[name]

    def distrust_weights(self) -> None:
        """Judge by their names alone which fonts are bold: a file may call all its fonts heavy."""
        self._trusts_weights = False
        self.bold[:] = map(_is_bold, self.names)

    def distrust_pitch(self) -> None:
        """Take no font for one of fixed pitch: in a typescript this does not mark code."""
        self._trusts_pitch = False

    def saw(self, number: int, char: str, em_width: float) -> None:
        """Store the least width of a letter in a font; a letter of a ligature may have the width of the ligature.

        Chinese characters are all equally wide, and say nothing of the pitch.
        """
        widths = self._widths[number]
        is_wide = unicodedata.east_asian_width(char[:1] or " ") in "WF"
        is_letter = char.isalnum() and not is_wide
        if is_letter and not (char in widths and em_width >= widths[char]):
            widths[char] = em_width

    def mono(self, number: int) -> bool:
        """Return whether a font is of fixed pitch: by name, or because narrow and wide letters are equally wide."""
        widths = self._widths[number]
        key = number, len(widths)
        if key not in self._mono:
            # the digits of most fonts are equally wide
            has_letters = sum(map(str.isalpha, widths)) >= 4
            is_regular = has_letters and of_one_pitch(widths.values())
            is_named = _MONO_NAME.search(self.names[number]) is not None
            self._mono[key] = is_named or is_regular
        return self._trusts_pitch and self._mono[key]


def _is_bold(name: str) -> bool:
    return _BOLD_NAME.search(name) is not None


@functools.cache
def character(code: int) -> str:
    """Return the text of a character code: UNKNOWN for an undefined code, "-" for every kind of hyphen."""
    if code in (0x02, 0x2010, 0x2011):  # PDFium gives 2 for a hyphen at a line end
        return "-"
    if code == 9 or (32 <= code <= sys.maxunicode and chr(code).isspace()):
        return " "
    if code == 0xA7F7:  # some fonts have one glyph for this letter and for a dash
        return "—"
    if code == 0x20D2:  # some maps of TeX have this mark for a piece of a tall bar
        return "|"
    is_private = 0xD800 <= code < 0xF900  # or half of a surrogate pair
    is_control = code < 32 or 0x7F <= code < 0xA0
    if is_control or is_private or code in (0xFFFE, 0xFFFF) or code > sys.maxunicode:
        return UNKNOWN

    text = chr(code)
    is_composed = any(code in codes for codes in _COMPATIBLE)
    return unicodedata.normalize("NFKC", text) if is_composed else text
