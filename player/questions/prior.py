"""What a search found -> how probably each candidate is the paragraph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from quarry.ingest.arrays import Float64Array
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


def prior_of(result: SearchResult, model: PriorModel) -> Float64Array:
    """(n_hits,) probabilities of the hits, summing to 1."""
    log_odds, inside = result.log_odds, result.inside
    share = model.book_share.get(result.tier)
    if share is None or inside.all() or not inside.any():
        return prior_from_log_odds(log_odds, model.temperature, model.floor)
    prior = np.empty(len(log_odds))
    prior[inside] = share * prior_from_log_odds(log_odds[inside], model.temperature, model.floor)
    prior[~inside] = (1.0 - share) * prior_from_log_odds(log_odds[~inside], model.temperature, model.floor)
    return prior


def prior_from_log_odds(log_odds: Float64Array, temperature: float, floor: float) -> Float64Array:
    """(n_paragraphs,) probabilities: in proportion to the odds of relevance, with the share `floor` spread evenly.

    Args:
        log_odds: (n_paragraphs,) of relevance; their differences say how much likelier one paragraph is.
        temperature: what they are divided by; the smaller, the more the best hits weigh.
        floor: 0..1.
    """
    weights = np.exp((log_odds - log_odds.max()) / temperature)
    prior: Float64Array = (1.0 - floor) * weights / weights.sum() + floor / len(log_odds)
    return prior
