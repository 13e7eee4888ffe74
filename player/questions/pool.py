"""Paragraphs -> questions that tell them apart, each answerable by a referee who sees the paragraph alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from player.words import is_stop_word, words

IntArray = NDArray[np.int8]

LETTERS = "ABCD"
NONE_OF_THESE = {"en": "None of these words", "he": "אף אחת מהמילים האלה"}
ASK_WORD = {
    "en": "Which of these words occurs in the paragraph? If several do, choose the one that comes first in this list.",
    "he": "איזו מהמילים האלה מופיעה בפסקה? אם יש כמה, יש לבחור בראשונה ברשימה.",
}
MIN_WORD_LETTERS = 4


@dataclass(frozen=True, slots=True)
class Question:
    """One multiple-choice question.

    Attributes:
        text: what is asked; it speaks of "the paragraph" and needs nothing else.
        options: four, A to D; the last is the way out.
        kind: which kind of question it is, for its error rates.
        key: what it is about; no two questions of a batch share a part of it.
    """

    text: str
    options: tuple[str, str, str, str]
    kind: str
    key: frozenset[str]


@dataclass(frozen=True, slots=True)
class QuestionPool:
    """Questions and the option that fits each paragraph.

    Attributes:
        questions: the pool.
        cells: (n_questions, n_paragraphs) option index 0..3 that fits each paragraph.
    """

    questions: tuple[Question, ...]
    cells: IntArray


def build_pool(texts: Sequence[str], prior: NDArray[np.float64], size: int, seed: int) -> QuestionPool:
    """Word-occurrence questions over the candidates: three words each, and a way out.

    A word is worth asking for where about a quarter of the prior has it: triples are drawn from words weighed by that,
    so that the four options split the belief evenly.

    Args:
        texts: (n_paragraphs,) the candidates' texts.
        prior: (n_paragraphs,) their probabilities, summing to 1.
        size: questions wanted at most.
        seed: of the draw.
    """
    language = "he" if _mostly_hebrew(texts) else "en"
    vocabulary, occurs = _vocabulary(texts)
    if len(vocabulary) < 3:
        return QuestionPool((), np.empty((0, len(texts)), dtype=np.int8))
    mass = occurs @ prior
    # entropy-like weight of a word's share of the belief; the smallest keeps every word possible
    weights = np.clip(mass * (1.0 - mass), 1e-6, None)
    best = np.argsort(-weights, kind="stable")[: max(90, size // 4)]
    generator = np.random.default_rng(seed)
    questions: list[Question] = []
    cells: list[IntArray] = []
    seen: set[frozenset[str]] = set()
    draws = 0
    while len(questions) < size and draws < 3 * size:
        draws += 1
        rows = generator.choice(best, size=3, replace=False, p=weights[best] / weights[best].sum())
        chosen = [vocabulary[row] for row in rows]
        key = frozenset(chosen)
        if key in seen:
            continue
        seen.add(key)
        cell = np.full(len(texts), 3, dtype=np.int8)
        for option in (2, 1, 0):
            cell[occurs[rows[option]] > 0] = option
        questions.append(Question(ASK_WORD[language], (*chosen, NONE_OF_THESE[language]), "word", key))
        cells.append(cell)
    return QuestionPool(tuple(questions), np.array(cells, dtype=np.int8))


def _vocabulary(texts: Sequence[str]) -> tuple[list[str], NDArray[np.float64]]:
    """Words worth asking for, sorted, and (n_words, n_paragraphs) 1.0 where a word occurs."""
    sets = [set(words(text)) for text in texts]
    counts = Counter(word for found in sets for word in found)
    vocabulary = sorted(
        word
        for word, count in counts.items()
        if len(word) >= MIN_WORD_LETTERS
        and word.isalpha()
        and not is_stop_word(word)
        and (count > 1 or len(texts) < 20)
    )
    occurs = np.array([[float(word in found) for found in sets] for word in vocabulary], dtype=np.float64)
    return vocabulary, occurs.reshape(len(vocabulary), len(texts))


def _mostly_hebrew(texts: Sequence[str]) -> bool:
    letters = [char for text in texts for char in text[:200] if char.isalpha()]
    return sum("\u0590" <= char <= "\u05ff" for char in letters) > 0.5 * len(letters)
