"""Values in the user's cache: only what this user has saved is loaded."""

import os
import pickle
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest

from configs.directories import cache
from quarry import pickles


class Planted:
    """A value that makes a file when its pickle is loaded."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self._path),)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUARRY_HOME", f"{tmp_path}/home")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The path of a value."""
    return tmp_path / "value"


def test_a_value_comes_back_with_the_shared_object_in_its_place(path: Path) -> None:
    shared, other = ["shared"], ["another"]
    pickles.save({"a": [1, None], "inner": shared}, path, shared)
    value = pickles.load(path, other)
    assert value == {"a": [1, None], "inner": other}
    assert value["inner"] is other


def test_a_pickle_of_somebody_else_is_not_loaded(path: Path) -> None:
    planted = pickle.dumps(Planted(path.with_name("ran")))
    pickles.save(1, path)
    for content in (planted, path.read_bytes()[:32] + planted, b""):
        path.write_bytes(content)
        with pytest.raises(pickles.UnsignedError):
            pickles.load(path)
    assert not path.with_name("ran").exists()


def test_key_and_values_are_private_and_a_key_that_others_read_is_replaced(
    path: Path,
) -> None:
    pickles.save(1, path)
    key = cache() / pickles.KEY
    before = key.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    key.chmod(0o644)
    pickles._key.cache_clear()
    with pytest.raises(pickles.UnsignedError):
        pickles.load(path)
    assert key.read_bytes() != before
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_a_folder_that_was_unpacked_from_an_archive_is_not_trusted(
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pickles.save(1, path)
    before = (cache() / pickles.KEY).read_bytes()
    shutil.copytree(tmp_path / "home", tmp_path / "copy")
    monkeypatch.setenv("QUARRY_HOME", f"{tmp_path}/copy")
    assert (cache() / pickles.KEY).read_bytes() == before
    with pytest.raises(pickles.UnsignedError):
        pickles.load(path)
