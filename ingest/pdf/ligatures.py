"""Ligatures to which a file gives no letters: those of Calibri on Windows, and any of them from macOS.

Windows writes the letters at their numbers as glyphs, "relaƟes" for "relaties". macOS leaves them out of the map of a
font or maps them to private codes. The words that a ligature completes tell which one it is.
"""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence, Set

from ingest.pdf.model import UNKNOWN, Glyph
from quarry.languages.words import is_common

OF_CALIBRI = {"Ō": "ft", "ƞ": "tf", "Ɵ": "ti", "Ʃ": "tt", "ƫ": "tti"}
"""Ligatures of Calibri by the letters at their numbers as glyphs, which Windows writes into files."""

_LIGATURES = (
    *("ti", "tt", "tti", "ft", "fti", "ftt", "tf"),
    *("fi", "fl", "ff", "ffi", "ffl", "fj", "th"),
)
"""Ligatures of fonts of text."""

MIN_LETTERS = 3
"""Minimum number of other letters of a word that tells which ligature it has."""


def spell_ligatures(glyphs: Sequence[Glyph], private: Set[tuple[int, str]]) -> None:
    """Spell the ligatures of a page; other glyphs at private codes are unknown.

    Args:
        glyphs: in the order of drawing.
        private: fonts and texts of the private codes of macOS.
    """
    of_calibri = set()
    for before, glyph in itertools.pairwise(glyphs):
        if glyph.text in OF_CALIBRI and _is_inside_word(before, glyph):
            of_calibri.add(glyph.font)
    found = dict.fromkeys(private, UNKNOWN)
    if private:
        found |= _find_ligatures(glyphs, private)
    for glyph in glyphs:
        letters = found.get((glyph.font, glyph.text))
        if glyph.font in of_calibri:
            letters = OF_CALIBRI.get(glyph.text, letters)
        glyph.text = letters or glyph.text


def _is_inside_word(before: Glyph, glyph: Glyph) -> bool:
    """Return whether a glyph is after a small Latin letter of the same word."""
    is_next = before.y == glyph.y and not glyph.parted
    return is_next and "a" <= before.text <= "z"


def _find_ligatures(
    glyphs: Sequence[Glyph], private: Set[tuple[int, str]]
) -> dict[tuple[int, str], str]:
    """Return the ligatures that complete most of the words with a code without letters, by font and text."""
    votes: dict[tuple[int, str], Counter[str]] = {}
    for word in _words(glyphs, private):
        codes = {key for glyph in word if (key := (glyph.font, glyph.text)) in private}
        if len(codes) != 1 or len(word) <= MIN_LETTERS:
            continue
        (key,) = codes
        counts = votes.setdefault(key, Counter())
        counts[""] += 1
        texts = [glyph.text for glyph in word]
        for ligature in _LIGATURES:
            letters = [ligature if text == key[1] else text for text in texts]
            counts[ligature] += is_common("".join(letters).casefold())

    found = {}
    for key, counts in votes.items():
        n_words = counts.pop("")
        ligature, n_known = counts.most_common(1)[0]
        if 2 * n_known > n_words:
            found[key] = ligature
    return found


def _words(
    glyphs: Sequence[Glyph], private: Set[tuple[int, str]]
) -> Iterator[list[Glyph]]:
    """Yield the runs of Latin letters and of glyphs without letters that are drawn side by side."""
    word: list[Glyph] = []
    for glyph in glyphs:
        is_part = (glyph.font, glyph.text) in private or (
            glyph.text.isascii() and glyph.text.isalpha()
        )
        is_next = word and glyph.y == word[-1].y and not glyph.parted
        if word and not (is_part and is_next):
            yield word
            word = []
        if is_part:
            word.append(glyph)
    if word:
        yield word
