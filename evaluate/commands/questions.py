"""`questions`: writes the batch the player would send, per game."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from tqdm.auto import tqdm

from quarry.configs.arguments import settings_of
from quarry.evaluate.answers.batches import batch_line, make_batches
from quarry.evaluate.answers.sheets import SHEETS, sheet_line
from quarry.evaluate.commands.command import add_command, add_games, add_store, open_for, require_writable, write_text
from quarry.evaluate.errors import BatchError
from quarry.evaluate.games.labelled import load_games
from quarry.evaluate.games.locating import locate_games, require_of_store
from quarry.evaluate.games.splits import select_split
from quarry.evaluate.referee import tools_of


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands,
        "questions",
        run,
        "write the batch of questions that the player would send, per game",
        "python -m evaluate questions --games data/games/english.jsonl --split train --out batches.jsonl",
    )
    add_store(command)
    add_games(command)
    command.add_argument("--split", metavar="NAME", help="train, validation or test (default: all games)")
    command.add_argument(
        "--preset", default="default", metavar="NAME", help="settings to play with (default: %(default)s)"
    )
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of splits and questions (default: %(default)s)"
    )
    command.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="BATCHES.jsonl",
        help="one game a line: game_id, paragraph, questions",
    )
    command.add_argument(
        "--for-respondent",
        action="store_true",
        help="write what respondents are shown, not what the questions are about; `answers` needs the other file",
    )
    command.add_argument(
        "--view",
        choices=tuple(SHEETS),
        metavar="|".join(SHEETS),
        help="with --for-respondent: what they see of the paragraph; opening calls its opening sentence the paragraph, "
        "passages gives that sentence and, for each question, four paragraphs of the course (default: paragraph)",
    )


def run(options: argparse.Namespace) -> int:
    """Write the batches; 1 if a game has no paragraph to ask about."""
    from quarry.player.player import build_player

    require_writable(options.out)
    if options.view and not options.for_respondent:
        raise BatchError(
            f"--view must come with --for-respondent, got {options.view} alone; a batch is the same for all views"
        )
    settings = settings_of(options)
    games = [
        game
        for game in select_split(load_games(options.games), options.split, options.seed)
        if game.answerable and not game.is_query
    ]
    store = open_for(options, settings)
    located = locate_games(games, store.paragraphs)
    require_of_store(located, store.location, str(options.games))
    batches = make_batches(games, located, build_player(store, settings, options.seed))
    retrieve = tools_of(store, settings.embed).retrieve
    lines = [
        sheet_line(batch, options.view or "paragraph", retrieve) if options.for_respondent else batch_line(batch)
        for batch in tqdm(batches, desc="asking", unit="game", total=len(games))
    ]
    write_text(options.out, "".join(f"{line}\n" for line in lines))
    n_lost = len(games) - len(lines)
    print(f"{options.out}: {len(lines)} batches of 20 questions", file=sys.stderr)
    if n_lost:
        print(f"evaluate questions: {n_lost} games have no paragraph to ask about", file=sys.stderr)
    return 1 if n_lost else 0
