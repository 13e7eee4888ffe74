"""`hostile`: games against a server that does what goes wrong in the wild."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from quarry.configs.arguments import settings_of
from quarry.configs.settings import SettingsError
from quarry.evaluate.commands.command import GAMES, add_command, add_json, add_store, open_for, print_json


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands,
        "hostile",
        run,
        "play a game against every fault of servers and referees",
        "python -m evaluate hostile --store data/store",
    )
    add_store(command)
    command.add_argument(
        "--games", type=Path, default=GAMES, metavar="FILE", help="labelled games (default: the bundled ones)"
    )
    command.add_argument("--only", metavar="TEXT", help="faults whose name holds this text")
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """Print a table of faults and what became of the games; 1 if one was lost."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from quarry.evaluate.practice.hostile.faults import all_faults
    from quarry.evaluate.practice.hostile.suite import peak_memory_mb, try_faults
    from quarry.evaluate.practice.server import load_repertoire
    from quarry.evaluate.referee import make_referee
    from quarry.player.player import build_player

    faults = [fault for fault in all_faults() if (options.only or "") in fault.name]
    if not faults:
        raise SettingsError(f"--only must be part of a fault's name, got {options.only!r}; leave it out for all")
    settings = settings_of(options)
    store = open_for(options, settings)
    player = build_player(store, settings)
    referee = make_referee("oracle")
    assert referee is not None, "the oracle answers"
    repertoire = load_repertoire(store, options.games, referee, settings)
    before_mb = peak_memory_mb()
    outcomes = list(try_faults(player, repertoire, faults))
    grown_mb = peak_memory_mb() - before_mb
    n_lost = sum(not outcome.survived for outcome in outcomes)
    if options.json:
        told = [asdict(outcome) for outcome in outcomes]
        print_json({"faults": told, "n_faults": len(outcomes), "n_lost": n_lost, "memory_grown_mb": round(grown_mb)})
        return 1 if n_lost else 0
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("fault", "kind", "game", "score or reason", "seconds"):
        table.add_column(name, justify="right" if name == "seconds" else "left")
    for outcome in outcomes:
        told_row = (outcome.fault, outcome.kind, outcome.ended, outcome.detail[:60], f"{outcome.seconds:.1f}")
        table.add_row(*(Text(cell) for cell in told_row))
    console = Console(width=None if Console().is_terminal else 140)
    console.print(table)
    console.print(f"{len(outcomes)} faults, {n_lost} games lost; memory grew by {grown_mb:.0f} MB", highlight=False)
    return 1 if n_lost else 0
