"""Points of a guessed opening sentence, as a public referee compares strings."""

from collections.abc import Sequence

import numpy as np

from player.round import BANDS
from quarry.arrays import Float32Array
from quarry.course.text import compared_form

BELOW_BANDS = 0.3
"""Points of a less similar string, divided by its similarity."""


def sentence_points(openings: Sequence[str]) -> Float32Array:
    """Return the (n, n) points, 0..1, of each string if the referee holds another one."""
    from rapidfuzz.distance import Indel
    from rapidfuzz.process import cdist

    alike: Float32Array = cdist(
        openings,
        openings,
        scorer=Indel.normalized_similarity,
        dtype=np.float32,
    )
    table = BELOW_BANDS * alike
    for least, band in reversed(BANDS):
        table[alike >= least] = band
    plain = np.array([compared_form(opening) for opening in openings])
    is_same = plain[:, None] == plain
    table[is_same] = 1.0
    return table
