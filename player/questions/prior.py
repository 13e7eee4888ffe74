"""What a search found -> how probably each candidate is the paragraph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from player.questions.rates import FloatArray
from player.search.threshold import log_odds
from player.search.types import SearchResult, Tier


@dataclass(frozen=True, slots=True)
class PriorModel:
    """How relevance becomes probability; fitted on training games by `evaluate.fit_prior`.

    Attributes:
        temperature: what log-odds of relevance are divided by, within the book and outside it.
        floor: share of the probability that is spread evenly, 0..1.
        book_share: probability that the paragraph stands in the resolved book, by what its confidence allows; a tier
            that is not there says nothing.
    """

    temperature: float
    floor: float
    book_share: Mapping[Tier, float]


def prior_of(result: SearchResult, model: PriorModel) -> FloatArray:
    """(n_hits,) probabilities of the hits, summing to 1."""
    relevance = np.array([hit.relevance for hit in result.hits])
    book = result.book
    share = model.book_share.get(book.tier) if book is not None else None
    inside = np.array([book is not None and hit.paragraph.doc_id == book.doc_id for hit in result.hits])
    if share is None or inside.all() or not inside.any():
        return prior_from_relevance(relevance, model.temperature, model.floor)
    prior = np.empty(len(relevance))
    prior[inside] = share * prior_from_relevance(relevance[inside], model.temperature, model.floor)
    prior[~inside] = (1.0 - share) * prior_from_relevance(relevance[~inside], model.temperature, model.floor)
    return prior


def prior_from_relevance(relevance: FloatArray, temperature: float, floor: float) -> FloatArray:
    """(n_paragraphs,) probabilities: in proportion to the odds of relevance, with the share `floor` spread evenly.

    Args:
        relevance: (n_paragraphs,) 0..1; differences of its log-odds say how much likelier one paragraph is.
        temperature: what the log-odds are divided by; the smaller, the more the best hits weigh.
        floor: 0..1.
    """
    odds = np.array([log_odds(value) for value in relevance])
    weights = np.exp((odds - odds.max()) / temperature)
    prior: FloatArray = (1.0 - floor) * weights / weights.sum() + floor / len(relevance)
    return prior
