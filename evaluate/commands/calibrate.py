"""`calibrate`: fits the plain numbers of search for one embedder."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from quarry.configs import places
from quarry.configs.documents import read_objects
from quarry.configs.places import to_fit
from quarry.configs.settings import load
from quarry.evaluate.commands.command import (
    add_command,
    add_games,
    add_store,
    as_json,
    print_json,
    require_writable,
    write_text,
)
from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.labelled import load_games
from quarry.evaluate.games.splits import select_split
from quarry.ingest.hints import HINTS, load_hints
from quarry.ingest.store import open_store
from quarry.player.search.calibration import CALIBRATION, as_tree, calibration_of


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands,
        "calibrate",
        run,
        "fit relevance, references and fusion for the embedder of a store",
        "python -m evaluate calibrate --store data/store --games data/games/english.jsonl --questions-store squad "
        "--questions squad.jsonl --negatives elsewhere.jsonl",
    )
    add_store(command)
    add_games(command)
    command.add_argument("--split", metavar="NAME", help="of the games: train, validation or test (default: all)")
    command.add_argument(
        "--questions-store", required=True, metavar="DIR", help="store of the same embedder, for ordinary questions"
    )
    command.add_argument(
        "--questions", type=Path, required=True, metavar="FILE", help="ordinary questions about it, as labelled games"
    )
    command.add_argument(
        "--negatives", type=Path, required=True, metavar="FILE", help='hints about nothing of it, {"text"} a line'
    )
    command.add_argument("--limit", type=int, default=600, metavar="N", help="questions used (default: %(default)s)")
    command.add_argument(
        "--hubs",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="whether a paragraph's nearness to hints in general is weighed where models compare word by word; it says "
        "little where most hints are in another language than the course (default: %(default)s)",
    )
    command.add_argument("--out", type=Path, default=to_fit(CALIBRATION), metavar="FILE", help="default: %(default)s")


def run(options: argparse.Namespace) -> int:
    """Fit, and write the numbers beside those of other embedders."""
    from quarry.evaluate.fit.calibration import calibrate, hints_about, labelled_course
    from quarry.player.search.build import store_embedder, word_scorers
    from quarry.player.search.cache import RememberingEmbedder

    require_writable(options.out)
    settings = load(config=options.config)
    store, questions = open_store(options.store, options.collection), open_store(options.questions_store)
    if store.embedder_spec != questions.embedder_spec:
        raise GamesError(
            f"--questions-store must be of the embedder {store.embedder_spec!r}, got {questions.embedder_spec!r}; "
            "ingest it with --embedder"
        )
    embedder = RememberingEmbedder(store_embedder(store, settings))
    games = select_split(load_games(options.games), options.split, 0)
    asked = load_games(options.questions, "--questions")
    asked = asked[:: max(1, len(asked) // options.limit)]
    before = calibration_of(store.embedder_spec)
    course, ordinary = labelled_course(store, embedder, games), labelled_course(questions, embedder, asked)
    bank = load_hints(Path(settings.search.hints) if settings.search.hints else HINTS)
    fitted = calibrate(
        replace(course, scorers=word_scorers(store, settings, embedder, hints_about(course, bank)), hubs=options.hubs),
        replace(ordinary, scorers=word_scorers(questions, settings, embedder, bank)),
        _texts(options.negatives),
        settings.search,
        before,
    )
    known = places.fitted(CALIBRATION) if options.out == to_fit(CALIBRATION) else options.out
    tree = json.loads(known.read_text(encoding="utf-8")) if known.exists() else {}
    tree[store.embedder_spec] = as_tree(fitted)
    write_text(options.out, as_json(tree) + "\n")
    print_json(tree[store.embedder_spec])
    return 0


def _texts(path: Path) -> list[str]:
    texts = [(where, found.get("text")) for where, found in read_objects(path, GamesError, named="--negatives")]
    for where, text in texts:
        if not isinstance(text, str):
            raise GamesError(f"{where}: text must be a string, got {text!r}; mend the line or remove it")
    if not texts:
        raise GamesError(f'--negatives must hold at least one {{"text"}}, got none in {path}')
    return [str(text) for _, text in texts]
