"""Superscripts and the like inside a line: exponents, fractions, accents, and the marks of footnotes and citations."""

import re
import unicodedata
from collections.abc import Sequence

from ingest.layout.bidi import STOPS
from ingest.layout.glyph_map import GlyphMap
from ingest.pdf.model import UNKNOWN, Glyph, space_between, text_of

ACCENTS = (
    {mark: mark for mark in "\u0302\u0303\u0304\u0307\u0308\u030c\u20d7"}
    | {"‾": "\u0304", "\u0305": "\u0304"}
    | dict(
        zip(
            "¨´`ˆ˜¸ˇ˘˙˚¯˝˛«„»^\u0338/",
            "\u0308\u0301\u0300\u0302\u0303\u0327\u030c\u0306\u0307\u030a\u0304\u030b\u0328\u0301\u0300\u030c\u0302\u0338\u0338",
            strict=True,
        )
    )
)
"""Accents that some files draw as glyphs of their own over a letter, and their combining characters.

"«„»^" are accents of TeX's OT1 at the codes of other signs, in bitmap fonts without names; the last two negate a sign,
as in ≠."""
LOW = 0.1
"""Minimum distance of a full stop below the baseline, in ems, if it is the dot below a letter, as in ṇ."""
ACCENT_RISE = 0.6
"""Maximum distance of an accent from the place over a letter without ascender, in ems of the letter."""
ACCENT_REACH = 1.2
"""Maximum distance of an accent from the baseline of its letter, in ems of the accent."""
MIN_OVERLAP = 0.6
"""Minimum overlap of an accent and its letter, as a share of the narrower one."""
DOT_BELOW = "\u0323"
DOT_ORDER = 4
"""Maximum number of glyphs from a letter to the dot below it in the order of drawing."""
NEGATION = "\u0338"
MACRON = "\u0304"
_DOTLESS = {"ı": "i", "ȷ": "j"}

PRIMES = "′″‴"

SMALL = 0.9
"""Maximum font size of an index, an exponent or a mark, as a share of the size of its base."""
RAISED = 0.2
"""Minimum height of an exponent or a mark above the baseline, in ems."""

_MARK_SIGNS = frozenset("0123456789,;-–—*†‡§¶∗()[]" + UNKNOWN)
_CLOSING_SIGNS = ".,;:!?)]}\"'”’»״׳"
_AFTER_MARK = frozenset(_CLOSING_SIGNS + "—–-…")
FUNCTION_NAMES = re.compile(
    r"a?(?:sin|cos|tan|cot|sec|csc)h?|log|exp|lim|max|min|inf|sup|det|dim|ker|gcd|arg|deg|mod",
    re.IGNORECASE,
)
"""Names of functions; raised numbers after them are exponents."""
_OPENING = {")": "(", "]": "[", "}": "{"}
_IN_TEXT = re.compile(r"[^\W\d_]{3,}(?:[-'’][^\W\d_]+)*[.,;:]?|\d{4}[a-z]?[.,;:]?")
"""A word or a year, as between brackets of a text and not of a formula."""


def with_accents(glyphs: Sequence[Glyph], places: GlyphMap) -> list[Glyph]:
    """Merge each accent over a letter and each dot below it with the letter, and remove it from `places`.

    A long accent may consist of several glyphs.

    Args:
        glyphs: those of a page in the order of drawing.
    """
    for order, glyph in enumerate(glyphs):
        glyph.order = order
    result: list[Glyph] = []
    for glyph in glyphs:
        accent = ACCENTS.get(glyph.text[:1], "")
        letter = glyph.text[1:]
        if letter and _takes(letter, accent):  # drawn at one place
            glyph.text = accented(letter, accent)

        is_alone = (accent or glyph.text == ".") and not letter
        base = _letter_of(glyph, places) if is_alone else None
        if base is None:
            result.append(glyph)
            continue

        accent = accent or DOT_BELOW
        if not base.text.endswith(accent):
            base.text = accented(base.text, accent)
        base.x0 = min(base.x0, glyph.x0)
        base.x1 = max(base.x1, glyph.x1)
        places.remove(glyph)
    return result


def _letter_of(glyph: Glyph, places: GlyphMap) -> Glyph | None:
    """Return the letter under an accent or over a dot; None if there is none."""
    for letter in places.near(glyph.x0, glyph.x1, glyph.y, ACCENT_REACH * glyph.size):
        is_drawn_next = abs(glyph.order - letter.order) <= DOT_ORDER
        is_low = is_drawn_next and glyph.y - letter.y > LOW * glyph.size
        accent = ACCENTS.get(glyph.text, DOT_BELOW if is_low else "")
        if letter is glyph or not _takes(letter.text, accent):
            continue
        narrower = min(glyph.x1 - glyph.x0, letter.x1 - letter.x0)
        overlap = -space_between(glyph, letter)
        is_near = abs(glyph.y - letter.y) < ACCENT_RISE * letter.size
        if is_near and overlap > MIN_OVERLAP * narrower:
            return letter
    return None


def _takes(text: str, accent: str) -> bool:
    """Return whether a letter may have an accent, or a sign be negated."""
    if accent == NEGATION:
        return not text.isalnum() and len(accented(text, accent)) == 1
    return accent != "" and text[:1].isalpha()


def accented(letter: str, accent: str) -> str:
    """Return a letter with an accent."""
    base = _DOTLESS.get(letter, letter)
    return unicodedata.normalize("NFC", base + accent)


def with_scripts(glyphs: list[Glyph], y: float, size: float) -> list[Glyph]:
    """Join primes to their letters, and put the index before the exponent of each base.

    Args:
        glyphs: a row from left to right.
        y, size: baseline and font size of the row.
    """
    result: list[Glyph] = []
    exponent: list[Glyph] = []
    letters = glyphs[:1]
    for glyph in glyphs:
        is_small = glyph.size < SMALL * size and glyph.text != " "
        is_raised = is_small and y - glyph.y > RAISED * size
        if not is_small:
            result += exponent
            exponent = []
            letters = [glyph]

        before = (exponent or letters) if is_raised else result
        if is_small and glyph.text in PRIMES and before and before[-1].text.isalpha():
            before[-1].text += glyph.text
            before[-1].x1 = max(before[-1].x1, glyph.x1)
        elif is_raised:
            exponent.append(glyph)
        else:
            result.append(glyph)
    return result + exponent


def without_marks(words: list[list[Glyph]]) -> list[list[Glyph]]:
    """Remove the raised numbers and signs that point to notes and sources from the words of a line, in reading order.

    A raised number after a short base or the name of a function is an exponent and stays.
    """
    result: list[list[Glyph]] = []
    for word in words:
        base = result[-1][-1] if result else word[0]
        start = 0
        while start < len(word) and not _is_raised(word[start], base):
            base = word[start]
            start += 1
        end = start
        while end < len(word) and _is_raised(word[end], base):
            end += 1

        if start < end and _points_to_note(word, start, end, result):
            word = word[:start] + word[end:]
        if word:
            result.append(word)
    return result


def _is_raised(glyph: Glyph, base: Glyph) -> bool:
    """Return whether a glyph is small and above the baseline of the one before it."""
    rise = base.y - glyph.y
    return glyph.size < SMALL * base.size and rise > RAISED * base.size


def _points_to_note(
    word: Sequence[Glyph],
    start: int,
    end: int,
    before: Sequence[Sequence[Glyph]],
) -> bool:
    """Return whether the raised glyphs from `start` to `end` of a word point to a note and are no exponent.

    Args:
        before: the words before it.
    """
    mark = text_of(word[start:end])
    if not _MARK_SIGNS.issuperset(mark):
        return False
    if end < len(word) and word[end].text[:1] not in _AFTER_MARK:
        return False

    # an exponent touches its base
    if start and _closes_formula([*before, word[:start]]):
        return False
    # a word has no index
    if any(glyph.y - word[0].y > LOW * glyph.size for glyph in word[:start]):
        return False
    return _may_have_note(text_of(word[:start] or before[-1]))


def _may_have_note(text: str) -> bool:
    """Return whether a mark after a text may point to a note: it ends with a word, or with a stop or a bracket."""
    if len(text) < 3 and text[-1] not in STOPS:
        return False
    tail = text.rstrip(_CLOSING_SIGNS)
    *_, name = re.split(r"[\W\d_]", tail)
    if FUNCTION_NAMES.fullmatch(name):
        return False
    is_word = len(tail) >= 3 and tail[-3:].isalpha()
    return is_word or tail != text


def _closes_formula(words: Sequence[Sequence[Glyph]]) -> bool:
    """Return whether words end with a bracket around a formula, with neither a word nor a year inside."""
    line = " ".join(map(text_of, words))
    opening = _OPENING.get(line[-1])
    if opening is None:
        return False
    _, bracket, inside = line[:-1].rpartition(opening)
    for text in inside.split():
        if _IN_TEXT.fullmatch(text):
            return False
    return bool(bracket)
