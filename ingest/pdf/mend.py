"""Glyphs that a file does not tell, inside words that it tells otherwise: read from how the line looks.

Years and numbers in fonts with figures of their own, and names in small capitals, are lost that way in many files. Only
the lines that have such words are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from quarry.ingest.layout.lines import WORD_GAP, Row
from quarry.ingest.pdf.model import UNKNOWN, Glyph
from quarry.ingest.pdf.ocr import DPI, recognise
from quarry.ingest.pdf.ocr_word import Image, SeenLine, SeenWord

ABOVE, BELOW = 1.0, 0.45
"""Font sizes above and below a baseline that are cut out of a page to be looked at."""
BETWEEN = 24
"""White dots between two lines that are looked at together."""
SURE_ENOUGH = 50
"""Per cent of confidence from which on a word that was recognised is believed."""
AGREEING = 0.6
"""Share of a word's known characters that what was recognised must have in the same places."""

_FIGURES = str.maketrans("oOIl|", "00111")
_QUOTES = str.maketrans("’‘“”—–‐", "''\"\"---")


def mend(rows: Sequence[Row], picture: Callable[[], Image], of: Sequence[str] = ("eng",)) -> None:
    """Give unknown glyphs of a page's rows the texts that they look like, where the rest of their words agrees.

    Args:
        rows: changed in place.
        picture: the page as it is seen; called only if there is something to mend.
        of: the languages to expect.
    """
    asked = [(row, words) for row in rows if (words := [word for word in _words(row) if _is_worth_asking(word)])]
    if not asked:
        return
    page = picture()
    strips = [_strip(page, row) for row, _ in asked]
    tops = [0]
    for strip in strips:
        tops.append(tops[-1] + strip.shape[0] + BETWEEN)
    width = max(strip.shape[1] for strip in strips)
    sheet = np.full((tops[-1], width), 255, dtype=np.uint8)
    for strip, top in zip(strips, tops, strict=False):
        sheet[top : top + strip.shape[0], : strip.shape[1]] = strip
    lines = recognise(sheet, of, layout=6)
    for (row, words), top, bottom in zip(asked, tops, tops[1:], strict=False):
        seen = [word for line in lines if top <= _middle(line) < bottom for word in line.words]
        for word in words:
            _fill(word, _left(row), seen)


def _words(row: Row) -> list[list[Glyph]]:
    """The glyphs of a row, cut where white space is."""
    words: list[list[Glyph]] = [[]]
    for glyph in row.glyphs:
        if glyph.text == " ":
            words.append([])
            continue
        if words[-1] and (glyph.parted or glyph.x0 - words[-1][-1].x1 > WORD_GAP * row.size):
            words.append([])
        words[-1].append(glyph)
    return [word for word in words if word]


def _is_worth_asking(word: Sequence[Glyph]) -> bool:
    """Whether a word has unknown figures or letters: two in a row, or any with signs around and nothing else."""
    text = "".join(glyph.text for glyph in word)
    if UNKNOWN not in text:
        return False
    alone = len(text) > 1 and not any(map(str.isalnum, text))
    return UNKNOWN * 2 in text or alone


def _left(row: Row) -> float:
    return max(0.0, min(glyph.x0 for glyph in row.glyphs) - row.size)


def _strip(page: Image, row: Row) -> Image:
    """What is seen of a row, from `_left` on."""
    dots = DPI / 72
    top, bottom = int((row.y - ABOVE * row.size) * dots), int((row.y + BELOW * row.size) * dots)
    right = max(glyph.x1 for glyph in row.glyphs) + row.size
    return page[max(0, top) : max(1, bottom), int(_left(row) * dots) : int(right * dots)]


def _middle(line: SeenLine) -> float:
    boxes = [(char.top + char.bottom) / 2 for word in line.words for char in word.chars]
    return sum(boxes) / len(boxes)


def _fill(word: Sequence[Glyph], left: float, seen: Sequence[SeenWord]) -> None:
    """Give a word's unknown glyphs their texts if a word that was seen where it stands agrees with the known ones."""
    dots = DPI / 72
    x0, x1 = (word[0].x0 - left) * dots, (word[-1].x1 - left) * dots
    over = [other for other in seen if x0 < (other.left + max(char.x1 for char in other.chars)) / 2 < x1]
    if not over or min(other.confidence for other in over) < SURE_ENOUGH:
        return
    text = "".join(other.text for other in over).translate(_QUOTES)
    known = "".join(glyph.text[0] for glyph in word).translate(_QUOTES)
    told = [(one, other) for one, other in zip(known, text, strict=False) if one != UNKNOWN]
    agreeing = sum(one.casefold() == other.casefold() for one, other in told)
    if len(text) != len(known) or agreeing < AGREEING * len(told):
        return
    found = "".join(other for one, other in zip(known, text, strict=True) if one == UNKNOWN)
    if any(map(str.isdigit, found)):
        found = found.translate(_FIGURES)
    if not found.isalnum():
        return
    for glyph, char in zip((glyph for glyph in word if glyph.text == UNKNOWN), found, strict=True):
        glyph.text, glyph.sure = char, False
