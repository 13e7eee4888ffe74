"""`check-games`: says what is wrong with a games file."""

from __future__ import annotations

import argparse
from typing import Any

from quarry.configs.plural import counted
from quarry.evaluate.commands.command import add_command, add_games, add_json, add_store, print_json
from quarry.evaluate.games.check import check_games
from quarry.evaluate.games.labelled import read_games
from quarry.evaluate.games.locating import locate_games
from quarry.evaluate.games.table import FORM
from quarry.ingest.store import open_store


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands,
        "check-games",
        run,
        "say what is wrong with a games file",
        "python -m evaluate check-games --store data/store --games data/games/english.jsonl",
        flags=(),
    )
    command.epilog = f"{command.epilog}\n\n{FORM}"
    add_store(command)
    add_games(command)
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """Print the findings; 1 if there are any."""
    games, problems = read_games(options.games)
    store = open_store(options.store, options.collection)
    findings = [("", str(problem)) for problem in problems]
    findings += check_games(games, locate_games(games, store.paragraphs))
    if options.json:
        found = [{"game_id": game_id, "wrong": wrong} for game_id, wrong in findings]
        print_json({"games": len(games), "findings": found})
    else:
        for game_id, wrong in findings:
            print(f"{game_id}: {wrong}" if game_id else wrong)
        print(f"{options.games}: {counted(len(games), 'game')}, {counted(len(findings), 'thing')} wrong")
    return 1 if findings else 0
