"""Which words occur in which paragraph, as written or in another form."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import regex
from numpy.typing import NDArray

from player.questions.language import hebrew_forms
from player.questions.question import FitArray
from player.words import is_stop_word, stems, words

MIN_LETTERS = 4
MIN_NAME_LETTERS = 3
MAX_WORDS = 6_000
SEEN = 0.98
"""Probability that a careful reader sees a word that occurs as it is written."""
OTHER_FORM = 0.05
"""Probability that a reader takes another form of a word for the word, although the question says otherwise: of 20 such
cases among the answers that rates are learned from none did."""
_ANY_WORD = regex.compile(r"[\p{L}]+")
_INNER_WORD = regex.compile(r"(?<![.!?:]\s)(?<=\s)[\p{L}]+")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words worth asking for in a course.

    Attributes:
        words: case-folded, sorted.
        shown: the same as a reader would write them, names with their capitals.
        names: (n_words,) whether it is a name.
        hebrew: (n_words,) whether it is in Hebrew letters.
        seen: (n_words, n_paragraphs) probability that a reader finds the word in the paragraph.
        rows: word -> row.
    """

    words: tuple[str, ...]
    shown: tuple[str, ...]
    names: NDArray[np.bool_]
    hebrew: NDArray[np.bool_]
    seen: FitArray
    rows: Mapping[str, int]

    def seen_rows(self, group: Sequence[str]) -> FitArray:
        """(n_paragraphs,) probability that a reader finds any of the words; unknown ones are found nowhere."""
        rows = [self.rows[word] for word in group if word in self.rows]
        return any_of(self.seen[rows], axis=0) if rows else np.zeros(self.seen.shape[1], dtype=np.float32)


def any_of(probabilities: FitArray, axis: int) -> FitArray:
    """Probability that any of independent events happens."""
    found: FitArray = 1.0 - np.prod(1.0 - probabilities, axis=axis)
    return found


def read_vocabulary(texts: Sequence[str]) -> Vocabulary:
    """The vocabulary of these texts: no stop words, no numbers, and of 20 texts or more no words of one alone."""
    found = [set(words(text)) for text in texts]
    counts = Counter(word for each in found for word in each)
    shown, names = _as_written(texts, counts)
    least = 2 if len(texts) >= 20 else 1
    kept = [
        word
        for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if count >= least
        and word.isalpha()
        and len(word) >= (MIN_NAME_LETTERS if word in names else MIN_LETTERS)
        and not is_stop_word(word)
    ]
    vocabulary = sorted(kept[:MAX_WORDS])
    rows = {word: row for row, word in enumerate(vocabulary)}
    by_form: dict[str, list[int]] = defaultdict(list)
    for word, row in rows.items():
        by_form[_form(word)].append(row)
    forms = {word: _form(word) for word in counts}
    seen = np.zeros((len(vocabulary), len(texts)), dtype=np.float32)
    for column, each in enumerate(found):
        alike = [row for word in each for row in by_form.get(forms[word], ())]
        seen[alike, column] = OTHER_FORM
        seen[[rows[word] for word in each if word in rows], column] = SEEN
    return Vocabulary(
        words=tuple(vocabulary),
        shown=tuple(shown.get(word, word) for word in vocabulary),
        names=np.array([word in names for word in vocabulary], dtype=np.bool_),
        hebrew=np.array([_is_hebrew(word) for word in vocabulary], dtype=np.bool_),
        seen=seen,
        rows=rows,
    )


def _form(word: str) -> str:
    """What forms of one word share."""
    return hebrew_forms(word) if _is_hebrew(word) else stems(word)[0]


def _is_hebrew(word: str) -> bool:
    return "\u0590" <= word[:1] <= "\u05ff"


def _as_written(texts: Sequence[str], counts: Mapping[str, int]) -> tuple[dict[str, str], set[str]]:
    """How words are written that are not in lower case within sentences, and which of them are names."""
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        for spelling in _INNER_WORD.findall(text):
            spellings[spelling.casefold()][spelling] += 1
    shown, names = {}, set()
    for word, seen in spellings.items():
        spelling, _ = max(seen.items(), key=lambda item: (item[1], item[0]))
        n_upper = sum(count for written, count in seen.items() if written[0].isupper())
        if word in counts and spelling[0].isupper() and n_upper >= 0.8 * seen.total():
            shown[word] = spelling
            names.add(word)
    everywhere: dict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        for spelling in _ANY_WORD.findall(text):
            everywhere[spelling.casefold()][spelling] += 1
    for word, seen in everywhere.items():
        # only ever at the beginning of a sentence, after an initial or a bracket: no reader finds it in lower case
        if word in counts and word not in shown and not any(spelling[0].islower() for spelling in seen):
            shown[word] = max(seen.items(), key=lambda item: (item[1], item[0]))[0]
    return shown, names
