"""What is installed is whole: a wheel is built and installed, and a game is played from it, away from the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(900)
"""A wheel is built, and six lectures are read and embedded."""

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("configs", "evaluate", "ingest", "player", "quarry")


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel installs."""
    folder = tmp_path_factory.mktemp("wheel")
    install = [sys.executable, "-m", "pip", "install", str(ROOT), "--no-deps", "-q"]
    install += ["--no-build-isolation", "--target", str(folder / "site")]
    done = subprocess.run(
        install, capture_output=True, text=True, check=False, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return folder / "site"


def quarry(
    unpacked: Path, home: Path, *arguments: str
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(unpacked), "QUARRY_HOME": str(home)}
    return subprocess.run(
        [sys.executable, "-m", "quarry", *arguments],
        cwd=unpacked.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_wheel_installs_the_packages_with_their_data_and_nothing_else(
    unpacked: Path,
) -> None:
    tops = set()
    for path in unpacked.iterdir():
        if not path.name.endswith(".dist-info"):
            tops.add(path.name)
    assert tops == {*PACKAGES, "bin", "share"}
    for folder in PACKAGES:
        ours = set()
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                ours.add(path.relative_to(ROOT))
        missing = set()
        for path in ours:
            if not (unpacked / path).is_file():
                missing.add(path)
        assert missing == set()
    assert (unpacked / "quarry" / "py.typed").is_file()
    lectures = unpacked / "share" / "quarry" / "lectures" / "english"
    assert len(list(lectures.glob("*.pdf"))) == 7


@pytest.mark.usefixtures("models_dir")
def test_a_game_is_played_from_a_wheel_and_nothing_is_written_into_it(
    unpacked: Path, tmp_path: Path
) -> None:
    before = set()
    for path in unpacked.rglob("*"):
        if path.suffix != ".pyc" and path.name != "__pycache__":
            before.add(path)
    done = quarry(unpacked, tmp_path / "home", "play", "--seed", "11", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["games"][0]["league_points"] >= 0
    assert (tmp_path / "home" / "store" / "current").is_file()
    after = set()
    for path in unpacked.rglob("*"):
        if path.suffix != ".pyc" and path.name != "__pycache__":
            after.add(path)
    assert after == before
