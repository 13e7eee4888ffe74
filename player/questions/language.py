"""Language of questions, and Hebrew word forms."""

from __future__ import annotations

from typing import Literal

from ingest.languages.hebrew import HEBREW
from player.words import stems

Language = Literal["en", "he"]

_ENDINGS = ("ים", "ות", "ית", "ה", "ת", "י")
_FINALS = str.maketrans("ךםןףץ", "כמנפצ")


def language_of(text: str) -> Language:
    """Return Hebrew if most letters of the text are Hebrew, else English."""
    letters = [char for char in text if char.isalpha()]
    return "he" if sum(map(is_hebrew, letters)) > 0.5 * len(letters) else "en"


def is_hebrew(word: str) -> bool:
    """Return whether a word begins with a Hebrew letter."""
    return "\u0590" <= word[:1] <= "\u05ff"


def hebrew_forms(word: str) -> str:
    """Return a rough stem: take up to two prefix letters and one ending off a Hebrew word, and leave three letters.

    Words of one stem may be forms of one word. The stem is too rough for anything but avoiding doubtful words.
    """
    stem = word
    for _ in range(2):
        if len(stem) > 3 and stem[0] in HEBREW.prefixes:
            stem = stem[1:]
    for ending in _ENDINGS:
        if stem.endswith(ending) and len(stem) - len(ending) >= 3:
            stem = stem[: -len(ending)]
            break
    return stem.translate(_FINALS)


def form_of(word: str) -> str:
    """Return what the forms of one word share: a stem."""
    return hebrew_forms(word) if is_hebrew(word) else next(iter(stems(word)), word)
