"""Question: what is asked, of which kind, and about what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FitArray = NDArray[np.float32]

LETTERS = "ABCD"
OUT = 3
"""Index of the way out, the last option."""


@dataclass(frozen=True, slots=True)
class Question:
    """One multiple-choice question.

    Attributes:
        text: what is asked; it speaks of "the paragraph" and needs nothing else.
        options: four, A to D; the last is the way out.
        kind: which kind of question it is, for its error rates.
        key: what it is about; no two questions of a batch share a part of it.
        groups: what each option but the way out names, in the terms of its kind, so that the question can be fitted to
            paragraphs again.
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
        questions: the pool.
        fits: (n_questions, n_paragraphs, 4) probability that a careful reader of the paragraph finds the option
            fitting, summing to 1 over the options.
    """

    questions: tuple[Question, ...]
    fits: FitArray


def join_pools(pools: Sequence[QuestionPool], n_paragraphs: int) -> QuestionPool:
    """All the questions of several pools, in order."""
    questions = tuple(question for pool in pools for question in pool.questions)
    fits = [pool.fits for pool in pools if pool.questions]
    joined = np.concatenate(fits) if fits else np.empty((0, n_paragraphs, 4), dtype=np.float32)
    return QuestionPool(questions, joined)


def first_of(present: FitArray) -> FitArray:
    """(..., 4) probability of each option where the first of three that holds is to be chosen, else the way out.

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


def two_by_two(one: FitArray, other: FitArray) -> FitArray:
    """(..., 4) probability of both, only the one, only the other, neither, given that of each, independently."""
    return np.stack([one * other, one * (1.0 - other), (1.0 - one) * other, (1.0 - one) * (1.0 - other)], axis=-1)


def hard_fits(cells: NDArray[np.integer]) -> FitArray:
    """(..., 4) with 1 for the option index of each cell."""
    fits: FitArray = (cells[..., None] == np.arange(4)).astype(np.float32)
    return fits
