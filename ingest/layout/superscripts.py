"""Superscripts and the like inside a line: exponents, fractions, accents, and the marks of footnotes and citations."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from quarry.ingest.pdf.model import UNKNOWN, Glyph

_ACCENTS = dict(
    zip("¨´`ˆ˜¸ˇ˘˙˚¯˝˛", "\u0308\u0301\u0300\u0302\u0303\u0327\u030c\u0306\u0307\u030a\u0304\u030b\u0328", strict=True)
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
    r"a?(?:sin|cos|tan|cot|sec|csc)h?|log|exp|lim|max|min|inf|sup|det|dim|ker|gcd|arg|deg|mod", re.IGNORECASE
)
"""Names of functions; raised numbers after them are exponents."""
_OPENING = {")": "(", "]": "["}
_IN_TEXT = re.compile(r"[^\W\d_]{3,}(?:[-'’][^\W\d_]+)*[.,;:]?|\d{4}[a-z]?[.,;:]?")
"""A word or a year, as between brackets of a text and not of a formula."""


def with_accents(glyphs: list[Glyph]) -> list[Glyph]:
    """Merge each accent over a letter and each dot below it with the letter; glyphs are from left to right."""
    kept: list[Glyph] = []
    for position, glyph in enumerate(glyphs):
        if len(glyph.text) == 2 and glyph.text[0] in _ACCENTS and glyph.text[1].isalpha():  # drawn at one place
            glyph.text = _accented(glyph.text[1], glyph.text[0])
        neighbours = glyphs[max(0, position - 2) : position] + glyphs[position + 1 : position + 3]
        is_dot = glyph.text == "." and neighbours and glyph.y - neighbours[0].y > LOW * glyph.size
        is_accent = glyph.text in _ACCENTS or is_dot
        letter = next((other for other in neighbours if is_accent and _is_over(glyph, other)), None)
        if letter is None:
            kept.append(glyph)
            continue
        letter.text = _accented(letter.text, glyph.text)
        letter.x0, letter.x1 = min(letter.x0, glyph.x0), max(letter.x1, glyph.x1)
    return kept


def _accented(letter: str, accent: str) -> str:
    return unicodedata.normalize("NFC", _DOTLESS.get(letter, letter) + (_ACCENTS.get(accent) or "\u0323"))


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
    kept: list[Glyph] = []
    position = 0
    while position < len(glyphs):
        end = position
        while end < len(glyphs) and glyphs[end].size < SMALL * size and glyphs[end].text != " ":
            end += 1
        small = glyphs[position:end]
        above = [glyph for glyph in small if y - glyph.y > RAISED * size]
        below = [glyph for glyph in small if glyph.y - y > 0.1 * size]
        stacked = above and below and len(above) + len(below) == len(small)
        if stacked and _is_centred(above, below) and not _follows(kept, small):
            bar = Glyph("/", above[-1].x1, above[-1].x1, above[-1].y, above[-1].size, above[-1].font, False)
            kept += [*above, bar, *below]
        else:
            kept += small or glyphs[position : position + 1]
        position = max(end, position + 1)
    return kept


def _is_centred(above: Sequence[Glyph], below: Sequence[Glyph]) -> bool:
    upper, lower = (above[0].x0 + above[-1].x1) / 2, (below[0].x0 + below[-1].x1) / 2
    return abs(upper - lower) < 0.2 * above[0].size


def _follows(before: Sequence[Glyph], small: Sequence[Glyph]) -> bool:
    """Return whether small signs touch a letter before them."""
    if not before or before[-1].text in (" ", ""):
        return False
    gap = min(glyph.x0 for glyph in small) - before[-1].x1
    return gap < 0.1 * small[0].size and (before[-1].text[-1].isalnum() or before[-1].text[-1] in ")]}")


def without_marks(words: list[list[Glyph]]) -> list[list[Glyph]]:
    """Remove the raised numbers and signs that point to notes and sources from the words of a line, in reading order.

    A raised number after a short base or the name of a function is an exponent and stays.
    """
    kept: list[list[Glyph]] = []
    for word in words:
        word = without_signs(word)
        start = _mark_start(word, kept[-1] if kept else [])
        if start is None:
            kept.append(word)
            continue
        end = start
        base = word[start - 1] if start else kept[-1][-1]
        while end < len(word) and _is_raised(word[end], base):
            end += 1
        before = word[:start] or kept[-1]
        mark = "".join(glyph.text for glyph in word[start:end])
        after = word[end:]
        if (
            _is_mark(mark)
            and _may_bear_mark(before)
            and not (start and _closes_formula(word[:start], kept))  # an exponent touches its base
            and (not after or after[0].text[:1] in _AFTER_MARK)
        ):
            rest = word[:start] + after
            if start == 0 and after:
                kept[-1] = kept[-1] + after
            elif rest:
                kept.append(rest)
        else:
            kept.append(word)
    return kept


def without_signs(word: list[Glyph]) -> list[Glyph]:
    """Remove the stars and daggers after the closing mark of a word; some fonts have them as high as a superscript."""
    end = len(word)
    while end > 1 and word[end - 1].text in NOTE_SIGNS:
        end -= 1
    return word[:end] if word[end - 1].text in _SENTENCE_MARKS else word


def _mark_start(word: Sequence[Glyph], before: Sequence[Glyph]) -> int | None:
    """Return the position of the first raised glyph of a word, None if there is none or it has no base."""
    for position, glyph in enumerate(word):
        base = word[position - 1] if position else (before[-1] if before else None)
        if base is not None and _is_raised(glyph, base):
            return position
    return None


def _is_raised(glyph: Glyph, base: Glyph) -> bool:
    return glyph.size < SMALL * base.size and base.y - glyph.y > RAISED * base.size


def _is_mark(text: str) -> bool:
    return len(text) <= MAX_MARK and _MARK_SIGNS.issuperset(text) and not text.startswith(("-", "–", "−"))


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
    for position in range(len(line) - 1, -1, -1):
        depth += (line[position] == line[-1]) - (line[position] == _OPENING[line[-1]])
        if not depth:
            inside = line[position + 1 : -1]
            return not any(_IN_TEXT.fullmatch(word) and not _OPERATORS.fullmatch(word) for word in inside.split())
    return False
