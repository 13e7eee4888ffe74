"""The command `studio`: a local page to look at a course, games and runs."""

import argparse
import sys
from pathlib import Path

from configs.directories import default_journal, home
from evaluate.commands import shared
from quarry import cli
from quarry.terminal import visible

PORT = 8018


def _studio(options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    from evaluate.practice.routes import HOST, listen, serve
    from evaluate.studio.app import create_app
    from evaluate.studio.state import Files

    course = shared.open_for(options)
    journal = Path(options.journal) if options.journal else default_journal()
    files = Files(options.games, options.runs, journal, options.store)
    listener = listen(HOST, options.port)
    url = f"http://{HOST}:{listener.getsockname()[1]}"
    print(
        visible(f"Quarry's studio is at {url}. Stop it with Ctrl-C."),
        file=sys.stderr,
        flush=True,
    )
    serve(create_app(course, options.settings, files), listener)
    return 0


COMMANDS = {
    "studio": cli.Command(
        "--store data/store",
        (
            *shared.COURSE,
            cli.PRESET,
            cli.number("--port", 0, "port; 0 takes a free one", PORT),
            cli.path(
                "--games",
                "FILE",
                "labelled games are added to it (default: %(default)s)",
                default=lambda: home() / "games.jsonl",
            ),
            cli.path(
                "--runs",
                "FOLDER",
                "runs that `replay --out` wrote (default: %(default)s)",
                default=lambda: home() / "runs",
            ),
            cli.path("--journal", "FILE", "played games (default: that of `play`)"),
        ),
        _studio,
    ),
}
