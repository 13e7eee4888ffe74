"""`referees`: plays labelled games against every kind of referee."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quarry.configs.arguments import settings_of
from quarry.evaluate.commands.command import (
    add_command,
    add_games,
    add_json,
    add_referee,
    add_store,
    add_strict,
    add_workers,
    as_json,
    lost_code,
    open_for,
    print_json,
    require_repeats,
    require_writable,
    write_text,
)
from quarry.evaluate.games.labelled import load_games
from quarry.evaluate.games.splits import select_split
from quarry.evaluate.runs.files import partial_path

HEADS = ("referee", "plays", "won", "than the hint alone", "private score", "Brier", "log score", "confidence")


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands,
        "referees",
        run,
        "play labelled games against every kind of referee: won, private score, Brier and log score",
        "python -m evaluate referees --store data/store --games data/games/english.jsonl --split test --repeats 3 "
        "--referee oracle --referee sees:opening,wrong:0.15,declined:0.10",
    )
    add_store(command)
    add_games(command)
    command.add_argument("--split", metavar="NAME", help="train, validation or test (default: all games)")
    command.add_argument(
        "--preset", default="default", metavar="NAME", help="settings to play with (default: %(default)s)"
    )
    add_referee(command, default=None, says="who answers; again for another (default: every kind)")
    command.add_argument(
        "--repeats",
        type=int,
        default=3,
        metavar="N",
        help="plays of each game against each referee that draws by chance (default: %(default)s)",
    )
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of splits, referees and intervals (default: %(default)s)"
    )
    command.add_argument(
        "--out",
        type=Path,
        metavar="TABLE.json",
        help="also write the table; an interrupted run goes on from there",
    )
    add_workers(command)
    add_strict(command)
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """Play, and print or write the table; 1 with --strict if a game was lost at ingest."""
    from quarry.evaluate.replay.rounds import SPECS, judges_of, play_rounds
    from quarry.evaluate.runs.table import make_table

    require_repeats(options.repeats)
    require_writable(options.out)
    settings = settings_of(options)
    specs = options.referee or list(SPECS)
    judges = judges_of(specs, options.repeats, options.seed)
    games = select_split(load_games(options.games), options.split, options.seed)
    store = open_for(options, settings)
    partial = partial_path(options.out) if options.out else None
    played = play_rounds(
        games,
        store,
        settings,
        collection=options.collection,
        judges=judges,
        seed=options.seed,
        workers=options.workers,
        partial=partial,
    )
    table = make_table(played, judges, store.fingerprint, settings, options.seed)
    if options.out and partial:
        write_text(options.out, as_json(table) + "\n")
        partial.unlink(missing_ok=True)
    if options.json:
        print_json(table)
    else:
        print(f"{options.games}, {options.split or 'all splits'}, preset {options.preset}: {table['games']} games")
        print(as_text(table))
    return lost_code(options, table["lost_at_ingest"])


def as_text(table: Mapping[str, Any]) -> str:
    """The table in Markdown, for people and for docs."""
    lines = [{**table["hint_alone"], "referee": "the hint alone"}]
    lines += [{**line, "referee": f"`{line['referee']}`"} for line in table["referees"]]
    rows = [HEADS, ("---",) * len(HEADS), *map(_cells, lines)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cells(line: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        line["referee"],
        str(line["plays"]),
        _spanned(line, "won", ".3f", ".2f"),
        _spanned(line, "won_more_than_hint", "+.3f", "+.2f") if line["referee"] != "the hint alone" else "",
        _spanned(line, "private_score", ".1f", ".1f"),
        _spanned(line, "brier", ".4f", ".3f"),
        _spanned(line, "log_score", ".3f", ".2f"),
        f"{line['confidence']:.3f}",
    )


def _spanned(line: Mapping[str, Any], name: str, form: str, ends_form: str) -> str:
    low, high = line[f"{name}_interval"]
    return f"{line[name]:{form}} [{low:{ends_form}}, {high:{ends_form}}]"
