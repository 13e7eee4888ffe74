"""`report`: runs as one HTML page."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from quarry.evaluate.commands.command import add_command, require_writable, write_text
from quarry.evaluate.errors import RunError
from quarry.evaluate.runs.files import read_run


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands,
        "report",
        run,
        "write runs as one HTML page that needs no network",
        "python -m evaluate report default.json dual.json --out report.html",
    )
    command.add_argument("runs", nargs="*", type=Path, metavar="RUN.json", help="runs as replay --out writes them")
    command.add_argument(
        "--referees",
        nargs="+",
        default=[],
        type=Path,
        metavar="TABLE.json",
        help="tables as referees --out writes them",
    )
    command.add_argument("--sweep", type=Path, metavar="FILE", help="a study as tune --study-out writes it")
    command.add_argument("--out", type=Path, required=True, metavar="report.html", help="the page")


def run(options: argparse.Namespace) -> int:
    """Write the page and name it."""
    from quarry.evaluate.report.page import render
    from quarry.evaluate.report.referees import Table
    from quarry.evaluate.report.sweep import read_sweep, sweep_part
    from quarry.evaluate.runs.table import read_table

    require_writable(options.out)
    if not options.runs and not options.referees:
        raise RunError("report must be given a RUN.json, or a table with --referees, got neither; name one")
    runs = [read_run(path) for path in options.runs]
    tables = [Table(path.stem, read_table(path)) for path in options.referees]
    names = [found.name for found in runs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RunError(f"runs must have names of their own, got {twice[0]}.json twice; rename one")
    sweep = sweep_part(read_sweep(options.sweep)) if options.sweep else None
    write_text(options.out, render(runs, sweep, tables))
    print(options.out)
    return 0
