"""Pool and prior -> the 20 questions that tell most, together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from player.questions.question import FitArray, QuestionPool
from player.questions.rates import FloatArray
from player.questions.referees import ErrorModel

N_QUESTIONS = 20
MAX_TIMES = 2
"""Questions of a batch in which the same word may be asked for."""
BLOCK = 32
"""Questions whose worth is worked out at once."""


def design(pool: QuestionPool, prior: FloatArray, model: ErrorModel, n: int = N_QUESTIONS) -> list[int]:
    """Rows of the n questions to ask, chosen one by one for what they add to those before.

    The worth of a batch is the mutual information of all its answers with the paragraph, by its lower bound from
    pairwise distances, -sum_i p_i log2 sum_j p_j c_ij, where c_ij is the Bhattacharyya coefficient of two paragraphs'
    answers, a product over the questions since answers are independent given the paragraph. It counts every pair of
    paragraphs that answers could confuse, so that the batch is a code that errors do not easily break. Mutual
    information is submodular, and greedy choice is near the best there is; a question's worth is worked out again only
    while its last one is the highest. What has been asked is not asked again while anything else is
    left, but for words, which may come twice.

    Args:
        pool: questions to choose from.
        prior: (n_paragraphs,) probabilities, summing to 1.
        model: how referees err.
        n: questions wanted; fewer come back only if the pool is smaller.

    Reference:
        Kolchinsky and Tracey, Estimating Mixture Entropy with Pairwise Distances, 2017; Krause and Guestrin,
        Near-optimal Nonmyopic Value of Information in Graphical Models, 2005; Minoux, Accelerated Greedy Algorithms for
        Maximizing Submodular Set Functions, 1978.
    """
    n = min(n, len(pool.kinds))
    if n == 0:
        return []
    channels = model.design_channels(pool.kinds)
    about = _incidence(pool.keys)
    roots = np.sqrt(_answers(pool.fits, channels))  # (n_questions, n_paragraphs, 5)
    weights = prior.astype(np.float32)
    confusion = np.tile(weights, (len(prior), 1))  # (i, j): p_j c_ij
    alone = np.einsum("qpa,qa->qp", roots, np.einsum("p,qpa->qa", weights, roots))
    worth = -np.log2(alone) @ prior
    chosen: list[int] = []
    for _ in range(n):
        place = _next(worth, roots, confusion, prior, _fresh(about, chosen))
        chosen.append(place)
        confusion *= roots[place] @ roots[place].T
    return chosen


def _next(worth: FloatArray, roots: FitArray, confusion: FitArray, prior: FloatArray, fresh: NDArray[np.bool_]) -> int:
    """The one of `fresh` that adds most; `worth` holds what each added when last looked at, and is updated."""
    before = np.log2(confusion.sum(axis=1))
    current = np.zeros(len(worth), dtype=np.bool_)
    while True:
        best = int(np.argmax(np.where(fresh, worth, -np.inf)))
        if current[best]:
            return best
        stale = np.flatnonzero(fresh & ~current)
        block = stale[np.argsort(-worth[stale], kind="stable")[:BLOCK]]
        worth[block] = (before - np.log2(_row_sums(confusion, roots[block]))) @ prior
        current[block] = True


@dataclass(frozen=True, slots=True)
class _About:
    """What questions are about.

    Attributes:
        table: (n_questions, n_things) 1 where the question is about the thing.
        most: (n_things,) questions of a batch that may be about it.
    """

    table: FitArray
    most: NDArray[np.intp]


def _incidence(keys: Sequence[frozenset[str]]) -> _About:
    """What the questions are about, as a table."""
    names = sorted({name for key in keys for name in key})
    column = {name: place for place, name in enumerate(names)}
    table = np.zeros((len(keys), len(names)), dtype=np.float32)
    for row, key in enumerate(keys):
        table[row, [column[name] for name in key]] = 1
    # what is no word, such as "has digits", is asked once
    return _About(table, np.array([1 if " " in name else MAX_TIMES for name in names]))


def _fresh(about: _About, chosen: Sequence[int]) -> NDArray[np.bool_]:
    """(n_questions,) those that are not about what was asked too often; where there are none, all that are left.

    A word may come a second time among other words; two questions share one at most.
    """
    left = np.ones(len(about.table), dtype=np.bool_)
    left[list(chosen)] = False
    asked = about.table[list(chosen)]
    spent = about.table @ (asked.sum(axis=0) >= about.most).astype(np.float32)
    fresh = left & (spent == 0) & ((about.table @ asked.T) <= 1).all(axis=1)
    return fresh if fresh.any() else left


def _row_sums(confusion: FitArray, roots: FitArray) -> FitArray:
    """(n_questions, n_paragraphs) the row sums of `confusion` after each of the questions."""
    n_questions, n_paragraphs, n_answers = roots.shape
    side_by_side = roots.transpose(1, 0, 2).reshape(n_paragraphs, -1)
    weighted = (confusion @ side_by_side).reshape(n_paragraphs, n_questions, n_answers)
    sums: FitArray = np.einsum("pqa,qpa->qp", weighted, roots)
    return sums


def _answers(fits: FitArray, channels: FloatArray) -> FitArray:
    """(n_questions, n_paragraphs, 5) probability of each answer for each paragraph."""
    answers: FitArray = np.matmul(fits, channels.transpose(0, 2, 1).astype(np.float32))
    return answers
