"""Training games -> the prior model under which their paragraphs were likeliest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import optimize

from quarry.ingest.paragraph import Paragraph
from quarry.player.questions.prior import PriorModel, prior_of
from quarry.player.search.types import SearchResult, Tier

TIERS: tuple[Tier, ...] = ("filter", "boost")


@dataclass(frozen=True, slots=True)
class PriorFit:
    """A fitted prior.

    Attributes:
        model: the fitted one.
        log_likelihood: mean natural logarithm of what it gives the true paragraphs.
        n_games: games it was fitted on.
    """

    model: PriorModel
    log_likelihood: float
    n_games: int


def fit_prior(found: Sequence[tuple[SearchResult, Paragraph]]) -> PriorFit:
    """The prior model of greatest likelihood.

    The share of a tier's book is that of the games whose paragraph stood in it (with one more of each added);
    temperature and floor are sought together.

    Args:
        found: for each game all of the candidates as the search ranks them, and the true paragraph.
    """
    book_share = {tier: _book_share(found, tier) for tier in TIERS}

    def loss(point: Sequence[float]) -> float:
        model = PriorModel(float(np.exp(point[0])), float(1.0 / (1.0 + np.exp(-point[1]))), book_share)
        return -log_likelihood(found, model)

    start = min(([np.log(temperature), -3.0] for temperature in (0.25, 0.5, 1.0, 2.0)), key=loss)
    best = optimize.minimize(loss, start, method="Nelder-Mead", options={"xatol": 0.02, "fatol": 1e-4, "maxiter": 60})
    model = PriorModel(float(np.exp(best.x[0])), float(1.0 / (1.0 + np.exp(-best.x[1]))), book_share)
    return PriorFit(model, -float(best.fun), len(found))


def _book_share(found: Sequence[tuple[SearchResult, Paragraph]], tier: Tier) -> float:
    inside = [
        any(book.doc_id == paragraph.doc_id for book in result.books)
        for result, paragraph in found
        if result.books and result.tier == tier
    ]
    return (sum(inside) + 1.0) / (len(inside) + 2.0)


def log_likelihood(found: Sequence[tuple[SearchResult, Paragraph]], model: PriorModel) -> float:
    """Mean natural logarithm of what a prior model gives the true paragraphs."""
    total = 0.0
    for result, paragraph in found:
        row = result.row_of(paragraph)
        if row is not None:
            total += float(np.log(prior_of(result, model)[row]))
    return total / max(len(found), 1)
