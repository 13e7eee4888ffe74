"""Fixtures of the harness's tests."""

from pathlib import Path

import pytest

from evaluate.command import main
from ingest.store import Course
from tests.evaluate.fakes import (
    Evaluate,
    Options,
    Output,
    course_records,
    make_store,
    run_main,
    use_hashing_embedder,
    write_games,
)
from tests.player.fakes import course


@pytest.fixture
def fast_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model is loaded, neither the player's nor the referee's."""
    use_hashing_embedder(monkeypatch)


@pytest.fixture
def evaluate(capsys: pytest.CaptureFixture[str], fast_models: None) -> Evaluate:
    """Run a command without a model, and return its exit code and what it printed."""

    def run(*arguments: object) -> Output:
        capsys.readouterr()
        code = run_main(main, *map(str, arguments))
        return Output(code, *capsys.readouterr())

    return run


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The small course."""
    return make_store(tmp_path_factory.mktemp("store"), course())


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """A games file with a game about each of its paragraphs."""
    return write_games(tmp_path / "games.jsonl", course_records())


@pytest.fixture
def about(store: Course, games: Path) -> Options:
    """Options that name the small course and its games."""
    return ("--store", store.location, "--games", games)
