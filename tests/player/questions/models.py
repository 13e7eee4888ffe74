"""Error models of one referee or few, for tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from player.questions.kinds import KINDS
from player.questions.question import FitArray
from player.questions.referees import (
    ErrorModel,
    ErrorProfile,
    RefereeType,
    error_model,
)
from player.questions.views import VIEWS


def sound_only(wrong: float, *kinds: str) -> ErrorModel:
    """One referee who sees the whole paragraph and errs alike on every kind."""
    rates = {(view, kind): wrong for view in VIEWS for kind in (*KINDS, "word", *kinds)}
    return error_model(
        rates,
        (RefereeType(1.0, "paragraph", ErrorProfile("sound", 1.0)),),
        np.array([1.0, 0.0]),
    )


def in_all_views(fits: FitArray) -> FitArray:
    """(n_views, ...) the same fits whatever is seen."""
    return np.broadcast_to(fits, (len(VIEWS), *fits.shape))


def hard_fits(cells: NDArray[np.integer]) -> FitArray:
    """(..., 4) fits that are 1 for the option index of each cell."""
    fits: FitArray = (cells[..., None] == np.arange(4)).astype(np.float32)
    return fits
