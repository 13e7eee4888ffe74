"""Words and stems of a text, in any script."""

import functools
import unicodedata
from typing import Any

import regex

from ingest.languages.registry import LANGUAGES, language_of_word

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’׳״\"][\p{L}\p{M}]+)*")


def words(text: str) -> list[str]:
    """Return the words of a text in order, case-folded after NFKC; numbers count as words."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def written_words(text: str) -> list[str]:
    """Return the words of a text in order as they are written, after NFKC."""
    return _WORD.findall(unicodedata.normalize("NFKC", text))


def stems(text: str) -> list[str]:
    """Return the stems of the words of a text in order: Snowball for English, other words unchanged."""
    stemmed: list[str] = _stemmer().stemWords(words(text))
    return stemmed


def form_of(word: str) -> str:
    """Return a stem that the forms of a case-folded word share."""
    language = language_of_word(word)
    if language.endings:
        return language.rough_stem(word)
    return next(iter(stems(word)), word)


def has_capitals(word: str) -> bool:
    """Return whether a word has capitals after its first letter: "NEAR"."""
    return word[1:] != word[1:].casefold()


def is_stop_word(word: str) -> bool:
    """Return whether a case-folded word is a function word of any language."""
    return word in _stop_words()


@functools.cache
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english")


@functools.cache
def _stop_words() -> frozenset[str]:
    return frozenset(
        word for language in LANGUAGES for word in language.stop_words.split()
    )
