"""`export`: runs as TREC files and frames."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from quarry.configs.settings import SettingsError
from quarry.evaluate.commands.command import add_command
from quarry.evaluate.errors import RunError
from quarry.evaluate.runs.files import read_run


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands,
        "export",
        run,
        "write runs as TREC runs and qrels, and as parquet and csv",
        "python -m evaluate export default.json dual.json --out exported",
    )
    command.add_argument("runs", nargs="+", type=Path, metavar="RUN.json", help="runs as replay --out writes them")
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write to; made if need be")


def run(options: argparse.Namespace) -> int:
    """Write the files and name them."""
    from quarry.evaluate.runs.export import export

    runs = [read_run(path) for path in options.runs]
    names = [found.name for found in runs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RunError(f"runs must have names of their own, got {twice[0]}.json twice; rename one")
    try:
        options.out.mkdir(parents=True, exist_ok=True)
        for path in export(runs, options.out):
            print(path)
    except OSError as error:
        raise SettingsError(f"--out must be a folder that can be written, got {options.out}: {error}") from error
    return 0
