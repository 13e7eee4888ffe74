"""`games check` and `games label`: find what is wrong with a games file, and write one with a person."""

from __future__ import annotations

import argparse

from quarry.configs.arguments import COLLECTION, JSON, STORE, flag, number, option, path, settings_of
from quarry.configs.plural import counted
from quarry.evaluate.commands.command import GAMES, command, print_json, require_writable, seed
from quarry.evaluate.games.labelled import FORM, read_games


def check(options: argparse.Namespace) -> int:
    """Print the findings; 1 if there are any."""
    from quarry.evaluate.games.check import check_games
    from quarry.evaluate.games.locating import locate_games
    from quarry.ingest.store import open_store

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


def label(options: argparse.Namespace) -> int:
    """Ask until the paragraphs or the answers end."""
    from quarry.evaluate.games.labeller import in_order, label_games
    from quarry.ingest.store import open_store

    settings_of(options)
    require_writable(options.out)
    store = open_store(options.store, options.collection)
    paragraphs = in_order(store.paragraphs, options.document, None if options.in_order else options.seed)
    n_games = label_games(paragraphs, options.out, input, options.number)
    print(f"{options.out}: {n_games} games; the same command goes on from here")
    return 0


COMMANDS = (
    command(
        "games check",
        "--store data/store --games data/games/english.jsonl",
        (STORE, COLLECTION, GAMES, JSON),
        check,
        settings=(),
        notes=FORM,
    ),
    command(
        "games label",
        "--store my/store --out my/games.jsonl",
        (
            *(STORE, COLLECTION),
            path("--out", "FILE", "the games file; it is added to", required=True),
            option("--document", "NAME", "only paragraphs of this document"),
            flag("--in-order", says="as they stand in the documents, not by chance"),
            seed("of the order"),
            number("--number", 1, "stop after N games (default: when told :q)"),
        ),
        label,
    ),
)
