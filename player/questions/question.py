"""Question and QuestionPool: questions, and how well their options fit each paragraph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingest.arrays import Float32Array

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
        groups: words that each option but the last one names, from which its kind computes the fits again.
    """

    text: str
    options: tuple[str, str, str, str]
    kind: str
    groups: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionPool:
    """Questions and how probably each option fits each paragraph.

    Attributes:
        questions: (n_questions,) to choose from.
        fits: (n_design_views, n_questions, n_paragraphs, 4) probability that a careful referee of each of
            `DESIGN_VIEWS` finds the option fitting, summing to 1 over the options.
    """

    questions: Sequence[Question]
    fits: FitArray


def first_of(present: FitArray) -> FitArray:
    """Return the (..., 4) probability that each option is right: the first of three that holds, else the fourth.

    Args:
        present: (..., 3) probability that each of the three is seen to hold, independently.
    """
    fits = np.empty((*present.shape[:-1], 4), dtype=np.float32)
    missed: FitArray = np.ones(present.shape[:-1], dtype=np.float32)
    for option in range(OUT):
        fits[..., option] = missed * present[..., option]
        missed = missed * (1.0 - present[..., option])
    fits[..., OUT] = missed
    return fits
