"""`export`: runs as TREC files and frames."""

from __future__ import annotations

import argparse

from quarry.configs.arguments import path
from quarry.configs.settings import SettingsError
from quarry.evaluate.commands.command import RUNS, command
from quarry.evaluate.errors import RunError
from quarry.evaluate.runs.files import read_runs


def run(options: argparse.Namespace) -> int:
    """Write the files and print their names."""
    from quarry.evaluate.runs.export import export

    if not options.runs:
        raise RunError("export must be given a RUN.json, got none; name one")
    runs = read_runs(options.runs)
    try:
        options.out.mkdir(parents=True, exist_ok=True)
        for path in export(runs, options.out):
            print(path)
    except OSError as error:
        raise SettingsError(f"--out must be a folder that can be written, got {options.out}: {error}") from error
    return 0


COMMANDS = (
    command(
        "export",
        "default.json dual.json --out exported",
        (RUNS, path("--out", "DIR", "folder to write to; made if need be", required=True)),
        run,
        settings=(),
    ),
)
