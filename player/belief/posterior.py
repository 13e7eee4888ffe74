"""The posterior from the prior and the answers, by exact Bayes over paragraphs and referees."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, softmax

from player.answer import Answers, letter_rows
from player.belief.referees import SKEW, RefereeModel
from player.question import OPENING_VIEWS, VIEWS, FitArray, Question
from quarry.arrays import BoolArray, Float32Array, Float64Array

LETTER_BY_CHANCE = 0.25
"""Probability of each letter if a referee answers by chance."""

SAME_OPENING = 0.5
"""Share of the referees with raw text who take the scored opening for its first sentence in all their answers; of 101
answers about the first sentence of a page, 52 did."""


@dataclass(frozen=True, slots=True)
class Posterior:
    """The belief after the answers.

    Attributes:
        belief: (n_candidates,) probabilities.
        support: (n_questions, n_candidates) log2 probability of each answer given the paragraph, averaged over the
            referees by their probability after the answers; 0 for an answer without a letter.
    """

    belief: Float64Array
    support: Float64Array


def update(
    prior: Float64Array,
    fits: FitArray,
    questions: Sequence[Question],
    answers: Answers,
    mixture: Sequence[RefereeModel],
    is_raw: BoolArray,
) -> Posterior:
    """Compute the posterior over candidates and referees; all answers come from one unknown referee.

    The answers are independent given paragraph and referee, but not given the paragraph alone. If no paragraph explains
    the twenty answers, the best explanation is a referee who does not look at the paragraph, and the belief does not
    change. "Not Relevant" counts as a missing answer, since it may be a failed call as well as a verdict.

    Args:
        prior: (n_candidates,) probabilities, summing to 1.
        fits: (n_views, n_questions, n_candidates, 4) as `fit_questions` returns them.
        questions: (n_questions,) the questions.
        answers: (n_questions,) a letter, "Not Relevant", or None for a missing answer.
        mixture: the possible referees.
        is_raw: (n_candidates,) whether the referee holds a raw page or a piece of one; see `OPENING_VIEWS`.
    """
    # a referee without a view answers by chance, so any view will do
    views = np.array([VIEWS.index(each.view or VIEWS[0]) for each in mixture])
    letters_by_question = np.stack([each.letters_for(questions) for each in mixture])
    by_question: Float32Array = letters_by_question.astype(np.float32)
    letters = letter_rows(answers)
    log_joint = _log_prior(prior, [*letters.values()], mixture, is_raw)
    for number, letter in letters.items():
        channel = by_question[:, number, letter]
        for view, fit in enumerate(fits[:, number]):
            is_of_view = views == view
            likelihood = channel[is_of_view] @ fit.T
            log_joint[is_of_view] += np.log(likelihood)

    joint = softmax(log_joint)
    referee_belief = joint.sum(axis=1)
    shape = (len(answers), len(prior))
    support = np.zeros(shape)
    for number, letter in letters.items():
        by_referee = referee_belief[:, None] * by_question[:, number, letter]
        weighted = np.zeros((len(VIEWS), 4))
        np.add.at(weighted, views, by_referee)
        probability = np.einsum("vpo,vo->p", fits[:, number], weighted)
        support[number] = np.log2(probability)
    return Posterior(joint.sum(axis=0), support)


def _log_prior(
    prior: Float64Array,
    letters: Sequence[int],
    mixture: Sequence[RefereeModel],
    is_raw: BoolArray,
) -> Float64Array:
    """Return the (n_referees, n_candidates) log-probability before the answers, with the letters' skew.

    Example: if referees that see the paragraph have a weight of 9, and those that see its opening 1, they share the
    prior of a printed candidate by .9 and .1, and that of a raw one by SAME_OPENING, .5 and .5.
    """
    weights = np.array([referee.weight for referee in mixture])
    shares = np.log(weights / weights.sum())
    log_prior = np.log(np.maximum(prior, 1e-300))
    log_joint: Float64Array = shares[:, None] + log_prior

    by_chance = len(letters) * np.log(LETTER_BY_CHANCE)
    for row, referee in enumerate(mixture):
        if referee.is_skewed:
            log_joint[row] += log_skewed(letters) - by_chance

    views = np.array([referee.view or "" for referee in mixture])
    is_other = np.isin(views, OPENING_VIEWS)
    is_same = views == "paragraph"
    if is_other.any() and is_same.any():
        both_weight = weights[is_same | is_other].sum()
        for is_seen, share in ((is_same, SAME_OPENING), (is_other, 1.0 - SAME_OPENING)):
            factor = share * both_weight / weights[is_seen].sum()
            log_joint[np.ix_(is_seen, is_raw)] += np.log(factor)
    return log_joint


def log_skewed(letters: Sequence[int]) -> float:
    """Return the natural logarithm of the probability of letters from an unknown, skewed distribution.

    Reference:
        Minka, Estimating a Dirichlet Distribution, 2000: the Polya distribution, here of a sequence.
    """
    counts = np.bincount(letters, minlength=4)
    letter_terms = gammaln(SKEW + counts) - gammaln(SKEW)
    total = 4 * SKEW
    total_term = gammaln(total) - gammaln(total + len(letters))
    return float(total_term + letter_terms.sum())
