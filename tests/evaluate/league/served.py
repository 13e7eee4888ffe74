"""A league that is killed again and again: `python -m tests.evaluate.league.served RECORD PORT PLAYERS KILLS SEED`.

Everything is imported once; each life of the league is a fork of this process. Lives end by SIGKILL at random moments,
the last one when this process is terminated.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from evaluate.league.app import create_league_app
from evaluate.league.built_in import seat
from evaluate.practice.server import listen, serve
from player.protocol import RoundStart
from tests.evaluate.league.fakes import make_league
from tests.player.fakes import course, dense_player

LONGEST_S = 2.0


def live(record: str, port: str, n_players: str) -> None:
    """Serve, with one player built in."""
    league = make_league(int(n_players), Path(record))
    with listen("127.0.0.1", int(port)) as listener:
        seat(league, ["default"], {"default": dense_player(course(), questions_pool=60)}, print)
        serve(create_league_app(league), listener)
    os._exit(0)


def main(record: str, port: str, n_players: str, n_kills: str, seed: str) -> None:
    """Lives that are killed, and a last one that is not."""
    moments = random.Random(int(seed))
    player = dense_player(course(), questions_pool=60)  # imports what it needs; its threads would not live in a fork
    player.decide(player.plan(RoundStart("", "first", "grammar token lookahead terminal", "color", "")), ["A"] * 20)
    for life in range(int(n_kills) + 1):
        child = os.fork()
        if child == 0:
            live(record, port, n_players)
        if life < int(n_kills):
            time.sleep(moments.uniform(0.1, LONGEST_S))
            os.kill(child, signal.SIGKILL)
        else:
            signal.signal(signal.SIGTERM, lambda *_, last=child: os.kill(last, signal.SIGTERM))
        os.waitpid(child, 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
