"""Relevance becomes probability, within the book and outside it."""

from dataclasses import replace

import numpy as np
import pytest

from configs.settings import GameSettings
from player import starts
from player.belief import prior as prior_module
from player.belief.places import Places, find_places
from player.belief.prior import compute_prior
from player.search.results import (
    BookCandidate,
    CourseOrder,
    Query,
    SearchResult,
    Tier,
)
from quarry.arrays import Float64Array
from tests.contracts.paragraphs import paragraph

PLACES = find_places(
    [
        paragraph("a:1:1"),
        paragraph("a:1:2"),
        paragraph("b:1:1"),
    ]
)
ODDS = (1.0, 2.0 / 3.0, 9.0)
SETTINGS = GameSettings(
    prior_temperature=1.0,
    prior_filter_share=0.98,
    prior_boost_share=0.9,
)


@pytest.fixture(autouse=True)
def no_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prior_module, "FLOOR", 0.0)


def prior(
    book: str = "",
    tier: Tier = "filter",
    settings: GameSettings = SETTINGS,
    places: Places = PLACES,
    odds: tuple[float, ...] = ODDS,
) -> Float64Array:
    rows = np.arange(len(odds))
    log_odds = np.log(odds)
    order = CourseOrder(
        places.paragraphs,
        rows,
        log_odds,
        lambda _: pytest.fail("the prior asks for no hit"),
    )
    named = BookCandidate(book, 0.9, tier) if book else None
    result = SearchResult(
        Query("hint"),
        (),
        named,
        course_order=order,
    )

    return compute_prior(result, places, settings)


def test_temperature_and_floor_shape_the_prior(monkeypatch: pytest.MonkeyPatch) -> None:
    # odds of 1 : 9; at half the temperature they count squared
    cold = prior(settings=replace(SETTINGS, prior_temperature=0.5))
    assert cold[2] / cold[0] == pytest.approx(81.0)
    monkeypatch.setattr(prior_module, "FLOOR", 0.3)
    floored = prior(settings=replace(SETTINGS, prior_temperature=0.01))
    assert floored == pytest.approx([0.1, 0.1, 0.8])


def test_the_book_keeps_the_share_that_its_tier_deserves() -> None:
    # within the book the odds are 1 : 2 / 3
    in_filter = [0.6 * 0.98, 0.4 * 0.98, 0.02]
    in_boost = [0.6 * 0.9, 0.4 * 0.9, 0.1]
    assert prior("a", "filter") == pytest.approx(in_filter)
    assert prior("a", "boost") == pytest.approx(in_boost)
    # a book that no hit stands in says nothing
    assert prior("c") == pytest.approx(prior())


def test_a_place_and_a_kind_count_what_a_referee_begins_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    weights = {
        "later sentence": np.log(0.25),
        "heading": np.log(0.5),
    }

    monkeypatch.setattr(starts, "start_weights", lambda: weights)
    text = "A first sentence of five words. A second one of six words."
    heading = replace(paragraph("b:1:1"), kind="heading")
    places = find_places([paragraph("a:1:1", text), heading])
    belief = prior(places=places, odds=(1.0, 1.0))
    # first sentence : second one : heading
    assert belief == pytest.approx([4 / 7, 1 / 7, 2 / 7])
