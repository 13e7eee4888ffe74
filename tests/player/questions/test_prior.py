"""Relevance becomes probability, within the book and outside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from ingest.arrays import Float64Array
from ingest.paragraph import Paragraph
from player import kinds
from player.questions import start_model
from player.questions.places import places_of
from player.questions.prior import PriorModel, prior_of
from player.search.core import log_odds_of
from player.search.types import BookCandidate, Query, Ranking, SearchResult, Tier
from tests.contracts.paragraphs import paragraph
from tests.player.fakes import hits


def result(tier: Tier | None) -> SearchResult:
    """Two paragraphs of book a, relevance 0.5 and 0.4, and one of 0.9 of book b."""
    paragraphs = [paragraph("a:1:1"), paragraph("a:1:2"), paragraph("b:1:1")]
    log_odds = np.array([log_odds_of(relevance) for relevance in (0.5, 0.4, 0.9)])
    book = None if tier is None else BookCandidate("a", 0.9, tier)
    return SearchResult(Query("hint"), (), book, ranking=ranking(paragraphs, log_odds))


def ranking(paragraphs: Sequence[Paragraph], log_odds: Float64Array) -> Ranking:
    return Ranking(
        paragraphs, np.arange(len(paragraphs)), log_odds, lambda _: hits("a:1:1")[0]
    )


MODEL = PriorModel(1.0, 0.0, {"filter": 0.98, "boost": 0.9})


def prior(found: SearchResult, model: PriorModel) -> Float64Array:
    """Over places of one sentence each."""
    assert found.ranking is not None
    return prior_of(found, places_of(found.ranking.course), model)


def test_temperature_and_floor_shape_the_prior() -> None:
    # odds of 1 : 1, 1 : 1 and 9 : 1; at half the temperature they count squared
    cold = prior(result(None), replace(MODEL, temperature=0.5))
    assert cold[2] / cold[0] == pytest.approx((9.0 * 1.0) ** 2 / 1.0, rel=0.01)
    floored = prior(result(None), replace(MODEL, temperature=0.01, floor=0.3))
    np.testing.assert_allclose(floored, [0.1, 0.1, 0.8], atol=1e-6)


@pytest.mark.parametrize(("tier", "share"), [("filter", 0.98), ("boost", 0.9)])
def test_the_book_keeps_the_share_that_its_tier_deserves(
    tier: Tier, share: float
) -> None:
    found = prior(result(tier), MODEL)
    assert found[:2].sum() == pytest.approx(share)
    assert found[2] == pytest.approx(1.0 - share)


def test_a_book_that_no_hit_stands_in_says_nothing() -> None:
    elsewhere = replace(result(None), book=BookCandidate("c", 0.9, "filter"))
    np.testing.assert_allclose(prior(elsewhere, MODEL), prior(result(None), MODEL))


def test_a_place_and_a_kind_count_what_a_referee_begins_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    weights = {"later sentence": float(np.log(0.25)), "heading": float(np.log(0.5))}
    for module in (kinds, start_model):
        monkeypatch.setattr(module, "start_weights", lambda: weights)
    text = "A first sentence of five words. A second one of six words."
    one = replace(paragraph("a:1:1"), text=text, opening_sentence=text[:31])
    places = places_of([one, replace(paragraph("b:1:1"), kind="heading")])
    found = SearchResult(
        Query("hint"), (), ranking=ranking(places.paragraphs, np.zeros(2))
    )
    np.testing.assert_allclose(
        prior_of(found, places, MODEL), np.array([4.0, 1.0, 2.0]) / 7.0
    )
