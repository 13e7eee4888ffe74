"""`python -m evaluate`: practice server, replay, comparison, tuning, export, report, and games files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from quarry.configs.arguments import OneLineParser, run_command
from quarry.configs.settings import SettingsError
from quarry.configs.terminal import visible
from quarry.evaluate.commands import (
    answers,
    calibrate,
    check_games,
    compare,
    export,
    fit_associations,
    fit_prior,
    fit_tokens,
    label,
    questions,
    rates,
    referees,
    replay,
    report,
    serve,
    tune,
)
from quarry.evaluate.errors import EvaluateError
from quarry.ingest.errors import IngestError
from quarry.player.errors import PlayerError

COMMANDS = (
    serve,
    replay,
    referees,
    compare,
    tune,
    export,
    report,
    check_games,
    label,
    questions,
    answers,
    calibrate,
    fit_prior,
    fit_tokens,
    fit_associations,
    rates,
)
"""In the order in which --help names them; each module's `add` takes the subparsers."""

NAMES = tuple(command.__name__.rpartition(".")[2].replace("_", "-") for command in COMMANDS)


def main(arguments: list[str] | None = None, prog: str = "python -m evaluate") -> int:
    """Run the command; returns the exit code (0 done, 1 something is missing or wrong, 2 bad input)."""
    options = _parser(prog).parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        if (getattr(options, "seed", None) or 0) < 0:
            raise SettingsError(f"--seed must be at least 0, got {options.seed}")
        return run_command(lambda: run(options))
    except (IngestError, PlayerError, EvaluateError, SettingsError) as error:
        print(f"evaluate {options.command}: {visible(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"evaluate {options.command}: interrupted", file=sys.stderr)
        return 130


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = OneLineParser(prog=prog, description="Practise, measure and check.")
    commands = parser.add_subparsers(dest="command", required=True)
    for command in COMMANDS:
        command.add(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
