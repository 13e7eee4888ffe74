"""`serve`: the practice game server."""

from __future__ import annotations

import argparse
import sys

from quarry.configs.arguments import COLLECTION, STORE, number, option, settings_of
from quarry.configs.terminal import visible
from quarry.evaluate.commands.command import BUNDLED_GAMES, command, open_for
from quarry.evaluate.errors import RefereeError
from quarry.evaluate.referee import make_referee, prepare, read_spec, spec_table, tools_of


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted.

    Raises:
        RefereeError: --referee answers nothing.
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


COMMANDS = (
    command(
        "serve",
        "--store data/store",
        (
            *(STORE, COLLECTION, BUNDLED_GAMES),
            option("--host", "H", "address to listen on (default: %(default)s)", default="127.0.0.1"),
            number("--port", 0, "port, 0 for a free one", 8017),
            option("--referee", "SPEC", "who answers (default: %(default)s)", default="oracle"),
            number("--seed", 0, "of the choice of games (default: by chance)"),
        ),
        run,
        notes=spec_table(),
    ),
)
