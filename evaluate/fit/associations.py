"""Fitting what makes an associative word likely to labelled games, and scoring the words that are guessed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import optimize, special

from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.referee.scoring import Similarity, score_word
from quarry.ingest.arrays import Float32Array, Float64Array
from quarry.player.answer.associations import Associations
from quarry.player.words import stems

PENALTY = 0.003
"""Penalty on the squared change of the weights of standardised columns, in nats a game."""


@dataclass(frozen=True, slots=True)
class AssociationScore:
    """Scores of guessed words on games.

    Attributes:
        exact: share of the games whose word is the one that is guessed; equality after stemming.
        top20: share of the games whose word is among the first 20.
        score: mean of what the guessed word earns, 0..100.
        domain_score: the same if the domain were guessed.
        half_width: of the 95% interval of `score`.
        n_games: games with a word.
    """

    exact: float
    top20: float
    score: float
    domain_score: float
    half_width: float
    n_games: int


def fit_weights(known: Associations, games: Sequence[LabelledGame]) -> Float32Array:
    """Fit the weights of `Associations.close` by a conditional logit over the words of the shortlist.

    Vocabulary, vectors, norms and priors stay as they are. Weights that the games say nothing about stay too.

    Args:
        known: the associations whose weights are fitted anew.
        games: with their words; a game whose word is not in the vocabulary teaches nothing.

    Returns:
        (7,) weights.

    Reference:
        McFadden, Conditional Logit Analysis of Qualitative Choice Behavior, 1974.
    """
    forms = np.array(stems(" ".join(known.words)))
    before = known.weights[1].astype(np.float64)
    cases: list[tuple[Float64Array, Float64Array, Float64Array]] = []
    for game in games:
        right = np.flatnonzero(forms == " ".join(stems(game.associative_word)))
        if not len(right):
            continue
        told = game.association_domain, game.hint, game.paragraph
        rows = np.union1d(known.shortlist(*told), right)
        columns = known.close(rows, *told).astype(np.float64)
        # in a logit the right words' share is exp(logsumexp over them), whatever else is fixed is an offset
        offset = columns @ before + known.prior[1][rows]
        cases.append((columns, offset, np.where(np.isin(rows, right), 0.0, -np.inf)))
    if not cases:
        return known.weights[1]
    spread = np.mean([columns.std(axis=0) for columns, _, _ in cases], axis=0) + 1e-6

    def loss(change: Float64Array) -> tuple[float, Float64Array]:
        total, slope = 0.0, np.zeros_like(change)
        for columns, offset, only_right in cases:
            scores = offset + columns @ (change / spread)
            right_scores = scores + only_right
            total += float(special.logsumexp(scores) - special.logsumexp(right_scores))
            slope += (special.softmax(scores) - special.softmax(right_scores)) @ columns / spread
        return total / len(cases) + PENALTY * float(change @ change), slope / len(cases) + 2.0 * PENALTY * change

    best = optimize.minimize(loss, np.zeros_like(before), jac=True, method="L-BFGS-B", options={"maxiter": 100})
    return np.asarray(before + best.x / spread, dtype=np.float32)


def write_weights(weights: Float32Array, base: Path, out: Path) -> None:
    """Write a copy of the file `base` with these weights, as numpy arrays without pickles."""
    with np.load(base, allow_pickle=False) as arrays:
        kept = {**arrays, "weights_close": weights}
    np.savez_compressed(out, **kept)


def score_associations(
    choose: Callable[[LabelledGame], Sequence[str]], games: Sequence[LabelledGame], similarity: Similarity
) -> AssociationScore:
    """Score guessed words on games whose paragraph is known.

    Args:
        choose: the words for a game, best first.
        similarity: of two words that differ.
    """
    exact, top20, scores, domain_scores = [], [], [], []
    for game in games:
        if not game.associative_word or not game.paragraph:
            continue
        ranked, right = list(choose(game))[:20], " ".join(stems(game.associative_word))
        exact.append(" ".join(stems(ranked[0])) == right)
        top20.append(any(" ".join(stems(word)) == right for word in ranked))
        scores.append(score_word(ranked[0], game.associative_word, similarity))
        domain_scores.append(score_word(game.association_domain, game.associative_word, similarity))
    n = len(scores)
    if not n:
        return AssociationScore(0.0, 0.0, 0.0, 0.0, 0.0, 0)
    half = 1.96 * float(np.std(scores)) / math.sqrt(n)
    return AssociationScore(
        sum(exact) / n, sum(top20) / n, float(np.mean(scores)), float(np.mean(domain_scores)), half, n
    )
