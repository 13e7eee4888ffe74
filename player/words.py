"""Words and stems of a text, in any script."""

from __future__ import annotations

import functools
import unicodedata
from pathlib import Path
from typing import Any

import regex

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’׳״\"][\p{L}\p{M}]+)*")


def words(text: str) -> list[str]:
    """The words of a text in order, case-folded after NFKC; numbers count as words."""
    return [match.group() for match in _WORD.finditer(unicodedata.normalize("NFKC", text).casefold())]


def canonical(text: str) -> str:
    """A text for comparison: NFKC, case-folded, letters and digits alone."""
    return "".join(char for char in unicodedata.normalize("NFKC", text).casefold() if char.isalnum())


def stems(text: str) -> list[str]:
    """The stems of a text's words in order: Snowball English, words of other scripts as they are."""
    stemmed: list[str] = _stemmer().stemWords(words(text))
    return stemmed


def is_stop_word(word: str) -> bool:
    """Whether a case-folded word is an English or Hebrew function word, which tells nothing about a subject."""
    return word in _stop_words()


@functools.cache
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english")


@functools.cache
def _stop_words() -> frozenset[str]:
    return frozenset((Path(__file__).parent / "stop_words.txt").read_text(encoding="utf-8").split())
