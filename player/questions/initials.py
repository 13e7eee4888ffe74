"""First letters of the words of opening sentences; questions about them also tell the shortest paragraphs apart."""

import functools
import unicodedata
from collections.abc import Mapping, Sequence

import numpy as np
import regex
from scipy.sparse import csr_array

from player.belief.places import Places
from quarry.languages.registry import LANGUAGES

POSITIONS = (0, 1, 2, 3, -2, -1)
"""Positions of the words of the opening sentence about whose first letters questions ask; negative from the end."""
ALPHABETS = "".join(language.alphabet for language in LANGUAGES)
"""The letters that questions may name."""
LETTER_COLUMNS: Mapping[str, int] = {
    letter: column for column, letter in enumerate(ALPHABETS)
}
"""Columns of the letters in a table."""
_RUN = regex.compile(r"\p{L}[\p{L}\p{M}'’׳״\"]*")
"""A run of letters."""
_OPENING_SIGNS = "\"'([{“”‘’„«»-–—•*"


@functools.lru_cache(maxsize=2)
def first_letters(places: Places) -> Mapping[int, csr_array]:
    """Compute the (n_places, n_letters) probability of each first letter, by position of the word.

    Referees may split a sentence into words in two ways: only at blanks, or at every sign. If these give different
    letters, each has half of the probability. A missing word, or one that begins with any other letter, has none.
    """
    shape = (len(POSITIONS), len(places), len(ALPHABETS))
    shares = np.zeros(shape, dtype=np.float32)
    for place, start in enumerate(places.starts):
        for letters in _letters_in_two_ways(start.sentence):
            for row, position in enumerate(POSITIONS):
                column = LETTER_COLUMNS.get(_letter_at(letters, position))
                if column is not None:
                    shares[row, place, column] += 0.5
    return dict(zip(POSITIONS, map(csr_array, shares), strict=True))


def initial(sentence: str, position: int) -> str:
    """Return the first letter of a word of a sentence; "" if it is in doubt or there is no such word."""
    at_signs, at_blanks = _letters_in_two_ways(sentence)
    letter = _letter_at(at_signs, position)
    return letter if letter == _letter_at(at_blanks, position) else ""


def _letters_in_two_ways(sentence: str) -> tuple[list[str], list[str]]:
    """Return the first letters of the words of a sentence that is split at every sign, and only at blanks."""
    folded = unicodedata.normalize("NFKC", sentence).casefold()
    runs = [run[0] for run in _RUN.findall(folded)]
    firsts = []
    for token in folded.split():
        first = token.lstrip(_OPENING_SIGNS)[:1]
        if first.isalpha():
            firsts.append(first)
    return runs, firsts


def _letter_at(letters: Sequence[str], position: int) -> str:
    exists = -len(letters) <= position < len(letters)
    return letters[position] if exists else ""
