"""`calibrate prior`, from a store and a games file to settings that load."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quarry.configs.settings import load
from quarry.evaluate.__main__ import main
from tests.evaluate.fakes import course_games, make_store, record_of, run_main, write_games
from tests.player.fakes import course

pytestmark = pytest.mark.usefixtures("fast_models")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_store(tmp_path_factory.mktemp("store"), course()).location


def fit(store: str, games: Path, *arguments: str) -> int:
    out = str(games.with_name("starts.json"))
    return run_main(main, "calibrate", "prior", "--store", store, "--games", str(games), "--out", out, *arguments)


def test_what_is_printed_is_a_settings_file(store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games = write_games(tmp_path / "games.jsonl", map(record_of, course_games(course())))
    assert fit(store, games) == 0
    captured = capsys.readouterr()
    path = tmp_path / "mine.yaml"
    path.write_text(captured.out, encoding="utf-8")
    # every book was named by its stem, and held its paragraph: 12 of 12, and one more of each
    assert load(config=path).game.prior_filter_share == round(13 / 14, 4)
    assert "mean log-likelihood of 12 games: " in captured.err


def test_the_fit_is_no_less_likely_than_the_settings_now(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = write_games(tmp_path / "games.jsonl", map(record_of, course_games(course())))
    assert fit(store, games, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["games"] == 12
    assert set(found["game"]) == {"prior_temperature", "prior_filter_share", "prior_boost_share"}
    assert found["log_likelihood"] >= found["now"] - 0.05
    assert json.loads((tmp_path / "starts.json").read_text())["weights"] == found["weights"]


def test_a_paragraph_that_is_not_there_is_told_with_exit_code_1(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [record_of(game) for game in course_games(course())]
    games = write_games(tmp_path / "games.jsonl", [*records[1:], {**records[0], "paragraph_id": "gamma:1:1"}])
    assert fit(store, games) == 1
    assert "1 game is about a paragraph that the store does not hold" in capsys.readouterr().err


def test_games_of_another_corpus_exit_with_2(store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [{**record_of(game), "paragraph_id": "gamma:1:1"} for game in course_games(course())]
    assert fit(store, write_games(tmp_path / "games.jsonl", records)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "at least one game must be about a paragraph of" in captured.err
