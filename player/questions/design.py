"""Pool and prior -> the 20 questions that tell most, together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from player.questions.belief import FloatArray
from player.questions.pool import IntArray, QuestionPool

N_QUESTIONS = 20


def mutual_information(prior: FloatArray, cells: IntArray, noise: FloatArray) -> FloatArray:
    """Bits that each question's answer is expected to tell about which paragraph it is.

    Args:
        prior: (n_paragraphs,) probabilities, summing to 1.
        cells: (n_questions, n_paragraphs) option index 0..3 that fits each paragraph.
        noise: (n_answers, 4) probability of each answer given the fitting option.

    Returns:
        (n_questions,) bits, 0..2.

    Reference:
        Lindley, On a Measure of the Information Provided by an Experiment, 1956.
    """
    options = np.stack([(cells == option) @ prior for option in range(4)], axis=1)
    return _information(options, noise)


def design(pool: QuestionPool, prior: FloatArray, noise: FloatArray, seed: int, n: int = N_QUESTIONS) -> list[int]:
    """Rows of the n questions to ask, chosen one by one for what they add to those before.

    What a question adds is its information about the paragraph averaged over answers sampled for the questions already
    chosen (a particle for each of some paragraphs drawn from the prior): the batch's mutual information, whose greedy
    maximisation is near the best there is since it is submodular. Words already asked for are not asked for again while
    others are left.

    Args:
        pool: questions to choose from.
        prior: (n_paragraphs,) probabilities, summing to 1.
        noise: (n_answers, 4) as `belief.channel` gives it.
        seed: of the draws.
        n: questions wanted; fewer come back only if the pool is smaller.

    Reference:
        Krause and Guestrin, Near-optimal Nonmyopic Value of Information in Graphical Models, 2005.
    """
    generator = np.random.default_rng(seed)
    n_particles = 32
    truths = generator.choice(len(prior), size=n_particles, p=prior)
    beliefs = np.tile(prior, (n_particles, 1))
    one_hot = np.stack([pool.cells == option for option in range(4)], axis=1).astype(np.float32)
    flat = one_hot.reshape(-1, len(prior))
    chosen: list[int] = []
    asked: set[str] = set()
    for _ in range(min(n, len(pool.questions))):
        options = (flat @ beliefs.T.astype(np.float32)).reshape(len(pool.questions), 4, n_particles).transpose(0, 2, 1)
        gain = _information(options, noise).mean(axis=1)
        row = _best_row(gain, pool, chosen, asked)
        chosen.append(row)
        asked |= pool.questions[row].key
        cells = pool.cells[row]
        answers = _sample_answers(noise[:, cells[truths]], generator)
        beliefs *= noise[answers][:, cells]
        beliefs /= beliefs.sum(axis=1, keepdims=True)
    return chosen


def _best_row(gain: FloatArray, pool: QuestionPool, chosen: Sequence[int], asked: set[str]) -> int:
    taken = set(chosen)
    order = np.argsort(-gain, kind="stable")
    fresh = next((int(row) for row in order if row not in taken and not (pool.questions[row].key & asked)), None)
    return fresh if fresh is not None else next(int(row) for row in order if row not in taken)


def _sample_answers(probabilities: FloatArray, generator: np.random.Generator) -> IntArray:
    """(n_particles,) one answer row for each column of (n_answers, n_particles) probabilities."""
    draws = generator.random(probabilities.shape[1])
    rows: IntArray = (probabilities.cumsum(axis=0) < draws).sum(axis=0).astype(np.int8)
    return np.minimum(rows, len(probabilities) - 1).astype(np.int8)


def _information(options: NDArray[np.floating[Any]], noise: FloatArray) -> FloatArray:
    """Bits that an answer tells, over the last axis of (..., 4) probabilities that each option fits."""
    conditional = -(noise * np.log2(np.maximum(noise, 1e-300))).sum(axis=0)
    bits: FloatArray = _entropy(options @ noise.T) - options @ conditional
    return bits


def _entropy(probabilities: FloatArray) -> FloatArray:
    """Bits of each distribution over the last axis."""
    entropy: FloatArray = -(probabilities * np.log2(np.maximum(probabilities, 1e-12))).sum(axis=-1)
    return entropy
