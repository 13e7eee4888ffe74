"""What a reader of PDFs yields: pages of glyphs with boxes, the fonts they are set in, and the ruled tables."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

UNKNOWN = "\ufffd"
"""Stands for a glyph whose character the file does not tell."""

MAX_SLANT = 10.0
"""Degrees up to which a line may slope, as in a scan; what is stamped across a page slopes more."""

_LIGATURES = {
    ord(c): unicodedata.normalize("NFKC", c)
    for c in map(chr, (*range(0xFB00, 0xFB07), *range(0xFB1D, 0xFB50)))
    if unicodedata.name(c, "")
}
SKIPPED = frozenset(
    [0x0A, 0x0D, 0x061C, 0x2060, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
)
"""Line ends, which geometry tells better, and marks that cannot be seen: joiners, directions."""

_MONO_NAME = re.compile(r"mono|courier|consol|typewriter|cmtt|code", re.IGNORECASE)
_BOLD_NAME = re.compile(r"bold|black|heavy|semibold|cmbx|medi$|-b$", re.IGNORECASE)


@dataclass(slots=True)
class Glyph:
    """One glyph. Lengths in points, on the page as it is seen.

    Attributes:
        text: what it stands for, UNKNOWN if the file does not tell; more than one letter for a ligature.
        x0, x1: left edge, and right edge with its advance.
        y: baseline, downwards from the top.
        font: its number in the reader's `fonts`.
        parted: whether the reader sees a space before it that is not stored.
        sure: whether the file says what it stands for; what is told by the code alone may be another sign.
    """

    text: str
    x0: float
    x1: float
    y: float
    size: float
    font: int
    parted: bool
    sure: bool = True


@dataclass(frozen=True, slots=True)
class GlyphPage:
    """One page: its upright glyphs in the order in which they are drawn.

    Attributes:
        ruled: whether lines as of a table are drawn.
        scanned: whether it is an image, with no text or with text that cannot be seen.
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
        """How many pages it has."""

    def metadata(self, key: str) -> str:
        """A value of the file's metadata: Title, Author, CreationDate, ModDate; "" if it is not there."""

    def page(self, index: int) -> GlyphPage:
        """The page at a position, 0-based.

        Raises:
            SourceError: it is damaged.
        """

    def tables(self, index: int) -> Sequence[Box]:
        """The tables that are ruled on a page, 0-based; () from a reader that cannot tell."""

    def close(self) -> None:
        """Free the file."""


class Fonts:
    """Fonts of a document by number, with what their names, flags and glyph widths tell.

    Args:
        drawn: whether the glyphs have the widths of real fonts; in an image they are as wide as they look.
    """

    def __init__(self, drawn: bool = True) -> None:
        self.drawn = drawn
        self._numbers: dict[str, int] = {}
        self.names: list[str] = []
        self.bold: list[bool] = []
        self._trusts_weights = True
        self._named_bold: list[bool] = []
        self._named_mono: list[bool] = []
        self._widths: list[dict[str, float]] = []
        self._judged: list[tuple[int, bool]] = []
        self.widest_figures: dict[int, float] = {}

    def number(self, name: str, heavy: bool = False) -> int:
        """The number of the font of this name, its subset's prefix aside; `heavy` if the file calls it bold."""
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
        """Take for bold what its name calls so, and nothing else: a file may call all its fonts heavy."""
        self._trusts_weights = False
        self.bold[:] = self._named_bold

    def saw(self, number: int, char: str, em_width: float) -> None:
        """Remember how wide a letter is in a font: the least, as a letter of a ligature may come with all its width."""
        widths = self._widths[number]
        if char.isalnum() and not (char in widths and em_width >= widths[char]):
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
            n_letters = sum(map(str.isalpha, widths))  # the figures of most fonts are equally wide
            self._judged[number] = (
                len(widths),
                len(widths) >= 8 and n_letters >= 4 and min(values) > 0 and max(values) - min(values) < 0.01,
            )
        return self._judged[number][1]


@functools.cache
def character(code: int) -> str:
    """The text of a character code; UNKNOWN where it says nothing, a hyphen for every kind of hyphen."""
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
