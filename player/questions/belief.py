"""Prior and answers -> posterior, by exact Bayes over paragraphs and referees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from ingest.arrays import BoolArray, Float64Array
from player.questions.answer import Answers, letter_row
from player.questions.question import FitArray
from player.questions.referees import SKEW, SKEWED, ErrorModel
from player.questions.views import VIEWS

CHANCE = 0.25
"""Probability of a letter that is given by chance."""

UNUSUAL = 1e-3
"""Weight of a referee who holds a raw piece and sees a part of it only."""


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


def update(
    prior: Float64Array,
    fits: FitArray,
    kinds: Sequence[str],
    answers: Answers,
    model: ErrorModel,
    pieces: BoolArray | None = None,
) -> Posterior:
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
        pieces: (n_paragraphs,) pieces of other editions, whose referees see all of the text; None for none.
    """
    letters = [letter_row(answer) for answer in answers]
    seen_by = np.array([VIEWS.index(each.view or VIEWS[0]) for each in model.referees])
    log_joint = _log_prior(prior, [row for row in letters if row is not None], model)
    if pieces is not None:
        log_joint[:, pieces] += _log_view_of_pieces(model)[:, None]
    asked = [
        (number, model.letters[:, row, letter].astype(np.float32))
        for number, (row, letter) in enumerate(
            zip(model.rows_of(kinds), letters, strict=True)
        )
        if letter is not None
    ]
    for number, given in asked:
        for view, seen in enumerate(fits[:, number]):
            log_joint[seen_by == view] += np.log(given[seen_by == view] @ seen.T)

    joint = np.exp(log_joint - log_joint.max())
    joint /= joint.sum()
    referees = joint.sum(axis=1)
    support = np.zeros((len(answers), len(prior)))
    for number, given in asked:
        weighted = np.zeros((len(VIEWS), given.shape[1]))
        np.add.at(weighted, seen_by, referees[:, None] * given)
        support[number] = np.log2(np.einsum("vpo,vo->p", fits[:, number], weighted))
    return Posterior(joint.sum(axis=0), referees, support)


def _log_prior(
    prior: Float64Array, letters: Sequence[int], model: ErrorModel
) -> Float64Array:
    """Return the (n_referees, n_paragraphs) log-probability before the answers, with the letters' skew."""
    weights = np.array([referee.weight for referee in model.referees])
    log_prior = np.log(np.maximum(prior, 1e-300))
    log_joint: Float64Array = np.log(weights / weights.sum())[:, None] + log_prior
    for place, referee in enumerate(model.referees):
        if referee.name == SKEWED:
            log_joint[place] += log_skewed(letters) - len(letters) * np.log(CHANCE)
    return log_joint


def _log_view_of_pieces(model: ErrorModel) -> Float64Array:
    """Return (n_referees,) what to add for pieces: of the referees who look at something, all see the whole text."""
    weights = np.array([referee.weight for referee in model.referees])
    looks = np.array([referee.view is not None for referee in model.referees])
    whole = np.array([referee.view == "paragraph" for referee in model.referees])
    factors = np.where(looks, UNUSUAL, 1.0)
    factors[whole] = weights[looks].sum() / weights[whole].sum()
    log_factors: Float64Array = np.log(factors)
    return log_factors


def log_skewed(letters: Sequence[int]) -> float:
    """Return the natural logarithm of the probability of letters from an unknown, skewed distribution.

    Reference:
        Minka, Estimating a Dirichlet Distribution, 2000: the Polya distribution, here of a sequence.
    """
    counts = np.bincount(letters, minlength=4)
    return float(
        gammaln(4 * SKEW)
        - gammaln(4 * SKEW + len(letters))
        + (gammaln(SKEW + counts) - gammaln(SKEW)).sum()
    )
