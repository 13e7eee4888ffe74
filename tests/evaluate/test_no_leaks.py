"""Labels stay in the harness: the player opens no games file; `tests/test_imports.py` checks what it imports."""

import ast
import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from evaluate.games.labelled import LabelledGame
from player.player import Player
from player.round import RoundStart
from player.search.results import Query
from tests import imports
from tests.evaluate.fakes import run_line
from tests.fakes import each
from tests.player.fakes import opened

GAMES_FILE = re.compile(r"data/games|(games|english|hebrew|truth)\.jsonl")


def test_no_file_of_a_package_names_a_games_file() -> None:
    for module, path in imports.find_modules().items():
        package = imports.find_package(module)
        if package in ("configs", "quarry", "ingest", "player"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    assert not GAMES_FILE.search(node.value), path
                    # the journal has a table of played games
                    assert node.value != "games" or path.name == "journal.py", path


def test_what_the_player_is_told_has_no_field_for_the_solution() -> None:
    solution = {
        "paragraph_id",
        "opening_sentence",
        "paragraph",
        "associative_word",
        "pdf",
        "answerable",
        "split",
    }
    assert solution < {*each(dataclasses.fields(LabelledGame), "name")}
    for message in (RoundStart, Query):
        fields = {*each(dataclasses.fields(message), "name")}
        assert not solution & fields


@pytest.mark.usefixtures("evaluate")
def test_the_journal_has_a_secret_only_after_the_guess(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []

    def watched(act: Any) -> Any:
        def look_and_act(*arguments: Any) -> Any:
            with opened(Path("games.sqlite")) as journal:
                (running,) = (game for game in journal.games() if game.guess is None)
                seen.append(repr(journal.game(running.key)))
            return act(*arguments)

        return look_and_act

    for name in ("plan", "decide"):
        monkeypatch.setattr(Player, name, watched(getattr(Player, name)))
    line = "play --store store --practice-games games.jsonl --journal games.sqlite --games 2"
    assert run_line(line).code == 0

    assert len(seen) == 4
    with opened(Path("games.sqlite")) as journal:
        games = journal.games()
    for label in each(games, "label"):
        assert label.explanation
        assert not any(label.opening_sentence in facts for facts in seen)
