"""First letters of the words of opening sentences, which also tell the shortest passages apart."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Mapping, Sequence

import regex
from scipy.sparse import csr_array

from player.questions.places import Places

POSITIONS = (0, 1, 2, 3, -2, -1)
"""Positions of the words of the opening sentence whose first letters are asked for; negative from the end."""
LETTERS = "abcdefghijklmnopqrstuvwxyzאבגדהוזחטיכלמנסעפצקרשת"
"""The letters that questions name."""
_COLUMNS = {letter: column for column, letter in enumerate(LETTERS)}
_RUN = regex.compile(r"\p{L}[\p{L}\p{M}'’׳״\"]*")
"""Matches a run of letters."""
_TOKEN = regex.compile(r"\S+")
_SIGNS = "\"'([{“”‘’„«»-–—•*"


@functools.lru_cache(maxsize=2)
def initials_of(places: Places) -> Mapping[int, csr_array]:
    """Return the (n_places, n_letters) probability of each first letter, by position of the word.

    Readers may part words in two ways: at blanks alone, or at every sign. Where the two give different letters, each
    has half of the probability. A word that begins with any other letter, or is missing, has no letter.
    """
    shares: dict[int, list[dict[int, float]]] = {each: [] for each in POSITIONS}
    for start in places.starts:
        letters = [_first_letters(words) for words in _readings(start.sentence)]
        for position, rows in shares.items():
            row: dict[int, float] = {}
            for reading in letters:
                letter = _at(reading, position)
                if letter in _COLUMNS:
                    column = _COLUMNS[letter]
                    row[column] = row.get(column, 0.0) + 1.0 / len(letters)
            rows.append(row)
    return {position: _table(rows) for position, rows in shares.items()}


def initial(sentence: str, position: int) -> str:
    """Return the first letter of a word of a sentence; "" if that is in doubt or there is no such word."""
    letters = {_at(_first_letters(words), position) for words in _readings(sentence)}
    return letters.pop() if len(letters) == 1 else ""


def _readings(sentence: str) -> tuple[list[str], list[str]]:
    folded = unicodedata.normalize("NFKC", sentence).casefold()
    return _RUN.findall(folded), [
        token.lstrip(_SIGNS) for token in _TOKEN.findall(folded)
    ]


def _first_letters(words: Sequence[str]) -> list[str]:
    return [word[0] for word in words if word and word[0].isalpha()]


def _at(letters: Sequence[str], position: int) -> str:
    there = -len(letters) <= position < len(letters)
    return letters[position] if there else ""


def _table(rows: Sequence[Mapping[int, float]]) -> csr_array:
    columns: list[int] = []
    data: list[float] = []
    ends = [0]
    for row in rows:
        columns += row
        data += row.values()
        ends.append(len(columns))
    return csr_array(
        (data, columns, ends), shape=(len(rows), len(LETTERS)), dtype="float32"
    )
