"""A small course and its games in a folder, without a model."""

import contextlib
import io
import shlex
from pathlib import Path

import pytest

from quarry.store import Course
from tests.evaluate.fakes import (
    Evaluate,
    Output,
    course_records,
    make_store,
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
    return _run


def _run(line: str) -> Output:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(shlex.split(line))
    return Output(code, out.getvalue(), err.getvalue())
