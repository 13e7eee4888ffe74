"""Labels stay in the harness: the player neither imports it, and so takes no labelled game, nor opens a games file."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import functools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quarry.evaluate.games.labelled import LabelledGame
from quarry.player import __main__ as player_command
from quarry.player.protocol.messages import RoundStart
from quarry.player.search.types import Query
from tests.evaluate.fakes import make_store, run_main
from tests.player.fakes import course

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("configs", "ingest", "player")
SOURCES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: Path) -> set[str]:
    """The packages that a file imports, also by importlib.import_module("..."); ours by their folders."""
    found = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {folder_of(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module == "quarry":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(folder_of(node.module))
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = ast.unparse(node.func)
            if called.endswith(("import_module", "__import__", "find_spec")):
                found.add(folder_of(str(node.args[0].value)))
    return found


def folder_of(module: str) -> str:
    """The top-level package of a module; the folder, where that is ours."""
    return module.removeprefix("quarry.").partition(".")[0]


def texts(path: Path) -> Iterator[str]:
    """Every string in a file."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


class TestSource:
    @pytest.mark.parametrize("path", SOURCES, ids=name_of)
    def test_player_ingest_and_configs_do_not_import_the_harness(self, path: Path) -> None:
        assert "evaluate" not in imported(path)

    @pytest.mark.parametrize("path", SOURCES, ids=name_of)
    def test_player_ingest_and_configs_name_no_games_file(self, path: Path) -> None:
        suspicious = ("data/games", "games.jsonl", "english.jsonl", "hebrew.jsonl", "truth.jsonl")
        assert [text for text in texts(path) if any(word in text for word in suspicious)] == []
        assert "games" not in set(texts(path))

    def test_only_run_game_and_benchmarks_import_the_harness_from_outside(self) -> None:
        proofs = ("evaluate", "tests", "benchmarks", "build")  # what measures may; pip builds a copy of all of it
        tops = [top for top in sorted(ROOT.iterdir()) if top.name[0] != "." and top.name not in proofs]
        outside = [path for top in tops for path in ([top] if top.is_file() else sorted(top.rglob("*.py")))]
        real = {path.resolve() for path in outside if path.suffix == ".py"}  # quarry/ holds links to the others
        outside = sorted(path for path in real if not path.is_relative_to(ROOT / "evaluate"))
        assert len(outside) > len(SOURCES)
        assert [name_of(path) for path in outside if "evaluate" in imported(path)] == [
            "quarry/api.py",
            "quarry/command.py",
            "quarry/play.py",
        ]

    def test_configs_import_nothing_of_ours_but_one_another(self) -> None:
        ours = {"ingest", "player", "evaluate", "benchmarks", "tests", "data", "run_game", "setup"}
        for path in sorted((ROOT / "configs").glob("*.py")):
            assert imported(path) & ours == set()

    def test_ingest_does_not_import_the_player(self) -> None:
        for path in sorted((ROOT / "ingest").rglob("*.py")):
            assert "player" not in imported(path)


class TestTypes:
    def test_what_the_player_is_told_has_no_field_for_the_solution(self) -> None:
        solution = {
            "paragraph_id",
            "opening_sentence",
            "paragraph",
            "associative_word",
            "document",
            "answerable",
            "split",
        }
        assert solution < {field.name for field in dataclasses.fields(LabelledGame)}
        for told in (RoundStart, Query):
            assert solution & {field.name for field in dataclasses.fields(told)} == set()


_listening: list[list[str]] = []


@contextlib.contextmanager
def watched_files() -> Iterator[list[str]]:
    """Within it, the names of all files that this process opens, by Python's audit events."""
    _listen()
    opened: list[str] = []
    _listening.append(opened)
    try:
        yield opened
    finally:
        _listening.remove(opened)


@functools.cache
def _listen() -> None:
    sys.addaudithook(_note)  # a hook stays for the life of the process


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("open", "sqlite3.connect") and isinstance(arguments[0], str | os.PathLike):
        for opened in _listening:
            opened.append(os.fspath(arguments[0]))


class TestProcess:
    @pytest.mark.usefixtures("fast_models")
    def test_a_search_opens_no_games_file(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        store = make_store(tmp_path / "store", course())
        with watched_files() as opened:
            (tmp_path / "seen").write_text("by the watch", encoding="utf-8")
            assert run_main(player_command.main, "search", "--store", store.location, "--hint", "merge quick heap") == 0
        assert "Sorting" in capsys.readouterr().out
        assert str(tmp_path / "seen") in opened
        data = [name for name in opened if not name.endswith(".py")]  # the digest of the code reads all sources
        lines = [name for name in data if "games" in Path(name).parts or name.endswith(".jsonl")]
        ours = ("documents.jsonl", "paragraphs.jsonl", "hint_bank.jsonl")  # of the store and of the package
        assert [name for name in lines if Path(name).name not in ours] == []
