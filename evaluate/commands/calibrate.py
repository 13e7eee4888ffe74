"""`calibrate`: fits the plain numbers of search for one embedder."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from quarry.configs.arguments import settings_of
from quarry.configs.json_files import read_objects
from quarry.configs.places import own_fit
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
from quarry.ingest.embed.hint_bank import HINTS, Hints, load_hints
from quarry.ingest.store import Course, open_store
from quarry.player.search.calibration import CALIBRATION, as_tree, calibration_of, is_calibrated

N_NEGATIVES = 600
"""Of the bundled hints."""


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands,
        "calibrate",
        run,
        "fit relevance, references and fusion for the embedder of a store",
        "python -m evaluate calibrate --store my/store --games my/games.jsonl",
    )
    add_store(command)
    add_games(command)
    command.add_argument("--split", metavar="NAME", help="of the games: train, validation or test (default: all)")
    command.add_argument(
        "--questions-store",
        metavar="DIR",
        help="store of the same embedder, for ordinary questions (default: what keywords count stays as it is)",
    )
    command.add_argument(
        "--questions", type=Path, metavar="FILE", help="ordinary questions about it, as labelled games"
    )
    command.add_argument(
        "--negatives",
        type=Path,
        metavar="FILE",
        help='hints about nothing of it, {"text"} a line (default: the hints for other courses that came with Quarry)',
    )
    command.add_argument("--limit", type=int, default=600, metavar="N", help="questions used (default: %(default)s)")
    command.add_argument(
        "--hubs",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="whether a paragraph's nearness to hints in general is weighed where models compare word by word; it says "
        "little where most hints are in another language than the course (default: %(default)s)",
    )
    command.add_argument("--out", type=Path, default=own_fit(CALIBRATION), metavar="FILE", help="default: %(default)s")


def run(options: argparse.Namespace) -> int:
    """Fit, and write the numbers beside those of the user's other embedders."""
    from quarry.evaluate.fit.calibration import calibrate, hints_about, labelled_course
    from quarry.player.search.build import store_embedder, word_scorers
    from quarry.player.search.cache import RememberingEmbedder

    require_writable(options.out)
    settings = settings_of(options)
    if (options.questions is None) != (options.questions_store is None):
        raise GamesError(
            "--questions and --questions-store must come together, got one; name the other, or leave both out"
        )
    store = open_store(options.store, options.collection)
    questions = open_store(options.questions_store) if options.questions_store else None
    if questions is not None and store.embedder_spec != questions.embedder_spec:
        raise GamesError(
            f"--questions-store must be of the embedder {store.embedder_spec!r}, got {questions.embedder_spec!r}; "
            "ingest it with --embedder"
        )
    embedder = RememberingEmbedder(store_embedder(store, settings))
    games = select_split(load_games(options.games), options.split, 0)
    before = calibration_of(store.embedder_spec)
    if not is_calibrated(store.embedder_spec):
        before = before.rescaled(store.vectors)
    course = labelled_course(store, embedder, games)
    bank = load_hints(Path(settings.search.hints) if settings.search.hints else HINTS)
    ordinary = None
    if questions is not None:
        asked = load_games(options.questions, "--questions")
        asked = asked[:: max(1, len(asked) // options.limit)]
        ordinary = labelled_course(questions, embedder, asked)
        ordinary = replace(ordinary, scorers=word_scorers(questions, settings, embedder, bank))
    fitted = calibrate(
        replace(course, scorers=word_scorers(store, settings, embedder, hints_about(course, bank)), hubs=options.hubs),
        ordinary,
        _texts(options.negatives) if options.negatives else _of_others(store, bank),
        settings.search,
        before,
    )
    tree = json.loads(options.out.read_text(encoding="utf-8")) if options.out.exists() else {}
    tree[store.embedder_spec] = as_tree(fitted)
    write_text(options.out, as_json(tree) + "\n")
    print(
        f"evaluate calibrate: written to {options.out}"
        + (f"; in force for every store of {store.embedder_spec}" if options.out == own_fit(CALIBRATION) else ""),
        file=sys.stderr,
    )
    print_json(tree[store.embedder_spec])
    return 0


def _of_others(store: Course, bank: Hints) -> list[str]:
    """The bundled hints, which are about other lectures.

    Raises:
        GamesError: they are about these.
    """
    if not bank.course.isdisjoint(document.doc_id for document in store.documents):
        raise GamesError(
            "--negatives must be given for the bundled lectures, which the bundled hints are about, got none"
        )
    return list(bank.texts)[:N_NEGATIVES]


def _texts(path: Path) -> list[str]:
    texts = [(where, found.get("text")) for where, found in read_objects(path, GamesError, named="--negatives")]
    for where, text in texts:
        if not isinstance(text, str):
            raise GamesError(f"{where}: text must be a string, got {text!r}; mend the line or remove it")
    if not texts:
        raise GamesError(f'--negatives must hold at least one {{"text"}}, got none in {path}')
    return [str(text) for _, text in texts]
