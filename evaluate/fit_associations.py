"""A general word list and training games -> the words that the player associates with, and what makes one likely."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from evaluate.games import LabelledGame
from player.associations import ENDINGS, Associations
from player.words import is_stop_word, stems

N_LISTED = 40_000
"""Most frequent words looked at."""
ZIPF = (2.6, 5.6)
"""Least and most, on the Zipf scale: rarer words are seldom thought of, more frequent ones mean little."""
DIM = 192
"""To which vectors are reduced."""
PENALTY = 0.002
"""Of the squared weights, in nats a game."""

Encoder = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class AssociationScore:
    """How well associations do on games.

    Attributes:
        exact, top20: shares of the games whose word is the first, or among the first 20; equality after stemming.
        n_games: games with a word.
    """

    exact: float
    top20: float
    n_games: int


def general_words() -> tuple[list[str], NDArray[np.float64]]:
    """English words, the most frequent one of each stem, and how frequent they are on the Zipf scale.

    Reference:
        van Heuven et al., SUBTLEX-UK: A New and Improved Word Frequency Database for British English, 2014.
    """
    from wordfreq import top_n_list, zipf_frequency

    first: dict[str, str] = {}
    for word in top_n_list("en", N_LISTED):
        frequent = ZIPF[0] <= zipf_frequency(word, "en") < ZIPF[1]
        if frequent and re.fullmatch("[a-z]{3,}", word) and not is_stop_word(word):
            first.setdefault(stems(word)[0], word)
    found = list(first.values())
    return found, np.array([zipf_frequency(word, "en") for word in found])


def fit_associations(
    found: Sequence[str],
    zipf: NDArray[np.float64],
    vectors: NDArray[np.float32],
    games: Sequence[LabelledGame],
    encode: Encoder,
    spec: str,
) -> Associations:
    """Associations whose weights make the words of these games likeliest, among all words.

    Args:
        found: as `general_words` gives them, with `zipf`.
        vectors: (n_words, dim) theirs, of unit length.
        games: that teach.
        encode: the embedder's queries.
        spec: the embedder's.

    Reference:
        McFadden, Conditional Logit Analysis of Qualitative Choice Behavior, 1974.
    """
    _, basis = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors)
    basis = basis[:, ::-1][:, :DIM].astype(np.float32)
    reduced = vectors @ basis
    scale = float(np.abs(reduced).max()) / 127.0
    blank = Associations(
        spec,
        tuple(found),
        np.round(reduced / scale).astype(np.int8),
        scale,
        basis,
        zipf.astype(np.float32),
        np.zeros(3 + 2 + len(ENDINGS)),
    )
    row_of = {stems(word)[0]: row for row, word in enumerate(found)}
    cases = []
    for game in games:
        row = row_of.get(" ".join(stems(game.associative_word)))
        if row is not None:
            cases.append((blank.features(encode([game.association_domain, game.hint, game.paragraph])), row))

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        total, slope = 0.0, np.zeros(len(weights))
        for features, row in cases:
            scores = features @ weights
            share = np.exp(scores - scores.max())
            total -= scores[row] - scores.max() - np.log(share.sum())
            slope -= features[row] - (share / share.sum()) @ features
        n = max(len(cases), 1)
        return total / n + PENALTY * float(weights @ weights), slope / n + 2.0 * PENALTY * weights

    best = optimize.minimize(loss, np.zeros(len(blank.weights)), jac=True, method="L-BFGS-B")
    return Associations(spec, blank.words, blank.vectors, scale, basis, blank.zipf, best.x)


def score_associations(made: Associations, games: Sequence[LabelledGame], encode: Encoder) -> AssociationScore:
    """How often the word of a game is found, in games whose paragraph is known."""
    places = []
    for game in games:
        if not game.associative_word or not game.paragraph:
            continue
        ranked = made.rank(encode([game.association_domain, game.hint, game.paragraph]))
        taken = set(stems(f"{game.paragraph} {game.association_domain}"))
        free = [stems(word) for word in ranked if taken.isdisjoint(stems(word))][:20]
        word = stems(game.associative_word)
        places.append(free.index(word) if word in free else 20)
    n = max(len(places), 1)
    return AssociationScore(sum(place == 0 for place in places) / n, sum(place < 20 for place in places) / n, n)
