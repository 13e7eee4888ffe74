"""`replay` against several referees on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quarry.evaluate.__main__ import main
from tests.evaluate.fakes import course_games, labelled_game, make_store, record_of, run_main, write_games
from tests.player.fakes import course

pytestmark = pytest.mark.usefixtures("fast_models")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_store(tmp_path_factory.mktemp("store"), course()).location


def referees(store: str, games: Path, *arguments: str) -> int:
    return run_main(main, "replay", "--store", store, "--games", str(games), "--workers", "1", *arguments)


def test_the_table_is_printed_and_written(store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games = write_games(tmp_path / "games.jsonl", map(record_of, course_games(course())[:3]))
    out = tmp_path / "table.json"
    named = ("--referee", "oracle", "--referee", "sees:opening,answers:10")
    assert referees(store, games, *named, "--out", str(out)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("preset default: 3 games")
    assert [line.split(" | ")[0] for line in lines[3:]] == [
        "| the hint alone",
        "| `oracle`",
        "| `sees:opening,answers:10`",
    ]
    assert lines[4].split(" | ")[1:3] == ["1", "1.000 [0.44, 1.00]"]
    assert [line["referee"] for line in json.loads(out.read_text(encoding="utf-8"))["referees"]] == list(named[1::2])
    assert sorted(path.name for path in tmp_path.glob("table*")) == ["table.games.jsonl", "table.json"]


def test_json_is_one_document_and_a_lost_game_exits_with_1_where_that_is_asked_for(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = labelled_game(game_id="lost", paragraph_id="gamma:1:1")
    games = write_games(tmp_path / "games.jsonl", map(record_of, [course_games(course())[0], lost]))
    assert referees(store, games, "--referee", "constant:B", "--referee", "blind", "--json", "--strict") == 1
    captured = capsys.readouterr()
    table = json.loads(captured.out)
    assert (table["games"], table["lost_at_ingest"]) == (2, 1)
    assert "1 game is about a paragraph that the store does not hold" in captured.err
