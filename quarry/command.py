"""`quarry`: one command for all that the others do."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable

from quarry.configs.arguments import choose
from quarry.evaluate.commands import SUMMARIES
from quarry.version import __version__

Main = Callable[[list[str], str], int]

ALONE = {
    "play": ("quarry.play", "play a whole game, against a practice server or --server URL"),
    "ingest": ("quarry.ingest.__main__", "read PDFs into a store, and show what a store holds"),
}
"""Module and summary of the commands whose `main` takes no name."""
SEARCH = {"search": "find the paragraphs that a hint means"}


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code of what it names, 2 for a name that there is not."""
    given = sys.argv[1:] if arguments is None else arguments
    if given[:1] in (["-V"], ["--version"]):
        print(f"quarry {__version__}")
        return 0
    summaries = {name: says for name, (_, says) in ALONE.items()} | SEARCH | SUMMARIES
    about = "Finds one paragraph in a course of lecture PDFs, and proves how well it does."
    name, rest = choose(summaries, given or ["--help"], "quarry", about)
    if name in ALONE:
        run: Main = importlib.import_module(ALONE[name][0]).main
        return run(rest, f"quarry {name}")
    run = importlib.import_module("quarry.player.__main__" if name in SEARCH else "quarry.evaluate.__main__").main
    return run([*name.split(), *rest], "quarry")


if __name__ == "__main__":
    sys.exit(main())
