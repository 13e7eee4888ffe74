"""The outbox of one game: a reply is sent again until the referee's next message shows that it arrived."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from math import inf

from ingest.console.terminal import visible
from player.errors import RefusedError, ServerError, UnauthorizedError
from player.protocol.client import GameServer, GameState
from player.protocol.messages import Json

LEAST_PAUSE_S = 1.0
"""The shortest pause before a reply is sent again."""
TRIES = 4
"""A reply that may be lost is sent about so many times before its deadline."""
CONFLICT = 409
"""Status with which a server may refuse a message that it has already."""


class Outbox:
    """Sends the replies of one game, and sends the latest one again until the next one takes its place.

    A message_id twice is one message, so that a repeated reply changes nothing at the server.

    Args:
        resend_s: the longest time between two tries; None sends each reply once and raises all errors.
        say: is called with a line about each new reason of a refusal.

    Attributes:
        due_at: time of the next try, of time.monotonic(); infinite without a reply.
        is_accepted: True if the server has accepted the last reply, which the referee may still not have read.
    """

    def __init__(
        self, server: GameServer, resend_s: float | None, say: Callable[[str], None]
    ) -> None:
        self.due_at = inf
        self.is_accepted = False
        self._server = server
        self._resend_s = resend_s
        self._say = say
        self._reply: Json | None = None
        self._deadline = 0.0
        self._refusals: set[str] = set()

    def send(self, reply: Json, deadline: float) -> None:
        """Send the reply to the latest message, which is due at a time of time.monotonic()."""
        self._reply, self._deadline = reply, deadline
        self.send_again()

    def send_again(self) -> None:
        """Send the latest reply, and choose the time of the next try."""
        if self._reply is None:
            return
        retry_after_s = self._try(self._reply)
        if self._resend_s is None:
            return

        remaining_s = self._deadline - time.monotonic()
        pause_s, longest_s = self._resend_s, self._resend_s
        if remaining_s > 0.0:
            pause_s = min(pause_s, remaining_s / TRIES)
            longest_s = remaining_s / 2.0
        if not self.is_accepted:
            pause_s = min(retry_after_s, longest_s)
        self.due_at = time.monotonic() + max(LEAST_PAUSE_S, pause_s)

    def repeat(self, reply: Json) -> None:
        """Send an earlier reply once more, since its message came again."""
        is_accepted = self.is_accepted
        self._try(reply)
        self.is_accepted = is_accepted

    def restore(self, reply: Json) -> None:
        """Continue with a reply of an earlier process, which the server may have."""
        self._reply, self.is_accepted, self.due_at = reply, True, time.monotonic()

    def _try(self, reply: Json) -> float:
        """Send a reply once, and return the seconds that the server asks to wait for after a fault."""
        self.is_accepted = False
        try:
            self._server.send(reply)
        except UnauthorizedError:
            raise
        except RefusedError as error:
            self._refuse(error)
        except ServerError as error:
            if self._resend_s is None:
                raise
            return error.retry_after_s
        self.is_accepted = True
        return 0.0

    def _refuse(self, error: RefusedError) -> None:
        if self._resend_s is None:
            raise error
        if error.status != CONFLICT and str(error) not in self._refusals:
            self._refusals.add(str(error))
            self._say(str(error))


ABANDONED = frozenset(
    [
        "aborted",
        "cancelled",
        "canceled",
        "forfeited",
        "over",
        "finished",
        "failed",
        "closed",
    ]
)
"""States of a game in which no score will come any more."""


def state_of(server: GameServer, game_id: str) -> GameState | None:
    """Ask the server for the state of a game; None if it does not answer.

    Raises:
        ServerError: the game has ended without a score.
    """
    state = None
    with contextlib.suppress(ServerError):
        state = server.game(game_id)
    if state is None or state.private_score is not None:
        return state
    if state.state.lower() in ABANDONED:
        raise ServerError(
            f"Game {game_id} is {visible(repr(state.state))} on the server and has no score."
        )
    return state
