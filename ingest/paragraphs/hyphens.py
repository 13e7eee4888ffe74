"""Text of several lines: words that are broken at the ends of lines are joined."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from ingest.layout.placed import PlacedLine
from ingest.pdf.model import UNKNOWN

_WORD = re.compile(r"[^\W\d_]+(?:[-‐‑'’][^\W\d_]+)*")


def count_words(lines: Iterable[PlacedLine], counts: Counter[str]) -> None:
    """Count the words that occur unbroken within lines; "self-" counts compounds that begin with it."""
    for line in lines:
        words = [word.text for word in line.words[1:]]
        if words and words[-1].endswith("-"):
            words.pop()
        for part in _WORD.findall(" ".join(words).casefold()):
            counts[part] += 1
            if "-" in part:
                counts[part.partition("-")[0] + "-"] += 1


def joined_text(
    lines: Sequence[PlacedLine], marker: int, vocabulary: Counter[str]
) -> tuple[str, tuple[int, ...]]:
    """Join the words of lines, and return the offsets at which a new page begins.

    Hyphenation is undone, and unknown characters are left out.

    Args:
        marker: number of words of the bullet or number, which are left out.
    """
    words = [word.text for word in lines[0].words[marker:]]
    first_words: list[int] = []
    page = lines[0].page
    for line in lines[1:]:
        added = [word.text for word in line.words]
        glued = _glued(words[-1], added[0], line.rtl, vocabulary) if words else None
        if glued is not None:
            words[-1] = glued
            del added[0]
        if line.page != page:
            first_words.append(len(words))
            page = line.page
        words.extend(added)

    readable = [word.replace(UNKNOWN, "") for word in words]
    text = " ".join(filter(None, readable))
    breaks = [
        len(" ".join(filter(None, readable[:first]))) + 1 for first in first_words
    ]
    return text, tuple(offset for offset in breaks if 1 < offset < len(text))


def _glued(before: str, after: str, rtl: bool, vocabulary: Counter[str]) -> str | None:
    """Join the two parts of a word across a line break, None for two words."""
    if len(before) < 2 or before[-1] not in "-—/" or not before[-2].isalnum():
        return None
    whole = before + after
    if before[-1] != "-" or rtl or not after[0].islower() or not before[-2].isalpha():
        return whole

    start = before[:-1]
    n_joined = vocabulary[_key(start + after)]
    n_hyphenated = vocabulary[_key(whole)]
    if n_joined != n_hyphenated:
        return whole if n_hyphenated > n_joined else start + after
    stem = _key(start)
    is_compound = vocabulary[f"{stem}-"] and vocabulary[_key(after)]
    return whole if "-" in stem or is_compound else start + after


def _key(word: str) -> str:
    match = _WORD.search(word)
    return match.group().casefold() if match else ""
