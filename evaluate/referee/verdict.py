"""What a reader finds out about the options, and the answer that follows."""

from __future__ import annotations

from dataclasses import dataclass

from evaluate.referee.question import Asked
from evaluate.referee.types import LETTERS, NOT_RELEVANT


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reader found out about the options.

    Attributes:
        fits: whether each option holds, None for one that it cannot read.
        n_fitting: how many of the things asked for are there, where the question may have a letter for none or several.
        places: position in the paragraph of each option's term, where it has one.
    """

    fits: list[bool | None]
    n_fitting: int | None = None
    places: list[int] | None = None


def settle(asked: Asked, verdict: Verdict) -> str:
    """The letter that a verdict leads to under the question's rules, or "Not Relevant"."""
    if verdict.n_fitting == 0 and asked.none_letter:
        return asked.none_letter
    fitting = [row for row, fits in enumerate(verdict.fits) if fits]
    if len(fitting) > 1 and asked.several_letter:
        return asked.several_letter
    if not fitting or (len(fitting) > 1 and not asked.rule):
        return NOT_RELEVANT
    if asked.rule == "last":
        return LETTERS[fitting[-1]]
    if asked.rule == "text" and verdict.places is not None:
        places = verdict.places
        return LETTERS[min(fitting, key=lambda row: places[row])]
    return LETTERS[fitting[0]]
