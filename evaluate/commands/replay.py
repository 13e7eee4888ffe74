"""`replay`: measures the player on labelled games."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from quarry.configs.arguments import settings_of
from quarry.evaluate.commands.command import (
    add_command,
    add_depth,
    add_games,
    add_json,
    add_referee,
    add_store,
    add_strict,
    add_workers,
    lost_code,
    open_for,
    print_json,
    require_depth,
    require_repeats,
    require_writable,
    say_queries,
)
from quarry.evaluate.games.labelled import load_games
from quarry.evaluate.games.splits import select_split
from quarry.evaluate.referee import read_spec
from quarry.evaluate.runs.files import partial_path, write_run
from quarry.evaluate.runs.run import Run

PLACES = {"ingest": "at ingest", "book": "at the book", "search": "in the search", "answers": "by the answers"}
MAX_SHOWN = 20
"""Lost games that are explained unasked."""


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands,
        "replay",
        run,
        "measure the player on labelled games",
        "python -m evaluate replay --store data/store --games data/games/english.jsonl --split test --referee none",
    )
    add_store(command)
    add_games(command)
    command.add_argument("--split", metavar="NAME", help="train, validation or test (default: all games)")
    command.add_argument(
        "--preset",
        default="default",
        metavar="NAME",
        help="settings to play with, by name or a YAML file (default: %(default)s)",
    )
    add_referee(command, default="none")
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of splits, referee and intervals (default: %(default)s)"
    )
    command.add_argument(
        "--repeats", type=int, default=1, metavar="N", help="plays of each game, each with another referee seed"
    )
    command.add_argument(
        "--out",
        type=Path,
        metavar="RUN.json",
        help="also write the run to this file, and RUN.games.jsonl beside it; an interrupted replay goes on from there",
    )
    add_depth(command)
    add_workers(command)
    command.add_argument("--explain", action="store_true", help="say what became of every game, not only of lost ones")
    add_strict(command)
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """Replay, and print or write the run; 1 with --strict if a game was lost at ingest."""
    from quarry.evaluate.replay.replay import replay_store

    require_repeats(options.repeats)
    require_depth(options.depth)
    require_writable(options.out)
    settings = settings_of(options)
    games = select_split(load_games(options.games), options.split, options.seed)
    read_spec(options.referee)
    say_queries(options, games, settings)
    partial = partial_path(options.out) if options.out else None
    played = replay_store(
        games,
        open_for(options, settings),
        settings,
        collection=options.collection,
        referee=options.referee,
        seed=options.seed,
        repeats=options.repeats,
        workers=options.workers,
        partial=partial,
        depth=options.depth,
    )
    if options.out and partial:
        write_run(options.out, played)
        partial.unlink(missing_ok=True)
    if options.json:
        print_json(played.as_json())
    else:
        print_run(played, options)
    return lost_code(options, played.lost_at_ingest)


def print_run(played: Run, options: argparse.Namespace) -> None:
    """Print a run as a table, and what became of lost games."""
    run = played.as_json()
    print(f"{options.games}, {options.split or 'all splits'}, {_played_with(run, options)}, referee {options.referee}")
    print(
        f"{run['games']} games, {run['unanswerable']} of them unanswerable, {run['lost_at_ingest']} lost at ingest; "
        f"opening sentence exact {_percent(run['opening_sentence_exact'])}, "
        f"book resolved {_percent(run['book_resolved'])}"
    )
    for name, value in run["measures"].items():
        low, high = run["intervals"][name]
        print(f"  {name:11} {value:.3f}   [{low:.3f}, {high:.3f}]")
    if run["win_rate"] is not None:
        low, high = run["win_rate_interval"]
        print(f"  {'win rate':11} {run['win_rate']:.3f}   [{low:.3f}, {high:.3f}]")
        print(f"  sentence exact {_percent(run['sentence_exact'])}, private score {run['private_score']:.1f}")
    latency = run["latency_ms"]
    shown = (f"{part} {values['p50']:.1f} / {values['p95']:.1f}" for part, values in latency.items() if values)
    print(f"  ms at p50 / p95: {', '.join(shown)}")
    _print_fates(run["per_game"], everything=options.explain)


def _played_with(run: Mapping[str, Any], options: argparse.Namespace) -> str:
    """The preset, and what the user laid over it."""
    over = [*([str(options.config)] if options.config else []), *getattr(options, "changes", [])]
    tuned = f", tuned on store {run['settings']['tuned_on']}" if "tuned_on" in run["settings"] else ""
    return f"preset {options.preset}{''.join(f' with {change}' for change in over)}{tuned}"


def _print_fates(games: Sequence[dict[str, Any]], *, everything: bool) -> None:
    """Where games were lost, and what became of each lost one, or of every one."""
    lost = [game for game in games if game["lost_at"]]
    counts = Counter(game["lost_at"] for game in lost)
    places = ", ".join(f"{counts[place]} {where}" for place, where in PLACES.items())
    print(f"  lost: {len(lost)} of {len(games)} ({places})")
    shown = games if everything else lost[:MAX_SHOWN]
    repeated = any(game["repeat"] for game in games)
    for game in shown:
        repeat = f", repeat {game['repeat'] + 1}" if repeated else ""
        print(f"    {game['game_id']}{repeat}: {game['fate']}")
    if not everything and len(lost) > MAX_SHOWN:
        print(f"    ... and {len(lost) - MAX_SHOWN} more; --explain shows every game")


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100.0 * share:.1f}%"
