"""The 20 questions of a game: pool of all kinds, choice, and fits to the candidates."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from threadpoolctl import ThreadpoolController

from quarry.ingest.arrays import Float64Array, RowArray
from quarry.player.questions.design import N_QUESTIONS, design
from quarry.player.questions.kinds import KINDS
from quarry.player.questions.question import FitArray, Question, QuestionPool, join_pools
from quarry.player.questions.referees import ErrorModel
from quarry.player.questions.views import VIEWS
from quarry.player.questions.word_index import Candidates

FILLER = "filler"
"""Kind of the questions that fill up a batch to 20."""
MAX_DESIGN = 250
"""The number of likeliest candidates that questions are chosen for; the belief runs over all."""
N_SAMPLED = 150
"""The size of the sample of the other candidates, which represents them when questions are chosen."""
_thread_pools = functools.cache(ThreadpoolController)
"""Returns the thread pools of the loaded libraries, looked up once."""


def choose_questions(candidates: Candidates, model: ErrorModel, pool_size: int, seed: int) -> tuple[Question, ...]:
    """Choose the 20 questions that tell the candidates apart; the same inputs and seed give the same questions.

    Args:
        model: error model of the referees.
        pool_size: number of questions to choose from.
        seed: seed of every draw.
    """
    chosen_for, share = _design_set(candidates.prior, np.random.default_rng(seed))
    # many small products: on busy cores several threads wait for each other 20 times as long
    with _thread_pools().limit(limits=1, user_api="blas"):
        pool = build_pool(Candidates(candidates.index, candidates.rows[chosen_for], share), pool_size, seed)
        chosen = design(pool, share, model)
    return _padded([pool.drafts[row]() for row in chosen])


def _design_set(prior: Float64Array, generator: np.random.Generator) -> tuple[RowArray, Float64Array]:
    """Return the rows of the candidates that questions are chosen for, and their probabilities, summing to 1.

    They are the likeliest candidates and a systematic sample of the others, which shares the probability of all others.
    So the questions also tell apart candidates that the hint makes unlikely.
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


def build_pool(candidates: Candidates, size: int, seed: int) -> QuestionPool:
    """Make about `size` questions of all kinds for the candidates.

    Args:
        seed: seed of the draws.
    """
    generator = np.random.default_rng(seed)
    pools = [kind.make(candidates, max(1, round(size * kind.share)), generator) for kind in KINDS.values()]
    return join_pools(pools, len(candidates))


def fit_questions(questions: Sequence[Question], candidates: Candidates) -> FitArray:
    """Return the (n_views, n_questions, n_candidates, 4) fits of questions; an unknown kind fits all options alike."""
    fits = np.full((len(VIEWS), len(questions), len(candidates), 4), 0.25, dtype=np.float32)
    for name, kind in KINDS.items():
        rows = [row for row, question in enumerate(questions) if question.kind == name]
        if rows:
            fits[:, rows] = kind.fit([questions[row] for row in rows], candidates)
    return fits


def _padded(questions: Sequence[Question]) -> tuple[Question, ...]:
    """Return exactly 20 questions; add questions that tell nothing if the words of the candidates give too few."""
    spare = [
        Question(
            f"About how many sentences has the paragraph? (question {number})",
            ("one or two", "three or four", "five or six", "more than six"),
            FILLER,
            frozenset({f"filler {number}"}),
        )
        for number in range(len(questions) + 1, N_QUESTIONS + 1)
    ]
    return (*questions, *spare)
