"""Fit of the belief before the questions: the start model and the shares of named books, on labelled games."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from player.belief.places import Places
from player.search.results import SearchResult, Tier
from player.starts import PARAGRAPH_KINDS, START_FEATURES, start_features
from tools.calibration.search import fit_choices

PENALTY = 0.005
"""Penalty on the squared weights; it keeps the weights of rare features near 0."""
MIN_SLOPE = 0.01
"""Minimum weight of relevance, the reciprocal of the temperature."""


class PriorFit(NamedTuple):
    """A fitted prior.

    Attributes:
        temperature: divisor of the log-odds of relevance.
        book_share: share of the games of a tier with the secret in the named book, by tier.
        weights: natural log-odds of each kind but prose, and of each feature of a place.
        n_games: number of games that the fit used.
    """

    temperature: float
    book_share: dict[Tier, float]
    weights: dict[str, float]
    n_games: int


def fit_prior(pairs: Sequence[tuple[SearchResult, str]], places: Places) -> PriorFit:
    """Fit a conditional logit over the places of a course; games about prose have half of the weight, all others half.

    Args:
        pairs: for each game, the search result with all paragraphs ranked, and the labelled opening sentence.
        places: places of the course.
    """
    paragraphs, rows = places.paragraphs, places.paragraph_rows
    kinds = np.array(
        [PARAGRAPH_KINDS.index(paragraph.kind) for paragraph in paragraphs]
    )[rows]
    doc_ids = np.array([paragraph.doc_id for paragraph in paragraphs])[rows]
    place_table = start_features(paragraphs, rows.tolist(), places.starts)
    fixed = np.hstack([np.eye(len(PARAGRAPH_KINDS))[kinds][:, 1:], place_table])

    features, right_rows, is_prose = [], [], []
    # one game with each outcome, so that no share is 0 or 1
    inside: dict[Tier, list[bool]] = {"filter": [True, False], "boost": [True, False]}
    for result, sentence in pairs:
        right = places.find(sentence)
        if not len(right) or result.course_order is None:
            continue
        by_paragraph = np.full(len(paragraphs), -np.inf)
        by_paragraph[result.course_order.rows] = result.course_order.log_odds
        log_odds = by_paragraph[rows]

        in_book = doc_ids == (result.book.doc_id if result.book else "")
        is_inside = bool(in_book[right].any())
        if result.tier in inside:
            inside[result.tier].append(is_inside)
        # the places of the named book, or those outside it
        alternatives = np.flatnonzero((in_book == is_inside) & np.isfinite(log_odds))
        features.append(np.column_stack([log_odds[alternatives], fixed[alternatives]]))
        right_rows.append(np.flatnonzero(np.isin(alternatives, right)))
        is_prose.append(int((kinds[right] == 0).any()))

    counts = np.bincount(is_prose, minlength=2)
    shares = 1.0 / counts[is_prose]
    penalties = np.array([0.0] + [PENALTY] * fixed.shape[1])
    fit = fit_choices(features, right_rows, shares / shares.sum(), penalties)
    slope, *weights = fit.tolist()
    book_share: dict[Tier, float] = {}
    for tier, games in inside.items():
        book_share[tier] = float(np.mean(games))
    names = (*PARAGRAPH_KINDS[1:], *START_FEATURES)
    return PriorFit(
        1.0 / max(slope, MIN_SLOPE),
        book_share,
        dict(zip(names, weights, strict=True)),
        len(right_rows),
    )
