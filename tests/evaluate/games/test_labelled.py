"""Games files are read strictly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluate.errors import GamesError
from evaluate.games.labelled import LabelledGame, load_games
from tests.evaluate.fakes import write_games

GOOD = {"game_id": "g1", "hint": "what climbs", "paragraph_id": "alpha:1:1"}


def game_line(**changes: Any) -> dict[str, Any]:
    items = {**GOOD, **changes}.items()
    return {key: value for key, value in items if value != "absent"}


def test_a_full_line_is_read_field_by_field(tmp_path: Path) -> None:
    line: dict[str, Any] = {
        "game_id": "g7",
        "book_name": "Trees",
        "hint": "what climbs",
        "association_domain": "botany",
        "associative_word": "garden",
        "opening_sentence": "It grows.",
        "paragraph": "It grows. It stays.",
    }
    line |= {"pdf": "lecture.04.pdf", "page": 3, "reader": "pypdf", "cut": "page"}
    line |= {"in_text_layer": False, "split": "test"}
    path = write_games(tmp_path / "games.jsonl", [{"manner": "vague", **line}])
    (game,) = load_games(path)
    assert game == LabelledGame(**line)
    assert (game.document, game.edition) == ("lecture.04", "pypdf:page")


def test_what_a_line_leaves_out_is_empty_and_a_null_id_is_unanswerable(
    tmp_path: Path,
) -> None:
    lines = [game_line(book_name=None), game_line(game_id="g2", paragraph_id=None)]
    answerable, unanswerable = load_games(write_games(tmp_path / "games.jsonl", lines))
    assert answerable == LabelledGame("g1", "", "what climbs", paragraph_id="alpha:1:1")
    assert (unanswerable.answerable, unanswerable.paragraph_id) == (False, "")


def test_keys_that_resemble_none_of_ours_are_named_in_one_line_when_the_file_is_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lines = [game_line(game_id=name, fold="test", **{"\x1b[2J": 1}) for name in "ab"]
    lines += [game_line(mood="fair"), game_line(game_id="g2")]
    path = write_games(tmp_path / "games.jsonl", lines)
    assert len(load_games(path)) == 4
    assert caplog.messages == [
        f"{path}: ignored unknown keys: '\\x1b[2J', 'fold', 'mood'; `games check` counts them"
    ]
    load_games(write_games(path, [game_line()]))
    assert len(caplog.messages) == 1


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("{", "must be a JSON object"),
        pytest.param("[" * 100_000, "must be a JSON object", id="nested too deep"),
        ("[]", "must be a JSON object, got list"),
        ({"game_id": 7}, "game_id: Input should be a valid string, got 7"),
        ({"hint": "absent"}, "hint: Field required"),
        ({"hint": " "}, "hint: String should match"),
        ({"hint": "\ud800"}, "must be Unicode text"),
        ({"book_name": 5}, "book_name: Input should be a valid string"),
        (
            {"split": "dev"},
            "split: Input should be 'train', 'validation' or 'test', got 'dev'",
        ),
        ({"in_text_layer": "no"}, "in_text_layer: Input should be a valid boolean"),
        ({"paragraph_id": "absent"}, "must have paragraph_id"),
        ({"game_id": "first"}, "game_id must be unique"),
        ({"splt": "test"}, "unknown key 'splt'; did you mean split?"),
        ({"game_id": "absent", "gameid": "a"}, "did you mean game_id?"),
    ],
)
def test_a_bad_line_is_one_error_of_one_line_that_names_file_and_line(
    tmp_path: Path, line: str | dict[str, Any], holds: str
) -> None:
    text = line if isinstance(line, str) else json.dumps(game_line(**line))
    path = tmp_path / "games.jsonl"
    first = json.dumps(game_line(game_id="first"))
    path.write_text(f"{first}\n\n{text}\n", encoding="utf-8")
    with pytest.raises(GamesError) as caught:
        load_games(path)
    message = str(caught.value)
    assert message.startswith(f"{path} line 3: ")
    assert holds in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"hint": "caf\xe9"}', "must be UTF-8, .* at byte 13"),
        (b"", "must hold at least one game, has none"),
        (b"\n \n\t\n", "must hold at least one game, has none"),
    ],
)
def test_a_file_without_games_or_not_in_utf_8_is_refused(
    tmp_path: Path, content: bytes, says: str
) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(content)
    with pytest.raises(GamesError, match=rf"games\.jsonl: {says}"):
        load_games(path)
