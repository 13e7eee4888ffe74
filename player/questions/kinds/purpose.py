"""What the paragraph mainly does."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from player.questions.course import CourseView
from player.questions.language import Language
from player.questions.purpose import BY_NAME, OTHER_WEIGHT, PURPOSES
from player.questions.question import FitArray, Question, QuestionPool, pool_of

ASK = {
    "en": "What does the paragraph mainly do? If several options fit, choose the one that fits best.",
    "he": "מה הפסקה עושה בעיקר? אם כמה אפשרויות מתאימות, יש לבחור במתאימה ביותר.",
}
NONE_OF_THESE = {"en": "it does something else", "he": "היא עושה משהו אחר"}


def make(course: CourseView, rows: NDArray[np.intp], language: Language) -> QuestionPool:
    """The question about every three purposes."""
    questions = []
    for chosen in itertools.combinations(PURPOSES, 3):
        a, b, c = (purpose.said[language] for purpose in chosen)
        groups = tuple((purpose.name,) for purpose in chosen)
        # one question of this kind is enough: two of them would say much the same
        questions.append(
            Question(ASK[language], (a, b, c, NONE_OF_THESE[language]), "purpose", frozenset({"purpose"}), groups)
        )
    return pool_of(questions, np.stack([_fits(question, course.purposes[:, rows]) for question in questions]))


def fit(question: Question, course: CourseView) -> FitArray:
    """(n_paragraphs, 4) of the course, as in `QuestionPool.fits`."""
    return _fits(question, course.purposes)


def _fits(question: Question, purposes: FitArray) -> FitArray:
    """(n_paragraphs, 4) where `purposes` is (n_purposes, n_paragraphs) as in `CourseView`."""
    weights = purposes[[BY_NAME[group[0]] for group in question.groups]]
    rest = purposes.sum(axis=0) - weights.sum(axis=0) + OTHER_WEIGHT
    fits = np.concatenate([weights, rest[None]]).T + 0.1
    fits /= fits.sum(axis=1, keepdims=True)
    return fits.astype(np.float32)
