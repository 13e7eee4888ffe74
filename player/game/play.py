"""play(server, contestant): live games, replays over HTTP and tests play through it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Generator

from quarry.configs.terminal import visible
from quarry.player.errors import PlayerError
from quarry.player.game.game import GameReport, Spectator, Timeouts
from quarry.player.game.ledger import Ledger
from quarry.player.game.scheduler import GameScheduler
from quarry.player.player import Contestant
from quarry.player.protocol.client import GameServer


def play(
    server: GameServer,
    contestant: Contestant,
    *,
    name: str,
    timeout_s: float,
    spectator: Spectator | None = None,
    timeouts: Timeouts | None = Timeouts(),
) -> GameReport:
    """Ask for a practice game and play it to its score; see `play_games`.

    Raises:
        ServerError: the server is not there or refuses.
        GameTimeoutError: the game was not over in time.
        QueryError: nothing can be searched for.
    """
    games = play_games(server, contestant, 1, name=name, timeout_s=timeout_s, spectator=spectator, timeouts=timeouts)
    with contextlib.closing(games):
        outcome = next(games)
    if isinstance(outcome, PlayerError):
        raise outcome
    return outcome


def play_games(
    server: GameServer,
    contestant: Contestant,
    n_games: int,
    *,
    name: str,
    timeout_s: float,
    at_once: int = 1,
    spectator: Spectator | None = None,
    timeouts: Timeouts | None = Timeouts(),
    ledger: Ledger | None = None,
    say: Callable[[str], None] | None = None,
) -> Generator[GameReport | PlayerError, None, None]:
    """Play games, and give each one's report, or why it could not be played, when it is over.

    Messages of other games are passed over; a message that comes twice gets the reply it got before, byte for byte;
    answers to questions that were never sent are nobody's. Games of the ledger that are not over are played on first,
    and count. A fault of one game ends no other.

    Args:
        name: logical id that the player's messages carry.
        timeout_s: seconds until a game is given up.
        at_once: games that run at the same time.
        timeouts: None hurries no reply and lets every fault pass to the caller, for replays and measurements.
        ledger: where games are kept; None keeps nothing.
        say: is told in a line what went wrong and was survived; standard error unless given.

    Raises:
        UnauthorizedError: the server does not know the player.
    """
    scheduler = GameScheduler(
        server,
        contestant,
        name=name,
        timeout_s=timeout_s,
        at_once=at_once,
        spectator=spectator or Spectator(),
        timeouts=timeouts,
        ledger=ledger or Ledger(None),
        say=say or (lambda line: print(visible(line), file=sys.stderr)),
    )
    yield from scheduler.play(n_games)
