"""Bullets and numbers at the beginning of lines."""

from __future__ import annotations

import itertools
import re
from statistics import median

from quarry.ingest.layout.arrange import PlacedLine
from quarry.ingest.pdf.model import UNKNOWN

MIN_SPACES, APART = 3, 1.3
"""Minimal number of spaces that tell the usual width of a space, and the width of the space after a number or dash, as
a multiple of it."""

_BULLET = re.compile(r"[•◦▪▫■□●○◆◇❖❒❑➢➤►▶‣⁃∙∗·*–—\-\ufffd✓✔★☆→⇒]")
_ENUMERATOR = re.compile(
    r"\(?(?:[\d\ufffd]{1,3}|[A-Za-z]|[ivxIVX]{1,5}|[\u05d0-\u05ea])[.)]|\[\d{1,3}\]|\d{1,2}(?:\.\d{1,2}){1,3}\.?"
)
_STARS = "*★☆™®†‡"
"""Signs before the number of an exercise; a font of ornaments without names has its stars at the codes of ™ and ®."""


def marker_words(line: PlacedLine, following: PlacedLine | None = None) -> int:
    """Return how many words at the beginning of a line are a bullet or numbers.

    There are 2 if the number of an exercise and the letter of its first part share a line, and the text hangs to the
    right of both. A capital with a full stop is the letter of an item only if the text hangs to its right.
    """
    first = _is_marked(line, following)
    if not first or len(line.words) < 3 or following is None or following.column != line.column:
        return int(first)
    two = all(_ENUMERATOR.fullmatch(_without_stars(word.text)) for word in line.words[:2])
    return 2 if two and abs(following.start - start_after(line, 2)) < 0.6 * line.size else 1


def _is_marked(line: PlacedLine, following: PlacedLine | None) -> bool:
    """Return whether the first word of a line is a bullet or a number."""
    if len(line.words) < 2:
        return len(line.words) == 1 and is_bullet(line.words[0].text)
    first = _without_stars(line.words[0].text)
    if is_bullet(first):
        if first in "-–—*·→⇒" and not is_set_apart(line):
            return first in "-–—*"
        return True
    if line.footnote and len(first) <= 3 and not any(map(str.isalpha, first)):
        return True
    if UNKNOWN in first and len(first) <= 5 and first.endswith((".", ")")) and not any(map(str.isalpha, first)):
        return True
    if not _ENUMERATOR.fullmatch(first):
        return False
    if first[0].isupper() and following is not None and following.column == line.column:
        flush = following.start - line.start < 0.5 * line.size
        if flush and not _ENUMERATOR.fullmatch(following.words[0].text):
            return False
    plain = first.strip("().").replace(UNKNOWN, "0").isdecimal() or first[0] in "(["
    return plain or line.bold > 0.9 or is_set_apart(line)


def _without_stars(text: str) -> str:
    """Return a number without the signs before it; a text of signs alone unchanged."""
    return text.lstrip(_STARS) or text


def is_bullet(text: str) -> bool:
    """Return whether a word is a bullet."""
    return len(text) == 1 and bool(_BULLET.fullmatch(text))


def is_set_apart(line: PlacedLine) -> bool:
    """Return whether the space after the first word is wider than the other spaces."""
    first, *others = (max(right.x0 - left.x1, left.x0 - right.x1) for left, right in itertools.pairwise(line.words))
    return first > 0.4 * line.size and (len(others) < MIN_SPACES or first > APART * median(others))


def start_after(line: PlacedLine, marker: int) -> float:
    """Return the start of the text after `marker` words, in reading direction."""
    if marker == 0 or marker >= len(line.words):
        return line.start
    word = line.words[marker]
    return -word.x1 if line.start < 0 else word.x0
