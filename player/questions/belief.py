"""Prior and answers -> posterior, by exact Bayes over paragraphs and referees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from quarry.ingest.arrays import Float64Array
from quarry.player.questions.answer import Answers, letter_row
from quarry.player.questions.question import FitArray
from quarry.player.questions.referees import SKEW, SKEWED, ErrorModel
from quarry.player.questions.views import VIEWS

CHANCE = 0.25
"""Probability of a letter that is given by chance."""


@dataclass(frozen=True, slots=True)
class Posterior:
    """The belief after the answers.

    Attributes:
        belief: (n_paragraphs,) probabilities.
        referees: (n_referees,) probability of each of the model's referees.
        support: (n_questions, n_paragraphs) log2 probability of each answer given the paragraph, averaged over the
            referees by their probability after the answers; 0 for an answer without a letter.
    """

    belief: Float64Array
    referees: Float64Array
    support: Float64Array


def update(prior: Float64Array, fits: FitArray, kinds: Sequence[str], answers: Answers, model: ErrorModel) -> Posterior:
    """Return the posterior over paragraphs and referees; all answers share one unknown referee.

    The answers are independent given paragraph and referee, but not given the paragraph alone. If no paragraph explains
    the twenty answers, a referee who does not look at the paragraph is the best explanation, and the belief stays as it
    was. "Not Relevant" may be a failed call as well as a verdict, so it counts as a missing answer.

    Args:
        prior: (n_paragraphs,) probabilities, summing to 1.
        fits: (n_views, n_questions, n_paragraphs, 4) as in `QuestionPool.fits`.
        kinds: (n_questions,) kinds of the questions.
        answers: (n_questions,) a letter, "Not Relevant", or None for a missing answer.
        model: error model of the referees.
    """
    rows = [letter_row(answer) for _, answer in zip(kinds, answers, strict=True)]
    asked = [number for number, row in enumerate(rows) if row is not None]
    letters = [row for row in rows if row is not None]
    likelihoods = _likelihoods(fits[:, asked], [kinds[number] for number in asked], letters, model)
    log_joint = np.log(likelihoods).sum(axis=1) + np.log(np.maximum(prior, 1e-300))
    for place, referee in enumerate(model.referees):
        if referee.name == SKEWED:
            log_joint[place] += log_skewed(letters) - len(letters) * np.log(CHANCE)
    weights = np.array([referee.weight for referee in model.referees])
    log_joint += np.log(weights / weights.sum())[:, None]
    joint = np.exp(log_joint - log_joint.max())
    joint /= joint.sum()
    referees = joint.sum(axis=1)
    support = np.zeros((len(answers), len(prior)))
    support[asked] = np.log2(np.tensordot(referees, likelihoods, axes=1))
    return Posterior(joint.sum(axis=0), referees, support)


def _likelihoods(fits: FitArray, kinds: Sequence[str], letters: Sequence[int], model: ErrorModel) -> Float64Array:
    """Return the (n_referees, n_answers, n_paragraphs) probability of each letter; chance without a view."""
    likelihoods = np.full((len(model.referees), *fits.shape[1:3]), CHANCE)
    for view, seen in zip(VIEWS, fits, strict=True):
        places = [place for place, referee in enumerate(model.referees) if referee.view == view]
        given = np.array(
            [
                [model.channel(view, model.referees[place].errors, kind)[letter] for place in places]
                for kind, letter in zip(kinds, letters, strict=True)
            ]
        ).reshape(len(letters), len(places), 4)
        likelihoods[places] = np.matmul(seen, given.transpose(0, 2, 1).astype(np.float32)).transpose(2, 0, 1)
    return likelihoods


def log_skewed(letters: Sequence[int]) -> float:
    """Return the natural logarithm of the probability of letters from an unknown, skewed distribution.

    Reference:
        Minka, Estimating a Dirichlet Distribution, 2000: the Polya distribution, here of a sequence.
    """
    counts = np.bincount(letters, minlength=4)
    return float(gammaln(4 * SKEW) - gammaln(4 * SKEW + len(letters)) + (gammaln(SKEW + counts) - gammaln(SKEW)).sum())
