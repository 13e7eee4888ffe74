"""Words of names: normalised, sorted by kind, and compared loosely."""

import functools
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import regex
import yaml
from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from quarry.arrays import Float64Array
from quarry.languages.language import NameKind
from quarry.languages.registry import LANGUAGES, alternatives, language_of_word
from quarry.languages.words import is_stop_word

NUMBER_KINDS: tuple[NameKind, ...] = ("lectures", "numbered")
"""Kinds of words that may have the number of a lecture, as "chapter" does."""
FILE_KINDS: tuple[NameKind, ...] = ("files", "documents")
"""Kinds of words that name a kind of file, as "slides" does."""
_IGNORED = regex.compile(
    r"\p{Mn}|(?<!\p{N})0+(?=\p{N})|(?<=\p{Hebrew})[\"'׳״](?=\p{Hebrew})"
)
"""Accents, leading zeros, and the signs within Hebrew numerals and abbreviations."""
_NAME_PART = regex.compile(r"\p{N}+|[\p{L}\p{M}]+")
"""A number or a word."""
_EXCLUSION = regex.compile(
    rf"\b{alternatives(language.negation for language in LANGUAGES)}\b"
)
"""A word that excludes what follows."""
WORDS_KEPT = 10_000
"""Maximum number of words, and of names, of which a property is cached."""
NEGATED_WORDS = 4
"""Number of words before a name in which a negation excludes it: "not the databases lecture"."""
_MIN_PREFIXED = 4
"""Minimum number of letters of a word whose first letter may be a prefix."""
_MIN_PREFIX = 3
"""Minimum number of letters of an abbreviation: "dyn" is short for "dynamic"."""
_ABBREVIATED = 0.85
"""Likeness of an abbreviation to the word."""
_LENGTHENED = 0.7
"""Likeness of a word to one that it begins with: "indexing" to "index"."""
_TYPO_LOSS = 0.1
"""Likeness that a misspelling loses besides its other letters."""
_MIN_TYPO = 4
"""Minimum number of letters of two words that are compared letter by letter."""
_MIN_ALIKE = 0.75
"""Minimum similarity of a word and its misspelling."""


def normalise_name(name: str) -> str:
    """Normalise a name: NFKD, case-folded, without accents, words and digits separated by single spaces."""
    folded = unicodedata.normalize("NFKD", name).casefold().strip()
    plain = _IGNORED.sub("", folded.removesuffix(".pdf"))
    return " ".join(_NAME_PART.findall(plain))


@functools.cache
def words_by_kind() -> dict[NameKind, set[str]]:
    """Return the normalised words in names by kind: those of the languages, and of others in name_words.yaml."""
    others = Path(__file__).with_name("name_words.yaml").read_text(encoding="utf-8")
    tables = [language.name_words for language in LANGUAGES]
    kinds: dict[NameKind, set[str]] = {}
    for table in (*tables, yaml.safe_load(others)):
        for kind, words in table.items():
            kinds.setdefault(kind, set()).update(map(normalise_name, words.split()))
    return kinds


@functools.lru_cache(WORDS_KEPT)
def _kinds_of(word: str) -> frozenset[NameKind]:
    """Return the kinds of a normalised word, perhaps after a prefix."""
    forms = {word}
    if len(word) >= _MIN_PREFIXED and word[0] in language_of_word(word).prefixes:
        forms.add(word[1:])
    return frozenset(kind for kind, words in words_by_kind().items() if forms & words)


def is_of_kind(word: str, *kinds: NameKind) -> bool:
    """Return whether a normalised word is of one of some kinds."""
    return not _kinds_of(word).isdisjoint(kinds)


def is_generic(word: str) -> bool:
    """Return whether a normalised word may be part of any document's name."""
    return is_stop_word(word) or is_of_kind(word, *NUMBER_KINDS, "counted", *FILE_KINDS)


def is_subject(word: str) -> bool:
    """Return whether a normalised word may say what a document is about: no number, no letter, no generic word."""
    return len(word) > 1 and not word.isdecimal() and not is_generic(word)


def has_negation(words: Sequence[str]) -> bool:
    """Return whether words say that something is not meant: "anything but"."""
    return _EXCLUSION.search(" ".join(words)) is not None


def likenesses(word: str, others: Sequence[str]) -> Float64Array:
    """Return (n_others,) the similarity, 0..1, of a normalised word to others that it equals, abbreviates or misspells.

    Reference:
        Damerau, A Technique for Computer Detection and Correction of Spelling Errors, 1964.
    """
    typos = process.cdist(
        [word],
        others,
        scorer=DamerauLevenshtein.normalized_similarity,
        score_cutoff=_MIN_ALIKE,
        dtype=np.float64,
    )
    likenesses: Float64Array = np.maximum(0.0, typos[0] - _TYPO_LOSS)

    for row, other in enumerate(others):
        if word == other:
            likenesses[row] = 1.0
        elif len(word) >= _MIN_PREFIX and other.startswith(word):
            likenesses[row] = _ABBREVIATED
        elif min(len(word), len(other)) < _MIN_TYPO:
            likenesses[row] = 0.0
        elif word.startswith(other):
            likenesses[row] = _LENGTHENED
    return likenesses
