"""`python -m evaluate`: practice server, replay, comparison, tuning, calibration, export, report, and games files."""

from __future__ import annotations

if __name__ == "__main__":  # before the other imports, so that Ctrl-C while they run prints no traceback
    import sys

    from quarry.command import run_quietly

    sys.exit(run_quietly("quarry.evaluate.__main__"))

import importlib
import sys

from quarry.configs.arguments import choose
from quarry.configs.settings import SettingsError
from quarry.evaluate.commands import MODULES, SUMMARIES
from quarry.evaluate.errors import EvaluateError
from quarry.ingest.errors import IngestError
from quarry.player.errors import PlayerError


def main(arguments: list[str] | None = None, prog: str = "python -m evaluate") -> int:
    """Run the command; returns the exit code (0 done, 1 something is missing or wrong, 2 bad input)."""
    name, rest = choose(SUMMARIES, arguments, prog, "Practise, measure and check.")
    # only the module of the command: all modules together take seconds to import
    module = importlib.import_module(f"quarry.evaluate.commands.{next(key for key in MODULES if name in MODULES[key])}")
    command = next(command for command in module.COMMANDS if command.name == name)
    return int(command.main(rest, f"{prog} {name}", (IngestError, PlayerError, EvaluateError, SettingsError)))
