"""A player process killed again and again: `python -m tests.player.game.kill_often URL TOKEN JOURNAL`.

Everything is imported once; each life of the player is a fork of this process, so that 30 of them take seconds. Lives
end by SIGKILL at random moments, the last one when all games are over.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

from player.game.client import HttpGameServer
from player.game.game import Timeouts
from player.game.loop import Loop
from player.round import RoundStart
from tests.player.fakes import course, dense_player, opened

N_KILLS = 30
YOUNG = 0.2
"""Share of the lives that end before they have begun to play."""


def live(
    url: str,
    token: str,
    path: Path,
    n_games: int,
    begun: int,
) -> None:
    """Play: the games left over from earlier lives, and new ones up to `n_games`.

    Args:
        begun: file descriptor that is told when the first game is about to be asked for.
    """
    player = dense_player(course())
    server = HttpGameServer(url, token, timeout_s=20.0)
    with opened(path, url, "killed") as journal:
        os.write(begun, b".")
        loop = Loop(
            server,
            player,
            name="killed",
            timeout_s=60.0,
            timeouts=Timeouts(resend_s=0.5),
            journal=journal,
            at_once=2,
        )
        outcomes = loop.play(n_games)
        errors = [outcome for outcome in outcomes if isinstance(outcome, Exception)]

    os.write(sys.stderr.fileno(), "\n".join(map(str, errors)).encode())
    os._exit(len(errors))


def main(url: str, token: str, journal: str) -> int:
    """A life of two games that is not killed, to see how long it takes; lives that are; and a last one."""
    moments = random.Random(7)
    # imports what it needs; its threads would not live in a fork
    player = dense_player(course())
    plan = player.plan(RoundStart("", "first", "grammar token lookahead", "color"))
    player.decide(plan, ["A"] * len(plan.questions))

    status = 0
    typical_s = 0.0
    for n_games in (2, *[1_000] * N_KILLS, 0):
        is_killed = n_games == 1_000
        begins, begun = os.pipe()
        child = os.fork()
        if child == 0:
            live(url, token, Path(journal), n_games, begun)
        os.close(begun)
        if is_killed and moments.random() < YOUNG:
            time.sleep(moments.uniform(0.0, 0.05))
        else:
            os.read(begins, 1)
        os.close(begins)

        began = time.monotonic()
        if is_killed:
            time.sleep(moments.uniform(0.0, typical_s))
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        typical_s = typical_s or max(0.4, time.monotonic() - began)
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
