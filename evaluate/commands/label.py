"""`label`: writes labelled games with a person."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path
from typing import Any

from quarry.configs.arguments import settings_of
from quarry.configs.settings import SettingsError
from quarry.evaluate.commands.command import add_command, add_store, require_writable
from quarry.ingest.store import open_store


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands,
        "label",
        run,
        "write labelled games with a person, paragraph by paragraph, checking the rule of the game",
        "python -m evaluate label --store my/store --out my/games.jsonl",
    )
    add_store(command)
    command.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FILE",
        help="the games file; it is added to, and FILE.draft beside it",
    )
    command.add_argument("--document", metavar="NAME", help="only paragraphs of this document")
    command.add_argument("--in-order", action="store_true", help="as they stand in the documents, not by chance")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="of the order (default: %(default)s)")
    command.add_argument("--number", type=int, metavar="N", help="stop after N games (default: when told :q)")


def run(options: argparse.Namespace) -> int:
    """Ask until there is no more to ask or to answer."""
    from quarry.evaluate.games.askers import PipeAsker, TerminalAsker
    from quarry.evaluate.games.labeller import Labeller, in_order

    settings_of(options)
    if options.number is not None and options.number < 1:
        raise SettingsError(f"--number must be at least 1, got {options.number}")
    require_writable(options.out)
    store = open_store(options.store, options.collection)
    paragraphs = in_order(store.paragraphs, options.document, None if options.in_order else options.seed)
    asker = TerminalAsker() if sys.stdin.isatty() and sys.stdout.isatty() else PipeAsker(sys.stdin, sys.stdout)
    labeller = Labeller(paragraphs, options.out, asker)
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        labeller.run(options.number)
    print(f"{options.out}: {labeller.n_games} games; the same command goes on from here")
    return 0
