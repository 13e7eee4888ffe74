"""Temperature, weights and book shares of the prior are fitted, and the command writes them."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from configs.settings import GameSettings, load
from player.belief.places import find_places
from player.belief.prior import compute_prior
from player.search.results import (
    BookCandidate,
    CourseOrder,
    Hit,
    Query,
    SearchResult,
    Tier,
)
from player.starts import START_FEATURES, start_features
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import ABOUT, Evaluate, course_records, write_games
from tests.fakes import each
from tools.calibration.prior import fit_prior

TRUE = GameSettings(
    prior_temperature=0.5,
    prior_filter_share=0.9,
    prior_boost_share=0.6,
)
PARAGRAPHS = [
    paragraph(name, f"The opening of {name} is this one here. And it goes on {name}.")
    for name in ("a:1:1", "a:1:2", "a:1:3", "b:1:1", "b:1:2")
]
ALL = find_places(PARAGRAPHS)
HIT = Hit(PARAGRAPHS[0], 0.9, 0.9, 1, "fake")
LATER = np.array(each(ALL.starts, "number")) > 0
PLACES = replace(ALL, log_odds=-LATER.astype(np.float64))


def drawn(
    tier: Tier,
    n: int,
    generator: np.random.Generator,
) -> list[tuple[SearchResult, str]]:
    """Games of which the secrets are drawn by the prior of TRUE."""
    games = []
    book = BookCandidate("a", 0.9, tier)
    for _ in range(n):
        log_odds = generator.uniform(-1.0, 1.5, 5)
        order = CourseOrder(PARAGRAPHS, np.arange(5), log_odds, lambda _: HIT)
        result = SearchResult(Query("hint"), (), book, course_order=order)
        prior = compute_prior(result, PLACES, TRUE)
        place = int(generator.choice(len(PLACES), p=prior))
        games.append((result, PLACES.starts[place].sentence))
    return games


def test_the_model_that_games_were_drawn_under_is_found() -> None:
    generator = np.random.default_rng(3)
    games = drawn("filter", 1200, generator) + drawn("boost", 600, generator)
    fit = fit_prior(games, PLACES)
    assert fit.n_games == 1800
    assert fit.temperature == pytest.approx(0.5, rel=0.2)
    assert fit.book_share["filter"] == pytest.approx(0.9, abs=0.03)
    assert fit.book_share["boost"] == pytest.approx(0.6, abs=0.06)
    features = start_features(PARAGRAPHS, PLACES.paragraph_rows.tolist(), PLACES.starts)
    log_odds = features @ [fit.weights[name] for name in START_FEATURES]
    later, first = log_odds[LATER].mean(), log_odds[~LATER].mean()
    assert later - first == pytest.approx(-1.0, abs=0.3)


def test_the_command_prints_settings_and_writes_weights(command: Evaluate) -> None:
    games = course_records()
    games[-1]["paragraph_id"] = "gamma:1:1"
    write_games(Path("games.jsonl"), games)
    fitted = command(f"prior {ABOUT} --out starts.json")
    settings = Path("mine.yaml")
    settings.write_text(fitted.out)
    # every book was named by its stem, and held its paragraph: 11 of 11, and one more of each
    assert load(config=settings).game.prior_filter_share == round(12 / 13, 4)
    assert "written to starts.json\n11 games; 1 not in the store" in fitted.err
    assert json.loads(Path("starts.json").read_bytes())["weights"]
