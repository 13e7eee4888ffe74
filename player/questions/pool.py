"""A course and a prior -> the questions worth choosing from, of every kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from player.questions.course import CourseView
from player.questions.kinds import beginning, feature, lists, pair, purpose, subject
from player.questions.language import Language
from player.questions.question import FitArray, Question, QuestionPool, join_pools

SHARES = {"words": 0.4, "word": 0.15, "opening": 0.15, "pair": 0.1, "beginning": 0.05, "subject": 0.05}
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

    pools = [lists.make(kind, course, rows, prior, language, n_of(kind), generator) for kind in lists.SIZES]
    pools.append(pair.make(course, rows, prior, language, n_of("pair"), generator))
    pools.append(beginning.make(course, rows, prior, language, n_of("beginning"), generator))
    pools.append(subject.make(course, rows, prior, language, n_of("subject"), generator))
    pools.append(feature.make(course, rows, prior, language, 0, generator))
    pools.append(purpose.make(course, rows, prior, language, 0, generator))
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
