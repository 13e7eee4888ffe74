"""`python -m evaluate`: practice server, replay, comparison, tuning, calibration, export, report, and games files."""

from __future__ import annotations

import importlib
import sys

from quarry.configs.arguments import choose
from quarry.configs.settings import SettingsError
from quarry.evaluate.commands import SUMMARIES
from quarry.evaluate.errors import EvaluateError
from quarry.ingest.errors import IngestError
from quarry.player.errors import PlayerError


def main(arguments: list[str] | None = None, prog: str = "python -m evaluate") -> int:
    """Run the command; returns the exit code (0 done, 1 something is missing or wrong, 2 bad input)."""
    name, rest = choose(SUMMARIES, arguments, prog, "Practise, measure and check.")
    # only the module of the command: the modules of all commands take seconds to import
    module = importlib.import_module(f"quarry.evaluate.commands.{name.partition(' ')[0]}")
    command = next(command for command in module.COMMANDS if command.name == name)
    return int(command.main(rest, f"{prog} {name}", (IngestError, PlayerError, EvaluateError, SettingsError)))


if __name__ == "__main__":
    sys.exit(main())
