"""In which language questions are put: that of the paragraphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Language = Literal["en", "he"]

_PREFIXES = frozenset("ושהכלבמ")
_ENDINGS = ("ים", "ות", "ית", "ה", "ת", "י")
_FINALS = str.maketrans("ךםןףץ", "כמנפצ")


def language_of(text: str) -> Language:
    """Hebrew where most letters of the text are, else English."""
    letters = [char for char in text if char.isalpha()]
    return "he" if sum("\u0590" <= char <= "\u05ff" for char in letters) > 0.5 * len(letters) else "en"


def is_hebrew(word: str) -> bool:
    """Whether a word begins with a Hebrew letter."""
    return "\u0590" <= word[:1] <= "\u05ff"


def hebrew_forms(word: str) -> str:
    """A rough stem of a Hebrew word: up to two prefix letters and one ending taken off while three letters stay.

    Words with one stem may be forms of one word; it is too rough for anything but keeping away from doubtful words.
    """
    stem = word
    for _ in range(2):
        if len(stem) > 3 and stem[0] in _PREFIXES:
            stem = stem[1:]
    for ending in _ENDINGS:
        if stem.endswith(ending) and len(stem) - len(ending) >= 3:
            stem = stem[: -len(ending)]
            break
    return stem.translate(_FINALS)


def either(words: Sequence[str], language: Language) -> str:
    """Words as a list of alternatives: "index", "query" or "tree", each in quotation marks: one may be "or" itself."""
    quoted = [f'"{word}"' for word in words]
    if len(quoted) == 1:
        return quoted[0]
    return f"{', '.join(quoted[:-1])} {'או' if language == 'he' else 'or'} {quoted[-1]}"
