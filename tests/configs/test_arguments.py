"""What all command lines share; a command that is run without its packages says what to do, without a traceback."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import pytest

from quarry.configs.arguments import SETTINGS, Command, settings_of

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


def options(*arguments: str) -> argparse.Namespace:
    return Command("do", "do it", "do it now", SETTINGS, lambda options: 0).parser("do").parse_args(arguments)


def test_a_strategy_of_ones_own_is_asked_beside_the_others() -> None:
    settings = settings_of(options("--plugin", "tests.player.search.test_build:Prophet", "--set", "search.rrf_k=7"))
    assert settings.search.strategies == ("dense", "tests.player.search.test_build.Prophet")
    assert settings.search.rrf_k == 7


def test_what_a_caller_sets_takes_the_place_of_set() -> None:
    settings = settings_of(options("--set", "search.rrf_k=7"), "dual", ["search.rrf_k=9"])
    assert (settings.preset, settings.search.rrf_k) == ("dual", 9)
