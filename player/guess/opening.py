"""Choice of the opening sentence to send: the string with the highest expected points over all editions."""

import numpy as np

from player.belief.places import Places
from player.questions.sentence_points import sentence_points
from quarry.arrays import Float64Array, RowArray

N_LIKELIEST = 50
"""Maximum number of candidates whose opening sentences are compared."""
SCORE_ERROR = 10.0
"""Standard deviation of the difference between a referee's points and ours, in points."""
SURPRISE = 0.02
"""Minimum likelihood of any points, since referees score in many ways."""


def best_opening(
    belief: Float64Array,
    candidate_places: RowArray,
    places: Places,
) -> tuple[str, int, float]:
    """Return the string with the highest expected points, its likeliest candidate, and its probability.

    Args:
        belief: (n_candidates,) probabilities.
        candidate_places: (n_candidates,) the place of each candidate.
    """
    likeliest, openings = _likeliest(belief, candidate_places, places)
    masses = belief[likeliest]
    table = sentence_points(openings)
    opening = openings[int(np.argmax(table @ masses))]
    best = openings.index(opening)
    is_same = table[best] == 1.0
    return opening, int(likeliest[best]), float(masses[is_same].sum())


def after_score(
    belief: Float64Array,
    candidate_places: RowArray,
    places: Places,
    guess: str,
    points_given: float | None,
) -> Float64Array:
    """Return the (n_candidates,) belief after the points of the opening sentence; only the likeliest ones keep some.

    Args:
        belief: (n_candidates,) belief after the answers.
        candidate_places: (n_candidates,) the place of each candidate.
        places: places of the course.
        guess: the opening sentence that was sent.
        points_given: points from the referee, 0..100; None if it did not send them.
    """
    if points_given is None:
        return belief
    likeliest, openings = _likeliest(belief, candidate_places, places)
    expected = 100.0 * sentence_points([guess, *openings])[0, 1:]
    misses = (expected - points_given) / SCORE_ERROR
    likelihood = np.exp(-0.5 * misses**2) + SURPRISE

    posterior = np.zeros(len(belief))
    posterior[likeliest] = belief[likeliest] * likelihood
    return np.asarray(posterior / posterior.sum())


def _likeliest(
    belief: Float64Array, candidate_places: RowArray, places: Places
) -> tuple[RowArray, list[str]]:
    """Return the likeliest candidates, and their opening sentences."""
    likeliest = np.argsort(-belief, kind="stable")[:N_LIKELIEST]
    openings = [
        places.held_sentences[int(place)] for place in candidate_places[likeliest]
    ]
    return likeliest, openings
