"""A course and a prior -> the questions worth choosing from, of every kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from player.questions.course import CourseView
from player.questions.kinds import beginning, feature, lists, pair, purpose, subject
from player.questions.language import Language
from player.questions.question import FitArray, Question, QuestionPool, join_pools
from player.questions.telling import telling_words

SHARES = {"words": 0.55, "word": 0.1, "opening": 0.15, "pair": 0.1, "beginning": 0.03, "subject": 0.02}
"""Of the pool, by kind; features and purposes are few, and all are there."""
FITTERS: Mapping[str, Callable[[Question, CourseView], FitArray]] = {
    "word": lists.fit,
    "words": lists.fit,
    "opening": lists.fit,
    "pair": pair.fit,
    "beginning": beginning.fit,
    "feature": feature.fit,
    "subject": subject.fit,
    "purpose": purpose.fit,
}
MIN_TELLING = 150
"""Words that questions are made of, at least; more in larger pools."""
FILLER = "filler"
"""Kind of a question that is asked only because 20 must be."""


def build_pool(
    course: CourseView, rows: NDArray[np.intp], prior: NDArray[np.float64], size: int, seed: int
) -> QuestionPool:
    """Questions of every kind over the candidates.

    Args:
        rows: (n_candidates,) of the course.
        prior: (n_candidates,) their probabilities, summing to 1.
        size: questions wanted, about.
        seed: of the draws.
    """
    language = _language(course, rows, prior)
    generator = np.random.default_rng(seed)

    def n_of(kind: str) -> int:
        return max(1, round(size * SHARES[kind]))

    n_words = max(MIN_TELLING, size // 5)
    whole = telling_words(course.whole, rows, prior, language, n_words)
    opening = telling_words(course.opening, rows, prior, language, n_words)
    pools = [
        lists.make(kind, opening if kind == "opening" else whole, language, n_of(kind), generator)
        for kind in lists.SIZES
    ]
    pools.append(pair.make(whole, language, n_of("pair"), generator))
    pools.append(beginning.make(course, rows, prior, language, n_of("beginning"), generator))
    pools.append(subject.make(course, rows, prior, language, n_of("subject"), generator))
    pools.append(feature.make(course, rows, prior, language))
    pools.append(purpose.make(course, rows, language))
    return join_pools(pools, len(rows))


def fit_question(question: Question, course: CourseView, rows: NDArray[np.intp]) -> FitArray:
    """(n_candidates, 4) as in `QuestionPool.fits`; a kind that says nothing, such as a filler, fits all alike."""
    fitter = FITTERS.get(question.kind)
    if fitter is None:
        return np.full((len(rows), 4), 0.25, dtype=np.float32)
    return fitter(question, course)[rows]


def _language(course: CourseView, rows: NDArray[np.intp], prior: NDArray[np.float64]) -> Language:
    """That of most of the belief."""
    hebrew = np.array([course.languages[row] == "he" for row in rows])
    return "he" if float(prior[hebrew].sum()) > 0.5 else "en"
