"""Question and QuestionPool: questions, what they are about, and how well their options fit each paragraph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import Float32Array
from player.questions.views import DESIGN_VIEWS

FitArray = Float32Array

OUT = 3
"""Index of the last option, "none of these"."""


@dataclass(frozen=True, slots=True)
class Question:
    """One multiple-choice question.

    Attributes:
        text: the question, which can be understood alone; it calls the secret "the paragraph".
        options: A to D; the last one is "none of these".
        kind: name of its kind.
        key: the words it is about.
        groups: words that each option but the last one names, from which its kind computes the fits again.
    """

    text: str
    options: tuple[str, str, str, str]
    kind: str
    key: frozenset[str]
    groups: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionPool:
    """Questions and how probably each option fits each paragraph.

    Attributes:
        drafts: each makes one question; most questions of a pool are never written.
        kinds: (n_questions,) of the questions, without writing them.
        fits: (n_design_views, n_questions, n_paragraphs, 4) probability that a careful referee of each of
            `DESIGN_VIEWS` finds the option fitting, summing to 1 over the options.
    """

    drafts: tuple[Callable[[], Question], ...]
    kinds: tuple[str, ...]
    fits: FitArray

    @property
    def questions(self) -> tuple[Question, ...]:
        """All questions, written."""
        return tuple(draft() for draft in self.drafts)


def no_questions(n_paragraphs: int) -> QuestionPool:
    """Return an empty pool."""
    return QuestionPool(
        (), (), np.empty((len(DESIGN_VIEWS), 0, n_paragraphs, 4), dtype=np.float32)
    )


def join_pools(pools: Sequence[QuestionPool], n_paragraphs: int) -> QuestionPool:
    """Return the questions of several pools in order."""
    joined = np.concatenate(
        [no_questions(n_paragraphs).fits, *(pool.fits for pool in pools)], axis=1
    )
    return QuestionPool(
        tuple(draft for pool in pools for draft in pool.drafts),
        tuple(kind for pool in pools for kind in pool.kinds),
        joined,
    )


def first_of(present: FitArray) -> FitArray:
    """Return the (..., 4) probability that each option is right: the first of three that holds, else the fourth.

    Args:
        present: (..., 3) probability that each of the three is seen to hold, independently.
    """
    absent = 1.0 - present
    fits = np.empty((*present.shape[:-1], 4), dtype=np.float32)
    fits[..., 0] = present[..., 0]
    fits[..., 1] = absent[..., 0] * present[..., 1]
    fits[..., 2] = absent[..., 0] * absent[..., 1] * present[..., 2]
    fits[..., 3] = absent[..., 0] * absent[..., 1] * absent[..., 2]
    return fits
