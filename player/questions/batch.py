"""The 20 questions of a game, with how they fit the candidates."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from threadpoolctl import ThreadpoolController

from quarry.ingest.arrays import Float64Array, RowArray
from quarry.player.questions.design import N_QUESTIONS, design
from quarry.player.questions.pool import FILLER, build_pool, fit_questions
from quarry.player.questions.question import FitArray, Question
from quarry.player.questions.referees import ErrorModel
from quarry.player.questions.word_index import Candidates, WordIndex

MAX_DESIGN = 250
"""Likeliest candidates that the questions are made for; the belief runs over all."""
N_SAMPLED = 150
"""Of the other candidates, drawn by their probability: those that stand for all of them when questions are made."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The questions of one game.

    Attributes:
        questions: the 20.
        fits: (n_views, 20, n_candidates, 4) as in `QuestionPool.fits`.
    """

    questions: tuple[Question, ...]
    fits: FitArray


def make_batch(
    index: WordIndex,
    rows: RowArray,
    prior: Float64Array,
    model: ErrorModel,
    pool_size: int,
    seed: int,
    told: str = "",
) -> Batch:
    """The 20 questions that tell the candidates apart; the same inputs and seed give the same ones.

    Args:
        rows: (n_candidates,) of the course.
        prior: (n_candidates,) their probabilities, summing to 1.
        model: how referees see and err.
        pool_size: questions to choose from.
        seed: of every draw.
        told: the book's name and the hint.
    """
    chosen_for, share = _design_set(prior, np.random.default_rng(seed))
    # many small products: where other work holds the cores, several threads wait for each other 20 times as long
    with _thread_pools().limit(limits=1, user_api="blas"):
        pool = build_pool(Candidates(index, rows[chosen_for], share), pool_size, seed)
        chosen = design(pool, share, model)
    return fit_batch(index, rows, prior, _padded([pool.questions[row] for row in chosen]), told)


def _design_set(prior: Float64Array, generator: np.random.Generator) -> tuple[RowArray, Float64Array]:
    """The candidates that questions are made for, and their probabilities, summing to 1.

    They are the likeliest ones and a systematic sample of the others, whose members share the others' probability, so
    that the questions tell apart what the hint makes unlikely too.
    """
    order = np.argsort(-prior, kind="stable")
    head, tail = order[:MAX_DESIGN], order[MAX_DESIGN:]
    mass = np.cumsum(prior[tail])
    if not len(tail) or mass[-1] <= 0.0:
        return np.sort(head), prior[np.sort(head)] / prior[head].sum()
    drawn = np.searchsorted(mass, (np.arange(N_SAMPLED) + generator.random()) * mass[-1] / N_SAMPLED, side="right")
    rows, counts = np.unique(tail[np.minimum(drawn, len(tail) - 1)], return_counts=True)
    chosen = np.concatenate([head, rows])
    share = np.concatenate([prior[head], counts * mass[-1] / N_SAMPLED])
    at = np.argsort(chosen)
    return chosen[at], share[at] / share.sum()


def fit_batch(
    index: WordIndex, rows: RowArray, prior: Float64Array, questions: Sequence[Question], told: str = ""
) -> Batch:
    """Questions with how they fit the candidates at `rows`; see `make_batch`."""
    return Batch(tuple(questions), fit_questions(questions, Candidates(index, rows, prior, told)))


@functools.cache
def _thread_pools() -> ThreadpoolController:
    """The loaded libraries' thread pools, looked up once."""
    return ThreadpoolController()


def _padded(questions: Sequence[Question]) -> list[Question]:
    """Exactly 20 questions: where the candidates' words do not give as many, true but idle ones follow."""
    spare = [
        Question(
            f"About how many sentences has the paragraph? (question {number})",
            ("one or two", "three or four", "five or six", "more than six"),
            FILLER,
            frozenset({f"filler {number}"}),
        )
        for number in range(len(questions) + 1, N_QUESTIONS + 1)
    ]
    return [*questions, *spare]
