"""The languages that are known, and which one a text or a word is in."""

from collections.abc import Iterable

from quarry.languages.english import ENGLISH
from quarry.languages.hebrew import HEBREW
from quarry.languages.language import Language

LANGUAGES = (ENGLISH, HEBREW)
"""All languages. A text that is in no script of the others is taken for the first one."""

OTHER_ABBREVIATIONS = "mme mlle mm проф акад ул г гг пгт"
"""Words of French and Russian with a full stop after which the sentence goes on."""


def language_of(text: str) -> Language:
    """Return the language in whose script most letters of the text are, English for Latin and any other script."""
    letters = [char for char in text if char.isalpha()]
    for language in LANGUAGES:
        if sum(map(language.begins, letters)) > 0.5 * len(letters):
            return language
    return ENGLISH


def language_of_word(word: str) -> Language:
    """Return the language in whose script a word begins, English for Latin and any other script."""
    for language in LANGUAGES:
        if language.begins(word):
            return language
    return ENGLISH


def alternatives(expressions: Iterable[str]) -> str:
    """Return a regular expression that matches what one of these matches."""
    return f"(?:{'|'.join(expressions)})"
