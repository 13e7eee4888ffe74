"""Superscripts and the like inside a line: exponents, fractions, accents, and the marks of footnotes and citations."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from ingest.pdf.model import UNKNOWN, Glyph

_ACCENTS = dict(
    zip(
        "¨´`ˆ˜¸ˇ˘˙˚¯˝˛",
        "\u0308\u0301\u0300\u0302\u0303\u0327\u030c\u0306\u0307\u030a\u0304\u030b\u0328",
        strict=True,
    )
)
ACCENTS = frozenset(_ACCENTS)
"""Accents that some files draw as glyphs of their own over a letter."""
LOW = 0.1
"""Minimal distance of a full stop below the baseline, in ems, if it is the dot below a letter, as in ṇ."""
_DOTLESS = {"ı": "i", "ȷ": "j"}

SMALL = 0.9
"""Maximal font size of an index, an exponent or a mark, as a share of the size of its base."""
RAISED = 0.2
"""Minimal height of an exponent or a mark above the baseline, in ems."""
MAX_MARK = 11
"""Maximal length of a mark, such as "12,14–16"."""

_MARK_SIGNS = frozenset("0123456789,;-–—*†‡§¶∗()[]" + UNKNOWN)
_CLOSING = ".,;:!?)]}\"'”’»״׳"
NOTE_SIGNS = frozenset("*∗†‡§¶")
"""Signs that point to notes."""
_SENTENCE_MARKS = frozenset(".,;:!?")
_AFTER_MARK = frozenset(_CLOSING + "—–-…")
_OPERATORS = re.compile(
    r"a?(?:sin|cos|tan|cot|sec|csc)h?|log|exp|lim|max|min|inf|sup|det|dim|ker|gcd|arg|deg|mod",
    re.IGNORECASE,
)
"""Names of functions; raised numbers after them are exponents."""
_OPENING = {")": "(", "]": "["}
_IN_TEXT = re.compile(r"[^\W\d_]{3,}(?:[-'’][^\W\d_]+)*[.,;:]?|\d{4}[a-z]?[.,;:]?")
"""A word or a year, as between brackets of a text and not of a formula."""


def with_accents(glyphs: list[Glyph]) -> list[Glyph]:
    """Merge each accent over a letter and each dot below it with the letter; glyphs are from left to right."""
    result: list[Glyph] = []
    for position, glyph in enumerate(glyphs):
        first, second = glyph.text[:1], glyph.text[1:]
        if first in _ACCENTS and len(second) == 1 and second.isalpha():
            glyph.text = _accented(second, first)  # drawn at one place
        start = max(0, position - 2)
        near = glyphs[start:position] + glyphs[position + 1 : position + 3]
        letter = _letter_of(glyph, near)
        if letter is None:
            result.append(glyph)
            continue
        letter.text = _accented(letter.text, glyph.text)
        letter.x0, letter.x1 = min(letter.x0, glyph.x0), max(letter.x1, glyph.x1)
    return result


def _letter_of(glyph: Glyph, near: Sequence[Glyph]) -> Glyph | None:
    """Return the letter under an accent or over a dot, None for any other glyph."""
    is_dot = glyph.text == "." and near and glyph.y - near[0].y > LOW * glyph.size
    if not is_dot and glyph.text not in _ACCENTS:
        return None
    return next((letter for letter in near if _is_over(glyph, letter)), None)


def _accented(letter: str, accent: str) -> str:
    return unicodedata.normalize(
        "NFC", _DOTLESS.get(letter, letter) + (_ACCENTS.get(accent) or "\u0323")
    )


def _is_over(accent: Glyph, letter: Glyph) -> bool:
    overlap = min(accent.x1, letter.x1) - max(accent.x0, letter.x0)
    return (
        len(letter.text) == 1
        and letter.text.isalpha()
        and overlap > 0.6 * min(accent.x1 - accent.x0, letter.x1 - letter.x0)
    )


def with_fractions(glyphs: list[Glyph], y: float, size: float) -> list[Glyph]:
    """Write stacked fractions in a row of glyphs as numerator, slash and denominator.

    An index under an exponent is no fraction: both follow their base without a space.

    Args:
        glyphs: a row from left to right.
        y, size: baseline and font size of the row.
    """
    result: list[Glyph] = []
    runs = itertools.groupby(
        glyphs, lambda glyph: glyph.size < SMALL * size and glyph.text != " "
    )
    for is_small, run in runs:
        small = [*run]
        above = [glyph for glyph in small if y - glyph.y > RAISED * size]
        below = [glyph for glyph in small if glyph.y - y > 0.1 * size]
        is_stacked = above and below and len(above) + len(below) == len(small)
        if is_small and is_stacked and not _follows(result, small):
            last = above[-1]
            centres = above[0].x0 + last.x1, below[0].x0 + below[-1].x1
            if abs(centres[0] / 2 - centres[1] / 2) < 0.2 * above[0].size:
                bar = replace(last, text="/", x0=last.x1, parted=False)
                small = [*above, bar, *below]
        result += small

    return result


def _follows(before: Sequence[Glyph], small: Sequence[Glyph]) -> bool:
    """Return whether small signs touch a letter before them."""
    if not before or before[-1].text in (" ", ""):
        return False
    gap = min(glyph.x0 for glyph in small) - before[-1].x1
    char = before[-1].text[-1]
    return gap < 0.1 * small[0].size and (char.isalnum() or char in ")]}")


def without_marks(words: list[list[Glyph]]) -> list[list[Glyph]]:
    """Remove the raised numbers and signs that point to notes and sources from the words of a line, in reading order.

    A raised number after a short base or the name of a function is an exponent and stays.
    """
    result: list[list[Glyph]] = []
    for word in words:
        word = without_signs(word)
        start, end = _raised(word, result[-1] if result else [])
        if start == end or not _points_to_note(word, start, end, result):
            result.append(word)
            continue
        after = word[end:]
        if start == 0 and after:
            result[-1] = result[-1] + after
        elif start:
            result.append(word[:start] + after)
    return result


def _points_to_note(
    word: list[Glyph], start: int, end: int, before: list[list[Glyph]]
) -> bool:
    """Return whether the raised glyphs from `start` to `end` of a word are a mark and no exponent.

    Args:
        before: the words before it.
    """
    mark = "".join(glyph.text for glyph in word[start:end])
    is_inside = end < len(word) and word[end].text[:1] not in _AFTER_MARK
    is_number = mark.startswith(("-", "–", "−"))
    if (
        is_inside
        or is_number
        or len(mark) > MAX_MARK
        or not _MARK_SIGNS.issuperset(mark)
    ):
        return False
    # an exponent touches its base
    is_exponent = start > 0 and _closes_formula(word[:start], before)
    return not is_exponent and _may_bear_mark(word[:start] or before[-1])


def without_signs(word: list[Glyph]) -> list[Glyph]:
    """Remove the stars and daggers after the closing mark of a word; some fonts have them as high as a superscript."""
    end = len(word)
    while end > 1 and word[end - 1].text in NOTE_SIGNS:
        end -= 1
    return word[:end] if word[end - 1].text in _SENTENCE_MARKS else word


def _raised(word: Sequence[Glyph], before: Sequence[Glyph]) -> tuple[int, int]:
    """Return where the first raised glyphs of a word start and end; twice the same if there are none."""
    start = 0
    base = before[-1] if before else None
    while start < len(word) and not (base and _is_raised(word[start], base)):
        base = word[start]
        start += 1
    end = start
    while end < len(word) and base and _is_raised(word[end], base):
        end += 1
    return start, end


def _is_raised(glyph: Glyph, base: Glyph) -> bool:
    return glyph.size < SMALL * base.size and base.y - glyph.y > RAISED * base.size


def _may_bear_mark(glyphs: Sequence[Glyph]) -> bool:
    """Return whether the base of a raised number is a word of the text, and not the base of a power."""
    text = "".join(glyph.text for glyph in glyphs)
    tail = text.rstrip(_CLOSING)
    if _OPERATORS.fullmatch(tail):
        return False
    return (len(tail) >= 3 and tail[-3:].isalpha()) or (tail != text and len(text) >= 3)


def _closes_formula(word: Sequence[Glyph], before: Sequence[Sequence[Glyph]]) -> bool:
    """Return whether a word ends with a bracket around a formula, with neither a word nor a year inside."""
    if word[-1].text not in _OPENING:
        return False
    line = " ".join("".join(glyph.text for glyph in other) for other in (*before, word))
    depth = 0
    for position in reversed(range(len(line))):
        depth += (line[position] == line[-1]) - (line[position] == _OPENING[line[-1]])
        if not depth:
            inside = line[position + 1 : -1].split()
            words = (text for text in inside if not _OPERATORS.fullmatch(text))
            return not any(map(_IN_TEXT.fullmatch, words))
    return False
