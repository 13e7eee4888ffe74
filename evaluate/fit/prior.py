"""Fit the belief before the questions: the prior with the highest likelihood of labelled opening sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from quarry.evaluate.fit.choices import Choice, fit_choices
from quarry.ingest.arrays import BoolArray, RowArray
from quarry.player.questions.places import Places
from quarry.player.questions.prior import PriorModel
from quarry.player.questions.start_model import KINDS, PLACE_FEATURES, place_features
from quarry.player.search.types import SearchResult, Tier

TIERS: tuple[Tier, ...] = ("filter", "boost")
PENALTY = 0.005
"""Penalty on the squared weights, which keeps those of rare features near 0."""
FEATURES = (*KINDS[1:], *PLACE_FEATURES)
"""Features that are weighed besides relevance; prose has the weight 0."""
LEAST_SLOPE = 0.01
"""Lower bound of the weight of relevance, the reciprocal of the temperature."""


class PriorFit(NamedTuple):
    """A fitted prior, the weights of FEATURES in natural log-odds per unit, and the number of games of the fit."""

    model: PriorModel
    weights: Mapping[str, float]
    n_games: int


def fit_prior(found: Sequence[tuple[SearchResult, str]], places: Places, floor: float) -> PriorFit:
    """Fit temperature, weights and book shares by maximum likelihood: a conditional logit over the places of a course.

    Games with prose as their secret and all others count half each, however many there are of them.

    Args:
        found: for each game all passages as the search ranks them, and the labelled opening sentence.
        places: of the course.
        floor: of the model.
    """
    choices = _choices(found, places)
    penalties = np.array([0.0] + [PENALTY] * len(FEATURES))
    slope, *weights = fit_choices(choices, with_none=False, l2=penalties)[0].tolist()
    shares = {tier: _book_share(found, places, tier) for tier in TIERS}
    model = PriorModel(1.0 / max(slope, LEAST_SLOPE), floor, shares)
    return PriorFit(model, dict(zip(FEATURES, weights, strict=True)), len(choices))


def _choices(found: Sequence[tuple[SearchResult, str]], places: Places) -> list[Choice]:
    """Return a choice for each game among the places on the side of the book that holds the secret.

    The features are the relevance by the search, without the weight of the kind, and FEATURES.
    """
    kinds = np.array([KINDS.index(paragraph.kind) for paragraph in places.paragraphs])[places.rows]
    features = np.hstack(
        [np.eye(len(KINDS))[kinds][:, 1:], place_features(places.paragraphs, places.rows.tolist(), places.starts)]
    )
    choices, is_prose = [], []
    for result, sentence in found:
        relevance = np.full(len(places.paragraphs), -np.inf)
        assert result.ranking is not None
        relevance[result.ranking.rows] = result.ranking.log_odds
        relevance = relevance[places.rows]
        right = places.find(sentence)
        rows = np.flatnonzero(np.isfinite(relevance) & _side(result, places, right))
        chosen = np.flatnonzero(np.isin(rows, right))
        if len(chosen):
            choices.append(Choice(np.column_stack([relevance[rows], features[rows]]), chosen.tolist()))
            is_prose.append(bool((kinds[rows[chosen]] == 0).any()))
    n_prose = sum(is_prose)
    n_of = {True: max(1, n_prose), False: max(1, len(is_prose) - n_prose)}
    weights = np.array([1.0 / n_of[prose] for prose in is_prose])
    return [replace(choice, weight=weight) for choice, weight in zip(choices, weights / weights.sum(), strict=True)]


def _side(result: SearchResult, places: Places, chosen: RowArray) -> BoolArray:
    """(n_places,) the places inside the named book if the secret is inside, else those outside; all without a book."""
    doc_id = result.book.doc_id if result.book is not None and result.tier != "none" else ""
    inside = np.array([paragraph.doc_id == doc_id for paragraph in places.paragraphs], dtype=np.bool_)[places.rows]
    if not inside.any() or inside.all():
        return np.ones(len(places), dtype=np.bool_)
    return inside if len(chosen) and inside[chosen].any() else ~inside


def _book_share(found: Sequence[tuple[SearchResult, str]], places: Places, tier: Tier) -> float:
    """Return the share of the games of a tier with the secret in the named book, with one more of each added."""
    inside = [
        any(places.paragraphs[int(places.rows[row])].doc_id == result.book.doc_id for row in rows)
        for result, sentence in found
        if result.book is not None and result.tier == tier and len(rows := places.find(sentence))
    ]
    return (sum(inside) + 1.0) / (len(inside) + 2.0)
