"""Superscripts inside a line: primes, exponents, and the marks of footnotes and citations."""

import functools
import itertools
import math
import re
from collections.abc import Collection, Sequence

from ingest.layout.accents import LOW
from ingest.layout.bidi import STOPS
from ingest.layout.rows import SAME, SMALL, Row
from ingest.pdf.model import UNKNOWN, Glyph, text_of
from quarry.course.sentences import ends_with_abbreviation
from quarry.languages.quotation import CLOSING_MARKS

PRIMES = "′″‴"
"""Primes, which are joined to their letters."""

RAISED = 0.2
"""Minimum height of an exponent or a mark above the baseline, in ems."""

OVERHANG = 0.1
"""Maximum overlap of an exponent and an index on its right, in ems."""

_MARK_SIGNS = frozenset("0123456789,;-–—*†‡§¶∗()[]" + UNKNOWN)
"""Digits and signs of the marks of notes; a minus sign is none of them."""

_NEGATIVE = re.compile(r"[-–]\d")
"""Beginning of an exponent, as in "g.mol-1"."""

_CLOSING_SIGNS = f".,;:!?}}{CLOSING_MARKS}"
"""Signs that may follow the last word before a mark."""

_AFTER_MARK = frozenset(_CLOSING_SIGNS + "—–-…")
"""Signs that may follow a mark."""

_FUNCTION_NAMES = re.compile(
    r"a?(?:sin|cos|tan|cot|sec|csc)h?|log|exp|lim|max|min|inf|sup|det|dim|ker|gcd|arg|deg|mod",
    re.IGNORECASE,
)
"""Names of functions; raised numbers after them are exponents."""

_OPENING = {")": "(", "]": "[", "}": "{"}
"""Opening brackets by their closing ones."""

_IN_TEXT = re.compile(
    r"(?!\w*[a-z][A-Z])[^\W\d_]{3,}(?:[-'’][^\W\d_]+)*[.,;:]?|\d{4}[a-z]?[.,;:]?"
)
"""A word or a year, as between brackets of a text and not of a formula, where names may be joined: "meanX"."""

_IN_FORMULA = frozenset("−+=±·×")
"""Operators, as between brackets of a formula and not of a text."""


def with_scripts(glyphs: list[Glyph], y: float, size: float) -> list[Glyph]:
    """Join primes to their letters, and put the index of each base before the exponent above it.

    After an opening bracket, as in a binomial coefficient, the upper glyphs come first.

    Args:
        glyphs: a row from left to right.
        y, size: baseline and font size of the row.
    """
    result: list[Glyph] = []
    low: list[Glyph] = []
    raised: list[Glyph] = []
    base = glyphs[:1]
    for glyph in glyphs:
        is_small = glyph.size < SMALL * size and glyph.text != " "
        # a formula may be smaller than the text of its row, and an exponent of an index on its baseline
        is_in_index = bool(low) and glyph.size < SMALL * low[-1].size
        is_level = abs(glyph.y - y) < SAME * size and not is_in_index
        if not is_small or is_level:
            result += _ordered(base, low, raised)
            low, raised, base = [], [], [glyph]
            result.append(glyph)
            continue

        scripts = raised if y - glyph.y > RAISED * size else low
        before = scripts or base
        if result and result[-1].text == "√" and glyph.middle < result[-1].x1:
            result.insert(-1, glyph)  # the degree of a root
        elif glyph.text in PRIMES and before[-1].text.rstrip(PRIMES).isalpha():
            before[-1].text += glyph.text
            before[-1].x1 = max(before[-1].x1, glyph.x1)
        else:
            scripts.append(glyph)
    return result + _ordered(base, low, raised)


def _ordered(
    base: Sequence[Glyph], low: list[Glyph], raised: list[Glyph]
) -> list[Glyph]:
    """Return the scripts of a base in reading order: an index before the glyphs above it and on its right."""
    is_bracket = bool(base) and base[0].text in _OPENING.values()
    if is_bracket:
        return raised + low

    result: list[Glyph] = []
    rest = raised
    edge = -math.inf  # of the glyphs below
    for glyph in low:
        left = glyph.x0 + OVERHANG * glyph.size
        n_before = sum(above.x1 <= left for above in rest)
        # an exponent over the first glyph of an index is after its last one
        if n_before and rest[n_before - 1].x0 >= edge - OVERHANG * glyph.size:
            result += rest[:n_before]
            rest = rest[n_before:]
        result.append(glyph)
        edge = glyph.x1
    return result + rest


def has_notes(row: Row) -> bool:
    """Return whether a number above the baseline of a row counts notes: it is 1, or begins the text of a note."""
    edge = -math.inf
    is_above = functools.partial(_is_raised, base=row)
    for is_raised, members in itertools.groupby(row.glyphs, key=is_above):
        glyphs = list(members)
        number = text_of(glyphs).strip()

        begins = glyphs[0].x0 - edge > row.size
        if is_raised and number.isdecimal() and (begins or number == "1"):
            return True
        edge = glyphs[-1].x1
    return False


def without_marks(
    words: list[list[Glyph]], exponents: Collection[str] = ()
) -> list[list[Glyph]]:
    """Remove the raised numbers and signs that point to notes and sources from the words of a line, in reading order.

    A raised number after a short base or the name of a function is an exponent and stays.

    Args:
        exponents: numbers that are no marks of notes in the document.
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

        if start < end and _points_to_note(word, start, end, result, exponents):
            word = word[:start] + word[end:]
        if word:
            result.append(word)
    return result


def _is_raised(glyph: Glyph, base: Glyph | Row) -> bool:
    """Return whether a glyph is small and above the baseline of the one before it, or of a row."""
    rise = base.y - glyph.y
    return glyph.size < SMALL * base.size and rise > RAISED * base.size


def _points_to_note(
    word: Sequence[Glyph],
    start: int,
    end: int,
    before: Sequence[Sequence[Glyph]],
    exponents: Collection[str],
) -> bool:
    """Return whether the raised glyphs from `start` to `end` of a word point to a note and are no exponent.

    Args:
        before: the words before it.
        exponents: numbers that are no marks of notes in the document.
    """
    mark = text_of(word[start:end])
    if mark in exponents or not _MARK_SIGNS.issuperset(mark):
        return False
    if _NEGATIVE.match(mark):
        return False
    if end < len(word) and word[end].text[:1] not in _AFTER_MARK:
        return False

    # as in "ref. 3"
    if not start and ends_with_abbreviation(text_of(before[-1]), mark):
        return False
    # an exponent touches its base
    if start and _closes_formula([*before, word[:start]]):
        return False
    # a word has no index, a formula with a full stop has ended
    has_index = any(glyph.y - word[0].y > LOW * glyph.size for glyph in word[:start])
    if has_index and word[start - 1].text not in STOPS:
        return False
    return _may_have_note(text_of(word[:start] or before[-1]))


def _may_have_note(text: str) -> bool:
    """Return whether a mark after a text may point to a note: it ends with a word, or with a stop or a bracket."""
    if len(text) < 3 and text[-1] not in STOPS:
        return False
    tail = text.rstrip(_CLOSING_SIGNS)
    *_, name = re.split(r"[\W\d_]", tail)
    if _FUNCTION_NAMES.fullmatch(name):
        return False
    is_word = len(tail) >= 3 and tail[-3:].isalpha()
    return is_word or tail != text


def _closes_formula(words: Sequence[Sequence[Glyph]]) -> bool:
    """Return whether words end with a bracket around a formula, with an operator or neither word nor year inside."""
    line = " ".join(map(text_of, words))
    opening = _OPENING.get(line[-1])
    if opening is None:
        return False
    _, bracket, inside = line[:-1].rpartition(opening)
    texts = inside.split()
    has_word = any(map(_IN_TEXT.fullmatch, texts))
    return bool(bracket) and not (has_word and _IN_FORMULA.isdisjoint(texts))
