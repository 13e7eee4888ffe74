"""Candidates -> the questions worth choosing from, of every kind."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quarry.player.questions.kinds import KINDS
from quarry.player.questions.question import FitArray, Question, QuestionPool, join_pools
from quarry.player.questions.views import VIEWS
from quarry.player.questions.word_index import Candidates

FILLER = "filler"
"""Kind of a question that is asked only because 20 must be."""


def build_pool(candidates: Candidates, size: int, seed: int) -> QuestionPool:
    """Questions of every kind over the candidates.

    Args:
        size: questions wanted, about.
        seed: of the draws.
    """
    generator = np.random.default_rng(seed)
    pools = [kind.make(candidates, max(1, round(size * kind.share)), generator) for kind in KINDS.values()]
    return join_pools(pools, len(candidates))


def fit_questions(questions: Sequence[Question], candidates: Candidates) -> FitArray:
    """(n_views, n_questions, n_candidates, 4) as in `QuestionPool.fits`; a kind that is not known fits all alike."""
    fits = np.full((len(VIEWS), len(questions), len(candidates), 4), 0.25, dtype=np.float32)
    for name, kind in KINDS.items():
        rows = [row for row, question in enumerate(questions) if question.kind == name]
        if rows:
            fits[:, rows] = kind.fit([questions[row] for row in rows], candidates)
    return fits
