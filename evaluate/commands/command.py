"""Options and helpers that the commands of `python -m evaluate` share."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quarry.configs.arguments import SETTINGS, Command, Option, flag, number, option, path, warn
from quarry.configs.places import BUNDLED, home
from quarry.configs.plural import counted
from quarry.configs.settings import Settings, SettingsError
from quarry.evaluate.commands import SUMMARIES
from quarry.evaluate.games.labelled import LabelledGame, load_games
from quarry.evaluate.games.splits import select_split

if TYPE_CHECKING:
    from quarry.ingest.store import Course

ENGLISH = BUNDLED / "games" / "english.jsonl"
BUNDLED_GAMES = path("--games", "FILE", "labelled games (default: the bundled ones)", default=ENGLISH)
GAMES = path("--games", "FILE", "labelled games (their form: games check --help)", required=True)
SPLIT = option("--split", "NAME", "train, validation or test (default: all games)")
WORKERS = number("--workers", 0, "processes; 0 takes as many as pay", 0)
STRICT = flag("--strict", says="exit with 1 where a game was lost at ingest")
RUNS = path("runs", "RUN.json", "runs as replay --out writes them", nargs="*")
BATCHES = path("--batches", "FILE", "what `questions` wrote, with --answers")
ANSWERS = path(
    "--answers",
    "FILE",
    'what somebody else answered: {"game_id", "answers": [{"question_number", "answer"}]} a line',
)


def seed(says: str) -> Option:
    """Declare --seed.

    Args:
        says: names the random choices that depend on the seed.
    """
    return number("--seed", 0, says, 0)


def command(
    name: str,
    example: str,
    options: Sequence[Option],
    run: Callable[[argparse.Namespace], int],
    *,
    settings: Sequence[Option] = SETTINGS,
    notes: str = "",
) -> Command:
    """Declare a command with the options of the settings.

    Args:
        example: a command line without `python -m evaluate`.
        settings: options of the settings that the command takes.
        notes: for the end of --help.
    """
    return Command(name, SUMMARIES[name], f"python -m evaluate {name} {example}", (*options, *settings), run, notes)


def open_for(options: argparse.Namespace, settings: Settings) -> Course:
    """Open the store of --store; notices about its embedder and about tuned settings go to standard error."""
    from quarry.ingest.store import open_store

    store = open_store(options.store, options.collection)
    print_notices(options, settings, store)
    return store


def print_notices(options: argparse.Namespace, settings: Settings, store: Course) -> None:
    """Print notices about tuned settings, and an embedder that was never calibrated, on standard error."""
    from quarry.player.search.calibration import notices

    for notice in notices(settings, store):
        warn(options, notice)


def chosen_games(options: argparse.Namespace) -> list[LabelledGame]:
    """Read the games of --games and return those of --split."""
    return select_split(load_games(options.games), options.split, getattr(options, "seed", 0))


def lost_code(options: argparse.Namespace, n_lost: int) -> int:
    """Say on standard error how many games were lost at ingest; return the exit code, 1 with --strict if any was."""
    if n_lost:
        are = "is about a paragraph" if n_lost == 1 else "are about paragraphs"
        warn(options, f"{counted(n_lost, 'game')} {are} that the store does not hold")
    return 1 if n_lost and getattr(options, "strict", True) else 0


def print_json(document: object) -> None:
    """Print one JSON document on standard output."""
    print(as_json(document))


def as_json(document: object) -> str:
    """Return a document as it is printed and written to files."""
    return json.dumps(document, ensure_ascii=False, indent=1)


def require_writable(out: Path | None) -> None:
    """Pass if `--out` is None or names a file in a folder that exists.

    Raises:
        SettingsError: it does not.
    """
    if out is None:
        return
    if out.parent == home() / "fitted":
        out.parent.mkdir(parents=True, exist_ok=True)
    if not out.parent.is_dir():
        raise SettingsError(f"--out must be in a folder that is there, got {out}; make {out.parent}")
    if out.is_dir():
        raise SettingsError(f"--out must be a file, got the folder {out}; name a file in it")


def write_text(out: Path, text: str) -> None:
    """Write the file of `--out`.

    Raises:
        SettingsError: it cannot be written.
    """
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"--out must be a file that can be written, got {out}: {error.strerror}") from error


def make_folder(folder: Path) -> None:
    """Make the folder of `--out` if need be.

    Raises:
        SettingsError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"--out must be a folder that can be made, got {folder}: {error.strerror}") from error
