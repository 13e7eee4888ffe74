"""Delivery: sends the replies of one game to its server, until the game ends by its score, a failure or its timeout."""

import contextlib
import re
import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from math import inf

from player.errors import (
    GameTimeoutError,
    MessageError,
    PlayerError,
    RefusedError,
    ServerError,
    UnauthorizedError,
)
from player.game.client import GameServer
from player.game.game import REPLY_SHARE, Game
from player.game.messages import Message
from player.game.record import PlayedGame, SavedGame
from player.round import Json, Score
from quarry.terminal import visible

MIN_PAUSE_S = 1.0
"""Minimum pause before a reply is sent again."""
TRIES = 4
"""Approximate number of times that a reply is sent before its deadline, if the referee seems not to have it."""
CONFLICT = 409
"""Status with which a server may refuse a message that it already has."""
ABANDONED = re.compile("abort|cancel|forfeit|over|finish|fail|clos", re.IGNORECASE)
"""Beginnings of the states of games that will get no score any more."""


@dataclass(eq=False)
class Delivery:
    """A game on a server. The latest reply is sent again until the referee's next message comes.

    The same message_id twice is one message, so a repeated reply changes nothing at the server. All times are by
    time.monotonic().

    Attributes:
        game: the game.
        server: its server.
        timeout_s: seconds until the game is given up.
        began: time of the request for the game.
        failure: the error that ends the game, or None.
        unread: messages that were not answered yet.
        call: the latest call in a thread that answers messages; None without threads.
        reply_deadline: time at which the latest reply is due.
        resend_at: time at which the latest reply is sent again; infinite without a reply.
        is_accepted: whether the server has accepted the latest reply; the referee may not have read it yet.
    """

    game: Game
    server: GameServer
    timeout_s: float = inf
    began: float = field(default_factory=time.monotonic)
    failure: PlayerError | None = None
    unread: deque[Message] = field(default_factory=deque)
    call: Future[None] | None = None
    reply_deadline: float = 0.0
    resend_at: float = inf
    is_accepted: bool = True
    _refusals: set[str] = field(default_factory=set)

    @property
    def is_answering(self) -> bool:
        """Whether a thread is answering messages."""
        return self.call is not None and not self.call.done()

    @property
    def is_busy(self) -> bool:
        """Whether there are unread messages, or a thread is answering some."""
        return bool(self.unread) or self.is_answering

    def restore(self, saved: SavedGame) -> None:
        """Continue a game of an earlier process, whose latest reply the server may have."""
        self.game.restore(saved)
        if saved.messages:
            self.resend_at = self.began

    def answer(self, message: Message, sent_ids: set[str]) -> None:
        """Answer a message, and send the reply.

        Args:
            message: the message.
            sent_ids: ids of the replies that were sent to this batch of messages; they are not sent again.
        """
        try:
            reply = self.game.receive(message)
        except MessageError as error:
            self.game.log(f"a message is skipped: {error}")
            return
        if reply is None or reply["message_id"] in sent_ids:
            return
        sent_ids.add(reply["message_id"])
        if reply is self.game.reply:
            self.reply_deadline = self.game.timeouts.reply_deadline(message)
            self.send_again()
        else:  # an earlier message came again
            self._send(reply)

    def remind(self) -> None:
        """Ask the server for the score; if there is none, send the latest reply again.

        Raises:
            ServerError: the game has ended without a score.
        """
        state = None
        if self.is_accepted:
            with contextlib.suppress(ServerError):
                state = self.server.game(self.game.game_id)
        if state is not None and state.private_score is not None:
            points = state.league_points or 0
            self.game.take_score(Score(state.private_score, points, {}, {}))
        elif state is not None and ABANDONED.match(state.state):
            raise ServerError(
                f"Game {visible(self.game.game_id)} is {visible(repr(state.state))} on the server and has no score."
            )
        else:
            self.send_again()

    def send_again(self) -> None:
        """Send the latest reply, and choose the time of the next try."""
        assert self.game.reply is not None
        retry_after_s = self._send(self.game.reply)
        self.is_accepted = retry_after_s is None
        remaining_s = self.reply_deadline - time.monotonic()
        pause_s = longest_s = self.game.timeouts.resend_s
        if remaining_s > 0.0:
            pause_s = min(pause_s, remaining_s / TRIES)
            longest_s = REPLY_SHARE * min(remaining_s, self.game.timeouts.phase_s)
        if retry_after_s is not None:
            pause_s = min(retry_after_s, longest_s)
        self.resend_at = time.monotonic() + max(MIN_PAUSE_S, pause_s)

    def _send(self, reply: Json) -> float | None:
        """Send a reply once; after a fault, return the seconds that the server asks to wait for, else None."""
        try:
            self.server.send(reply)
        except ServerError as error:
            if self.game.timeouts.is_strict or isinstance(error, UnauthorizedError):
                raise
            if not isinstance(error, RefusedError):
                return error.retry_after_s
            if error.status != CONFLICT and str(error) not in self._refusals:
                self._refusals.add(str(error))
                self.game.log(error)
        return None

    def end(self, *, is_away: bool = False) -> PlayedGame | PlayerError | None:
        """Return the record of a finished game, or the error that ended it; None for a running game.

        Args:
            is_away: whether the server's inbox cannot be read.
        """
        now = time.monotonic()
        if self.game.score is not None:
            return self.game.record(now - self.began)

        if self.failure is None and now >= self.began + self.timeout_s:
            remedy = "raise game.game_timeout_s if the referee is slow"
            if is_away:
                remedy = "its inbox could not be read; check the server"
            self.failure = GameTimeoutError(
                f"Game {visible(self.game.game_id)} timed out; {remedy}."
            )
        return self.failure
