"""Which of three words or lists of words occurs, in the paragraph or in its first sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from player.questions.course import CourseView
from player.questions.language import Language, either
from player.questions.question import FitArray, Question, QuestionPool, first_of, join_pools
from player.questions.vocabulary import Vocabulary, any_of

N_LISTS = 3
"""Options that name words; the fourth is the way out."""
SIZES = {"word": (1,), "words": (2, 3), "opening": (3, 4)}
"""Words an option names, by kind."""
NONE_OF_THESE = {"en": "None of these words", "he": "אף אחת מהמילים האלה"}
ASK = {
    "word": {
        "en": "Which of these words occurs in the paragraph, exactly as written? "
        "If several do, choose the first of them in the order A, B, C.",
        "he": "איזו מהמילים האלה מופיעה בפסקה, בדיוק כפי שהיא כתובה? אם יש כמה, יש לבחור בראשונה לפי הסדר A, B, C.",
    },
    "words": {
        "en": "Which of these lists has at least one word that occurs in the paragraph, exactly as written? "
        "If several lists do, choose the first of them in the order A, B, C.",
        "he": "באיזו מהרשימות האלה יש לפחות מילה אחת שמופיעה בפסקה, בדיוק כפי שהיא כתובה? "
        "אם יש כמה רשימות כאלה, יש לבחור בראשונה לפי הסדר A, B, C.",
    },
    "opening": {
        "en": "Which of these lists has at least one word that occurs in the first sentence of the paragraph, "
        "exactly as written? If several lists do, choose the first of them in the order A, B, C.",
        "he": "באיזו מהרשימות האלה יש לפחות מילה אחת שמופיעה במשפט הראשון של הפסקה, בדיוק כפי שהיא כתובה? "
        "אם יש כמה רשימות כאלה, יש לבחור בראשונה לפי הסדר A, B, C.",
    },
}


def make(
    kind: str,
    course: CourseView,
    rows: NDArray[np.intp],
    prior: NDArray[np.float64],
    language: Language,
    n: int,
    generator: np.random.Generator,
) -> QuestionPool:
    """At most n questions of the kind over the paragraphs at `rows`.

    Words are drawn by the variance of their occurrence under the prior.

    Args:
        kind: of `SIZES`.
        rows: (n_candidates,) of the course.
        prior: (n_candidates,) probabilities, summing to 1.
    """
    vocabulary = _vocabulary(kind, course)
    seen = vocabulary.seen[:, rows]
    mass = seen @ prior.astype(np.float32)
    # a word in another form than a reader finds is a doubtful one: its own uncertainty is no information
    certain = np.where((seen > 0.05) & (seen < 0.95), 0.0, seen) @ prior.astype(np.float32)
    doubtful = mass - certain
    weights = np.clip(mass * (1.0 - mass) - 2.0 * doubtful, 1e-6, None)
    in_language = np.array([_is_hebrew(word) == (language == "he") for word in vocabulary.words], dtype=np.bool_)
    best = np.argsort(-(weights * in_language), kind="stable")[: max(150, n // 2)]
    best = best[(in_language & (mass > 1e-9))[best]]
    sizes = [size for size in SIZES[kind] if N_LISTS * size <= len(best)]
    pools = [
        _draw(kind, vocabulary, seen, weights, best, size, -(-n // len(sizes)), language, generator) for size in sizes
    ]
    return join_pools(pools, len(rows))


def fit(question: Question, course: CourseView) -> FitArray:
    """(n_paragraphs, 4) of the course, as in `QuestionPool.fits`."""
    vocabulary = _vocabulary(question.kind, course)
    return first_of(np.stack([vocabulary.seen_rows(group) for group in question.groups], axis=-1))


def _vocabulary(kind: str, course: CourseView) -> Vocabulary:
    return course.opening if kind == "opening" else course.whole


def _is_hebrew(word: str) -> bool:
    return "\u0590" <= word[0] <= "\u05ff"


def _draw(
    kind: str,
    vocabulary: Vocabulary,
    seen: FitArray,
    weights: NDArray[np.floating],
    best: NDArray[np.intp],
    size: int,
    n: int,
    language: Language,
    generator: np.random.Generator,
) -> QuestionPool:
    # Gumbel noise and the top few: each row a weighted draw without replacement (Kool et al., 2019)
    noisy = np.log(weights[best]) + generator.gumbel(size=(n, len(best)))
    n_words = N_LISTS * size
    top = np.argpartition(-noisy, n_words - 1, axis=1)[:, :n_words] if n_words < len(best) else None
    order = np.argsort(-noisy, axis=1) if top is None else top
    draws = np.unique(np.sort(best[order].reshape(n, N_LISTS, size), axis=2), axis=0)
    fits = first_of(any_of(seen[draws], axis=2).transpose(0, 2, 1))
    questions = tuple(
        _question(kind, [[int(row) for row in group] for group in draw], vocabulary, language) for draw in draws
    )
    return QuestionPool(questions, fits)


def _question(kind: str, groups: Sequence[Sequence[int]], vocabulary: Vocabulary, language: Language) -> Question:
    named = tuple(tuple(vocabulary.words[row] for row in group) for group in groups)
    options = [either([vocabulary.shown[row] for row in group], language) for group in groups]
    prefix = "opening " if kind == "opening" else ""
    key = frozenset(f"{prefix}{word}" for group in named for word in group)
    return Question(
        ASK[kind][language], (options[0], options[1], options[2], NONE_OF_THESE[language]), kind, key, named
    )
