"""Which of three words or lists of words occurs, in the paragraph or in its first sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from player.questions.course import CourseView
from player.questions.language import Language, either
from player.questions.question import Drafts, FitArray, Question, QuestionPool, first_of, join_pools
from player.questions.telling import TellingWords
from player.questions.vocabulary import Vocabulary, any_of

N_LISTS = 3
"""Options that name words; the fourth is the way out."""
SIZES = {"word": (1,), "words": (2, 3), "opening": (3, 4)}
"""Words an option names, by kind."""
NONE_OF_THESE = {"en": "None of these words", "he": "אף אחת מהמילים האלה"}
ASK = {
    "word": {
        "en": "Which of these words occurs in the paragraph, in just this form (capital letters aside)? "
        "If several do, choose the first of them in the order A, B, C.",
        "he": "איזו מהמילים האלה מופיעה בפסקה, בדיוק כפי שהיא כתובה? אם יש כמה, יש לבחור בראשונה לפי הסדר A, B, C.",
    },
    "words": {
        "en": "Which of these lists has at least one word that occurs in the paragraph, in just this form "
        "(capital letters aside)? If several lists do, choose the first of them in the order A, B, C.",
        "he": "באיזו מהרשימות האלה יש לפחות מילה אחת שמופיעה בפסקה, בדיוק כפי שהיא כתובה? "
        "אם יש כמה רשימות כאלה, יש לבחור בראשונה לפי הסדר A, B, C.",
    },
    "opening": {
        "en": "Which of these lists has at least one word that occurs in the first sentence of the paragraph, "
        "in just this form (capital letters aside)? "
        "If several lists do, choose the first of them in the order A, B, C.",
        "he": "באיזו מהרשימות האלה יש לפחות מילה אחת שמופיעה במשפט הראשון של הפסקה, בדיוק כפי שהיא כתובה? "
        "אם יש כמה רשימות כאלה, יש לבחור בראשונה לפי הסדר A, B, C.",
    },
}


def make(kind: str, telling: TellingWords, language: Language, n: int, generator: np.random.Generator) -> QuestionPool:
    """About n questions of the kind over the candidates, their words drawn by what they tell.

    Args:
        kind: of `SIZES`.
        telling: words of the paragraphs, or of their first sentences for the kind "opening".
    """
    n_candidates = telling.seen.shape[1]
    sizes = [size for size in SIZES[kind] if N_LISTS * size <= len(telling.rows)]
    pools = [_draw(kind, telling, size, -(-n // len(sizes)), language, generator) for size in sizes]
    return join_pools(pools, n_candidates)


def fit(question: Question, course: CourseView) -> FitArray:
    """(n_paragraphs, 4) of the course, as in `QuestionPool.fits`."""
    vocabulary = _vocabulary(question.kind, course)
    return first_of(np.stack([vocabulary.seen_rows(group) for group in question.groups], axis=-1))


def _vocabulary(kind: str, course: CourseView) -> Vocabulary:
    return course.opening if kind == "opening" else course.whole


def _draw(
    kind: str, telling: TellingWords, size: int, n: int, language: Language, generator: np.random.Generator
) -> QuestionPool:
    n_telling, n_words = len(telling.rows), N_LISTS * size
    # Gumbel noise and the top few: each row a weighted draw without replacement (Kool et al., 2019)
    noisy = np.log(telling.worth) + generator.gumbel(size=(n, n_telling))
    if n_words < n_telling:
        order = np.argpartition(-noisy, n_words - 1, axis=1)[:, :n_words]
    else:
        order = np.argsort(-noisy, axis=1)
    draws = np.unique(np.sort(order.reshape(n, N_LISTS, size), axis=2), axis=0)
    fits = first_of(any_of(telling.seen[draws], axis=2).transpose(0, 2, 1))
    things = [_thing(kind, telling.word(place)) for place in range(n_telling)]
    keys = tuple(frozenset(things[place] for place in places) for places in draws.reshape(len(draws), -1).tolist())

    def write(row: int) -> Question:
        return _question(kind, draws[row].tolist(), keys[row], telling, language)

    return QuestionPool(Drafts(len(draws), write), (kind,) * len(draws), keys, fits)


def _thing(kind: str, word: str) -> str:
    """What a question about the word is about."""
    return f"opening {word}" if kind == "opening" else word


def _question(
    kind: str, groups: Sequence[Sequence[int]], key: frozenset[str], telling: TellingWords, language: Language
) -> Question:
    named = tuple(tuple(sorted(telling.word(place) for place in group)) for group in groups)
    vocabulary = telling.vocabulary
    options = [either([vocabulary.shown[vocabulary.rows[word]] for word in group], language) for group in named]
    return Question(
        ASK[kind][language], (options[0], options[1], options[2], NONE_OF_THESE[language]), kind, key, named
    )
