"""Games files are read strictly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.labelled import LabelledGame, load_games
from tests.evaluate.fakes import labelled_game, write_games

GOOD = {"game_id": "g1", "hint": "what climbs", "paragraph_id": "alpha:1:1"}


def game_line(**changes: Any) -> dict[str, Any]:
    return {key: value for key, value in {**GOOD, **changes}.items() if value != "absent"}


class TestLoading:
    def test_a_full_line_is_read_field_by_field(self, tmp_path: Path) -> None:
        texts: dict[str, Any] = {
            "game_id": "g7",
            "book_name": "Trees",
            "hint": "what climbs",
            "association_domain": "botany",
        }
        texts |= {"associative_word": "garden", "opening_sentence": "It grows.", "paragraph": "It grows. It stays."}
        line = {**texts, "pdf": "lecture.04.pdf", "page": 3, "in_text_layer": False, "split": "test", "manner": "vague"}
        assert load_games(write_games(tmp_path / "games.jsonl", [line])) == [
            LabelledGame(**texts, document="lecture.04", in_text_layer=False, split="test")
        ]

    def test_what_a_line_leaves_out_is_empty(self, tmp_path: Path) -> None:
        game = load_games(write_games(tmp_path / "games.jsonl", [game_line(book_name=None)]))[0]
        assert game == labelled_game(
            hint="what climbs", book_name="", association_domain="", associative_word="", opening_sentence=""
        )

    def test_a_null_paragraph_id_means_unanswerable(self, tmp_path: Path) -> None:
        game = load_games(write_games(tmp_path / "games.jsonl", [game_line(paragraph_id=None)]))[0]
        assert (game.answerable, game.paragraph_id) == (False, "")

    def test_keys_that_resemble_none_of_ours_are_named_in_one_line_when_the_file_is_read(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        others = [game_line(game_id=name, fold="test", **{"\x1b[2J": 1}) for name in "ab"]
        path = write_games(tmp_path / "games.jsonl", [*others, game_line(mood="fair"), game_line(game_id="g2")])
        assert len(load_games(path)) == 4
        assert caplog.messages == [
            f"{path}: ignored unknown keys: '\\x1b[2J', 'fold', 'mood'; `games check` counts them"
        ]
        load_games(write_games(path, [game_line()]))
        assert len(caplog.messages) == 1


class TestBadFiles:
    @pytest.mark.parametrize(
        ("line", "holds"),
        [
            pytest.param("{", "must be a JSON object", id="broken"),
            pytest.param("[" * 100_000, "must be a JSON object", id="nested too deeply"),
            pytest.param("[]", "must be a JSON object, got list", id="list"),
            pytest.param(json.dumps(game_line(game_id=7)), "game_id must be a string", id="game_id a number"),
            pytest.param(json.dumps(game_line(hint="absent")), "hint must be a string", id="no hint"),
            pytest.param(json.dumps(game_line(hint="\ud800")), "must be Unicode text", id="half a surrogate pair"),
            pytest.param(json.dumps(game_line(book_name=5)), "book_name must be a string", id="book_name a number"),
            pytest.param(json.dumps(game_line(split="dev")), "split must be one of", id="unknown split"),
            pytest.param(
                json.dumps(game_line(in_text_layer="no")), "in_text_layer must be true or false", id="no flag"
            ),
            pytest.param(json.dumps(game_line(paragraph_id="absent")), "must have paragraph_id", id="no solution"),
            pytest.param(json.dumps(game_line(game_id="first")), "game_id must be unique", id="twice"),
            pytest.param(json.dumps(game_line(splt="test")), "got 'splt'; did you mean split?", id="misspelt split"),
            pytest.param(json.dumps(game_line(book="a")), "got 'book'; did you mean book_name?", id="part of a key"),
            pytest.param(json.dumps(game_line(game_id="absent", gameid="a")), "did you mean game_id?", id="gameid"),
            pytest.param(json.dumps(game_line(in_text_leyer=False)), "mean in_text_layer?", id="misspelt flag"),
        ],
    )
    def test_a_bad_line_is_one_error_of_one_line_that_names_file_and_line(
        self, tmp_path: Path, line: str, holds: str
    ) -> None:
        path = tmp_path / "games.jsonl"
        path.write_text(f"{json.dumps(game_line(game_id='first'))}\n\n{line}\n", encoding="utf-8")
        with pytest.raises(GamesError) as caught:
            load_games(path)
        text = str(caught.value)
        assert text.startswith(f"{path} line 3: ")
        assert holds in text
        assert len(text.splitlines()) == 1

    def test_a_file_that_is_not_utf_8_is_refused_with_the_place(self, tmp_path: Path) -> None:
        path = tmp_path / "games.jsonl"
        path.write_bytes(b'{"hint": "caf\xe9"}')
        with pytest.raises(GamesError, match=r"games\.jsonl: must be UTF-8, .* at byte 13"):
            load_games(path)

    @pytest.mark.parametrize("text", ["", "\n \n\t\n"])
    def test_a_file_without_games_is_refused(self, tmp_path: Path, text: str) -> None:
        path = tmp_path / "games.jsonl"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(GamesError, match=r"games\.jsonl: must hold at least one game, has none"):
            load_games(path)
