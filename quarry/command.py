"""The command `quarry`: the name of a command, and its arguments."""

import sys

from evaluate.commands import COMMANDS as OF_EVALUATE
from quarry.cli import choose_and_run
from quarry.version import __version__

COMMANDS = {
    "play": (
        "evaluate.commands.play",
        "play whole games: find the secret paragraph of a course of lectures",
    ),
    "ingest": (
        "ingest.command",
        "split lecture PDFs into playable paragraphs and keep them in Chroma",
    ),
    "search": ("player.command", "find the paragraphs that a hint describes"),
    **OF_EVALUATE,
    "callbacks": (
        "evaluate.commands.callbacks",
        "write a player for a league's own process, or answer its calls from standard input",
    ),
    "games list": (
        "evaluate.commands.journal",
        "list the games that were played, the oldest first",
    ),
    "games show": (
        "evaluate.commands.journal",
        "show hint, questions, answers, guess and score of a game that was played",
    ),
    "doctor": (
        "evaluate.commands.doctor",
        "say what is installed and found here, and what is lost by what is not",
    ),
    "completion": (
        "quarry.completion",
        "print a script that completes commands and options in your shell",
    ),
}
"""Module and summary of each command."""


def main(arguments: list[str] | None = None) -> int:
    """Run the named command and return its exit code, 2 for an unknown name."""
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] in (["-V"], ["--version"]):
        print(f"quarry {__version__}")
        return 0
    about = (
        "Finds one paragraph in a course of lecture PDFs, and proves how well it does."
    )
    return choose_and_run(COMMANDS, words or ["--help"], "quarry", about)
