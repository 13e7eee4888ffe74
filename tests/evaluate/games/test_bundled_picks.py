"""The bundled games about passages of every kind load, keep the game's rule, and name what they are."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from quarry.evaluate.games.check import shared_words
from quarry.evaluate.games.labelled import load_games

DATA = Path(__file__).resolve().parents[3] / "data"
KINDS = {
    *("prose", "lead-in with list", "list item", "boxed", "theorem or definition", "exercise", "caption", "other"),
}


@pytest.mark.parametrize(("name", "course", "n_games"), [("picks", "english", 28), ("picks-hebrew", "hebrew", 12)])
class TestPicks:
    def test_all_games_load_and_are_split_evenly(self, name: str, course: str, n_games: int) -> None:
        games = load_games(DATA / "games" / f"{name}.jsonl")
        assert Counter(game.split for game in games) == {"train": n_games // 2, "test": n_games // 2}
        assert all((DATA / "lectures" / course / f"{game.document}.pdf").is_file() for game in games)

    def test_no_hint_shares_a_word_with_its_passage(self, name: str, course: str, n_games: int) -> None:
        games = load_games(DATA / "games" / f"{name}.jsonl")
        shared = {game.game_id: shared_words(f"{game.hint} {game.associative_word}", game.paragraph) for game in games}
        assert {game_id: words for game_id, words in shared.items() if words} == {}
        assert all(len(game.hint.split()) <= 15 for game in games)
        assert all(game.paragraph.startswith(game.opening_sentence) for game in games)

    def test_half_are_the_first_sentence_of_a_page(self, name: str, course: str, n_games: int) -> None:
        lines = (DATA / "games" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        records = [json.loads(line) for line in lines]
        assert Counter(record["policy"] for record in records) == {"first": n_games // 2, "free": n_games // 2}
        assert {record["kind"] for record in records} <= KINDS
        assert len({record["kind"] for record in records}) >= 6
