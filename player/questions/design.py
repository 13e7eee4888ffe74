"""Pool and prior -> the 20 questions that tell most, together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from player.questions.question import FitArray, QuestionPool
from player.questions.rates import FloatArray
from player.questions.referees import ErrorModel

N_QUESTIONS = 20
SHORTLIST = 200
"""Questions that are looked at more closely, after a first look at what each tells by itself."""
PER_KIND = 10
"""Questions of every kind that the shortlist keeps, whatever they tell by themselves."""
MAX_TIMES = 2
"""Questions of a batch in which the same word may be asked for."""
BLOCK = 12
"""Questions whose worth is worked out at once."""


def mutual_information(prior: FloatArray, fits: FitArray, channels: FloatArray) -> FloatArray:
    """Bits that each question's answer is expected to tell about which paragraph it is.

    Args:
        prior: (n_paragraphs,) probabilities, summing to 1.
        fits: (n_questions, n_paragraphs, 4) as in `QuestionPool.fits`.
        channels: (n_questions, 5, 4) probability of each answer given the fitting option.

    Returns:
        (n_questions,) bits, 0..2.

    Reference:
        Lindley, On a Measure of the Information Provided by an Experiment, 1956.
    """
    answers = _answers(fits, channels)
    bits: FloatArray = _entropy(np.tensordot(answers, prior, axes=(1, 0))) - _entropy(answers) @ prior
    return bits


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
    n = min(n, len(pool.questions))
    if n == 0:
        return []
    channels = model.design_channels([question.kind for question in pool.questions])
    rows = _shortlist(pool, prior, channels, n)
    keys = [pool.questions[row].key for row in rows]
    roots = np.sqrt(_answers(pool.fits[rows], channels[rows]))  # (n_questions, n_paragraphs, 5)
    confusion = np.tile(prior.astype(np.float32), (len(prior), 1))  # (i, j): p_j c_ij
    worth = np.full(len(rows), np.inf)
    chosen: list[int] = []
    for _ in range(n):
        place = _next(worth, roots, confusion, prior, _fresh(keys, chosen))
        chosen.append(place)
        confusion *= roots[place] @ roots[place].T
    return [int(rows[place]) for place in chosen]


def _next(
    worth: FloatArray,
    roots: FitArray,
    confusion: FitArray,
    prior: FloatArray,
    fresh: Sequence[int],
) -> int:
    """The one of `fresh` that adds most; `worth` holds what each added when last looked at, and is updated."""
    before = np.log2(confusion.sum(axis=1))
    current: set[int] = set()
    while True:
        best = sorted(fresh, key=lambda row: (-worth[row], row))
        if best[0] in current:
            return best[0]
        block = [row for row in best[: 2 * BLOCK] if row not in current][:BLOCK]
        after = _row_sums(confusion, roots[block])
        worth[block] = (before - np.log2(after)) @ prior
        current.update(block)


def _fresh(keys: Sequence[frozenset[str]], chosen: Sequence[int]) -> list[int]:
    """The questions left that are not about what was asked too often; where there are none, all that are left.

    A word may come a second time among other words; two questions share one at most.
    """
    left = [row for row in range(len(keys)) if row not in chosen]
    times = Counter(about for row in chosen for about in keys[row])
    spent = {about for about, count in times.items() if count >= MAX_TIMES or " " in about}
    fresh = [
        row for row in left if not (keys[row] & spent) and all(len(keys[row] & keys[other]) <= 1 for other in chosen)
    ]
    return fresh or left


def _row_sums(confusion: FitArray, roots: FitArray) -> FitArray:
    """(n_questions, n_paragraphs) the row sums of `confusion` after each of the questions."""
    n_questions, n_paragraphs, n_answers = roots.shape
    side_by_side = roots.transpose(1, 0, 2).reshape(n_paragraphs, -1)
    weighted = (confusion @ side_by_side).reshape(n_paragraphs, n_questions, n_answers)
    sums: FitArray = np.einsum("pqa,qpa->qp", weighted, roots)
    return sums


def _shortlist(pool: QuestionPool, prior: FloatArray, channels: FloatArray, n: int) -> NDArray[np.intp]:
    """Rows of the questions that tell most by themselves, with some of every kind, in the order of the pool."""
    gain = mutual_information(prior, pool.fits, channels)
    order = np.argsort(-gain, kind="stable")
    kept = set(order[: max(2 * n, SHORTLIST)].tolist())
    of_kind: dict[str, int] = {}
    for row in order:
        kind = pool.questions[row].kind
        of_kind[kind] = of_kind.get(kind, 0) + 1
        if of_kind[kind] <= PER_KIND:
            kept.add(int(row))
    return np.array(sorted(kept), dtype=np.intp)


def _answers(fits: FitArray, channels: FloatArray) -> FitArray:
    """(n_questions, n_paragraphs, 5) probability of each answer for each paragraph."""
    answers: FitArray = np.matmul(fits, channels.transpose(0, 2, 1).astype(np.float32))
    return answers


def _entropy(probabilities: NDArray[np.floating]) -> NDArray[np.floating]:
    """Bits of each distribution over the last axis."""
    entropy: NDArray[np.floating] = -(probabilities * np.log2(np.maximum(probabilities, 1e-12))).sum(axis=-1)
    return entropy
