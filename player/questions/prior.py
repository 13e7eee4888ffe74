"""The prior: the probability that the secret passage begins at each place of the course, given the search result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ingest.arrays import Float64Array
from player.questions.places import Places
from player.search.types import SearchResult, Tier


@dataclass(frozen=True, slots=True)
class PriorModel:
    """Parameters that turn relevance into probability; fitted on training games by `evaluate.tuning.prior`.

    Attributes:
        temperature: divisor of the log-odds of relevance, within the book and outside it.
        floor: share of the probability that is spread evenly, 0..1.
        book_share: probability that the paragraph is in the resolved book, by tier; a missing tier leaves the
            probabilities as they are.
    """

    temperature: float
    floor: float
    book_share: Mapping[Tier, float]


def prior_of(result: SearchResult, places: Places, model: PriorModel) -> Float64Array:
    """Return (n_printed,) probabilities of the places of the searched course's passages, summing to 1.

    The probability of a place is the probability of its passage, from the search, times the probability that the secret
    begins at this place of the passage.

    Args:
        result: its ranking holds every passage that the belief runs over.
        places: places of that course.
        model: its parameters.
    """
    assert result.ranking is not None, "the belief runs over candidates"
    rows = result.ranking.rows
    relevance = np.full(len(places.paragraphs), -np.inf)
    relevance[rows] = result.ranking.log_odds + places.kind_log_odds[rows]
    passages = places.rows[: places.n_printed]
    log_odds = relevance[passages] / model.temperature + places.log_odds
    book = result.book.doc_id if result.book else ""
    held = np.array(
        [paragraph.doc_id == book for paragraph in places.paragraphs], dtype=np.bool_
    )[passages]
    share = model.book_share.get(result.tier)
    if share is None or held.all() or not held.any():
        return _softmax(log_odds, places.log_odds, model.floor)
    prior = np.empty(len(log_odds))
    prior[held] = share * _softmax(log_odds[held], places.log_odds[held], model.floor)
    prior[~held] = (1.0 - share) * _softmax(
        log_odds[~held], places.log_odds[~held], model.floor
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
