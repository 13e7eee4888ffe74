"""`fit-prior`: fits how relevance becomes the belief that the questions start from."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from tqdm.auto import tqdm

from quarry.configs.arguments import settings_of
from quarry.evaluate.commands.command import add_command, add_games, add_json, add_store, open_for, print_json
from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.labelled import load_games
from quarry.evaluate.games.locating import locate_games, require_of_store
from quarry.evaluate.games.splits import select_split


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands,
        "fit-prior",
        run,
        "fit how relevance becomes the belief before the questions, as settings of `game`",
        "python -m evaluate fit-prior --games data/games/english.jsonl --split train",
    )
    add_store(command)
    add_games(command)
    command.add_argument("--split", metavar="NAME", help="train, validation or test (default: all games)")
    command.add_argument(
        "--preset", default="default", metavar="NAME", help="settings to search with (default: %(default)s)"
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="of splits (default: %(default)s)")
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """Fit, and print the settings; 1 if a game's paragraph is not in the store."""
    from quarry.evaluate.fit.prior import fit_prior, log_likelihood
    from quarry.player.player import build_player

    settings = settings_of(options)
    games = [game for game in select_split(load_games(options.games), options.split, options.seed) if game.answerable]
    store = open_for(options, settings)
    located = locate_games(games, store.paragraphs)
    require_of_store(located, store.location, str(options.games))
    player = build_player(store, settings)
    found = [
        (player.candidates(game.told()), paragraph)
        for game in tqdm(games, desc="searching", unit="game")
        if (paragraph := located.get(game.game_id)) is not None
    ]
    if not found:
        raise GamesError(f"{options.games}: at least one game must be answerable, got none; add some")
    fit = fit_prior(found)
    fitted = {
        "prior_temperature": round(fit.model.temperature, 3),
        "prior_floor": round(fit.model.floor, 4),
        "prior_filter_share": round(fit.model.book_share["filter"], 4),
        "prior_boost_share": round(fit.model.book_share["boost"], 4),
    }
    now = log_likelihood(found, player.prior_model)
    if options.json:
        print_json({"game": fitted, "log_likelihood": fit.log_likelihood, "now": now, "games": fit.n_games})
    else:
        print("game:")
        for name, value in fitted.items():
            print(f"  {name}: {value}")
    print(
        f"mean log-likelihood of {fit.n_games} games: {fit.log_likelihood:.4f} fitted, {now:.4f} with the settings now",
        file=sys.stderr,
    )
    n_lost = len(games) - len(found)
    if n_lost:
        print(f"evaluate fit-prior: {n_lost} games are about paragraphs that the store does not hold", file=sys.stderr)
    return 1 if n_lost else 0
