"""The prior's temperature, weights and book shares come back from games drawn under them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quarry.evaluate.fit.prior import fit_prior, log_likelihood
from quarry.player.questions.places import Places, places_of
from quarry.player.questions.prior import PriorModel, prior_of
from quarry.player.search.types import BookCandidate, Query, SearchResult, Tier
from tests.player.fakes import hits

TRUE = PriorModel(0.5, 0.0, {"filter": 0.9, "boost": 0.6})
WEIGHTS = {"later sentence": -1.0}
IDS = ("a:1:1", "a:1:2", "a:1:3", "b:1:1", "b:1:2")
HITS = [
    replace(
        hit,
        paragraph=replace(
            hit.paragraph,
            text=f"The opening of {hit.paragraph.paragraph_id} is this one here. And it goes on {hit.paragraph.page}.",
            opening_sentence=f"The opening of {hit.paragraph.paragraph_id} is this one here.",
        ),
    )
    for hit in hits(*IDS)
]


def drawn(tier: Tier, n: int, generator: np.random.Generator, places: Places) -> list[tuple[SearchResult, str]]:
    games = []
    for _ in range(n):
        found = [replace(hit, relevance=float(generator.uniform(0.2, 0.9))) for hit in HITS]
        result = SearchResult(Query("hint"), tuple(found), (BookCandidate("a", 0.9, tier, "a"),))
        place = int(generator.choice(len(places), p=prior_of(result, places, TRUE)))
        games.append((result, places.starts[place].sentence))
    return games


def test_the_model_that_games_were_drawn_under_is_found() -> None:
    places = places_of([hit.paragraph for hit in HITS], WEIGHTS)
    assert len(places) == 10
    generator = np.random.default_rng(3)
    games = drawn("filter", 1200, generator, places) + drawn("boost", 600, generator, places)
    fit = fit_prior(games, places, 0.0)
    assert fit.n_games == 1800
    assert fit.model.temperature == pytest.approx(0.5, rel=0.2)
    assert fit.model.book_share["filter"] == pytest.approx(0.9, abs=0.03)
    assert fit.model.book_share["boost"] == pytest.approx(0.6, abs=0.06)
    # a later sentence also has fewer words left, whose weight shares in what it loses
    assert fit.weights["later sentence"] < -0.2
    assert fit.log_likelihood > log_likelihood(games, places_of(places.paragraphs, {}), TRUE)


def test_the_likelihood_is_the_mean_logarithm_of_what_the_labelled_sentence_is_given() -> None:
    found = [replace(hit, relevance=0.5) for hit in hits("a:1:1", "a:1:2")]
    result = SearchResult(Query("hint"), tuple(found))
    places = places_of(result.paragraphs, {})
    sentences = [hit.paragraph.opening_sentence for hit in found]
    games = [(result, sentence) for sentence in sentences]
    expected = [np.log(prior_of(result, places, TRUE)[places.find(sentence)].sum()) for sentence in sentences]
    assert log_likelihood(games, places, TRUE) == pytest.approx(np.mean(expected))
