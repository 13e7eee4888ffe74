"""`replay`: measures the player on labelled games."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from configs.settings import SettingsError, load
from evaluate.commands.command import (
    add_command,
    add_games,
    add_json,
    add_store,
    as_json,
    print_json,
    require_writable,
    write_text,
)
from evaluate.games import load_games, select_split
from evaluate.referee import make_referee
from ingest.store import models_dir_of, open_store


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
        "--preset", default="default", metavar="NAME", help="settings to play with (default: %(default)s)"
    )
    command.add_argument(
        "--referee",
        default="none",
        metavar="SPEC",
        help="none, oracle or noisy:WRONG,NOT_RELEVANT (default: %(default)s)",
    )
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of splits, referee and intervals (default: %(default)s)"
    )
    command.add_argument(
        "--repeats", type=int, default=1, metavar="N", help="plays of each game, each with another referee seed"
    )
    command.add_argument("--out", type=Path, metavar="RUN.json", help="also write the run to this file")
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """Replay, and print or write the run; 1 if a game was lost at ingest."""
    from evaluate.replay import replay
    from evaluate.scoring import word_similarity
    from player.player import build_player

    if options.repeats < 1:
        raise SettingsError(f"--repeats must be at least 1, got {options.repeats}")
    require_writable(options.out)
    settings = load(options.preset, options.config)
    games = select_split(load_games(options.games), options.split, options.seed)
    make_referee(options.referee, options.seed)
    store = open_store(options.store, options.collection)
    similarity = None
    if options.referee != "none":
        models_dir = models_dir_of(store, settings.embed)
        similarity = word_similarity(store.embedder_spec, models_dir, settings.embed)
    found = replay(
        games,
        store,
        build_player(store, settings),
        settings,
        referee=options.referee,
        similarity=similarity,
        seed=options.seed,
        repeats=options.repeats,
    )
    if options.out:
        write_text(options.out, as_json(found) + "\n")
    if options.json:
        print_json(found)
    else:
        _print_run(found, options)
    if found["lost_at_ingest"]:
        print(
            f"evaluate replay: {found['lost_at_ingest']} games are about paragraphs that the store does not hold",
            file=sys.stderr,
        )
        return 1
    return 0


def _print_run(run: dict[str, Any], options: argparse.Namespace) -> None:
    print(f"{options.games}, {options.split or 'all splits'}, preset {options.preset}, referee {options.referee}")
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


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100.0 * share:.1f}%"
