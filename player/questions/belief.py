"""Prior and answers -> posterior, by exact Bayes over paragraphs and referees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from player.questions.question import LETTERS, FitArray
from player.questions.rates import N_ANSWERS, FloatArray
from player.questions.referees import ErrorModel

NOT_RELEVANT = "Not Relevant"


@dataclass(frozen=True, slots=True)
class Posterior:
    """What is believed after the answers.

    Attributes:
        belief: (n_paragraphs,) probabilities.
        referees: (n_referees,) probability of each of the model's referees.
        support: (n_questions, n_paragraphs) log2 probability of each answer if the paragraph is the one, over the
            referees as they are believed in now; 0 where no answer came.
    """

    belief: FloatArray
    referees: FloatArray
    support: FloatArray


def answer_row(answer: str | None) -> int | None:
    """The channel's row of an answer: 0..3 for a letter, 4 for Not Relevant, None for one that never came."""
    if answer is None:
        return None
    return LETTERS.index(answer) if answer in LETTERS else N_ANSWERS - 1


def update(
    prior: FloatArray, fits: FitArray, kinds: Sequence[str], answers: Sequence[str | None], model: ErrorModel
) -> Posterior:
    """The posterior over paragraphs, with the referee as a second unknown that all answers share.

    The answers are independent given paragraph and referee, not given the paragraph alone: twenty answers that no
    paragraph explains show a referee who does not look, and leave the belief where it was.

    Args:
        prior: (n_paragraphs,) probabilities, summing to 1.
        fits: (n_questions, n_paragraphs, 4) as in `QuestionPool.fits`.
        kinds: (n_questions,) kinds of the questions.
        answers: (n_questions,) a letter, "Not Relevant", or None where none came.
        model: how referees err.
    """
    given = np.ones((len(model.referees), len(fits), 4))  # probability of the answer that came, by the fitting option
    for number, (kind, answer) in enumerate(zip(kinds, answers, strict=True)):
        row = answer_row(answer)
        if row is not None:
            given[:, number] = [model.channel(referee, kind)[row] for referee in model.referees]
    # (n_questions, n_paragraphs, n_referees), put in the order of referees, questions, paragraphs
    likelihoods = np.matmul(fits.astype(np.float64), given.transpose(1, 2, 0)).transpose(2, 0, 1)
    log_joint = np.log(likelihoods).sum(axis=1) + np.log(np.maximum(prior, 1e-300))
    weights = np.array([referee.weight for referee in model.referees])
    log_joint += np.log(weights / weights.sum())[:, None]
    joint = np.exp(log_joint - log_joint.max())
    joint /= joint.sum()
    referees = joint.sum(axis=1)
    support = np.log2(np.tensordot(referees, likelihoods, axes=1))
    return Posterior(joint.sum(axis=0), referees, support)
