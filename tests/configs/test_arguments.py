"""A command that is run without its packages says what to do, and shows no traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("command", [["run_game.py"], ["-m", "ingest"], ["-m", "player"], ["-m", "evaluate"]])
def test_python_without_the_environment_is_told_of_it(command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-S", *command, "--help"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        f"the packages of requirements.txt must be installed, {sys.executable} has not got them; "
        "type make play once, and take .venv/bin/python\n"
    )
