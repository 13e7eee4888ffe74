"""A league as a process that can be killed: `python -m tests.evaluate.league.served RECORD PORT N`."""

from __future__ import annotations

import sys
from pathlib import Path

from evaluate.league.app import create_league_app
from evaluate.league.built_in import seat
from evaluate.practice.server import listen, serve
from tests.evaluate.league.fakes import make_league
from tests.player.fakes import course, dense_player


def main(record: str, port: str, n_players: str) -> None:
    """Serve, with one player built in."""
    league = make_league(int(n_players), Path(record))
    with listen("127.0.0.1", int(port)) as listener:
        seat(league, ["default"], {"default": dense_player(course(), questions_pool=60)}, print)
        serve(create_league_app(league), listener)


if __name__ == "__main__":
    main(*sys.argv[1:])
