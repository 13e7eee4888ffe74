"""Relevance becomes probability, within the book and outside it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quarry.ingest.arrays import Float64Array
from quarry.player.questions.places import places_of
from quarry.player.questions.prior import PriorModel, prior_of
from quarry.player.search.types import BookCandidate, Query, SearchResult, Tier
from tests.player.fakes import hits


def result(tier: Tier | None) -> SearchResult:
    """Two hits in book a, relevance 0.5 and 0.4, and one of 0.9 in book b."""
    found = [*hits("a:1:1", "a:1:2", relevance=0.5), *hits("b:1:1", relevance=0.9)]
    books = () if tier is None else (BookCandidate("a", 0.9, tier, "a"),)
    return SearchResult(Query("hint"), tuple(found), books)


MODEL = PriorModel(1.0, 0.0, {"filter": 0.98, "boost": 0.9})


def prior(found: SearchResult, model: PriorModel) -> Float64Array:
    """Over places of one sentence each."""
    return prior_of(found, places_of(found.paragraphs, {}), model)


def test_temperature_and_floor_shape_the_prior() -> None:
    # odds of 1 : 1, 1 : 1 and 9 : 1; at half the temperature they count squared
    cold = prior(result(None), replace(MODEL, temperature=0.5))
    assert cold[2] / cold[0] == pytest.approx((9.0 * 1.0) ** 2 / 1.0, rel=0.01)
    floored = prior(result(None), replace(MODEL, temperature=0.01, floor=0.3))
    np.testing.assert_allclose(floored, [0.1, 0.1, 0.8], atol=1e-6)


@pytest.mark.parametrize(("tier", "share"), [("filter", 0.98), ("boost", 0.9)])
def test_the_book_keeps_the_share_that_its_tier_deserves(tier: Tier, share: float) -> None:
    found = prior(result(tier), MODEL)
    assert found[:2].sum() == pytest.approx(share)
    assert found[2] == pytest.approx(1.0 - share)


def test_a_book_that_no_hit_stands_in_says_nothing() -> None:
    elsewhere = replace(result(None), books=(BookCandidate("c", 0.9, "filter", "c"),))
    np.testing.assert_allclose(prior(elsewhere, MODEL), prior(result(None), MODEL))


def test_a_place_counts_what_a_referee_begins_there() -> None:
    text = "A first sentence of five words. A second one of six words."
    paragraph = replace(hits("a:1:1")[0].paragraph, text=text, opening_sentence=text[:31])
    found = SearchResult(Query("hint"), (replace(hits("a:1:1")[0], paragraph=paragraph),))
    places = places_of(found.paragraphs, {"later sentence": float(np.log(0.25))})
    np.testing.assert_allclose(prior_of(found, places, MODEL), [0.8, 0.2])
