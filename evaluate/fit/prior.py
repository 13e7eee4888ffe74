"""Training games -> the prior under which their opening sentences were likeliest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import optimize

from quarry.ingest.arrays import BoolArray, Float64Array, RowArray
from quarry.player.questions.places import KINDS, OF_PLACE, Places, place_features, search_log_odds
from quarry.player.questions.prior import PriorModel, prior_of
from quarry.player.search.types import SearchResult, Tier

TIERS: tuple[Tier, ...] = ("filter", "boost")
PENALTY = 0.01
"""Of the squared weights, which keeps those of rare features near 0."""
FEATURES = (*KINDS[1:], *OF_PLACE)
"""What is weighed beside relevance; prose has the weight 0."""


@dataclass(frozen=True, slots=True)
class PriorFit:
    """A fitted prior.

    Attributes:
        model: the fitted one.
        weights: of the kinds of passages and of the features of places, natural log-odds per unit.
        log_likelihood: mean natural logarithm of the fitted probability of the labelled sentences.
        n_games: games it was fitted on.
    """

    model: PriorModel
    weights: Mapping[str, float]
    log_likelihood: float
    n_games: int


@dataclass(frozen=True, slots=True, eq=False)
class _Choice:
    """One game: the places on the side of the book that holds the secret.

    Attributes:
        relevance: (n_places,) log-odds by the search, without the weight of the kind.
        features: (n_places, n_features).
        chosen: rows of the places that begin with the labelled sentence.
        weight: of the game.
    """

    relevance: Float64Array
    features: Float64Array
    chosen: RowArray
    weight: float


def fit_prior(found: Sequence[tuple[SearchResult, str]], places: Places, floor: float) -> PriorFit:
    """Fit temperature, weights and book shares by maximum likelihood: a conditional logit over the places of a course.

    Games whose secret is prose and all others count half each, however many there are of them.

    Args:
        found: for each game all passages as the search ranks them, and the labelled opening sentence.
        places: of the course.
        floor: of the model.

    Reference:
        McFadden, Conditional Logit Analysis of Qualitative Choice Behavior, 1974.
    """
    choices = _choices(found, places)
    total = sum(choice.weight for choice in choices)

    def loss(point: Float64Array) -> tuple[float, Float64Array]:
        weights, temperature = point[1:], np.exp(point[0])
        value, slope = 0.0, np.zeros(len(point))
        for choice in choices:
            scores = choice.relevance / temperature + choice.features @ weights
            share = choice.weight / total
            among, of_all = _softmax(scores[choice.chosen]), _softmax(scores)
            value -= share * (_log_sum(scores[choice.chosen]) - _log_sum(scores))
            slope[1:] -= share * (among @ choice.features[choice.chosen] - of_all @ choice.features)
            slope[0] += share * (among @ choice.relevance[choice.chosen] - of_all @ choice.relevance) / temperature
        return value + PENALTY * float(weights @ weights) / 2, slope + PENALTY * np.concatenate([[0.0], weights])

    best = optimize.minimize(loss, np.zeros(1 + len(FEATURES)), jac=True, method="L-BFGS-B")
    model = PriorModel(float(np.exp(best.x[0])), floor, {tier: _book_share(found, places, tier) for tier in TIERS})
    weights = dict(zip(FEATURES, best.x[1:].tolist(), strict=True))
    return PriorFit(model, weights, -float(best.fun), len(choices))


def log_likelihood(found: Sequence[tuple[SearchResult, str]], places: Places, model: PriorModel) -> float:
    """Mean natural logarithm of the probability of the labelled sentences under a prior in use."""
    logs = [
        float(np.log(prior_of(result, places, model)[rows].sum()))
        for result, sentence in found
        if len(rows := places.find(sentence))
    ]
    return sum(logs) / max(len(logs), 1)


def _choices(found: Sequence[tuple[SearchResult, str]], places: Places) -> list[_Choice]:
    kinds = np.array([KINDS.index(paragraph.kind) for paragraph in places.paragraphs])[places.rows]
    features = np.hstack(
        [np.eye(len(KINDS))[kinds][:, 1:], place_features(places.paragraphs, places.rows.tolist(), places.starts)]
    )
    of_kind = search_log_odds(places.paragraphs)
    choices, is_prose = [], []
    for result, sentence in found:
        relevance = np.full(len(places.paragraphs), -np.inf)
        relevance[result.hit_rows] = result.log_odds
        relevance = (relevance - of_kind)[places.rows]
        chosen = places.find(sentence)
        side = np.isfinite(relevance) & _side(result, places, chosen)
        rows = np.flatnonzero(side)
        among = np.flatnonzero(np.isin(rows, chosen))
        if len(among):
            choices.append(_Choice(relevance[rows], features[rows], among, 1.0))
            is_prose.append(bool((kinds[rows[among]] == 0).any()))
    n_prose = max(1, sum(is_prose))
    n_other = max(1, len(is_prose) - n_prose)
    return [
        _Choice(choice.relevance, choice.features, choice.chosen, 1.0 / (n_prose if prose else n_other))
        for choice, prose in zip(choices, is_prose, strict=True)
    ]


def _side(result: SearchResult, places: Places, chosen: RowArray) -> BoolArray:
    """(n_places,) the places inside the named books, or outside, wherever the secret is; all where no book is named."""
    doc_ids = {book.doc_id for book in result.books} if result.tier != "none" else set()
    inside = np.array([paragraph.doc_id in doc_ids for paragraph in places.paragraphs], dtype=np.bool_)[places.rows]
    if not inside.any() or inside.all():
        return np.ones(len(places), dtype=np.bool_)
    return inside if len(chosen) and inside[chosen].any() else ~inside


def _book_share(found: Sequence[tuple[SearchResult, str]], places: Places, tier: Tier) -> float:
    """Share of the games of a tier whose secret is in the named book, with one more of each added."""
    inside = [
        any(places.paragraphs[int(places.rows[row])].doc_id in {book.doc_id for book in result.books} for row in rows)
        for result, sentence in found
        if result.books and result.tier == tier and len(rows := places.find(sentence))
    ]
    return (sum(inside) + 1.0) / (len(inside) + 2.0)


def _softmax(scores: Float64Array) -> Float64Array:
    weights: Float64Array = np.exp(scores - scores.max())
    weights /= weights.sum()
    return weights


def _log_sum(scores: Float64Array) -> float:
    return float(scores.max() + np.log(np.exp(scores - scores.max()).sum()))
