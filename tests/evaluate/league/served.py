"""A league that is killed again and again: `python -m tests.evaluate.league.served RECORD PORT PLAYERS KILLS SEED`.

Everything is imported once; each life of the league is a fork of this process. Lives end by SIGKILL at random moments
after something was played, the last one when this process is terminated.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import sys
import time
from pathlib import Path

from quarry.evaluate.league.app import create_league_app
from quarry.evaluate.league.built_in import seat
from quarry.evaluate.practice.server import listen, serve
from quarry.player.protocol.payloads import RoundStart
from tests.evaluate.league.fakes import make_league
from tests.player.fakes import course, dense_player

LONGEST_S = 0.3


def live(record: str, port: str, n_players: str) -> None:
    """Serve, with one player built in."""
    league = make_league(int(n_players), Path(record))
    with listen("127.0.0.1", int(port)) as listener:
        seat(league, ["default"], {"default": dense_player(course(), questions_pool=60)}, print)
        serve(create_league_app(league), listener)
    os._exit(0)


def wait_for_more(record: Path, seen: int) -> int:
    """How many messages the league has taken, once they are more than were seen before."""
    while True:
        found = seen
        with contextlib.suppress(sqlite3.Error):
            database = sqlite3.connect(f"file:{record}?mode=ro", uri=True)
            found = int(database.execute("SELECT count(*) FROM taken").fetchone()[0])
            database.close()
        if found > seen:
            return found
        time.sleep(0.01)


def main(record: str, port: str, n_players: str, n_kills: str, seed: str) -> None:
    """Lives that are killed, and a last one that is not."""
    moments = random.Random(int(seed))
    player = dense_player(course(), questions_pool=60)  # imports what it needs; its threads would not live in a fork
    player.decide(player.plan(RoundStart("", "first", "grammar token lookahead terminal", "color", "")), ["A"] * 20)
    seen = 0
    for life in range(int(n_kills) + 1):
        child = os.fork()
        if child == 0:
            live(record, port, n_players)
        if life < int(n_kills):
            seen = wait_for_more(Path(record), seen)
            time.sleep(moments.uniform(0.0, LONGEST_S))
            os.kill(child, signal.SIGKILL)
        else:
            signal.signal(signal.SIGTERM, lambda *_, last=child: os.kill(last, signal.SIGTERM))
        os.waitpid(child, 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
