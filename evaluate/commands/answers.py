"""`answers`: replays games with an outside referee's answers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from quarry.configs.arguments import settings_of
from quarry.evaluate.answers.batches import read_answers, read_batches
from quarry.evaluate.commands.command import (
    add_command,
    add_games,
    add_json,
    add_store,
    add_strict,
    lost_code,
    open_for,
    print_json,
    require_writable,
)
from quarry.evaluate.commands.replay import print_run
from quarry.evaluate.errors import BatchError
from quarry.evaluate.games.labelled import load_games
from quarry.evaluate.runs.files import write_run


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands,
        "answers",
        run,
        "replay games with the answers that an outside referee gave",
        "python -m evaluate answers --games data/games/english.jsonl --batches batches.jsonl --answers answers.jsonl",
    )
    add_store(command)
    add_games(command)
    command.add_argument(
        "--batches", type=Path, required=True, metavar="FILE", help="what `python -m evaluate questions` wrote"
    )
    command.add_argument(
        "--answers",
        type=Path,
        required=True,
        metavar="FILE",
        help='a line a game: {"game_id", "answers": [{"question_number", "answer"}]}',
    )
    command.add_argument(
        "--preset", default="default", metavar="NAME", help="settings to play with (default: %(default)s)"
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="of the intervals (default: %(default)s)")
    command.add_argument("--out", type=Path, metavar="RUN.json", help="also write the run to this file")
    add_strict(command)
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """Replay, and print or write the run; 1 with --strict if a game was lost at ingest."""
    from quarry.evaluate.answers.answered import answering
    from quarry.evaluate.referee.scoring import word_similarity
    from quarry.evaluate.replay.replay import replay_games
    from quarry.player.player import build_player

    require_writable(options.out)
    settings = settings_of(options)
    batches = read_batches(options.batches)
    answers = read_answers(options.answers, batches)
    games = [game for game in load_games(options.games) if game.game_id in answers]
    if unknown := sorted(set(answers) - {game.game_id for game in games}):
        raise BatchError(
            f"{options.answers}: every game_id must be in --games {options.games}, got {unknown[0]!r}; name that file"
        )
    if not games:
        raise BatchError(f"{options.answers}: must answer at least one game, got none; one JSON object a line")
    store = open_for(options, settings)
    similarity = word_similarity(store.embedder_spec, store.models(settings.embed))
    player = build_player(store, settings)
    played = replay_games(
        games,
        store,
        settings,
        answering(player, batches, answers, similarity, options.seed),
        referee="answers",
        seed=options.seed,
    )
    if options.out:
        write_run(options.out, played)
    if options.json:
        print_json(played.as_json())
    else:
        options.split, options.referee, options.explain = None, f"answers of {options.answers}", False
        print_run(played, options)
    return lost_code(options, played.lost_at_ingest)
