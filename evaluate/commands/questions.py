"""`questions`: writes the batch the player would send, per game."""

from __future__ import annotations

import argparse
import sys

from tqdm.auto import tqdm

from quarry.configs.arguments import COLLECTION, PRESET, STORE, flag, option, path, settings_of, warn
from quarry.evaluate.answers.batches import VIEWED, batch_line, make_batches, respondent_line
from quarry.evaluate.commands.command import (
    GAMES,
    SPLIT,
    chosen_games,
    command,
    open_for,
    require_writable,
    seed,
    write_text,
)
from quarry.evaluate.errors import BatchError
from quarry.evaluate.games.locating import locate_games, require_of_store
from quarry.evaluate.referee import tools_of


def run(options: argparse.Namespace) -> int:
    """Write the batches; 1 if a game has no paragraph to ask about."""
    from quarry.player.player import build_player

    require_writable(options.out)
    if options.view and not options.for_respondent:
        raise BatchError(
            f"--view must come with --for-respondent, got {options.view} alone; a batch is the same for all views"
        )
    settings = settings_of(options)
    games = [game for game in chosen_games(options) if game.answerable]
    store = open_for(options, settings)
    located = locate_games(games, store.paragraphs)
    require_of_store(located, store.location, str(options.games))
    batches = make_batches(games, located, build_player(store, settings, options.seed))
    retrieve = tools_of(store, settings.embed).retrieve
    lines = [
        respondent_line(batch, options.view or "paragraph", retrieve) if options.for_respondent else batch_line(batch)
        for batch in tqdm(batches, desc="asking", unit="game", total=len(games))
    ]
    write_text(options.out, "".join(f"{line}\n" for line in lines))
    n_lost = len(games) - len(lines)
    print(f"{options.out}: {len(lines)} batches of 20 questions", file=sys.stderr)
    if n_lost:
        warn(options, f"{n_lost} games have no paragraph to ask about")
    return 1 if n_lost else 0


COMMANDS = (
    command(
        "questions",
        "--games data/games/english.jsonl --split train --out batches.jsonl",
        (
            *(STORE, COLLECTION, GAMES, SPLIT, PRESET),
            seed("of splits and questions"),
            path("--out", "BATCHES.jsonl", "one game a line: game_id, paragraph, questions", required=True),
            flag(
                "--for-respondent",
                says="write what respondents are shown, not what the questions are about; `replay --answers` needs "
                "the other file",
            ),
            option(
                "--view",
                "|".join(VIEWED),
                "with --for-respondent: what they see of the paragraph; opening calls its opening sentence the "
                "paragraph, passages gives that sentence and, for each question, four paragraphs of the course "
                "(default: paragraph)",
                choices=VIEWED,
            ),
        ),
        run,
    ),
)
