"""The opening sentence to send: the string that is expected to earn most, whatever edition the referee holds."""

import numpy as np

from player.belief.places import Places
from player.questions.points import points
from quarry.arrays import Float64Array, RowArray

N_LIKELIEST = 50
"""Maximum number of candidates whose opening sentences are compared."""
SCORE_ERROR = 10.0
"""Standard deviation of a referee's points from ours, in points."""
SURPRISE = 0.02
"""Likelihood of any points, since referees score in many ways."""


def best_opening(
    belief: Float64Array,
    rows: RowArray,
    places: Places,
) -> tuple[str, int, float]:
    """Return the string with the highest expected points, the row of its likeliest candidate, and its probability.

    Args:
        belief: (n_candidates,) probabilities.
        rows: (n_candidates,) places of the candidates.
    """
    likeliest, openings = _likeliest(belief, rows, places)
    masses = belief[likeliest]
    earned = points(openings)
    opening = openings[int(np.argmax(earned @ masses))]
    best = openings.index(opening)
    is_same = earned[best] == 1.0
    return opening, int(likeliest[best]), float(masses[is_same].sum())


def after_score(
    belief: Float64Array,
    rows: RowArray,
    places: Places,
    guess: str,
    points_given: float | None,
) -> Float64Array:
    """Return the (n_candidates,) belief after the points of the opening sentence.

    Args:
        belief: (n_candidates,) after the answers.
        rows: (n_candidates,) places of the candidates.
        guess: the opening sentence that was sent.
        points_given: 0..100; None if the referee did not say.
    """
    if points_given is None:
        return belief
    likeliest, openings = _likeliest(belief, rows, places)
    expected = 100.0 * points([guess, *openings])[0, 1:]
    misses = (expected - points_given) / SCORE_ERROR
    likelihood = np.exp(-0.5 * misses**2) + SURPRISE

    updated = np.zeros(len(belief))
    updated[likeliest] = belief[likeliest] * likelihood
    return np.asarray(updated / updated.sum())


def _likeliest(
    belief: Float64Array, rows: RowArray, places: Places
) -> tuple[RowArray, list[str]]:
    """Return the rows of the likeliest candidates, and their opening sentences."""
    likeliest = np.argsort(-belief, kind="stable")[:N_LIKELIEST]
    openings = [places.strings[int(place)] for place in rows[likeliest]]
    return likeliest, openings
