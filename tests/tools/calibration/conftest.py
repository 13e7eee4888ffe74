"""A small course and its games in a folder, without a model."""

import functools
from pathlib import Path

import pytest

from quarry.store import Course
from tests.evaluate.fakes import (
    Evaluate,
    course_records,
    make_store,
    run_line,
    use_hashing_embedder,
    write_games,
)
from tests.player.fakes import course
from tools.calibration.__main__ import main


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """The small course in the folder `store`, and its `games.jsonl`."""
    use_hashing_embedder(monkeypatch)
    monkeypatch.chdir(tmp_path)
    write_games(Path("games.jsonl"), course_records())
    return make_store(Path("store"), course())


@pytest.fixture
def command(store: Course) -> Evaluate:
    """Run the command."""
    return functools.partial(run_line, command=main)
