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
    "en": "Which of these words occurs in the paragraph? If several do, choose the first of them in the order A, B, C.",
    "he": "איזו מהמילים האלה מופיעה בפסקה? אם יש כמה, יש לבחור בראשונה לפי הסדר A, B, C.",
}
ASK_GROUP = {
    "en": "Which of these lists has at least one word that occurs in the paragraph? "
    "If several lists do, choose the first of them in the order A, B, C.",
    "he": "באיזו מהרשימות האלה יש לפחות מילה אחת שמופיעה בפסקה? "
    "אם יש כמה רשימות כאלה, יש לבחור בראשונה לפי הסדר A, B, C.",
}
EITHER = {"en": "or", "he": "או"}
MIN_WORD_LETTERS = 4
N_GROUPS = 3
"""Options that name words; the fourth is the way out."""
MAX_GROUP = 3
"""Words an option names at most: a referee reads the paragraph for nine words a question."""


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
    """Word-occurrence questions over the candidates: three options of one to three words each, and a way out.

    Words are drawn by the variance of their occurrence under the prior, as many an option as it takes for the four
    options to split the belief about evenly.

    Args:
        texts: (n_paragraphs,) the candidates' texts.
        prior: (n_paragraphs,) their probabilities, summing to 1.
        size: questions wanted at most.
        seed: of the draw.
    """
    language = "he" if _mostly_hebrew(texts) else "en"
    vocabulary, occurs = _vocabulary(texts)
    if len(vocabulary) < N_GROUPS:
        return QuestionPool((), np.empty((0, len(texts)), dtype=np.int8))
    mass = occurs @ prior
    # variance of a word's occurrence under the belief; the least weight keeps every word possible
    weights = np.clip(mass * (1.0 - mass), 1e-6, None)
    best = np.argsort(-weights, kind="stable")[: max(200, size // 3)]
    n_words = _group_size(mass[best], len(best))
    generator = np.random.default_rng(seed)
    # Gumbel noise and the top few: each row a weighted draw without replacement (Kool et al., 2019)
    noisy = np.log(weights[best]) + generator.gumbel(size=(size, len(best)))
    draws = best[np.argsort(-noisy, axis=1)[:, : N_GROUPS * n_words]].reshape(size, N_GROUPS, n_words)
    draws = np.unique(draws, axis=0)
    hits: NDArray[np.bool_] = np.any(occurs[draws] > 0, axis=2)
    cells = np.where(np.any(hits, axis=1), np.argmax(hits, axis=1), N_GROUPS).astype(np.int8)
    questions = tuple(_question([[vocabulary[row] for row in group] for group in draw], language) for draw in draws)
    return QuestionPool(questions, cells)


def _group_size(mass: NDArray[np.float64], n_available: int) -> int:
    """Words an option needs so that about a third of the belief fits the first one, 1..3."""
    typical = float(np.mean(mass[: 3 * MAX_GROUP * 20]))
    wanted = round(0.33 / max(typical, 1e-6))
    return max(1, min(MAX_GROUP, wanted, n_available // (3 * N_GROUPS)))


def _question(groups: Sequence[Sequence[str]], language: str) -> Question:
    options = [_either(group, language) for group in groups]
    text = ASK_WORD[language] if len(groups[0]) == 1 else ASK_GROUP[language]
    key = frozenset(word for group in groups for word in group)
    return Question(text, (options[0], options[1], options[2], NONE_OF_THESE[language]), "word", key)


def _either(group: Sequence[str], language: str) -> str:
    """The words of an option as a list: "index, query or tree"."""
    if len(group) == 1:
        return group[0]
    return f"{', '.join(group[:-1])} {EITHER[language]} {group[-1]}"


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
