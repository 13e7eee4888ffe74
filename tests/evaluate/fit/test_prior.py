"""Temperature, weights and book shares of the prior are fitted, and `calibrate prior` writes them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from quarry.configs.settings import load
from quarry.evaluate.__main__ import main
from quarry.evaluate.fit.prior import fit_prior
from quarry.player.questions import start_model
from quarry.player.questions.places import Places, places_of
from quarry.player.questions.prior import PriorModel, prior_of
from quarry.player.search.core import log_odds_of
from quarry.player.search.types import BookCandidate, Query, Ranking, SearchResult, Tier
from tests.evaluate.fakes import course_games, make_store, record_of, run_main, write_games
from tests.player.fakes import course, hits

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
        log_odds = np.array([log_odds_of(relevance) for relevance in generator.uniform(0.2, 0.9, len(HITS))])
        ranking = Ranking(places.paragraphs, np.arange(len(HITS)), log_odds, HITS.__getitem__)
        result = SearchResult(Query("hint"), (), BookCandidate("a", 0.9, tier, "a"), ranking=ranking)
        place = int(generator.choice(len(places), p=prior_of(result, places, TRUE)))
        games.append((result, places.starts[place].sentence))
    return games


def test_the_model_that_games_were_drawn_under_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start_model, "start_weights", lambda: WEIGHTS)
    places = places_of([hit.paragraph for hit in HITS])
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


@pytest.mark.usefixtures("fast_models")
def test_the_command_prints_settings_and_writes_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = make_store(tmp_path / "store", course()).location
    records = [record_of(game) for game in course_games(course())]
    out, settings = tmp_path / "starts.json", tmp_path / "mine.yaml"
    games = write_games(tmp_path / "games.jsonl", records)
    arguments = ("calibrate", "prior", "--store", store, "--games", str(games), "--out", str(out))
    assert run_main(main, *arguments) == 0
    captured = capsys.readouterr()
    settings.write_text(captured.out, encoding="utf-8")
    # every book was named by its stem, and held its paragraph: 12 of 12, and one more of each
    assert load(config=settings).game.prior_filter_share == round(13 / 14, 4)
    assert f"12 games; weights of kinds and places written to {out}" in captured.err
    assert json.loads(out.read_text(encoding="utf-8"))["weights"]
    write_games(games, [*records[1:], {**records[0], "paragraph_id": "gamma:1:1"}])
    assert run_main(main, *arguments) == 1
    assert "1 game is about a paragraph that the store does not hold" in capsys.readouterr().err
