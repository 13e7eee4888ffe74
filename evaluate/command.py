"""`python -m evaluate`: practice server, replay, comparison, tuning, calibration, export, report, and games files."""

from __future__ import annotations

import importlib

from configs.settings import SettingsError
from evaluate.commands import MODULES, SUMMARIES
from evaluate.errors import EvaluateError
from ingest.console.arguments import choose
from ingest.errors import IngestError
from player.errors import PlayerError


def main(arguments: list[str] | None = None, prog: str = "python -m evaluate") -> int:
    """Run the command; returns the exit code (0 done, 1 something is missing or wrong, 2 bad input)."""
    name, rest = choose(SUMMARIES, arguments, prog, "Practise, measure and check.")
    # only the module of the command: all modules together take seconds to import
    module = importlib.import_module(
        f"evaluate.commands.{next(key for key in MODULES if name in MODULES[key])}"
    )
    command = next(command for command in module.COMMANDS if command.name == name)
    return int(
        command.main(
            rest,
            f"{prog} {name}",
            (IngestError, PlayerError, EvaluateError, SettingsError),
        )
    )
