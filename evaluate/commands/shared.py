"""Options and helpers that the commands of `python -m evaluate` share."""

from __future__ import annotations

import argparse
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluate.errors import GamesError, writing
from evaluate.games.labelled import LabelledGame, load_games, select_split
from quarry import cli
from quarry.files import write_named
from quarry.terminal import pluralize

if TYPE_CHECKING:
    from quarry.parallel import Workers
    from quarry.store import Course

GAMES = cli.path(
    "--games",
    "FILE",
    "labelled games (their form: games check --help)",
    required=True,
    project="games",
)
SPLIT = cli.option("--split", "NAME", "train, validation or test (default: all games)")
COURSE = (cli.STORE, cli.COLLECTION)
PLAYED = (*COURSE, GAMES, SPLIT, cli.PRESET)
WORKERS = (
    cli.number("--workers", 0, "processes; 0 takes as many as pay", 0),
    cli.CLUSTER,
)
STRICT = cli.flag("--strict", "exit with 1 if a game was lost at ingest")
RUNS = cli.path(
    "runs",
    "RUN.json",
    "runs as replay --out writes them, folders of them as compare --out writes, and TREC runs over the same games",
    nargs="*",
)
MEASURE = cli.several(
    "--measure",
    "NAME",
    "one more measure, such as nDCG@10 (any of ir-measures) or my_measure.found_5; again for more",
    dest="measures",
)


def out(metavar: str, says: str, **keywords: Any) -> cli.Option:
    """Declare --out, a file in a folder that exists."""
    return cli.option("--out", metavar, says, type=writable, **keywords)


def writable(text: str) -> Path:
    """Return the path of a file; refuse one without a folder, before any work is done."""
    path = cli.path_of(text)
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(
            f"the folder of {path} does not exist; make {path.parent}"
        )
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{path} is a folder; name a file in it")
    return path


def seed(says: str) -> cli.Option:
    """Declare --seed.

    Args:
        says: names the random choices that depend on the seed.
    """
    return cli.number("--seed", 0, says, 0)


def open_for(options: argparse.Namespace) -> Course:
    """Open the store of --store; print a notice about an uncalibrated embedder to standard error."""
    from player.search.calibration import notices
    from quarry.store import open_store

    store = open_store(options.store, options.collection)
    for notice in notices(store):
        cli.warn(options, notice)
    return store


def chosen_games(options: argparse.Namespace) -> list[LabelledGame]:
    """Read the games of --games and return those of --split that --lost-in does not leave out."""
    run_path: Any = getattr(options, "lost_in", None)
    is_of_run = options.games is None and run_path
    games = _lost_games(run_path) if is_of_run else load_games(options.games)
    chosen = select_split(games, options.split, getattr(options, "seed", 0))
    if not run_path:
        return chosen

    from evaluate.runs.files import read_run

    lost_ids = read_run(run_path).lost_ids
    lost = [game for game in chosen if game.game_id in lost_ids]
    if not lost:
        raise GamesError(f"{run_path} lost no game of {options.games}.")
    return lost


def _lost_games(run_path: Path) -> list[LabelledGame]:
    from evaluate.runs.files import read_run
    from evaluate.runs.run import lost_games

    games = lost_games(read_run(run_path))
    if not games:
        raise GamesError(f"{run_path} lost no game.")
    return games


def answerable_games(options: argparse.Namespace) -> list[LabelledGame]:
    """Return the chosen games whose paragraph the course holds, by their labels."""
    return [game for game in chosen_games(options) if game.answerable]


def lost_code(options: argparse.Namespace, n_lost: int) -> int:
    """Print the number of games lost at ingest to standard error; return the exit code, 1 with --strict if any was."""
    if n_lost:
        are = "is about a paragraph" if n_lost == 1 else "are about paragraphs"
        cli.warn(
            options, f"{pluralize(n_lost, 'game')} {are} that the store does not hold"
        )
    return 1 if n_lost and getattr(options, "strict", True) else 0


def workers_of(options: argparse.Namespace) -> AbstractContextManager[Workers]:
    """Return a context with the workers of --workers, or of --cluster."""
    from quarry import parallel

    return parallel.workers_of(options.workers, options.cluster)


def write_text(out: Path, text: str) -> None:
    """Write the file of `--out`.

    Raises:
        SettingsError: it cannot be written.
    """
    with writing(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        write_named(out, text.encode())
