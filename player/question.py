"""Type of a question, and the views: the parts of the paragraph that a referee may see while it answers."""

from dataclasses import dataclass
from typing import Literal, get_args

from quarry.arrays import Float32Array

FitArray = Float32Array
"""Probabilities that a careful referee finds each option fitting, summing to 1 over the last axis, the four options."""

View = Literal["paragraph", "opening", "passages", "name"]
"""Parts that a referee may see: the whole paragraph; its opening sentence; that sentence and some paragraphs of the
course, retrieved by the question; or only the book's name and the hint."""
VIEWS: tuple[View, ...] = get_args(View)
"""All views."""

N_QUESTIONS = 20
"""Number of questions of a batch."""

DESIGN_VIEWS = VIEWS[:2]
"""The views that questions are chosen for; a referee of the view "passages" also sees the opening sentence."""

OPENING_VIEWS: tuple[View, ...] = ("opening", "passages")
"""Views under which a referee who holds raw text takes another sentence than the opening for the first one. Such a
referee sees all of its page or piece of a page under every view but "name"."""

NONE_OF_THESE = 3
"""Index of the last option, "none of these"."""


@dataclass(frozen=True, slots=True)
class Question:
    """One multiple-choice question.

    Attributes:
        text: the question, which can be understood without the others; it calls the secret "the paragraph".
        options: the options A to D; the last one is "none of these".
        kind: name of its kind.
        groups: the words of each option but the last one; the kind computes the fits from them.
    """

    text: str
    options: tuple[str, str, str, str]
    kind: str
    groups: tuple[tuple[str, ...], ...] = ()
