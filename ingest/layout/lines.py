"""Lines of words in reading order, made from the rows of a page.

The order of the text follows from the positions of the glyphs, not from their order in the file, so that right-to-left
text is the same from producers that store it in logical order (LibreOffice) and in visual order (LuaTeX).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ingest.layout.bidi import has_rtl_letter, logical_order
from ingest.layout.gutters import cut_at_gutters
from ingest.layout.rows import SEGMENT_GAP, Row
from ingest.layout.superscripts import (
    ACCENTS,
    LOW,
    NOTE_SIGNS,
    SMALL,
    with_accents,
    with_fractions,
    without_marks,
    without_signs,
)
from ingest.pdf.model import Fonts, Glyph

SOFT_HYPHEN = "\u00ad"
_SOFT_BETWEEN_DIGITS = re.compile(rf"(?<=\d){SOFT_HYPHEN}(?=\d)")

WORD_GAP = 0.16
"""Minimal white space between two words, in ems; kerning is narrower, spaces are wider."""

WORD_GAP_HINTED = 0.05
"""Minimal white space between two words with a stored space, or with one that PDFium detects; italics lean over it."""

INITIAL = 1.6
"""Minimal font size of an initial letter, as a multiple of the text's; it is a separate word until it is joined."""

IN_NUMBER = 0.2
"""Maximal white space between the decimal point of a number and its next digit, in ems; a space is wider."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word on the page, its text in logical order; lengths in points, y downwards from the top.

    Attributes:
        size: font size.
        raised: points above the baseline of its line, negative below.
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
    """Words of one row in reading order with no wide gap between them; lengths in points, y downwards from the top.

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
        """Text of the words, with single spaces between."""
        return " ".join(word.text for word in self.words)

    @property
    def n_chars(self) -> int:
        """Number of characters without spaces."""
        return sum(len(word.text) for word in self.words)


def lines_of(
    row: Row, fonts: Fonts, rtl: bool, gutters: Sequence[float] = ()
) -> list[Line]:
    """Cut a row at its wide gaps and at the narrow gutters of its page, and return the lines in reading order."""
    parts = cut_at_gutters(row, gutters, SEGMENT_GAP)
    lines = [_line(part, row, fonts, rtl) for part in parts]
    return [line for line in lines if line.words]


def _line(glyphs: list[Glyph], row: Row, fonts: Fonts, rtl: bool) -> Line:
    """Make a line of glyphs of a row: find its words, their reading order, and drop marks of notes."""
    while glyphs[-1].text == " ":
        glyphs.pop()
    text = "".join([glyph.text for glyph in glyphs])
    if _has_accents(glyphs, text, row.y):
        glyphs = with_accents(glyphs)
    has_small = min(glyph.size for glyph in glyphs) < SMALL * row.size
    if has_small:
        glyphs = with_fractions(glyphs, row.y, row.size)

    spelt = _spelt(glyphs, row.size)
    is_hebrew = has_rtl_letter(text)
    if is_hebrew:
        spelt = _reordered(spelt, rtl)
    if has_small:
        spelt = without_marks(spelt)
    elif any(sign in text for sign in NOTE_SIGNS):
        spelt = list(map(without_signs, spelt))
    words = [_word(members, row, fonts) for members in spelt if members]
    return line_of(words, row.y, rtl and is_hebrew)


def _has_accents(glyphs: list[Glyph], text: str, y: float) -> bool:
    """Return whether accents or dots below a letter may be drawn apart from their letters."""
    if not ACCENTS.keys().isdisjoint(text):
        return True
    dots = [glyph for glyph in glyphs if glyph.text == "."]
    return any(dot.y - y > LOW * dot.size for dot in dots)


def _spelt(glyphs: list[Glyph], em: float) -> list[list[Glyph]]:
    """Part glyphs from left to right into words, by the white space between them."""
    words: list[list[Glyph]] = [[]]
    right = glyphs[0].x0
    spaced = False
    for glyph in glyphs:
        if glyph.text == " ":
            spaced = True
            continue
        word = words[-1]
        gap = glyph.x0 - right
        hinted = spaced or glyph.parted
        least = (WORD_GAP_HINTED if hinted else WORD_GAP) * min(glyph.size, em)
        is_apart = gap > least and not (hinted and _is_in_number(word, glyph, gap))
        if word and (is_apart or _is_initial(word[-1], glyph)):
            words.append([])
        spaced = False
        words[-1].append(glyph)
        right = max(right, glyph.x1)
    return words


def line_of(words: Sequence[Word], y: float, rtl: bool) -> Line:
    """Make a line of words in reading order."""
    sizes: Counter[float] = Counter()
    bold: Counter[bool] = Counter()
    mono: Counter[bool] = Counter()
    for word in words:
        length = len(word.text)
        sizes[word.size] += length
        bold[word.bold] += length
        mono[word.mono] += length

    return Line(
        words=tuple(words),
        x0=min(word.x0 for word in words),
        x1=max(word.x1 for word in words),
        y=y,
        size=round(sizes.most_common(1)[0][0], 1),
        bold=bold[True] / bold.total(),
        mono=mono[True] / mono.total(),
        rtl=rtl,
    )


def _is_in_number(word: Sequence[Glyph], glyph: Glyph, gap: float) -> bool:
    """Return whether a digit continues a number after its point; some formulas have white space there."""
    return (
        gap < IN_NUMBER * glyph.size
        and len(word) > 1
        and word[-1].text in ".,"
        and word[-2].text.isdecimal()
        and glyph.text.isdecimal()
    )


def _is_initial(left: Glyph, right: Glyph) -> bool:
    """Return whether one of two letters on a baseline is the large initial of a paragraph."""
    small, large = sorted((left.size, right.size))
    is_letters = left.text[:1].isalpha() and right.text[:1].isalpha()
    return (
        large >= INITIAL * small and is_letters and abs(left.y - right.y) < 0.1 * small
    )


def _reordered(spelt: list[list[Glyph]], rtl: bool) -> list[list[Glyph]]:
    """Sort words that are ordered from left to right into reading order."""
    space = replace(spelt[0][0], text=" ")
    members = spelt[0][:]
    for word in spelt[1:]:
        members += [space, *word]

    texts = [glyph.text for glyph in members]
    reordered: list[list[Glyph]] = [[]]
    for index in logical_order(texts, rtl):
        if texts[index] == " ":
            reordered.append([])
        else:
            members[index].text = texts[index]
            reordered[-1].append(members[index])
    return reordered


def _word(members: list[Glyph], row: Row, fonts: Fonts) -> Word:
    """Make a word of its glyphs."""
    text = "".join([glyph.text for glyph in members])
    if SOFT_HYPHEN in text:  # visible between digits and at the end of a line only
        text = _SOFT_BETWEEN_DIGITS.sub("-", text)
        text = text[:-1].replace(SOFT_HYPHEN, "") + text[-1].replace(SOFT_HYPHEN, "-")
    largest = members[0]
    x0, x1 = largest.x0, largest.x1
    for glyph in members:
        if glyph.size > largest.size:
            largest = glyph
        x0 = min(x0, glyph.x0)
        x1 = max(x1, glyph.x1)
    bold, mono = fonts.bold[largest.font], fonts.mono(largest.font)
    return Word(text, x0, x1, largest.size, row.y - largest.y, bold, mono)
