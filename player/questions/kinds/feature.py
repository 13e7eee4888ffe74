"""Which of three features, such as a number or a quotation, the paragraph has."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from player.questions.course import CourseView
from player.questions.features import FEATURES
from player.questions.language import Language
from player.questions.question import FitArray, Question, QuestionPool, first_of, pool_of

ASK = {
    "en": "Which of these does the paragraph contain? If it contains several, choose the first of them in the order "
    "A, B, C.",
    "he": "מה מאלה יש בפסקה? אם יש כמה, יש לבחור באפשרות הראשונה לפי הסדר A, B, C.",
}
NONE_OF_THESE = {"en": "None of these", "he": "אף אחד מאלה"}


def make(course: CourseView, rows: NDArray[np.intp], prior: NDArray[np.float64], language: Language) -> QuestionPool:
    """The question about every three features, the rarest first, since the first that fits is to be chosen."""
    present = course.features[:, rows]
    rarest_first = np.argsort(present @ prior.astype(np.float32), kind="stable")
    threes = list(itertools.combinations(rarest_first.tolist(), 3))
    questions = []
    for chosen in threes:
        a, b, c = (FEATURES[row].said[language] for row in chosen)
        key = frozenset(f"has {FEATURES[row].name}" for row in chosen)
        groups = tuple((FEATURES[row].name,) for row in chosen)
        questions.append(Question(ASK[language], (a, b, c, NONE_OF_THESE[language]), "feature", key, groups))
    return pool_of(questions, first_of(present[np.array(threes)].transpose(0, 2, 1)))


def fit(question: Question, course: CourseView) -> FitArray:
    """(n_paragraphs, 4) of the course, as in `QuestionPool.fits`."""
    names = [feature.name for feature in FEATURES]
    return first_of(np.stack([course.features[names.index(group[0])] for group in question.groups], axis=-1))
