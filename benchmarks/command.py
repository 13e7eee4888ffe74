"""What the benchmarks that are given a store and games share: their arguments, and errors of one line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from quarry.configs.arguments import OneLineParser, run_command
from quarry.configs.settings import SettingsError
from quarry.evaluate.errors import EvaluateError
from quarry.ingest.errors import IngestError


def games_parser(name: str, description: str | None) -> OneLineParser:
    """A parser of `python -m benchmarks.NAME` with --store and --games."""
    parser = OneLineParser(prog=f"python -m benchmarks.{name}", description=description)
    parser.add_argument("--store", required=True, metavar="DIR", help="store that holds the games' paragraphs")
    parser.add_argument("--games", required=True, type=Path, metavar="FILE", help="labelled games")
    return parser


def add_split(parser: OneLineParser) -> None:
    """The option --split."""
    parser.add_argument("--split", metavar="NAME", help="train, validation or test (default: all games)")


def run_benchmark(name: str, options: argparse.Namespace, run: Callable[[argparse.Namespace], int]) -> int:
    """The exit code of `run`; 2 and one line where what it was given is wrong."""
    try:
        return run_command(lambda: run(options))
    except (IngestError, EvaluateError, SettingsError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
