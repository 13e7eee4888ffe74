"""Prior and answers -> posterior, by Bayes under a referee that errs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from player.questions.pool import LETTERS, IntArray

FloatArray = NDArray[np.float64]

NOT_RELEVANT = "Not Relevant"
N_ANSWERS = 5
"""A, B, C, D and Not Relevant."""


def prior_from_relevance(relevance: FloatArray, temperature: float, floor: float) -> FloatArray:
    """(n_paragraphs,) probabilities: a softmax of relevance, with the share `floor` spread evenly.

    Args:
        relevance: (n_paragraphs,) 0..1.
        temperature: units of relevance; the smaller, the more the best hits weigh.
        floor: 0..1.
    """
    weights = np.exp((relevance - relevance.max()) / temperature)
    prior: FloatArray = (1.0 - floor) * weights / weights.sum() + floor / len(relevance)
    return prior


def channel(wrong_rate: float, not_relevant_rate: float) -> FloatArray:
    """(5, 4) probability of each answer (A, B, C, D, Not Relevant) given the fitting option.

    Args:
        wrong_rate: share of the given letters that are wrong, evenly over the other three.
        not_relevant_rate: share of the questions that are declined, whatever fits.
    """
    letters = np.full((4, 4), wrong_rate / 3.0)
    np.fill_diagonal(letters, 1.0 - wrong_rate)
    return np.vstack([(1.0 - not_relevant_rate) * letters, np.full((1, 4), not_relevant_rate)])


def answer_row(answer: str | None) -> int | None:
    """The channel's row of an answer: 0..3 for a letter, 4 for Not Relevant, None for one that never came."""
    if answer is None:
        return None
    return LETTERS.index(answer) if answer in LETTERS else N_ANSWERS - 1


def posterior(prior: FloatArray, cells: IntArray, answers: Sequence[str | None], noise: FloatArray) -> FloatArray:
    """(n_paragraphs,) probabilities after the answers, taken as independent given the paragraph.

    Args:
        prior: (n_paragraphs,) probabilities, summing to 1.
        cells: (n_questions, n_paragraphs) option index 0..3 that fits each paragraph.
        answers: (n_questions,) a letter, "Not Relevant", or None where none came.
        noise: (5, 4) as `channel` gives it.
    """
    log_belief = np.log(np.maximum(prior, 1e-300))
    for cell, answer in zip(cells, answers, strict=True):
        row = answer_row(answer)
        if row is not None:
            log_belief = log_belief + np.log(noise[row])[cell]
    belief: FloatArray = np.exp(log_belief - log_belief.max())
    belief /= belief.sum()
    return belief
