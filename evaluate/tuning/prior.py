"""Fit of the belief before the questions: the start model and the shares of named books, on labelled games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from quarry.evaluate.tuning.calibration import fit_choices
from quarry.ingest.arrays import Float64Array
from quarry.player.questions.places import Places
from quarry.player.questions.start_model import KINDS, PLACE_FEATURES, place_features
from quarry.player.search.types import SearchResult, Tier

PENALTY = 0.005
"""Penalty on the squared weights, which keeps those of rare features near 0."""
LEAST_SLOPE = 0.01
"""Lower bound of the weight of relevance, the reciprocal of the temperature."""


class PriorFit(NamedTuple):
    """A fitted prior.

    Attributes:
        temperature: divisor of the log-odds of relevance.
        book_share: share of the games of a tier with the secret in the named book, by tier.
        weights: natural log-odds of each kind but prose, and of each feature of a place.
        n_games: games that the fit used.
    """

    temperature: float
    book_share: dict[Tier, float]
    weights: dict[str, float]
    n_games: int


def fit_prior(found: Sequence[tuple[SearchResult, str]], places: Places) -> PriorFit:
    """Fit a conditional logit over the places of a course; games about prose and all others count half each.

    Args:
        found: for each game all passages as the search ranks them, and the labelled opening sentence.
        places: the places of the course.
    """
    kinds = np.array([KINDS.index(paragraph.kind) for paragraph in places.paragraphs])[places.rows]
    doc_ids = np.array([paragraph.doc_id for paragraph in places.paragraphs])[places.rows]
    fixed = np.hstack(
        [np.eye(len(KINDS))[kinds][:, 1:], place_features(places.paragraphs, places.rows.tolist(), places.starts)]
    )
    features: list[Float64Array] = []
    chosen, is_prose = [], []
    inside: dict[Tier, list[bool]] = {"filter": [], "boost": []}
    for result, sentence in found:
        right = places.find(sentence)
        if not len(right) or result.ranking is None:
            continue
        relevance = np.full(len(places.paragraphs), -np.inf)
        relevance[result.ranking.rows] = result.ranking.log_odds
        in_book = doc_ids == (result.book.doc_id if result.book else "")
        if result.tier in inside:
            inside[result.tier].append(bool(in_book[right].any()))
        side = in_book == in_book[right].any()  # the places of the named book, or those outside it
        rows = np.flatnonzero(side & np.isfinite(relevance[places.rows]))
        features.append(np.column_stack([relevance[places.rows[rows]], fixed[rows]]))
        chosen.append(np.flatnonzero(np.isin(rows, right)))
        is_prose.append(bool((kinds[right] == 0).any()))
    shares = np.where(is_prose, 1.0 / max(1, sum(is_prose)), 1.0 / max(1, len(is_prose) - sum(is_prose)))
    penalties = np.array([0.0] + [PENALTY] * fixed.shape[1])
    slope, *weights = fit_choices(features, chosen, shares / shares.sum(), penalties).tolist()
    return PriorFit(
        1.0 / max(slope, LEAST_SLOPE),
        {tier: (sum(games) + 1.0) / (len(games) + 2.0) for tier, games in inside.items()},
        dict(zip((*KINDS[1:], *PLACE_FEATURES), weights, strict=True)),
        len(chosen),
    )
