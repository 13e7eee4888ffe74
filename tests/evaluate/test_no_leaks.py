"""Labels stay in the harness: the player neither imports it, and so takes no labelled game, nor opens a games file."""

import ast
import contextlib
import dataclasses
import functools
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluate.games.labelled import LabelledGame
from player import command as player_command
from player.protocol.messages import RoundStart
from player.search.types import Query
from tests.evaluate.fakes import make_store, run_main
from tests.fakes import each
from tests.player.fakes import course

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("configs", "ingest", "player")
SOURCES = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
GAMES_FILE = re.compile(r"data/games|(games|english|hebrew|truth)\.jsonl")
IMPORTERS = ("import_module", "__import__", "find_spec")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_player_ingest_and_configs_import_no_harness_and_name_no_games_file(
    path: Path,
) -> None:
    modules = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules += each(node.names, "name")
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            modules.append(str(node.module))
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(IMPORTERS):
            modules += map(ast.unparse, node.args)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert not GAMES_FILE.search(node.value)
            # the journal has a table of played games
            assert node.value != "games" or path.name == "journal.py"

    packages = {module.strip("'").partition(".")[0] for module in modules}
    assert "evaluate" not in packages


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


_listening: list[list[str]] = []


@contextlib.contextmanager
def watched_files() -> Iterator[list[str]]:
    """Within it, the names of all files that this process opens, by Python's audit events."""
    _listen()
    opened: list[str] = []
    _listening.append(opened)
    yield opened
    _listening.remove(opened)


@functools.cache
def _listen() -> None:
    sys.addaudithook(_note)  # a hook stays for the life of the process


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("open", "sqlite3.connect"):
        for opened in _listening:
            opened.append(str(arguments[0]))


@pytest.mark.usefixtures("fast_models")
def test_a_search_opens_no_games_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = make_store(tmp_path / "store", course())
    with watched_files() as opened:
        (tmp_path / "seen").write_text("by the watch", encoding="utf-8")
        search = ("search", "--store", store.location, "--hint", "merge quick heap")
        assert run_main(player_command.main, *search) == 0
    assert "Sorting" in capsys.readouterr().out
    assert str(tmp_path / "seen") in opened
    # files of the store and of the package; the digest of the code reads all sources
    ours = {"documents.jsonl", "paragraphs.jsonl", "hint_bank.jsonl"}
    for path in map(Path, opened):
        if path.suffix != ".py" and path.name not in ours:
            assert "games" not in path.parts
            assert path.suffix != ".jsonl"
