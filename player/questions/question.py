"""Question: what is asked, of which kind, and about what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from quarry.ingest.arrays import Float32Array
from quarry.player.questions.views import DESIGN_VIEWS

FitArray = Float32Array

OUT = 3
"""Index of the way out, the last option."""


@dataclass(frozen=True, slots=True)
class Question:
    """One multiple-choice question.

    Attributes:
        text: what is asked; it speaks of "the paragraph" and needs nothing else.
        options: four, A to D; the last is the way out.
        kind: name of the kind that made it.
        key: what it is about; no two questions of a batch share much of it.
        groups: what each option but the way out names, in the terms of its kind, so that the question can be fitted to
            paragraphs again.
    """

    text: str
    options: tuple[str, str, str, str]
    kind: str
    key: frozenset[str]
    groups: tuple[tuple[str, ...], ...] = ()


class Drafts(Sequence[Question]):
    """Questions that are put into words when they are looked at: most of a pool never are.

    Args:
        n: how many.
        write: gives the question in a place, 0 to n - 1; the same each time.
    """

    def __init__(self, n: int, write: Callable[[int], Question]) -> None:
        self._n = n
        self._write = write

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, place: int) -> Question: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Question]: ...
    def __getitem__(self, place: int | slice) -> Question | Sequence[Question]:
        if isinstance(place, slice):
            return [self._write(each) for each in range(self._n)[place]]
        return self._write(range(self._n)[place])


@dataclass(frozen=True, slots=True)
class QuestionPool:
    """Questions and how probably each option fits each paragraph.

    Attributes:
        questions: the pool.
        kinds, keys: (n_questions,) theirs, known without the questions being written.
        fits: (n_design_views, n_questions, n_paragraphs, 4) probability that a careful referee who sees that much of
            the paragraph (`DESIGN_VIEWS`) finds the option fitting, summing to 1 over the options.
    """

    questions: Sequence[Question]
    kinds: tuple[str, ...]
    keys: tuple[frozenset[str], ...]
    fits: FitArray


def no_questions(n_paragraphs: int) -> QuestionPool:
    """The pool of a kind that has nothing to ask."""
    return QuestionPool((), (), (), np.empty((len(DESIGN_VIEWS), 0, n_paragraphs, 4), dtype=np.float32))


def join_pools(pools: Sequence[QuestionPool], n_paragraphs: int) -> QuestionPool:
    """All the questions of several pools, in order."""
    sources = [(pool.questions, place) for pool in pools for place in range(len(pool.questions))]

    def write(row: int) -> Question:
        questions, place = sources[row]
        return questions[place]

    joined = np.concatenate([no_questions(n_paragraphs).fits, *(pool.fits for pool in pools)], axis=1)
    kinds = tuple(kind for pool in pools for kind in pool.kinds)
    keys = tuple(key for pool in pools for key in pool.keys)
    return QuestionPool(Drafts(len(sources), write), kinds, keys, joined)


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


def hard_fits(cells: NDArray[np.integer]) -> FitArray:
    """(..., 4) with 1 for the option index of each cell."""
    fits: FitArray = (cells[..., None] == np.arange(4)).astype(np.float32)
    return fits
