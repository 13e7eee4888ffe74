"""Relevance becomes probability, within the book and outside it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quarry.player.questions.prior import PriorModel, prior_from_log_odds, prior_of
from quarry.player.search.types import BookCandidate, Query, SearchResult, Tier
from tests.player.fakes import hits


def result(tier: Tier | None) -> SearchResult:
    """Two hits in book a, relevance 0.5 and 0.4, and one of 0.9 in book b."""
    found = [*hits("a:1:1", "a:1:2", relevance=0.5), *hits("b:1:1", relevance=0.9)]
    books = () if tier is None else (BookCandidate("a", 0.9, tier, "a"),)
    return SearchResult(Query("hint"), tuple(found), books)


MODEL = PriorModel(1.0, 0.0, {"filter": 0.98, "boost": 0.9})


def test_the_prior_goes_with_the_odds_of_relevance() -> None:
    # odds of 1 : 1, 1 : 2 and 1 : 4; at half the temperature they count squared
    log_odds = np.log([1.0, 1 / 2, 1 / 4])
    np.testing.assert_allclose(prior_from_log_odds(log_odds, 1.0, 0.0), np.array([4.0, 2.0, 1.0]) / 7.0)
    np.testing.assert_allclose(prior_from_log_odds(log_odds, 0.5, 0.0), np.array([16.0, 4.0, 1.0]) / 21.0)


def test_the_floor_of_the_prior_is_spread_evenly() -> None:
    np.testing.assert_allclose(prior_from_log_odds(np.array([30.0, -30.0]), 0.001, 0.2), [0.9, 0.1])


def test_a_cold_prior_of_many_sums_to_1() -> None:
    prior = prior_from_log_odds(np.linspace(-30.0, 30.0, 500), 0.001, 0.02)
    assert prior.sum() == pytest.approx(1.0)
    assert prior.min() >= 0.02 / 500


@pytest.mark.parametrize(("tier", "share"), [("filter", 0.98), ("boost", 0.9)])
def test_the_book_keeps_the_share_that_its_tier_deserves(tier: Tier, share: float) -> None:
    prior = prior_of(result(tier), MODEL)
    # odds of 1 : 1 and 2 : 3 within the book
    np.testing.assert_allclose(prior, [share * 3 / 5, share * 2 / 5, 1.0 - share])


@pytest.mark.parametrize("tier", [None, "none"])
def test_without_a_resolved_book_relevance_alone_counts(tier: Tier | None) -> None:
    log_odds = np.log([1.0, 2 / 3, 9.0])
    np.testing.assert_allclose(prior_of(result(tier), MODEL), prior_from_log_odds(log_odds, 1.0, 0.0))


def test_a_book_that_no_hit_stands_in_says_nothing() -> None:
    elsewhere = replace(result(None), books=(BookCandidate("c", 0.9, "filter", "c"),))
    np.testing.assert_allclose(prior_of(elsewhere, MODEL), prior_of(result(None), MODEL))
