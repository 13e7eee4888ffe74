"""Fixtures of the harness's tests."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The small course."""
    return make_store(tmp_path_factory.mktemp("store"), course())


@pytest.fixture
def evaluate(
    store: Course,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Evaluate:
    """Run a command line without a model, in a folder with the small course's `store` and its `games.jsonl`."""
    use_hashing_embedder(monkeypatch)
    monkeypatch.chdir(tmp_path)
    Path("store").symlink_to(store.location)
    write_games(Path("games.jsonl"), course_records())
    return run_line


# as root in a container, and without looking for a network
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser."""
    names = ("chromium", "chromium-browser", "google-chrome")
    executable = next(filter(None, map(shutil.which, names)), None)
    if executable is None:
        pytest.skip(
            "no Chromium is installed: the page is tested without a browser as well"
        )
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=executable, args=ARGUMENTS
        )
        yield chromium
        chromium.close()
