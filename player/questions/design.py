"""Design of the batch: chooses the 20 questions of a pool whose answers together tell most about the paragraph."""

from dataclasses import dataclass

import numpy as np

from player.belief.referees import RefereeModel
from player.question import N_QUESTIONS, FitArray, Question
from quarry.arrays import BoolArray, Float32Array, Float64Array, RowArray

MIN_ROW_SUM = 1e-30
"""Minimum sum of a row, so that its logarithm is finite."""
BLOCK_QUESTIONS = 32
"""Number of questions whose information is computed at once."""
MAX_BLOCKS = 3
"""Maximum number of blocks whose information is computed again before each choice; without a limit, the choice takes
twice the time and gains .1 of 13.9 bits."""


def design(
    questions: list[Question],
    fits: FitArray,
    prior: Float64Array,
    own_prior: Float64Array,
    stakes: Float32Array,
    referees: tuple[RefereeModel, ...],
) -> list[int]:
    """Choose N_QUESTIONS questions one by one, each for the information that it adds, and return their rows.

    The worth of a batch is the information of all its answers about the string to send, given the view of the referee,
    averaged over the views. If the view is unknown, the information is lower by at most its entropy. The worth is
    measured by a lower bound from pairwise distances, -sum_i p_i log2 sum_j p_j s_ij c_ij. Here c_ij is the
    Bhattacharyya coefficient of the answers to two candidates. It is a product over the questions, since answers are
    independent given the candidate. s_ij is the share of the points that is lost if one candidate is taken for the
    other, so that candidates with nearly the same string need not be told apart. The bound counts every pair of
    candidates that answers could confuse, so the batch is a code that tolerates errors.

    Mutual information is submodular, so greedy choice is nearly optimal, and the worth of a question is computed again
    only if its last value is the highest.

    Args:
        questions: questions to choose from; if there are fewer, all are returned.
        fits: (n_design_views, n_questions, n_candidates, 4) fits of the questions under `DESIGN_VIEWS`.
        prior: (n_candidates,) probabilities, summing to 1.
        own_prior: (n_candidates,) probability of each candidate itself. `prior` is the share of the draws, which also
            stand for candidates that were not drawn.
        stakes: (n_candidates, n_candidates) share of the points that is lost if one is taken for the other, 0..1.
        referees: a referee for each of `DESIGN_VIEWS`, as `design_referees` returns them.

    Reference:
        Kolchinsky and Tracey, Estimating Mixture Entropy with Pairwise Distances, 2017; Krause and Guestrin,
        Near-optimal Nonmyopic Value of Information in Graphical Models, 2005; Minoux, Accelerated Greedy Algorithms for
        Maximizing Submodular Set Functions, 1978.
    """
    n_questions = len(questions)
    at_stake = prior.astype(np.float32) * stakes
    np.fill_diagonal(at_stake, own_prior)
    parts = []
    for referee, view_fits in zip(referees, fits, strict=True):
        channels = referee.letters_for(questions).astype(np.float32)
        letters = np.matmul(view_fits, channels.transpose(0, 2, 1))
        part = _Information(
            weight=referee.weight,
            prior=prior,
            roots=np.sqrt(letters),
            confusion=at_stake.copy(),
        )
        parts.append(part)

    worth = np.add.reduce([part.alone() for part in parts])
    is_chosen = np.zeros(n_questions, dtype=np.bool_)
    rows: list[int] = []
    for _ in range(min(N_QUESTIONS, n_questions)):
        best = _next(worth, parts, is_chosen)
        is_chosen[best] = True
        rows.append(best)
        for part in parts:
            roots = part.roots[best]
            part.confusion *= roots @ roots.T
    return rows


@dataclass(slots=True)
class _Information:
    """The information of the answers under one view.

    Attributes:
        weight: weight of the view.
        prior: (n_candidates,) probabilities.
        roots: (n_questions, n_candidates, 4) square roots of the probabilities of the letters.
        confusion: (n_candidates, n_candidates) p_j s_ij c_ij of the questions chosen so far.
    """

    weight: float
    prior: Float64Array
    roots: Float32Array
    confusion: Float32Array

    def alone(self) -> Float64Array:
        """Return the (n_questions,) weighted information of each question alone; all confusions lose all points."""
        prior = self.prior.astype(np.float32)
        mean = np.einsum("p,qpa->qa", prior, self.roots)
        sums: Float32Array = np.einsum("qpa,qa->qp", self.roots, mean)
        return self.weight * self._bits(sums)

    def gains(self, rows: RowArray) -> Float64Array:
        """Return the (n_rows,) weighted information that questions add to those chosen so far."""
        roots = self.roots[rows]
        n_questions, n_candidates, n_answers = roots.shape
        by_paragraph = roots.transpose(1, 0, 2)
        weighted = self.confusion @ by_paragraph.reshape(n_candidates, -1)
        weighted = weighted.reshape(n_candidates, n_questions, n_answers)
        sums: Float32Array = np.einsum("pqa,qpa->qp", weighted, roots)
        before = self._bits(self.confusion.sum(axis=1))
        return self.weight * (self._bits(sums) - before)

    def _bits(self, sums: Float32Array) -> Float64Array:
        """Return the (...,) information for (..., n_candidates) row sums of the confusion."""
        surprise = -np.log2(np.maximum(sums, MIN_ROW_SUM))
        bits: Float64Array = surprise @ self.prior
        return bits


def _next(
    worth: Float64Array,
    parts: list[_Information],
    is_chosen: BoolArray,
) -> int:
    """Return the question that adds most, or the best of those computed again if MAX_BLOCKS are too few to tell.

    Args:
        worth: (n_questions,) the last computed worth of each question; it is updated.
        parts: the information under each view.
        is_chosen: (n_questions,) whether a question was chosen before.
    """
    is_current = np.zeros(len(worth), dtype=np.bool_)
    for _ in range(MAX_BLOCKS):
        best = int(np.argmax(np.where(is_chosen, -np.inf, worth)))
        if is_current[best]:
            return best
        outdated = np.flatnonzero(~(is_chosen | is_current))
        order = np.argsort(-worth[outdated], kind="stable")
        block = outdated[order[:BLOCK_QUESTIONS]]
        gains = [part.gains(block) for part in parts]
        worth[block] = np.add.reduce(gains)
        is_current[block] = True
    return int(np.argmax(np.where(is_current, worth, -np.inf)))
