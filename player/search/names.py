"""How documents are called: names made comparable, their words matched loosely, numbers in words."""

from __future__ import annotations

import bisect
import functools
import itertools
import unicodedata
from collections.abc import Iterable

import regex

_SEPARATORS = regex.compile(r"[^\p{L}\p{M}\p{N}]+")
_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "sv", "pl", "ru", "tr", "he", "ar")
_HIGHEST_IN_WORDS = 30
_LEAST_PREFIX = 3
_LEAST_TYPO = 4
"""Letters from which a word may stand for one that begins so, and from which a slip of the keys is told."""
_PREFIX = 0.85
_CUT = 0.7
_TYPO_FROM = 0.75
_TYPO_COST = 0.1


def normalise_name(name: str) -> str:
    """A name for comparison: NFKC, case-folded, without accents, words and digit runs apart by single spaces."""
    folded = unicodedata.normalize("NFKC", name).casefold().strip().removesuffix(".pdf")
    plain = "".join(char for char in unicodedata.normalize("NFD", folded) if not unicodedata.combining(char))
    apart = regex.sub(r"(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})", " ", plain)
    tokens = [token.lstrip("0") or "0" if token.isdecimal() else token for token in _SEPARATORS.split(apart) if token]
    return " ".join(tokens)


def numbers(name: str) -> set[int]:
    """The numbers in a normalised name, in digits or as words of the commonest languages ("third", "vier")."""
    spelt = _spelt_numbers()
    found = {int(token) for token in name.split() if token.isdecimal() and len(token) <= 4}
    return found | {spelt[token] for token in name.split() if token in spelt}


def is_number(token: str) -> bool:
    """Whether a normalised token is a number, in digits or spelt."""
    return token.isdecimal() or token in _spelt_numbers()


def likeness(token: str, other: str) -> float:
    """0..1, how surely two normalised words are the same: alike, one cut short, or one mistyped.

    Reference:
        Damerau, A Technique for Computer Detection and Correction of Spelling Errors, 1964.
    """
    if token == other:
        return 1.0
    if len(token) >= _LEAST_PREFIX and other.startswith(token):
        return _PREFIX
    if len(token) < _LEAST_TYPO or len(other) < _LEAST_TYPO:
        return 0.0
    if token.startswith(other):
        return _CUT
    from rapidfuzz.distance import DamerauLevenshtein

    alike = DamerauLevenshtein.normalized_similarity(token, other, score_cutoff=_TYPO_FROM)
    return alike - _TYPO_COST if alike else 0.0


class Vocabulary:
    """Words of many names, to find those that a token may stand for without comparing it with each.

    Args:
        known: normalised words.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._words = sorted(set(known))
        self._known = frozenset(self._words)

    def alike(self, token: str) -> dict[str, float]:
        """The words whose `likeness` with a token is above 0, and that likeness."""
        near = {token[:end] for end in range(_LEAST_TYPO, len(token) + 1)} | {token}
        found = {word for word in near if word in self._known}
        if len(token) >= _LEAST_PREFIX:
            first = bisect.bisect_left(self._words, token)
            found.update(itertools.takewhile(lambda word: word.startswith(token), self._words[first:]))
        if len(token) >= _LEAST_TYPO:
            from rapidfuzz import process
            from rapidfuzz.distance import DamerauLevenshtein

            typos = process.extract(
                token,
                self._words,
                scorer=DamerauLevenshtein.normalized_similarity,
                score_cutoff=_TYPO_FROM,
                limit=None,
            )
            found.update(word for word, _, _ in typos)
        likely = {word: likeness(token, word) for word in found}
        return {word: alike for word, alike in likely.items() if alike}


def acronyms(tokens: list[str]) -> set[str]:
    """What two to six neighbouring words may be shortened to: their first letters."""
    plain = [token for token in tokens if not token.isdecimal()]
    return {
        "".join(token[0] for token in plain[start:end])
        for start in range(len(plain))
        for end in range(start + 2, min(len(plain), start + 6) + 1)
    }


@functools.cache
def _spelt_numbers() -> dict[str, int]:
    """Number by word. Words for one are left out: in most languages they are articles and pronouns too."""
    import num2words

    found: dict[str, int] = {}
    for language in _LANGUAGES:
        for number in range(1, _HIGHEST_IN_WORDS + 1):
            for form in ("cardinal", "ordinal"):
                if number == 1 and form == "cardinal":
                    continue
                try:
                    word = normalise_name(num2words.num2words(number, lang=language, to=form))
                except NotImplementedError:  # a language without ordinals
                    continue
                if word and " " not in word and not any(char.isdecimal() for char in word):
                    found.setdefault(word, number)
    return found
