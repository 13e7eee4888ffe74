"""`serve`: the practice game server."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from quarry.configs.arguments import settings_of
from quarry.configs.terminal import visible
from quarry.evaluate.commands.command import GAMES, add_command, add_referee, add_store, open_for
from quarry.evaluate.errors import RefereeError
from quarry.evaluate.referee import make_referee, prepare, read_spec, tools_of

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
    """Serve until interrupted.

    Raises:
        RefereeError: --referee names none.
    """
    from quarry.evaluate.practice.server import PracticeServer, create_app, listen, load_repertoire, serve

    if read_spec(options.referee) is None:
        raise RefereeError("--referee must answer questions to serve games, got none; take oracle")
    settings = settings_of(options)
    with listen(options.host, options.port) as listener:
        host = f"[{options.host}]" if ":" in options.host else options.host
        url = f"http://{host}:{listener.getsockname()[1]}"
        store = open_for(options, settings)
        prepare([options.referee], store, settings.embed)  # no player waits for it
        referee = make_referee(options.referee, options.seed or 0, tools_of(store, settings.embed))
        assert referee is not None, "checked above"
        repertoire = load_repertoire(store, options.games, referee, settings)
        server = PracticeServer(repertoire, options.seed)
        line = (
            f"practice game server on {url} with {len(repertoire.games)} games, OpenAPI at /docs; stop it with Ctrl-C"
        )
        print(visible(line), file=sys.stderr, flush=True)
        serve(create_app(server), listener)
    return 0
