"""Points of an opening sentence, as a public referee compares strings."""

from collections.abc import Sequence

import numpy as np

from quarry.arrays import Float32Array
from quarry.course.text import canonical

BANDS = ((0.95, 0.98), (0.85, 0.88), (0.70, 0.75))
"""Minimum similarity and the points that a public referee gives for it, 0..1: the bands of `RAW_BANDS` in
evaluate/referee/scoring.py, which must not be imported here."""
BELOW = 0.3
"""Points for a less similar string, divided by its similarity."""


def points(openings: Sequence[str]) -> Float32Array:
    """Return (n, n) points, 0..1, of each string where another is the referee's."""
    from rapidfuzz.distance import Indel
    from rapidfuzz.process import cdist

    alike: Float32Array = cdist(
        openings,
        openings,
        scorer=Indel.normalized_similarity,
        dtype=np.float32,
    )
    earned = BELOW * alike
    for least, band in reversed(BANDS):
        earned[alike >= least] = band
    plain = np.array([canonical(opening) or opening for opening in openings])
    is_same = plain[:, None] == plain
    earned[is_same] = 1.0
    return earned
