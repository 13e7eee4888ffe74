"""An empty folder for each test, and a browser for the tests of pages."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# as root in a container, and without looking for a network
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-sync",
]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder is an empty one."""
    monkeypatch.chdir(tmp_path)


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
