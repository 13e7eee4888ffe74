"""Tokeniser and stemmer for texts in any script, and tests for stop words and common words."""

import functools
import itertools
import unicodedata
from typing import Any

import regex

from quarry.languages.registry import LANGUAGES, language_of_word, words_of_all

MIN_COMMON = 2.5
"""Minimum Zipf value of a common word: it occurs once in 3 million words of general language. "Sourdough" has 2.8,
"quicksort" 1.6."""
INFLECTED = 3
"""Maximum number of letters in which inflected forms of a word differ: "regularization" is not a form of "regular"."""
_STOP_WORDS = words_of_all("stop_words")
_TOKEN = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['׳״\"][\p{L}\p{M}]+)*")


def words(text: str) -> list[str]:
    """Return the words of a text in order, case-folded after `_plain`; numbers count as words."""
    return _TOKEN.findall(_plain(text).casefold())


def written_words(text: str) -> list[str]:
    """Return the words of a text in order, after `_plain` but with their capitals."""
    return _TOKEN.findall(_plain(text))


def _plain(text: str) -> str:
    """Apply NFKC, and replace curly apostrophes: the stemmer recognises only straight ones."""
    return unicodedata.normalize("NFKC", text).replace("’", "'")


def stems(text: str) -> list[str]:
    """Return the stems of the words of a text in order: Snowball for English, other words unchanged."""
    result: list[str] = _stemmer().stemWords(words(text))
    return result


def shared_stem(word: str) -> str:
    """Return a stem that all forms of a case-folded word share."""
    language = language_of_word(word)
    if language.endings:
        return language.rough_stem(word)
    return next(iter(stems(word)), word)


def has_capitals(word: str) -> bool:
    """Return whether a word has capitals after its first letter, like "NEAR"."""
    return word[1:] != word[1:].casefold()


def is_stop_word(word: str) -> bool:
    """Return whether a case-folded word is a function word of any language."""
    return word in _STOP_WORDS


def is_common(word: str) -> bool:
    """Return whether a case-folded word, or an inflected form of it, is common in general language."""
    lengths = _common_forms().get(shared_stem(word), ())
    return any(abs(len(word) - length) <= INFLECTED for length in lengths)


@functools.cache
def _common_forms() -> dict[str, set[int]]:
    """Return the stems of the common words of all languages, each with the lengths of its words.

    Reference:
        Speer, rspeer/wordfreq, 2022: frequencies of words in web pages, books, subtitles, news and Wikipedia.
    """
    from wordfreq import get_frequency_list

    lengths: dict[str, set[int]] = {}
    for language in LANGUAGES:
        # the list holds words by frequency, in centibels below 1
        by_frequency = get_frequency_list(language.code, "large")
        lowest = round(100.0 * (9.0 - MIN_COMMON))
        common = [*itertools.chain(*by_frequency[: lowest + 1])]
        forms = (
            map(shared_stem, common)
            if language.endings
            else _stemmer().stemWords(common)
        )
        for word, form in zip(common, forms, strict=True):
            lengths.setdefault(form, set()).add(len(word))
    get_frequency_list.cache_clear()
    return lengths


@functools.cache
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english")
