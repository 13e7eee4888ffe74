"""Search result -> the probability of each place that the secret passage begins there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from quarry.ingest.arrays import Float64Array
from quarry.player.questions.places import PROSE_FIRST, Places, is_other
from quarry.player.search.types import SearchResult, Tier


@dataclass(frozen=True, slots=True)
class PriorModel:
    """How relevance becomes probability; fitted on training games by `quarry.evaluate.fit.prior`.

    Attributes:
        temperature: what log-odds of relevance are divided by, within the book and outside it.
        floor: share of the probability that is spread evenly, 0..1.
        book_share: probability that the paragraph stands in the resolved book, by what its confidence allows; a tier
            that is not there says nothing.
    """

    temperature: float
    floor: float
    book_share: Mapping[Tier, float]


def prior_of(result: SearchResult, places: Places, model: PriorModel) -> Float64Array:
    """(n_places,) probabilities of the places of the course that was searched, summing to 1.

    The probability of a place is that of its passage, by the search, times that of beginning there.

    Args:
        result: with every passage of the course among its hits, as far as the belief runs.
        places: of that course.
        model: how log-odds become probabilities.
    """
    rows = result.hit_rows
    relevance = np.full(len(places.paragraphs), -np.inf)
    relevance[rows] = result.log_odds + PROSE_FIRST * is_other(result.paragraphs)
    inside = np.zeros(len(places.paragraphs), dtype=np.bool_)
    inside[rows] = result.inside
    log_odds = relevance[places.rows] / model.temperature + places.log_odds
    held = inside[places.rows]
    share = model.book_share.get(result.tier)
    if share is None or held.all() or not held.any():
        return _softmax(log_odds, places.log_odds, model.floor)
    prior = np.empty(len(log_odds))
    prior[held] = share * _softmax(log_odds[held], places.log_odds[held], model.floor)
    prior[~held] = (1.0 - share) * _softmax(log_odds[~held], places.log_odds[~held], model.floor)
    return prior


def _softmax(log_odds: Float64Array, before: Float64Array, floor: float) -> Float64Array:
    """(n_places,) probabilities in proportion to the odds, with the share `floor` as it was before any hint.

    Args:
        log_odds: (n_places,) that each is the secret; -inf for one that is none.
        before: (n_places,) the same before any hint.
        floor: 0..1.
    """
    weights = np.exp(log_odds - log_odds.max())
    even = np.where(np.isfinite(log_odds), np.exp(before - before.max()), 0.0)
    prior: Float64Array = (1.0 - floor) * weights / weights.sum() + floor * even / even.sum()
    return prior
