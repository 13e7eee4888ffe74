"""The command `studio`: serves a local page that shows a course, games and runs."""

import sys
from pathlib import Path

from configs.directories import default_journal, home
from player.search.stores import open_course
from quarry.cli import NonNegativeNumber, ParsedOverrides, Preset, StoreOptions
from quarry.terminal import visible


def studio(
    *,
    port: NonNegativeNumber = 8018,
    games: Path | None = None,
    runs: Path | None = None,
    journal: Path | None = None,
    at: StoreOptions = StoreOptions(),
    preset: Preset = None,
    overrides: ParsedOverrides,
) -> None:
    """Serve the page until Ctrl-C.

    Args:
        port: Port; 0 takes a free one.
        games: File that labelled games are added to (default: games.jsonl in the data folder that doctor names).
        runs: Folder of runs that `replay --out` wrote (default: runs/ in the data folder).
        journal: Played games (default: those of `play`).
    """
    from evaluate.practice.routes import HOST, listen, serve_app
    from evaluate.studio.app import create_studio_app
    from evaluate.studio.state import StudioFiles

    settings = overrides.load(preset)
    course = open_course(at.location, at.collection)
    files = StudioFiles(
        games or home() / "games.jsonl",
        runs or home() / "runs",
        journal or default_journal(),
    )
    listener = listen(HOST, port)
    url = f"http://{HOST}:{listener.getsockname()[1]}"
    print(
        visible(f"Quarry's studio is at {url}. Stop it with Ctrl-C."),
        file=sys.stderr,
        flush=True,
    )
    serve_app(create_studio_app(course, settings, files), listener)
