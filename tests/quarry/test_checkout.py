from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import quarry
from quarry.checkout import FOLDERS

ROOT = Path(__file__).resolve().parents[2]


def python(code: str, cwd: Path = ROOT) -> str:
    """What a new Python process prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("first", ["player.search.core", "quarry.player.search.core"])
def test_a_folder_by_its_own_name_is_no_second_copy(first: str) -> None:
    code = (
        f"import {first}, player.search.core as own, quarry.player.search.core as ours; "
        "from player.errors import PlayerError; from quarry.player.errors import PlayerError as Same; "
        "print(own is ours, PlayerError is Same, own.__name__)"
    )
    assert python(code) == "True True quarry.player.search.core"


@pytest.mark.parametrize("folder", FOLDERS)
def test_all_that_the_folders_have_under_one_name_they_have_under_the_other(folder: str) -> None:
    assert importlib.import_module(folder) is importlib.import_module(f"quarry.{folder}")


def test_a_module_that_is_not_there_is_missed_under_its_own_name() -> None:
    with pytest.raises(ModuleNotFoundError, match="player"):
        importlib.import_module("player.nothing")


def test_importing_quarry_loads_no_package_that_takes_time() -> None:
    heavy = ("numpy", "chromadb", "torch", "pydantic", "quarry.player.search")
    assert python(f"import sys, quarry; print([name for name in {heavy!r} if name in sys.modules])") == "[]"


@pytest.mark.parametrize("package", ["quarry", *(f"quarry.{folder}" for folder in FOLDERS)])
def test_every_name_that_a_package_promises_is_there(package: str) -> None:
    module = importlib.import_module(package)
    assert module.__all__
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_the_version_is_that_of_the_package() -> None:
    assert quarry.__version__.count(".") == 2
