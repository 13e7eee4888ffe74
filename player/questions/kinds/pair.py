"""Which of two words occur: both, one alone, neither."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from player.questions.course import CourseView
from player.questions.language import Language
from player.questions.question import FitArray, Question, QuestionPool, two_by_two

ASK = {
    "en": 'Do the words "{0}" and "{1}" occur in the paragraph, exactly as written?',
    "he": 'האם המילים "{0}" ו"{1}" מופיעות בפסקה, בדיוק כפי שהן כתובות?',
}
OPTIONS = {
    "en": ("Both of them occur", 'Only "{0}" occurs', 'Only "{1}" occurs', "Neither of them occurs"),
    "he": ("שתיהן מופיעות", 'רק "{0}" מופיעה', 'רק "{1}" מופיעה', "אף אחת מהן אינה מופיעה"),
}
N_WORDS = 40
"""Words that pairs are made of."""


def make(
    course: CourseView,
    rows: NDArray[np.intp],
    prior: NDArray[np.float64],
    language: Language,
    n: int,
    generator: np.random.Generator,
) -> QuestionPool:
    """At most n questions about pairs of the words that split the belief most evenly; see `lists.make`."""
    vocabulary = course.whole
    seen = vocabulary.seen[:, rows]
    mass = seen @ prior.astype(np.float32)
    weights = mass * (1.0 - mass)
    right = [
        row for row in np.argsort(-weights, kind="stable") if _is_hebrew(vocabulary.words[row]) == (language == "he")
    ]
    best = right[:N_WORDS]
    pairs = [(one, other) for place, one in enumerate(best) for other in best[place + 1 :]]
    if not pairs:
        return QuestionPool((), np.empty((0, len(rows), 4), dtype=np.float32))
    if len(pairs) > n:
        pairs = [pairs[row] for row in sorted(generator.choice(len(pairs), size=n, replace=False))]
    ones, others = (np.array(side) for side in zip(*pairs, strict=True))
    questions = []
    for one, other in pairs:
        shown = vocabulary.shown[one], vocabulary.shown[other]
        named = (vocabulary.words[one],), (vocabulary.words[other],)
        a, b, c, d = (option.format(*shown) for option in OPTIONS[language])
        key = frozenset({vocabulary.words[one], vocabulary.words[other]})
        questions.append(Question(ASK[language].format(*shown), (a, b, c, d), "pair", key, named))
    return QuestionPool(tuple(questions), two_by_two(seen[ones], seen[others]))


def fit(question: Question, course: CourseView) -> FitArray:
    """(n_paragraphs, 4) of the course, as in `QuestionPool.fits`."""
    one, other = (course.whole.seen_rows(group) for group in question.groups)
    return two_by_two(one, other)


def _is_hebrew(word: str) -> bool:
    return "\u0590" <= word[0] <= "\u05ff"
