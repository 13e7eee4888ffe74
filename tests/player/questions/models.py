"""Referees that see the whole paragraph, and questions of no known kind, for tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from player.questions.kinds import KINDS
from player.questions.question import FitArray, Question
from player.questions.referees import Referee, letters_of
from player.questions.views import VIEWS, View


def sound(
    wrong: float, view: View | None = "paragraph", weight: float = 1.0
) -> Referee:
    """One referee who errs alike on every kind."""
    return Referee(weight, view, "sound", letters_of(np.full(len(KINDS) + 1, wrong)))


def asked(n: int, kind: str = "anywhere") -> list[Question]:
    """So many questions."""
    return [Question(f"{row}?", ("a", "b", "c", "d"), kind) for row in range(n)]


def in_all_views(fits: FitArray) -> FitArray:
    """(n_views, ...) the same fits whatever is seen."""
    return np.broadcast_to(fits, (len(VIEWS), *fits.shape))


def hard_fits(cells: NDArray[np.integer]) -> FitArray:
    """(..., 4) fits that are 1 for the option index of each cell."""
    fits: FitArray = np.eye(4, dtype=np.float32)[cells]
    return fits
