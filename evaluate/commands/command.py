"""What the commands of `python -m evaluate` share: their common arguments and how they write."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from quarry.configs.arguments import add_settings
from quarry.configs.places import BUNDLED, default_store, home
from quarry.configs.plural import counted
from quarry.configs.settings import Settings, SettingsError
from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.referee import spec_table
from quarry.ingest.store import DEFAULT_COLLECTION, Course, open_store
from quarry.player.search.calibration import notices

GAMES = BUNDLED / "games" / "english.jsonl"


def add_command(
    commands: Any,
    name: str,
    run: Callable[[argparse.Namespace], int],
    summary: str,
    example: str,
    *,
    flags: Collection[str] = ("--plugin", "--set"),
) -> argparse.ArgumentParser:
    """A new command with the flags of the settings, which runs `run` and takes its exit code from it.

    Args:
        commands: the subparsers of `python -m evaluate`.
        summary: what it does, beginning with a verb in lower case.
        example: a whole command line.
        flags: of the settings, beside --config.
    """
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_settings(command, flags)
    command.set_defaults(run=run)
    return command


def add_store(command: argparse.ArgumentParser) -> None:
    """--store and --collection."""
    command.add_argument(
        "--store", default=default_store(), help="folder, or URL of a Chroma server (default: %(default)s)"
    )
    command.add_argument(
        "--collection", default=DEFAULT_COLLECTION, help="name within the store (default: %(default)s)"
    )


def open_for(options: argparse.Namespace, settings: Settings) -> Course:
    """The store of --store; settings that were tuned are announced, and an embedder that was never calibrated."""
    store = open_store(options.store, options.collection)
    say_tuned(options, settings, store)
    return store


def say_tuned(options: argparse.Namespace, settings: Settings, store: Course) -> None:
    """Say on standard error that tuned settings are in force, and where they were tuned on another store."""
    for told in notices(settings, store):
        print(f"evaluate {options.command}: {told}", file=sys.stderr)


def add_depth(command: argparse.ArgumentParser) -> None:
    """--depth."""
    command.add_argument(
        "--depth",
        type=int,
        default=0,
        metavar="N",
        help="keep the ranks and scores of the first N paragraphs, for export and for measures of deep rankings "
        "(default: those of the hits)",
    )


def require_depth(depth: int) -> None:
    """Pass if no depth was given, or one.

    Raises:
        SettingsError: it is below 0.
    """
    if depth < 0:
        raise SettingsError(f"--depth must be at least 0, got {depth}; 0 keeps the hits alone")


def say_queries(options: argparse.Namespace, games: Sequence[LabelledGame], settings: Settings) -> None:
    """Say on standard error that plain queries are searched for by the game's rule, where they are."""
    if settings.search.keywords == "rule" and any(game.is_query for game in games):
        print(
            f"evaluate {options.command}: {options.games} holds plain queries, and preset {settings.preset} supposes "
            "that no word of a query occurs in the paragraph; preset ordinary searches without the game's rule",
            file=sys.stderr,
        )


def add_strict(command: argparse.ArgumentParser) -> None:
    """--strict."""
    command.add_argument("--strict", action="store_true", help="exit with 1 where a game was lost at ingest")


def lost_code(options: argparse.Namespace, n_lost: int) -> int:
    """The exit code where so many games were lost at ingest, which is told on standard error: 1 with --strict."""
    if n_lost:
        are = "is about a paragraph" if n_lost == 1 else "are about paragraphs"
        print(
            f"evaluate {options.command}: {counted(n_lost, 'game')} {are} that the store does not hold", file=sys.stderr
        )
    return 1 if n_lost and options.strict else 0


def add_games(command: argparse.ArgumentParser) -> None:
    """--games, which must be given."""
    command.add_argument(
        "--games",
        type=Path,
        required=True,
        metavar="FILE",
        help="labelled games, .jsonl or .csv (their form: check-games --help)",
    )


def add_referee(
    command: argparse.ArgumentParser, *, default: str | None, says: str = "who answers the questions"
) -> None:
    """--referee, with the table of SPECs beneath the help.

    Args:
        default: its SPEC; None takes any number of them.
        says: what it is for.
    """
    if default is None:
        command.add_argument("--referee", action="append", default=[], metavar="SPEC", help=says)
    else:
        command.add_argument("--referee", default=default, metavar="SPEC", help=f"{says} (default: %(default)s)")
    command.epilog = f"{command.epilog}\n\n{spec_table()}"


def add_json(command: argparse.ArgumentParser) -> None:
    """--json."""
    command.add_argument("--json", action="store_true", help="print one JSON document and nothing else")


def add_workers(command: argparse.ArgumentParser) -> None:
    """--workers."""
    command.add_argument(
        "--workers", type=int, default=0, metavar="N", help="processes; 0 takes as many as pay (default: %(default)s)"
    )


def require_repeats(repeats: int) -> None:
    """Pass if games are played at least once.

    Raises:
        SettingsError: they are not.
    """
    if repeats < 1:
        raise SettingsError(f"--repeats must be at least 1, got {repeats}")


def print_json(document: object) -> None:
    """One JSON document on standard output."""
    print(as_json(document))


def as_json(document: object) -> str:
    """A document as it is printed and written to files."""
    return json.dumps(document, ensure_ascii=False, indent=1)


def require_writable(out: Path | None) -> None:
    """Pass if `--out` names a file in a folder that is there, or nothing.

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
    """Write what `--out` names.

    Raises:
        SettingsError: it cannot be written.
    """
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"--out must be a file that can be written, got {out}: {error.strerror}") from error
