"""The prior: the probability that the secret passage begins at each place of the course, given the search result."""

from __future__ import annotations

import numpy as np

from configs.settings import GameSettings
from ingest.arrays import Float64Array
from player.questions.places import Places
from player.search.types import SearchResult


def prior_of(
    result: SearchResult, places: Places, settings: GameSettings
) -> Float64Array:
    """Return (n_printed,) probabilities of the places of the searched course's passages, summing to 1.

    The probability of a place is the probability of its passage, from the search, times the probability that the secret
    begins at this place of the passage.

    Args:
        result: its ranking holds every passage that the belief runs over.
        places: places of that course.
        settings: divisor of the log-odds of relevance, share of the probability that is spread evenly, and probability
            that the paragraph is in the resolved book, by tier. `evaluate.tuning.prior` fits them.
    """
    assert result.ranking is not None, "the belief runs over candidates"
    rows = result.ranking.rows
    relevance = np.full(len(places.paragraphs), -np.inf)
    relevance[rows] = result.ranking.log_odds + places.kind_log_odds[rows]
    passages = places.rows[: places.n_printed]
    log_odds = relevance[passages] / settings.prior_temperature + places.log_odds

    book = result.book.doc_id if result.book else ""
    of_book = np.array([passage.doc_id == book for passage in places.paragraphs])
    in_book = of_book[passages]
    tiers = {
        "filter": settings.prior_filter_share,
        "boost": settings.prior_boost_share,
    }
    share = tiers.get(result.tier)
    parts = [(in_book, share or 0.0), (~in_book, 1.0 - (share or 0.0))]
    if share is None or in_book.all() or not in_book.any():
        parts = [(np.ones_like(in_book), 1.0)]

    prior = np.empty(len(log_odds))
    for part, mass in parts:
        prior[part] = mass * _softmax(
            log_odds[part], places.log_odds[part], settings.prior_floor
        )
    return prior


def _softmax(
    log_odds: Float64Array, before: Float64Array, floor: float
) -> Float64Array:
    """Return (n_places,) probabilities in proportion to the odds; the share `floor` is as before any hint.

    Args:
        log_odds: (n_places,) that the secret passage begins there; -inf if it cannot.
        before: (n_places,) the same before any hint.
        floor: 0..1.
    """
    weights = np.exp(log_odds - log_odds.max())
    even = np.where(np.isfinite(log_odds), np.exp(before - before.max()), 0.0)
    prior: Float64Array = (
        1.0 - floor
    ) * weights / weights.sum() + floor * even / even.sum()
    return prior
