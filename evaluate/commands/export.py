"""`export`: runs as TREC files and frames."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from quarry.configs.settings import SettingsError
from quarry.evaluate.commands.command import add_command, add_store
from quarry.evaluate.errors import RunError
from quarry.evaluate.runs.files import read_run


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands,
        "export",
        run,
        "write runs as TREC runs and qrels, and as parquet and csv; and games with their store in BEIR's layout",
        "python -m evaluate export default.json dual.json --out exported",
        flags=(),
    )
    command.add_argument("runs", nargs="*", type=Path, metavar="RUN.json", help="runs as replay --out writes them")
    command.add_argument(
        "--games", type=Path, metavar="FILE", help="labelled games, to be written with --store in BEIR's layout"
    )
    add_store(command)
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write to; made if need be")


def run(options: argparse.Namespace) -> int:
    """Write the files and name them."""
    from quarry.evaluate.runs.export import export

    if not options.runs and options.games is None:
        raise RunError("export must be given a RUN.json, or --games with --store, got neither; name one")
    runs = [read_run(path) for path in options.runs]
    names = [found.name for found in runs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RunError(f"runs must have names of their own, got {twice[0]}.json twice; rename one")
    try:
        options.out.mkdir(parents=True, exist_ok=True)
        for path in [*(export(runs, options.out) if runs else []), *(_collection(options) if options.games else [])]:
            print(path)
    except OSError as error:
        raise SettingsError(f"--out must be a folder that can be written, got {options.out}: {error}") from error
    return 0


def _collection(options: argparse.Namespace) -> list[Path]:
    """Write the games and their store in BEIR's layout."""
    from quarry.evaluate.games.beir import write_beir
    from quarry.evaluate.games.labelled import load_games
    from quarry.evaluate.games.locating import locate_games, require_of_store
    from quarry.ingest.store import open_store

    games = load_games(options.games)
    store = open_store(options.store, options.collection)
    located = locate_games(games, store.paragraphs)
    require_of_store(located, store.location, "--games")
    return write_beir(games, located, store.paragraphs, options.out)
