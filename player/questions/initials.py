"""First letters of the words of opening sentences, which also tell the shortest passages apart."""

import functools
import unicodedata
from collections.abc import Mapping, Sequence

import numpy as np
import regex
from scipy.sparse import csr_array

from player.belief.places import Places
from quarry.languages.registry import LANGUAGES

POSITIONS = (0, 1, 2, 3, -2, -1)
"""Positions of the words of the opening sentence whose first letters are asked for; negative from the end."""
LETTERS = "".join(language.alphabet for language in LANGUAGES)
"""The letters that questions name."""
COLUMNS: Mapping[str, int] = {letter: column for column, letter in enumerate(LETTERS)}
_RUN = regex.compile(r"\p{L}[\p{L}\p{M}'’׳״\"]*")
"""Matches a run of letters."""
_SIGNS = "\"'([{“”‘’„«»-–—•*"


@functools.lru_cache(maxsize=2)
def initials_of(places: Places) -> Mapping[int, csr_array]:
    """Return the (n_places, n_letters) probability of each first letter, by position of the word.

    Readers may part words in two ways: at blanks alone, or at every sign. Where the two give different letters, each
    has half of the probability. A word that begins with any other letter, or is missing, has no letter.
    """
    shape = (len(POSITIONS), len(places), len(LETTERS))
    shares = np.zeros(shape, dtype=np.float32)
    for place, start in enumerate(places.starts):
        for letters in _readings(start.sentence):
            for row, position in enumerate(POSITIONS):
                column = COLUMNS.get(_at(letters, position))
                if column is not None:
                    shares[row, place, column] += 0.5
    return dict(zip(POSITIONS, map(csr_array, shares), strict=True))


def initial(sentence: str, position: int) -> str:
    """Return the first letter of a word of a sentence; "" if that is in doubt or there is no such word."""
    parted, whole = _readings(sentence)
    letter = _at(parted, position)
    return letter if letter == _at(whole, position) else ""


def _readings(sentence: str) -> tuple[list[str], list[str]]:
    """Return the first letters of the words that are parted at every sign, and at blanks alone."""
    folded = unicodedata.normalize("NFKC", sentence).casefold()
    runs = [run[0] for run in _RUN.findall(folded)]
    firsts = []
    for token in folded.split():
        first = token.lstrip(_SIGNS)[:1]
        if first.isalpha():
            firsts.append(first)
    return runs, firsts


def _at(letters: Sequence[str], position: int) -> str:
    there = -len(letters) <= position < len(letters)
    return letters[position] if there else ""
