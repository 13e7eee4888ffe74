"""The command that calibrates."""

import functools

import pytest

from tests.evaluate.fakes import Evaluate, run_line
from tools.calibration.__main__ import main


@pytest.fixture
def command(evaluate: Evaluate) -> Evaluate:
    """Run the command in the folder of the small course."""
    return functools.partial(run_line, command=main)
