"""Types that readers of PDFs share: glyphs with boxes, pages of glyphs, fonts, and the protocol of a reader."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from statistics import median
from typing import Protocol

UNKNOWN = "\ufffd"
"""Placeholder for a glyph with an unknown character."""

MAX_SLANT = 10.0
"""Maximal slope of a line of text in degrees, as in a scan; a watermark across a page slopes more."""

_LIGATURES = {
    ord(c): unicodedata.normalize("NFKC", c)
    for c in map(chr, (*range(0xFB00, 0xFB07), *range(0xFB1D, 0xFB50)))
    if unicodedata.name(c, "")
}
SKIPPED = frozenset(
    [0x0A, 0x0D, 0x061C, 0x2060, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
)
"""Line ends, which geometry gives better, and invisible characters such as joiners and direction marks."""

_MONO_NAME = re.compile(r"mono|courier|consol|typewriter|cmtt|code", re.IGNORECASE)
_BOLD_NAME = re.compile(r"bold|black|heavy|semibold|cmbx|medi$|-b$", re.IGNORECASE)


@dataclass(slots=True)
class Glyph:
    """One glyph. Lengths in points, on the page as shown.

    Attributes:
        text: its character, UNKNOWN if the file does not explain it; more than one letter for a ligature.
        x0, x1: left edge, and right edge with its advance.
        y: baseline, downwards from the top.
        font: its number in the reader's `fonts`.
        parted: whether the reader detects a space before it that is not stored.
    """

    text: str
    x0: float
    x1: float
    y: float
    size: float
    font: int
    parted: bool


@dataclass(frozen=True, slots=True)
class GlyphPage:
    """One page: its upright glyphs in the order of drawing.

    Attributes:
        ruled: whether it has rules as in a table.
        scanned: whether it is an image without text or with invisible text.
    """

    width: float
    height: float
    glyphs: list[Glyph]
    ruled: bool
    scanned: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page; y downwards from the top."""

    x0: float
    top: float
    x1: float
    bottom: float


class PdfReader(Protocol):
    """One open PDF."""

    name: str
    fonts: Fonts

    @property
    def n_pages(self) -> int:
        """Number of pages."""

    def metadata(self, key: str) -> str:
        """Return a value of the file's metadata: Title, Author, CreationDate, ModDate; "" if it is absent."""

    def page(self, index: int) -> GlyphPage:
        """Return the page at a position, 0-based.

        Raises:
            SourceError: the page is damaged.
        """

    def close(self) -> None:
        """Free the file."""


SAME_PITCH, MOSTLY_ALIKE = 0.01, 0.9
"""Maximal difference of widths in a font of fixed pitch, in ems, and the minimal share of glyphs within it.

The box of a glyph in a bitmap font may be wider than its pitch."""


def of_one_pitch(widths: Collection[float]) -> bool:
    """Return whether the widths of eight glyphs or more are equal, in ems."""
    if len(widths) < 8 or min(widths) <= 0:
        return False
    usual = median(widths)
    return sum(abs(width - usual) < SAME_PITCH for width in widths) >= MOSTLY_ALIKE * len(widths)


class Fonts:
    """Fonts of a document by number, and whether they are bold or of fixed pitch."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self.names: list[str] = []
        self.bold: list[bool] = []
        self._trusts_weights = True
        self._named_bold: list[bool] = []
        self._named_mono: list[bool] = []
        self._widths: list[dict[str, float]] = []
        self._judged: list[tuple[int, bool]] = []

    def number(self, name: str, heavy: bool = False) -> int:
        """Return the number of a font by its name without the prefix of a subset; `heavy` if the file calls it bold."""
        _, _, bare = name.partition("+")
        name = bare or name
        number = self._numbers.setdefault(name, len(self.bold))
        if number == len(self.bold):
            self.names.append(name)
            self._named_bold.append(bool(_BOLD_NAME.search(name)))
            self.bold.append((heavy and self._trusts_weights) or self._named_bold[-1])
            self._named_mono.append(bool(_MONO_NAME.search(name)))
            self._widths.append({})
            self._judged.append((0, False))
        return number

    def distrust_weights(self) -> None:
        """Judge by their names alone which fonts are bold: a file may call all its fonts heavy."""
        self._trusts_weights = False
        self.bold[:] = self._named_bold

    def saw(self, number: int, char: str, em_width: float) -> None:
        """Store the least width of a letter in a font; a letter of a ligature may have the width of the ligature."""
        widths = self._widths[number]
        if char.isalnum() and not (char in widths and em_width >= widths[char]):
            widths[char] = em_width

    def mono(self, number: int) -> bool:
        """Return whether a font is of fixed pitch: by name, or because narrow and wide letters are equally wide."""
        if self._named_mono[number]:
            return True
        widths = self._widths[number]
        if len(widths) != self._judged[number][0]:
            n_letters = sum(map(str.isalpha, widths))  # the digits of most fonts are equally wide
            self._judged[number] = len(widths), n_letters >= 4 and of_one_pitch(widths.values())
        return self._judged[number][1]


@functools.cache
def character(code: int) -> str:
    """Return the text of a character code: UNKNOWN for an undefined code, "-" for every kind of hyphen."""
    if 33 <= code < 127:
        return chr(code)
    if code in (0x02, 0x2010, 0x2011):  # PDFium gives 2 for a hyphen at a line end
        return "-"
    if code in _LIGATURES:
        return _LIGATURES[code]
    if code in {160, 8199} or 8192 <= code <= 8202 or code in {8239, 9, 32}:
        return " "
    if code < 32 or code in {65534, 65535} or 55296 <= code <= 57343 or 57344 <= code <= 63743 or code > 1114111:
        return UNKNOWN
    if 0x1D400 <= code <= 0x1D7FF:  # letters and digits of mathematics
        return unicodedata.normalize("NFKC", chr(code))
    return chr(code)
