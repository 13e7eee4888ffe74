"""Re-ranking by a writer: its choice of paragraphs changes the belief before the questions, by its measured errors."""

import numpy as np
from scipy.sparse import csr_array, eye_array, vstack

from player.belief.places import Places
from player.round import RoundStart
from player.writer.tasks import AskWriter, ask_paragraphs
from quarry.arrays import Float64Array

N_RERANKED = 30
"""Number of the likeliest paragraphs that the writer reads."""
RANK_SHARES = (0.81, 0.02, 0.02, 0.02, 0.02)
"""Probabilities that the writer names a shown secret paragraph first, second, and so on. All four constants were
counted on 22 games of an outside writer, with half a game added for each outcome."""
NAMES_OTHERS = 0.06
"""Probability that the writer names other paragraphs although the secret one is shown."""
NAMES_NONE = 0.05
"""Probability that the writer names no paragraph although the secret one is shown."""
REFUSED = 0.75
"""Probability that the writer names no paragraph if the secret one is not shown."""


def rerank(
    prior: Float64Array, places: Places, start: RoundStart, ask: AskWriter
) -> Float64Array:
    """Update the (n_places,) prior by the writer's choice among likely paragraphs; without a valid reply, return it.

    Args:
        prior: (n_places,) probabilities.
        places: places of the course.
        start: start of the round.
        ask: sends a prompt to the writer.
    """
    if not start.hint:
        return prior
    # the probability of a piece is shared by the paragraphs that it holds
    n_held = np.maximum(places.links.sum(axis=1), 1.0)
    shares = csr_array(places.links / n_held[:, None])[places.piece_rows]
    printed = csr_array(eye_array(len(places.paragraphs)))[places.paragraph_rows]
    shares_of_paragraphs = csr_array(vstack([printed, shares]))
    mass = shares_of_paragraphs.T @ prior
    likeliest = np.argsort(-mass, kind="stable")[:N_RERANKED]
    shown = np.sort(likeliest[mass[likeliest] > 0.0])  # in the course's order

    ids = ask_paragraphs(start, [places.paragraphs[row] for row in shown], ask)
    if ids is None:
        return prior

    likelihood = reply_likelihood(ids, len(shown))
    ratios = np.full(len(places.paragraphs), likelihood[-1])
    ratios[shown] = likelihood[:-1]
    # a piece may hold several paragraphs, any of which the hint may describe, or none
    unlinked = 1.0 - shares_of_paragraphs.sum(axis=1)
    joint = prior * (shares_of_paragraphs @ ratios + unlinked * likelihood[-1])
    return np.asarray(joint / joint.sum())


def reply_likelihood(ids: list[int], n_shown: int) -> Float64Array:
    """Return the (n_shown + 1,) likelihood of a reply if the secret is each of the shown paragraphs, and if it is none.

    Paragraphs that are named by mistake may be any of the others.

    Args:
        ids: positions of the paragraphs that the writer names, best first.
        n_shown: number of paragraphs that it was shown.
    """
    if not ids:
        return np.array([*[NAMES_NONE] * n_shown, REFUSED])
    likelihood = np.full(
        n_shown + 1, NAMES_OTHERS * n_shown / max(1, n_shown - len(ids))
    )
    likelihood[ids] = n_shown * np.array(RANK_SHARES[: len(ids)])
    likelihood[-1] = 1.0 - REFUSED
    return likelihood
