"""The command `quarry`: the name of a command, and its arguments."""

from __future__ import annotations

import sys

from ingest.console.interrupts import run_quietly

SINGLE = {
    "play": (
        "quarry.play",
        "play a whole game, against a practice server or --server URL",
    ),
    "ingest": ("ingest.command", "read PDFs into a store, and show what a store holds"),
    "games list": ("quarry.games", "list the games that were played, from the journal"),
    "games show": ("quarry.games", "show a game that was played, from the journal"),
    "doctor": (
        "quarry.doctor",
        "say what is installed and found here, and what is lost by what is not",
    ),
    "completion": (
        "quarry.completion",
        "print a script that completes commands in your shell",
    ),
}
"""Module and summary of the modules whose `main` takes the rest of the command line."""
SEARCH = {"search": "find the paragraphs that a hint describes"}


def main(arguments: list[str] | None = None) -> int:
    """Run the named command and return its exit code, 2 for an unknown name."""
    return run_quietly("quarry.command", "choose_and_run", arguments)


def choose_and_run(arguments: list[str] | None) -> int:
    """Do the same, where Ctrl-C is taken care of."""
    from ingest.console.arguments import choose
    from quarry.version import __version__

    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] in (["-V"], ["--version"]):
        print(f"quarry {__version__}")
        return 0
    about = (
        "Finds one paragraph in a course of lecture PDFs, and proves how well it does."
    )
    name, rest = choose(summaries(), words or ["--help"], "quarry", about)
    if name in SINGLE:
        return run_quietly(SINGLE[name][0], "main", rest, f"quarry {name}")
    module = "player.command" if name in SEARCH else "evaluate.command"
    return run_quietly(module, "main", [*name.split(), *rest], "quarry")


def summaries() -> dict[str, str]:
    """Return the summaries of all commands by name."""
    from evaluate.commands import SUMMARIES

    single = {name: summary for name, (_, summary) in SINGLE.items()}
    return single | SEARCH | SUMMARIES
