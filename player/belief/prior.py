"""The prior: the probability that the secret paragraph begins at each place of the course, given the search result."""

import numpy as np

from configs.settings import GameSettings
from player.belief.places import Places
from player.search.results import SearchResult
from player.starts import kind_log_odds
from quarry.arrays import Float64Array

FLOOR = 0.01
"""Share of the probability that does not depend on the hint, since a search may rank the paragraph last;
docs/notebook/picks.md compares other shares."""


def compute_prior(
    result: SearchResult, places: Places, settings: GameSettings
) -> Float64Array:
    """Compute the (n_printed,) probabilities of the places of a course's paragraphs, summing to 1.

    The probability of a place is the probability of its paragraph, from the search, times the probability that the
    secret begins at this place. It is 0 for paragraphs that the order lacks. The resolved book has a fixed
    share of the probability, unless all paragraphs of the order, or none of them, are in that book.

    Args:
        result: the result of the search; the belief runs over all paragraphs of its `course_order`.
        places: places of the searched course.
        settings: divisor of the log-odds of the order and of the kinds of paragraphs, and probability that the
            paragraph is in the resolved book, by tier. tools/calibration/prior.py fits them.
    """
    order = result.course_order
    assert order is not None, "the belief runs over candidates"
    by_paragraph = np.full(len(places.paragraphs), -np.inf)
    by_paragraph[order.rows] = order.log_odds
    by_paragraph += kind_log_odds(places.paragraphs)
    rows = places.paragraph_rows
    before_hint = places.log_odds[: places.n_printed]
    log_odds = by_paragraph[rows] / settings.prior_temperature + before_hint

    book = result.book.doc_id if result.book else ""
    in_book = np.array([paragraph.doc_id == book for paragraph in places.paragraphs])
    shares = {
        "filter": settings.prior_filter_share,
        "boost": settings.prior_boost_share,
    }
    has_odds = np.isfinite(log_odds)
    inside = has_odds & in_book[rows]
    outside = has_odds & ~inside
    parts = [(has_odds, 1.0)]
    share = shares.get(result.tier)
    if share is not None and inside.any() and outside.any():
        parts = [(inside, share), (outside, 1.0 - share)]

    prior = np.zeros(len(log_odds))
    for part, mass in parts:
        by_hint = _share_out(1.0 - FLOOR, log_odds[part])
        without_hint = _share_out(FLOOR, before_hint[part])
        prior[part] = mass * (by_hint + without_hint)
    return prior


def _share_out(mass: float, log_odds: Float64Array) -> Float64Array:
    """Return probabilities in proportion to the odds, summing to a mass."""
    weights = np.exp(log_odds - log_odds.max())
    shares: Float64Array = mass * weights / weights.sum()
    return shares
