"""Referees who err alike on every kind, and questions of one kind, for tests."""

import numpy as np
from numpy.typing import ArrayLike

from player.belief.referees import RefereeModel
from player.question import FitArray, Question, View
from player.questions.kinds import KINDS


def sound(
    wrong: float,
    view: View | None = "paragraph",
    weight: float = 1.0,
) -> RefereeModel:
    return RefereeModel(weight, view, dict.fromkeys(KINDS, wrong))


def asked(n: int, kind: str = "anywhere") -> list[Question]:
    options = ("a", "b", "c", "d")
    return [Question(f"{row}?", options, kind) for row in range(n)]


def hard_fits(cells: ArrayLike) -> FitArray:
    """(..., 4) fits that are 1 for the option index of each cell."""
    of_options = np.eye(4, dtype=np.float32)
    fits: FitArray = of_options[np.array(cells)]
    return fits
