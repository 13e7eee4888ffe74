"""Games as a CSV table read as the same games in JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.labelled import load_games, read_games
from tests.evaluate.fakes import write_games


def table(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_hint_book_and_opening_sentence_are_enough_and_ids_are_made(tmp_path: Path) -> None:
    games = load_games(
        table(tmp_path / "games.csv", 'hint,book_name,opening_sentence\nwhat climbs,Trees,"Ivy, too."\nno,,It is.\n')
    )
    assert [game.game_id for game in games] == ["game-1", "game-2"]
    assert [game.opening_sentence for game in games] == ["Ivy, too.", "It is."]
    assert [game.book_name for game in games] == ["Trees", ""]
    assert all(game.answerable for game in games)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_says_what_json_says(tmp_path: Path, delimiter: str) -> None:
    records: list[dict[str, object]] = [
        {"game_id": "a", "hint": "one", "paragraph_id": "x:1:1", "split": "test", "in_text_layer": False},
        {"game_id": "b", "hint": "two", "paragraph_id": None, "split": "train", "in_text_layer": True},
    ]
    rows = [list(records[0]), ["a", "one", "x:1:1", "test", "false"], ["b", "two", "null", "train", "TRUE"]]
    path = table(tmp_path / "games.CSV", "\ufeff" + "".join(f"{delimiter.join(row)}\r\n" for row in rows))
    assert load_games(path) == load_games(write_games(tmp_path / "games.jsonl", records))


def test_json_lines_without_ids_are_given_them(tmp_path: Path) -> None:
    path = write_games(tmp_path / "games.jsonl", [{"hint": "one", "paragraph_id": "x:1:1"}])
    assert [game.game_id for game in load_games(path)] == ["game-1"]


def test_a_line_break_within_a_cell_is_kept(tmp_path: Path) -> None:
    path = table(tmp_path / "games.csv", 'hint,opening_sentence\none,"It\ngrows."\n\ntwo,It stays.\n')
    assert [game.opening_sentence for game in load_games(path)] == ["It\ngrows.", "It stays."]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "line 1: must name each column once, hint among them, got nothing"),
        ("hints,book_name\none,two\n", "got hints, book_name; see python -m evaluate check-games --help"),
        ("hint,hint\none,two\n", "must name each column once"),
        ("hint,opening_sentence\n", "must hold at least one game, got none"),
        ("hint,opening_sentence\none,It, too.\n", "line 2: must have 2 cells, got 3; put texts with commas in quotes"),
        ("hint,opening_sentence\n,It is.\n", "line 2: hint must be a string that is not empty"),
        ('hint,opening_sentence\none,"It\n', "must be CSV: unexpected end of data"),
        ("hint,paragraph_id,in_text_layer\none,x:1:1,perhaps\n", "in_text_layer must be true or false, got 'perhaps'"),
    ],
)
def test_a_bad_table_is_refused_in_one_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(GamesError) as caught:
        load_games(table(tmp_path / "games.csv", text))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bad_rows_do_not_hide_the_others(tmp_path: Path) -> None:
    games, problems = read_games(table(tmp_path / "games.csv", "hint,opening_sentence\n,It is.\ntwo,It stays.\n"))
    assert ([game.game_id for game in games], len(problems)) == (["game-2"], 1)
