"""Words and stems of a text, in any script."""

from __future__ import annotations

import functools
import unicodedata
from pathlib import Path
from typing import Any

import regex

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’׳״\"][\p{L}\p{M}]+)*")


def words(text: str) -> list[str]:
    """Return the words of a text in order, case-folded after NFKC; numbers count as words."""
    return [match.group() for match in _WORD.finditer(unicodedata.normalize("NFKC", text).casefold())]


def written_words(text: str) -> list[str]:
    """Return the words of a text in order as they are written, after NFKC."""
    return _WORD.findall(unicodedata.normalize("NFKC", text))


def canonical(text: str) -> str:
    """Return a text for comparison: letters and digits alone, case-folded after NFKC."""
    return "".join(char for char in unicodedata.normalize("NFKC", text).casefold() if char.isalnum())


def stems(text: str) -> list[str]:
    """Return the stems of the words of a text in order: Snowball for English, other words unchanged."""
    stemmed: list[str] = _stemmer().stemWords(words(text))
    return stemmed


def is_stop_word(word: str) -> bool:
    """Return whether a case-folded word is an English or Hebrew function word."""
    return word in _stop_words()


@functools.cache
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english")


@functools.cache
def _stop_words() -> frozenset[str]:
    return frozenset((Path(__file__).parent / "stop_words.txt").read_text(encoding="utf-8").split())
