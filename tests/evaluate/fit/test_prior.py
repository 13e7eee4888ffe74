"""The prior's temperature and book shares come back from games drawn under them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quarry.evaluate.fit.prior import fit_prior, log_likelihood
from quarry.ingest.paragraph import Paragraph
from quarry.player.questions.prior import PriorModel, prior_of
from quarry.player.search.types import BookCandidate, Query, SearchResult, Tier
from tests.player.fakes import hits

TRUE = PriorModel(0.5, 0.0, {"filter": 0.9, "boost": 0.6})


def drawn(tier: Tier, n: int, generator: np.random.Generator) -> list[tuple[SearchResult, Paragraph]]:
    games = []
    for _ in range(n):
        found = [
            replace(hit, relevance=float(generator.uniform(0.2, 0.9)))
            for hit in hits("a:1:1", "a:1:2", "a:1:3", "b:1:1", "b:1:2")
        ]
        result = SearchResult(Query("hint"), tuple(found), (BookCandidate("a", 0.9, tier, "a"),))
        games.append((result, found[int(generator.choice(5, p=prior_of(result, TRUE)))].paragraph))
    return games


def test_the_model_that_games_were_drawn_under_is_found() -> None:
    generator = np.random.default_rng(3)
    games = drawn("filter", 800, generator) + drawn("boost", 400, generator)
    fit = fit_prior(games)
    assert fit.n_games == 1200
    assert fit.model.temperature == pytest.approx(0.5, rel=0.2)
    assert fit.model.floor < 0.1
    assert fit.model.book_share["filter"] == pytest.approx(0.9, abs=0.03)
    assert fit.model.book_share["boost"] == pytest.approx(0.6, abs=0.06)
    assert fit.log_likelihood == pytest.approx(log_likelihood(games, fit.model))
    assert fit.log_likelihood >= log_likelihood(games, TRUE) - 0.005


def test_the_likelihood_is_the_mean_logarithm_of_what_the_true_paragraph_is_given() -> None:
    # odds of 1 : 1 and 1 : 3, all in the book, which no confidence weighs
    found = [replace(hit, relevance=value) for hit, value in zip(hits("a:1:1", "a:1:2"), (0.5, 0.25), strict=True)]
    result = SearchResult(Query("hint"), tuple(found))
    games = [(result, found[0].paragraph), (result, found[1].paragraph)]
    assert log_likelihood(games, PriorModel(1.0, 0.0, {})) == pytest.approx((np.log(0.75) + np.log(0.25)) / 2)
