"""Accents, points and dots that a file draws as glyphs of their own: they are merged with their letters."""

import unicodedata
from collections.abc import Iterator, Sequence

from ingest.layout.glyph_map import GlyphMap
from ingest.pdf.model import Glyph, space_between

_POINTS = "".join(map(chr, [*range(0x5B0, 0x5C3), *range(0x64B, 0x653)]))
"""Hebrew and Arabic points."""

ACCENTS = (
    {mark: mark for mark in "\u0302\u0303\u0304\u0307\u0308\u030c\u20d7"}
    | dict.fromkeys("‾⎯\u0305", "\u0304")
    | dict(zip(_POINTS, _POINTS, strict=True))
    | dict(
        zip(
            "¨´`ˆ˜¸ˇ˘˙˚¯˝˛«„»^\u0338/",
            "\u0308\u0301\u0300\u0302\u0303\u0327\u030c\u0306\u0307\u030a\u0304\u030b\u0328\u0301\u0300\u030c\u0302\u0338\u0338",
            strict=True,
        )
    )
)
"""Accents, and Hebrew and Arabic points, that some files draw as glyphs of their own, and their combining characters.

"«„»^" are accents of TeX's OT1 at the codes of other signs, in bitmap fonts without names; the last two negate a sign,
as in ≠."""

LOW = 0.1
"""Minimum distance of a full stop below the baseline, in ems, if it is the dot below a letter, as in ṇ."""
ACCENT_RISE = 0.75
"""Maximum distance of an accent from the place over a letter without ascender, in ems of the letter."""
ACCENT_REACH = 1.2
"""Maximum distance of an accent from the baseline of its letter, in ems of the accent."""
MIN_ACCENT_OVERLAP = 0.6
"""Minimum overlap of an accent and its letter, as a share of the narrower one."""

DOT_BELOW = "\u0323"
"""Combining dot below a letter."""

DOT_ORDER = 4
"""Maximum number of glyphs from a letter to the dot below it in the order of drawing."""

LINE_PIECES = "⎯\u0305"
"""Pieces of a line over several letters, digits and signs."""

NEGATION = "\u0338"
"""Combining stroke through a sign, as in ≠."""

MACRON = "\u0304"
"""Combining line over a letter."""

_DOTLESS = {"ı": "i", "ȷ": "j"}
"""Dotless letters, which some accents are drawn over, and the usual letters."""

_SIGNS = {"=\u0302": "≙"}
"""Sign that an accent makes of another sign, where Unicode composes none."""


def with_accents(glyphs: Sequence[Glyph], places: GlyphMap) -> list[Glyph]:
    """Merge each accent over a letter and each dot below it with the letter, and remove it from `places`.

    A long accent may consist of several glyphs; those over other signs are removed.

    Args:
        glyphs: those of a page in the order of drawing.
    """
    for order, glyph in enumerate(glyphs):
        glyph.order = order
    result: list[Glyph] = []
    for glyph in glyphs:
        if len(glyph.text) > 1:
            glyph.text = _composed(glyph.text)
        accent = ACCENTS.get(glyph.text, "")
        is_alone = accent or glyph.text == "."
        base = _letter_of(glyph, places) if is_alone else None
        if base is None and glyph.text not in LINE_PIECES:
            result.append(glyph)
            continue

        places.remove(glyph)
        if base is None:
            continue
        accent = accent or DOT_BELOW
        if accent not in unicodedata.normalize("NFD", base.text):
            base.text = accented(base.text, accent)
    return result


def _composed(text: str) -> str:
    """Compose an accent and a letter, or a sign and its stroke, that are drawn at one place."""
    for letter, mark in ((text[1:], text[0]), (text[:-1], text[-1])):
        accent = ACCENTS.get(mark, "")
        if _takes(letter, accent):
            return accented(letter, accent)
    return text


def _letter_of(glyph: Glyph, places: GlyphMap) -> Glyph | None:
    """Return the letter under an accent or over a dot; of several on its baseline, the one that it covers most."""
    letters = list(_letters_near(glyph, places))
    if not letters:
        return None
    first = letters[0]
    if not _is_level(first, glyph):
        return first
    level = [letter for letter in letters if _is_level(letter, glyph)]
    return max(level, key=lambda letter: _covered_share(letter, glyph))


def _letters_near(glyph: Glyph, places: GlyphMap) -> Iterator[Glyph]:
    """Yield the letters that an accent or a dot covers enough to belong to them."""
    for letter in places.near(glyph.x0, glyph.x1, glyph.y, ACCENT_REACH * glyph.size):
        is_drawn_next = abs(glyph.order - letter.order) <= DOT_ORDER
        is_low = glyph.y - letter.y > LOW * glyph.size
        accent = DOT_BELOW if is_drawn_next and glyph.text == "." else ""
        if not is_low:
            accent = ACCENTS.get(glyph.text, "")
        if letter is glyph or not _takes(letter.text, accent):
            continue

        overlap = -space_between(glyph, letter)
        is_near = abs(glyph.y - letter.y) < ACCENT_RISE * letter.size
        if is_near and overlap > MIN_ACCENT_OVERLAP * _narrower_width(letter, glyph):
            yield letter


def _is_level(letter: Glyph, accent: Glyph) -> bool:
    """Return whether a letter is on the baseline of an accent, in its size."""
    return letter.y == accent.y and letter.size == accent.size


def _covered_share(letter: Glyph, accent: Glyph) -> float:
    """Return the overlap of a letter and an accent as a share of the narrower one; 1 if that has no width."""
    width = _narrower_width(letter, accent)
    return -space_between(accent, letter) / width if width > 0 else 1.0


def _narrower_width(one: Glyph, other: Glyph) -> float:
    """Return the width of the narrower of two glyphs; some points have none."""
    return min(one.x1 - one.x0, other.x1 - other.x0)


def _takes(text: str, accent: str) -> bool:
    """Return whether a letter may have an accent, or a sign be negated."""
    if accent == NEGATION:
        return not text.isalnum() and len(accented(text, accent)) == 1
    if accent == MACRON:
        return text[:1].isalnum()
    if text + accent in _SIGNS:
        return True
    return accent != "" and text[:1].isalpha()


def accented(letter: str, accent: str) -> str:
    """Return a letter with an accent."""
    base = _DOTLESS.get(letter, letter) + accent
    return _SIGNS.get(base) or unicodedata.normalize("NFC", base)
