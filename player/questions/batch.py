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

MIN_DESIGN, MAX_DESIGN = 30, 300
"""Candidates that the questions are made for, least and most; the belief runs over all."""
DESIGN_SHARE = 0.99
"""Share of the belief that the questions are made for: what is left is told apart by the same answers, by chance."""


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
    order = np.argsort(-prior, kind="stable")
    n_needed = int(np.searchsorted(np.cumsum(prior[order]), DESIGN_SHARE)) + 1
    best = np.sort(order[: min(max(n_needed, MIN_DESIGN), MAX_DESIGN)])
    share = prior[best] / prior[best].sum()
    # many small products: where other work holds the cores, several threads wait for each other 20 times as long
    with _thread_pools().limit(limits=1, user_api="blas"):
        pool = build_pool(Candidates(index, rows[best], share), pool_size, seed)
        chosen = design(pool, share, model)
    return fit_batch(index, rows, prior, _padded([pool.questions[row] for row in chosen]), told)


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
