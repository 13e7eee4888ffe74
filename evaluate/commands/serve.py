"""`serve`: the practice game server."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from configs.settings import load
from evaluate.commands.command import GAMES, add_command, add_referee, add_store
from evaluate.errors import RefereeError
from evaluate.referee import make_referee, prepare, read_spec, tools_of
from ingest.store import open_store

DEFAULT_PORT = 8017


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands, "serve", run, "run the practice game server", "python -m evaluate serve --store data/store"
    )
    add_store(command)
    command.add_argument(
        "--games", type=Path, default=GAMES, metavar="FILE", help="labelled games (default: the bundled ones)"
    )
    command.add_argument("--host", default="127.0.0.1", metavar="H", help="address to listen on (default: %(default)s)")
    command.add_argument(
        "--port", type=int, default=DEFAULT_PORT, metavar="P", help="port, 0 for a free one (default: %(default)s)"
    )
    add_referee(command, default="oracle")
    command.add_argument("--seed", type=int, metavar="N", help="of the choice of games (default: by chance)")


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from evaluate.practice.server import PracticeServer, create_app, listen, load_course, serve

    settings = load(config=options.config)
    if read_spec(options.referee) is None:
        raise RefereeError("--referee must answer questions to serve games, got none; take oracle")
    with listen(options.host, options.port) as listener:
        store = open_store(options.store, options.collection)
        prepare([options.referee], store, settings.embed)  # no player waits for it
        referee = make_referee(options.referee, options.seed or 0, tools_of(store, settings.embed))
        assert referee is not None, "checked above"
        course = load_course(store, options.games, referee, settings)
        port = listener.getsockname()[1]
        host = f"[{options.host}]" if ":" in options.host else options.host
        print(
            f"practice game server on http://{host}:{port} with {len(course.games)} games, "
            f"OpenAPI at /docs; stop it with Ctrl-C",
            file=sys.stderr,
            flush=True,
        )
        serve(create_app(PracticeServer(course, options.seed)), listener)
    return 0
