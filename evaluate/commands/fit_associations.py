"""`fit-associations`: makes the vocabulary of associative words, and fits what makes one likely."""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np

from configs.settings import SettingsError, load
from evaluate.commands.command import add_command, add_games, require_writable
from evaluate.errors import GamesError
from evaluate.games import load_games, select_split
from ingest.embed import load_embedder

BATCH = 256


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands,
        "fit-associations",
        run,
        "make the player's vocabulary of associative words (minutes; needs the package wordfreq)",
        "python -m evaluate fit-associations --games data/games/english.jsonl --models data/store/models",
    )
    add_games(command)
    command.add_argument("--models", type=Path, required=True, metavar="DIR", help="folder of exported models")
    command.add_argument("--vectors", type=Path, metavar="FILE.npy", help="keep the words' vectors here, or take them")
    command.add_argument("--out", type=Path, metavar="FILE.npz", help="where to write (default: the player's own)")


def run(options: argparse.Namespace) -> int:
    """Fit on the train split, write, and print how it does there and on the validation split."""
    from evaluate.fit_associations import fit_associations, general_words, score_associations
    from player.associations import ASSOCIATIONS_FILE, load_associations, write_associations

    out: Path = options.out or ASSOCIATIONS_FILE
    require_writable(out)
    require_writable(options.vectors)
    if importlib.util.find_spec("wordfreq") is None:
        raise SettingsError("fit-associations needs the package wordfreq; run: pip install -r requirements-dev.txt")
    games = [game for game in load_games(options.games) if game.associative_word and game.paragraph]
    if not games:
        raise GamesError(
            f"{options.games}: at least one game must have associative_word and paragraph, got none; add their texts"
        )
    train = select_split(games, "train", 0)
    embedder = load_embedder("minilm", options.models, load(config=options.config).embed)
    found, zipf = general_words()
    vectors = None
    if options.vectors is not None and options.vectors.is_file():
        vectors = np.load(options.vectors)
    if vectors is None or len(vectors) != len(found):
        vectors = np.concatenate(
            [embedder.embed_queries(found[start : start + BATCH]) for start in range(0, len(found), BATCH)]
        )
        if options.vectors is not None:
            np.save(options.vectors, vectors)
    made = fit_associations(found, zipf, vectors, train, embedder.embed_queries, embedder.spec)
    write_associations(made, out)
    print(f"{len(found)} words, weights {np.round(made.weights, 2).tolist()}")
    for split in ("train", "validation"):
        score = score_associations(load_associations(out), select_split(games, split, 0), embedder.embed_queries)
        print(f"{split:10} {score.n_games:4} games, exact {score.exact:.3f}, among 20 {score.top20:.3f}")
    return 0
