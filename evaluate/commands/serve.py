"""The commands `serve`, which runs the practice game server, and `referees`, which lists its referees."""

import logging
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from configs.project import find_project
from evaluate.commands.options import Seed
from evaluate.games.labelled import BUNDLED_GAMES
from evaluate.referee.spec import SPECS, format_spec_table
from player.search.stores import open_course
from quarry.cli import NonNegativeNumber, ParsedOverrides, StoreOptions

_log = logging.getLogger(__name__)


def referees() -> None:
    """Print the terms of a SPEC."""
    print(format_spec_table())


def serve(
    *,
    games: Path | None = None,
    host: str = "127.0.0.1",
    port: NonNegativeNumber = 8017,
    names: Annotated[tuple[str, ...], Parameter("--name")] = (),
    referee: Annotated[str, Parameter(completer=lambda context: SPECS)] = "oracle",
    at: StoreOptions = StoreOptions(),
    seed: Seed | None = None,
    overrides: ParsedOverrides,
) -> None:
    """Serve until interrupted.

    Args:
        games: Labelled games (default: those of quarry.toml, else the bundled ones).
        host: Address to listen on.
        port: Port, 0 for a free one.
        names: Name under which players reach the server, if it is neither localhost, this machine's name nor an
            address; repeatable.
        referee: SPEC of the referee who answers.
        seed: Seed of the choice of games (default: by chance).
    """
    from evaluate.practice.routes import listen, serve_app
    from evaluate.practice.server import PracticeServer, load_repertoire
    from evaluate.studio.practice_games import create_practice_app

    file = Path(games or find_project().games or BUNDLED_GAMES)
    with listen(host, port) as listener:
        shown_host = f"[{host}]" if ":" in host else host
        url = f"http://{shown_host}:{listener.getsockname()[1]}"
        course = open_course(at.location, at.collection)
        repertoire = load_repertoire(course, file, referee, seed, overrides.load())
        server = PracticeServer(repertoire, seed, is_public=True)
        order = "random" if seed is None else f"of seed {seed}"
        _log.info(
            "practice game server on %s with %d games, their order %s; players and results are on this page, "
            "the HTTP of players at /docs; stop it with Ctrl-C",
            url,
            len(repertoire.games),
            order,
        )
        serve_app(create_practice_app(server), listener, [host, *names])
