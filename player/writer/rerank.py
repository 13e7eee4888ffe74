"""Re-ranking: the writer's reading of the hint changes the belief before the questions by its measured error."""

import numpy as np
from scipy.sparse import csr_array, eye_array, vstack

from player.belief.places import Places
from player.round import RoundStart
from player.writer.tasks import Ask, ask_passages
from quarry.arrays import Float64Array

N_SHOWN = 30
"""Number of the likeliest passages that the writer reads."""
PLACES = (0.81, 0.02, 0.02, 0.02, 0.02)
"""Probability that the secret passage, if it is shown, is named first, second, ...; this and the following were counted
on 22 games of an outside writer, with half a game more for each outcome."""
UNNAMED = 0.06
"""Probability that it is shown and others are named in its place."""
MISSED = 0.05
"""Probability that it is shown and the writer says that nothing fits."""
REFUSED = 0.75
"""Probability that the writer says that nothing fits if the secret passage is not shown."""


def rerank(
    prior: Float64Array, places: Places, start: RoundStart, ask: Ask
) -> Float64Array:
    """Return the (n_places,) prior after the writer has read the likeliest passages; unchanged without a valid reply.

    Args:
        prior: (n_places,) probabilities.
    """
    if not start.hint:
        return prior
    # a piece is shared by the passages that it holds
    n_held = np.maximum(places.links.sum(axis=1), 1.0)
    printed = eye_array(len(places.paragraphs))
    held = csr_array(vstack([printed, places.links / n_held[:, None]]))
    passages = held[places.rows]
    mass = passages.T @ prior
    likeliest = np.argsort(-mass, kind="stable")[:N_SHOWN]
    shown = np.sort(likeliest[mass[likeliest] > 0.0])  # in the course's order
    ids = ask_passages(start, [places.paragraphs[row] for row in shown], ask)
    if ids is None:
        return prior

    likelihood = likelihood_of(ids, len(shown))
    ratios = np.full(len(places.paragraphs), likelihood[-1])
    ratios[shown] = likelihood[:-1]
    # a piece may hold several passages, any of which the hint may describe, or none
    unlinked = 1.0 - passages.sum(axis=1)
    joint = prior * (passages @ ratios + unlinked * likelihood[-1])
    return np.asarray(joint / joint.sum())


def likelihood_of(ids: list[int], n_shown: int) -> Float64Array:
    """Return the (n_shown + 1,) likelihood of a reply if the secret is each shown passage, and if it is not shown.

    The passages that are named by error are taken to be any others.

    Args:
        ids: positions of the named passages, best first.
    """
    if not ids:
        return np.array([*[MISSED] * n_shown, REFUSED])
    likelihood = np.full(n_shown + 1, UNNAMED * n_shown / max(1, n_shown - len(ids)))
    likelihood[ids] = n_shown * np.array(PLACES[: len(ids)])
    likelihood[-1] = 1.0 - REFUSED
    return likelihood
