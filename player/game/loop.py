"""The game loop: `play` plays one game on a server, `play_games` several, in one loop over the player's inbox."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import time
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import wait
from dataclasses import KW_ONLY, dataclass, field
from math import inf
from typing import Any

from ingest.console.terminal import described, visible
from player.deadlines import Call, Pool, Runner
from player.errors import (
    GameTimeoutError,
    MessageError,
    PlayerError,
    RefusedError,
    ServerError,
    UnauthorizedError,
)
from player.game.fallback import DeadlinePlayer
from player.game.game import BEGINNINGS, Game, GameReport, Spectator, Timeouts
from player.game.journal import Journal
from player.player import Contestant
from player.protocol import messages as protocol
from player.protocol.client import GameServer
from player.protocol.messages import Json, Message, Score

logger = logging.getLogger(__name__)
PAUSE_S = 0.02
"""Seconds after an empty answer, for servers that do not wait when they are asked to."""
UNNAMED_S = 0.3
"""Seconds that a restart waits for the first message of a game that a killed process requested."""
STUCK_PAUSE_S = 0.25
"""Seconds after a repeated answer of a server that does not move its cursor, and after a fault of the inbox."""
LONGEST_POLL_S = 10.0
"""The longest poll, and the longest pause after a fault of the inbox."""
BUSY_POLL_S = 0.1
"""The longest poll while threads are answering: their games may be over before a message comes."""
LEAST_PAUSE_S = 1.0
"""The shortest pause before a reply is sent again."""
TRIES = 4
"""A reply that may be lost is sent about so many times before its deadline."""
CONFLICT = 409
"""Status with which a server may refuse a message that it has already."""
MOST_REFUSED = 3
"""Failed requests for a game in a row after which no more games are requested."""
CLOSING_S = 5.0
"""Seconds that the threads have to send their replies when the process ends; a restart sends the others."""
N_WORKERS = max(4, os.cpu_count() or 1)
"""Threads that answer messages if several games are played at once; the earliest deadline comes first."""
MOST_IN_MEMORY = 8
"""If more games are played at once, they keep less in memory and compute it again."""
MOST_BUSY = 16
"""No further game is requested while so many have unread messages, so that their replies are in time."""
ABANDONED = re.compile("abort|cancel|forfeit|over|finish|fail|clos", re.IGNORECASE)
"""Beginnings of states of a game in which no score will come any more."""

Outcomes = Generator[GameReport | PlayerError, None, None]


def play(server: GameServer, contestant: Contestant, **options: Any) -> GameReport:
    """Ask for a practice game and play it to its score; see `play_games`.

    Raises:
        ServerError: the server is not there or refuses.
        GameTimeoutError: the game was not over in time.
        QueryError: nothing can be searched for.
    """
    with contextlib.closing(play_games(server, contestant, 1, **options)) as games:
        outcome = next(games)
    if isinstance(outcome, PlayerError):
        raise outcome
    return outcome


def play_games(
    server: GameServer, contestant: Contestant, n_games: int, **options: Any
) -> Outcomes:
    """Play games, and yield the report of each game when it is over, or the error for which it could not be played.

    Messages of other games are ignored. A repeated message gets the same reply, byte for byte. Answers to questions
    that were never sent are ignored. Unfinished games of the journal are played first, and count towards the number of
    games. A fault in one game does not end the other games.

    Args:
        options: the other attributes of `Loop`; `name` and `timeout_s` are required.

    Raises:
        UnauthorizedError: the server does not know the player.
    """
    return Loop(server, contestant, **options).play(n_games)


@dataclass(eq=False, slots=True)
class ActiveGame:
    """A running game, whose latest reply is sent again until the referee's next message shows that it arrived.

    A message_id twice is one message, so that a repeated reply changes nothing at the server.

    Attributes:
        began: time of the request, of time.monotonic() like all times.
        deadline: time at which the game is given up.
        reply_due: time at which the latest reply is due.
        due: time of the next try; infinite without a reply.
        is_accepted: True if the server has accepted the latest reply, which the referee may still not have read.
        failure: the fault that ends the game.
        work: the call that answers its messages.
    """

    game: Game
    server: GameServer
    began: float
    deadline: float
    unread: deque[Message] = field(default_factory=deque)
    reply_due: float = 0.0
    due: float = inf
    is_accepted: bool = True
    failure: PlayerError | None = None
    work: Call[None] | None = None
    _refusals: set[str] = field(default_factory=set)

    @property
    def is_answering(self) -> bool:
        """Whether a thread is answering its messages."""
        return self.work is not None and not self.work.done()

    @property
    def is_busy(self) -> bool:
        """Whether the game has unread messages, or a thread is answering."""
        return bool(self.unread) or self.is_answering

    def answer(self, message: Message) -> None:
        """Answer a message."""
        game = self.game
        try:
            reply = game.receive(message)
        except MessageError as error:
            game.log(f"a message is skipped: {error}")
            return
        if reply is None:
            return
        if reply is game.reply:
            self.reply_due = game.timeouts.due(message)
            self.send_again()
        else:  # an earlier message came again
            self._send(reply)

    def remind(self) -> None:
        """Ask the server for a score, and send the latest reply again.

        Raises:
            ServerError: the game has ended without a score.
        """
        game_id, state = self.game.game_id, None
        if self.is_accepted:
            with contextlib.suppress(ServerError):
                state = self.server.game(game_id)
        if state is None:
            self.send_again()
        elif state.private_score is not None:
            points = state.league_points or 0
            self.game.take(Score(state.private_score, points, {}, {}))
        elif ABANDONED.match(state.state):
            raise ServerError(
                f"Game {visible(game_id)} is {visible(repr(state.state))} on the server and has no score."
            )
        else:
            self.send_again()

    def send_again(self) -> None:
        """Send the latest reply, and choose the time of the next try."""
        assert self.game.reply is not None
        retry_after_s = self._send(self.game.reply)
        self.is_accepted = retry_after_s is None
        remaining_s = self.reply_due - time.monotonic()
        pause_s = longest_s = self.game.timeouts.resend_s
        if remaining_s > 0.0:
            pause_s = min(pause_s, remaining_s / TRIES)
            longest_s = remaining_s / 2.0
        if retry_after_s is not None:
            pause_s = min(retry_after_s, longest_s)
        self.due = time.monotonic() + max(LEAST_PAUSE_S, pause_s)

    def _send(self, reply: Json) -> float | None:
        """Send a reply once; return the seconds that the server asks to wait for after a fault, else None."""
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

    def outcome(self) -> GameReport | PlayerError | None:
        """Return the report of a finished game or the error that ends it, None for a running one."""
        now = time.monotonic()
        if self.is_answering:
            return None
        if self.game.score is not None:
            return self.game.report(now - self.began)
        if self.failure is None and now >= self.deadline:
            return GameTimeoutError(
                f"Game {visible(self.game.game_id)} timed out; raise game.game_timeout_s if the referee is slow."
            )
        return self.failure


@dataclass(eq=False)
class Loop:
    """Plays all games of one player on one server; see `play_games`.

    Attributes:
        name: logical id of the player in its messages.
        timeout_s: seconds until a game is given up.
        at_once: games that run at the same time.
        journal: of the player's games; one in memory unless given.
    """

    server: GameServer
    player: Contestant
    _: KW_ONLY
    name: str
    timeout_s: float
    at_once: int = 1
    spectator: Spectator = field(default_factory=Spectator)
    timeouts: Timeouts = field(default_factory=Timeouts)
    journal: Journal = field(default_factory=lambda: Journal(None))

    def __post_init__(self) -> None:
        self._cursor = self._saved_cursor = self.journal.cursor()
        self._may_begin_again = True
        self._active: list[ActiveGame] = []
        self._unnamed: list[int] = []  # games of a killed process that have no id yet
        self._n_left = self._n_refused = 0
        self._pool = Pool(N_WORKERS) if self.at_once > 1 else None
        self._runner = Runner(Pool())
        self._last_good = time.monotonic()
        self._is_away = self._is_closing = False

    def play(self, n_games: int) -> Outcomes:
        """Play, and yield the outcome of each game when it is over."""
        try:
            self._resume()
            self._n_left = n_games - len(self._active)
            while self._n_left > 0 or self._active:
                yield from self._request_games()
                n_active = len(self._active)
                yield from self._outcomes()
                if n_active == len(self._active) and (n_active or self._n_left > 0):
                    self._poll()

            for key in self._unnamed:
                self.journal.update(key, ending="given up")
        finally:
            # wait a moment for the threads that are sending replies
            self._is_closing = True
            calls = [active.work for active in self._active if active.work is not None]
            wait([call for call in calls if not call.cancel()], CLOSING_S)

    def _resume(self) -> None:
        """Continue the unfinished games, and wait a moment for the first messages of those without a known id."""
        for saved in self.journal.running():
            if not saved.game_id:
                self._unnamed.append(saved.key)
                continue
            active = self._begin(saved.game_id, saved.key)
            active.game.restore(saved)
            if active.game.reply is not None:  # the server may have it
                active.due = time.monotonic()

        if self._unnamed:
            self._poll(UNNAMED_S)

    def _request_games(self) -> Iterator[PlayerError]:
        """Request some games unless enough are running or waiting for replies; yield the errors."""
        n_busy = sum(active.is_busy for active in self._active)
        while self._may_request and n_busy < MOST_BUSY:
            n_busy += 1
            self._n_left -= 1
            try:
                self._request_game()
                self._n_refused = 0
            except UnauthorizedError:
                raise
            except ServerError as error:
                self._n_refused += 1
                if self._n_refused == MOST_REFUSED:
                    self._n_left = 0
                yield error

    @property
    def _may_request(self) -> bool:
        return self._n_left > 0 and len(self._active) < self.at_once

    def _request_game(self) -> None:
        key = self.journal.ask()
        try:
            game_id = self.server.request_game()
            for active in self._active:
                if protocol.same_game(game_id, active.game.game_id):
                    raise ServerError(
                        f"The server gave the id of the running game {visible(game_id)} to another game."
                    )
        except ServerError:
            self.journal.update(key, ending="given up")
            raise
        self.journal.name(key, game_id)
        self._begin(game_id, key)

    def _begin(self, game_id: str, key: int) -> ActiveGame:
        is_lean = self.at_once > MOST_IN_MEMORY
        game = Game(
            game_id=game_id,
            key=key,
            player=DeadlinePlayer(self.player, game_id, self._runner, lean=is_lean),
            name=self.name,
            spectator=self.spectator,
            timeouts=self.timeouts,
            journal=self.journal,
        )
        now = time.monotonic()
        active = ActiveGame(game, self.server, now, now + self.timeout_s)
        self._active.append(active)
        return active

    def _poll(self, longest_s: float = LONGEST_POLL_S) -> None:
        """Read the inbox once, and let each game answer its messages."""
        cursor = self._read_inbox(longest_s)
        for active in self._active:
            self._serve(active)

        self._cursor = cursor
        is_busy = any(active.is_busy for active in self._active)
        if cursor != self._saved_cursor and not is_busy:
            self.journal.move_cursor(cursor)
            self._saved_cursor = cursor

    def _read_inbox(self, longest_s: float) -> str:
        """Hand the new messages to their games, and return the new cursor."""
        if self._may_request or any(active.is_busy for active in self._active):
            longest_s = min(longest_s, BUSY_POLL_S)
        try:
            messages, cursor = self.server.inbox(
                self._cursor, self._until_due(longest_s)
            )
        except ServerError as error:
            if self.timeouts.is_strict or isinstance(error, UnauthorizedError):
                raise
            self._outage(error)
            return self._cursor

        self._last_good, self._is_away = time.monotonic(), False
        for message in messages:
            self._hand_over(message)
        if cursor == self._cursor:
            time.sleep(STUCK_PAUSE_S if messages else PAUSE_S)
        elif not messages and self._may_begin_again:
            # a server that does not know our cursor has lost its messages
            self._may_begin_again, cursor = False, ""
        return cursor

    def _until_due(self, longest_s: float) -> float:
        """Return the seconds until a game has something to do, at most `longest_s`."""
        due = time.monotonic() + longest_s
        for active in self._active:
            due = min(due, active.deadline)
            if not active.is_busy:
                due = min(due, active.due)
        return max(0.0, due - time.monotonic())

    def _outage(self, error: ServerError) -> None:
        """Wait a moment after a fault of the inbox; give the games up if the faults have lasted too long."""
        if not self._is_away:
            logger.warning("the inbox cannot be read and is tried again: %s", error)
            self._is_away = True
        if time.monotonic() - self._last_good > self.timeouts.outage_s:
            for active in self._active:
                active.failure = error
        pause_s = min(LONGEST_POLL_S, max(STUCK_PAUSE_S, error.retry_after_s))
        time.sleep(max(PAUSE_S, self._until_due(pause_s)))

    def _hand_over(self, envelope: object) -> None:
        """Add a message to the unread ones of its game."""
        try:
            message = protocol.read_message(envelope)
        except MessageError as error:
            logger.warning("a message is skipped: %s", error)
            return
        active = self._game_of(message)
        if active is not None:
            active.unread.append(message)

    def _game_of(self, message: Message) -> ActiveGame | None:
        """Return the game of a message; a message with a match id alone may begin a game without one."""
        for active in self._active:
            if active.game.owns(message):
                return active
        if message.message_type not in BEGINNINGS:
            return None

        if not message.game_id and message.match_id:
            for active in self._active:
                if not active.game.match_id:
                    return active
        is_new = bool(message.game_id) and not self.journal.holds(message.game_id)
        if self._unnamed and is_new:
            key = self._unnamed.pop()
            self.journal.name(key, message.game_id)
            return self._begin(message.game_id, key)
        return None

    def _serve(self, active: ActiveGame) -> None:
        """Let a game answer its messages and send its replies, in a thread if several games are played at once."""
        if self._pool is None:
            self._work(active)
        elif not active.is_answering:
            if active.work is not None:
                active.work.result()
            if active.unread or time.monotonic() >= active.due:
                dues = [self.timeouts.due(message) for message in active.unread]
                active.work = self._pool.start(
                    lambda: self._work(active), deadline=min(dues, default=active.due)
                )

    def _work(self, active: ActiveGame) -> None:
        try:
            while active.unread and not self._is_closing:
                active.answer(active.unread.popleft())
            if time.monotonic() >= active.due and active.game.score is None:
                active.remind()
        except Exception as error:  # a fault ends neither its game nor another
            if self.timeouts.is_strict:
                raise
            if isinstance(error, PlayerError):
                active.failure = error
            else:
                active.game.log(f"{described(error)}; the game goes on")

    def _outcomes(self) -> Outcomes:
        """Yield the outcomes of the games that are over.

        A game ends in the journal after its outcome was taken: an interrupted one is shown by the next process.
        """
        for active in list(self._active):
            outcome = active.outcome()
            if outcome is None:
                continue
            self._active.remove(active)
            if isinstance(outcome, PlayerError):
                active.game.fail(outcome)
            try:
                yield outcome
            finally:
                is_scored = active.game.score is not None
                ending = "over" if is_scored else "given up"
                self.journal.update(active.game.key, ending=ending)
