"""Questions, how well their options fit each paragraph, and the views: the parts of it that a referee may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from ingest.arrays import Float32Array

FitArray = Float32Array

View = Literal["paragraph", "opening", "passages", "name"]
"""The whole paragraph; its opening sentence; that sentence and some passages of the course, retrieved by the question;
or the book's name and the hint alone."""
VIEWS: tuple[View, ...] = get_args(View)

DESIGN_VIEWS = VIEWS[:2]
"""The views that questions are chosen for; a referee with passages also sees the opening sentence."""

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
