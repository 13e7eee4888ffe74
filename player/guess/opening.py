"""The opening sentence to send: the string that is expected to earn most, whatever edition the referee holds."""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from player.belief.places import Places
from player.questions.points import points
from quarry.arrays import Float64Array, RowArray

N_LIKELIEST = 50
"""Maximum number of strings that are compared."""
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
    shares: dict[str, float] = defaultdict(float)
    likeliest: dict[str, tuple[float, int]] = {}
    for row, opening, mass in _openings(belief, rows, places):
        shares[opening] += mass
        if opening not in likeliest or mass > likeliest[opening][0]:
            likeliest[opening] = mass, row

    ranked = sorted(shares, key=lambda opening: -shares[opening])
    openings = ranked[:N_LIKELIEST]
    masses = np.array([shares[opening] for opening in openings])
    earned = points(openings)
    best = int(np.argmax(earned @ masses))
    opening = openings[best]
    is_same = earned[best] == 1.0
    confidence = float(masses[is_same].sum())
    return opening, likeliest[opening][1], confidence


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
    updated = np.zeros(len(belief))
    for row, opening, mass in _openings(belief, rows, places):
        expected = 100.0 * points([guess, opening])[0, 1]
        miss = (expected - points_given) / SCORE_ERROR
        likelihood = np.exp(-0.5 * miss**2) + SURPRISE
        updated[row] += mass * likelihood
    return np.asarray(updated / updated.sum())


def _openings(
    belief: Float64Array,
    rows: RowArray,
    places: Places,
) -> Iterator[tuple[int, str, float]]:
    """Yield the openings of the likeliest candidates: row, string and probability."""
    likeliest = np.argsort(-belief, kind="stable")[:N_LIKELIEST]
    for row in likeliest.tolist():
        yield row, places.strings[int(rows[row])], float(belief[row])
