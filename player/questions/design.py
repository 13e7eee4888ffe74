"""Design of the batch: choose the 20 questions of a pool with the most joint information about the paragraph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quarry.ingest.arrays import BoolArray, Float64Array
from quarry.player.questions.question import FitArray, QuestionPool
from quarry.player.questions.referees import DESIGNED_FOR, ErrorModel
from quarry.player.questions.views import DESIGN_VIEWS, View

N_QUESTIONS = 20
MAX_TIMES = 3
"""At most so many questions of a batch ask for the same word."""
BLOCK = 32
"""The information of so many questions is computed at once."""


def design(pool: QuestionPool, prior: Float64Array, model: ErrorModel, n: int = N_QUESTIONS) -> list[int]:
    """Choose n questions one by one, each for what it adds to those before, and return their rows in the pool.

    The worth of a batch is the mutual information of all its answers with the paragraph, given the view and averaged
    over the views. If the view is unknown, the information is lower by at most the entropy of the view. The worth is
    measured by its lower bound from pairwise distances, -sum_i p_i log2 sum_j p_j c_ij. Here c_ij is the Bhattacharyya
    coefficient of the answers to two paragraphs, a product over the questions, since answers are independent given the
    paragraph. The bound counts every pair of paragraphs that answers could confuse, so the batch is a code that
    tolerates errors.
    Mutual information is submodular, so greedy choice is nearly optimal, and the worth of a question is computed again
    only if its last value is the highest. No word is asked for more than three times if other questions are left.

    Args:
        pool: questions to choose from.
        prior: (n_paragraphs,) probabilities, summing to 1.
        model: error model of the referees.
        n: number of questions; a smaller pool gives fewer.

    Reference:
        Kolchinsky and Tracey, Estimating Mixture Entropy with Pairwise Distances, 2017; Krause and Guestrin,
        Near-optimal Nonmyopic Value of Information in Graphical Models, 2005; Minoux, Accelerated Greedy Algorithms for
        Maximizing Submodular Set Functions, 1978.
    """
    n = min(n, len(pool.kinds))
    if n == 0:
        return []
    about = _incidence(pool.keys)
    seen = [
        _information(pool, view, weight, prior, model)
        for view, weight in zip(DESIGN_VIEWS, model.design_views, strict=True)
        if weight
    ]
    worth = np.add.reduce([view.weight * (-np.log2(view.alone(prior)) @ prior) for view in seen])
    chosen: list[int] = []
    for _ in range(n):
        place = _next(worth, seen, prior, _fresh(about, chosen))
        chosen.append(place)
        for view in seen:
            view.confusion *= view.roots[place] @ view.roots[place].T
    return chosen


@dataclass(slots=True)
class _ViewInformation:
    """The information of the answers under one view.

    Attributes:
        weight: weight of a bit.
        roots: (n_questions, n_paragraphs, 4) square roots of the probabilities of the letters.
        confusion: (n_paragraphs, n_paragraphs) p_j c_ij after the questions chosen so far.
    """

    weight: float
    roots: FitArray
    confusion: FitArray

    def alone(self, prior: Float64Array) -> FitArray:
        """Return (n_questions, n_paragraphs) row sums of the confusion after each question alone."""
        mean = np.einsum("p,qpa->qa", prior.astype(np.float32), self.roots)
        sums: FitArray = np.einsum("qpa,qa->qp", self.roots, mean)
        return sums


def _information(
    pool: QuestionPool, view: View, weight: float, prior: Float64Array, model: ErrorModel
) -> _ViewInformation:
    channels = np.stack([model.channel(view, DESIGNED_FOR, kind) for kind in pool.kinds]).astype(np.float32)
    letters = np.matmul(pool.fits[DESIGN_VIEWS.index(view)], channels.transpose(0, 2, 1))
    return _ViewInformation(float(weight), np.sqrt(letters), np.tile(prior.astype(np.float32), (len(prior), 1)))


def _next(worth: Float64Array, seen: Sequence[_ViewInformation], prior: Float64Array, fresh: BoolArray) -> int:
    """Return the one of `fresh` that adds most; `worth` holds the last computed worth of each, and is updated."""
    before = [np.log2(view.confusion.sum(axis=1)) for view in seen]
    current = np.zeros(len(worth), dtype=np.bool_)
    while True:
        best = int(np.argmax(np.where(fresh, worth, -np.inf)))
        if current[best]:
            return best
        stale = np.flatnonzero(fresh & ~current)
        block = stale[np.argsort(-worth[stale], kind="stable")[:BLOCK]]
        worth[block] = np.add.reduce(
            [
                view.weight * ((row_sums - np.log2(_row_sums(view.confusion, view.roots[block]))) @ prior)
                for view, row_sums in zip(seen, before, strict=True)
            ]
        )
        current[block] = True


def _incidence(keys: Sequence[frozenset[str]]) -> FitArray:
    """Return the (n_questions, n_words) table with 1 where a question is about a word."""
    names = sorted({name for key in keys for name in key})
    column = {name: place for place, name in enumerate(names)}
    table = np.zeros((len(keys), len(names)), dtype=np.float32)
    for row, key in enumerate(keys):
        table[row, [column[name] for name in key]] = 1
    return table


def _fresh(about: FitArray, chosen: Sequence[int]) -> BoolArray:
    """Return (n_questions,) those that may be chosen next; all that are left if no question may.

    Two questions share one word at most, and no word is asked for more than MAX_TIMES times.
    """
    left = np.ones(len(about), dtype=np.bool_)
    left[list(chosen)] = False
    asked = about[list(chosen)]
    spent = about @ (asked.sum(axis=0) >= MAX_TIMES).astype(np.float32)
    fresh = left & (spent == 0) & ((about @ asked.T) <= 1).all(axis=1)
    return fresh if fresh.any() else left


def _row_sums(confusion: FitArray, roots: FitArray) -> FitArray:
    """Return (n_questions, n_paragraphs) row sums of `confusion` after each of the questions."""
    n_questions, n_paragraphs, n_answers = roots.shape
    side_by_side = roots.transpose(1, 0, 2).reshape(n_paragraphs, -1)
    weighted = (confusion @ side_by_side).reshape(n_paragraphs, n_questions, n_answers)
    sums: FitArray = np.einsum("pqa,qpa->qp", weighted, roots)
    return sums
