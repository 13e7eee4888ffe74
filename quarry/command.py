"""`quarry`: one command for all that the others do."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable

from quarry.configs.arguments import OneLineParser
from quarry.version import __version__

Main = Callable[[list[str], str], int]

GROUPS = {
    "quarry.play": ("play",),
    "quarry.ingest.__main__": ("ingest",),
    "quarry.player.__main__": ("search",),
}
"""Names by the module whose `main` runs them; all others are those of `quarry.evaluate`, which names them itself."""

OTHERS = "quarry.evaluate.__main__"
ALONE = ("play", "ingest")
"""Those whose `main` knows no names."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code of what it names, 2 for a name that there is not."""
    given = sys.argv[1:] if arguments is None else arguments
    parser = OneLineParser(prog="quarry", description="Finds one paragraph in a course of lectures.", add_help=False)
    if not given or given[0] in ("-h", "--help"):
        print(_help(_measuring()))
        return 0
    if given[0] in ("-V", "--version"):
        print(f"quarry {__version__}")
        return 0
    name, *rest = given
    module = next((module for module, names in GROUPS.items() if name in names), OTHERS)
    if module == OTHERS and name not in _measuring():
        known = [name for names in GROUPS.values() for name in names] + list(_measuring())
        parser.error(f"the command must be one of {', '.join(known)}, got {name!r}")
    run: Main = importlib.import_module(module).main
    return run(rest, f"quarry {name}") if name in ALONE else run(given, "quarry")


def _measuring() -> tuple[str, ...]:
    return tuple(importlib.import_module(OTHERS).NAMES)


def _help(measuring: Iterable[str]) -> str:
    lines = (
        ("quarry play", "play a whole game, against a practice server or --server URL"),
        ("quarry ingest PATH...", "PDFs into a store, and what a store holds"),
        ("quarry search --hint TEXT", "what a hint finds"),
        ("quarry COMMAND", f"practise, measure and tune: {', '.join(measuring)}"),
        ("quarry --version", "the version"),
    )
    told = "\n".join(f"  {command:27}{says}" for command, says in lines)
    return f"Finds one paragraph in a course of lecture PDFs, and proves how well it does.\n\n{told}\n\neach has --help"


if __name__ == "__main__":
    sys.exit(main())
