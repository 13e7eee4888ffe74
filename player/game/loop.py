"""The game loop: `play` plays one game on a server, `play_games` several, in one loop over the player's inbox."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import wait
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from ingest.console.terminal import described, notice, visible
from player.deadlines import Call, Pool, Runner, Turns
from player.errors import (
    GameTimeoutError,
    MessageError,
    PlayerError,
    ServerError,
    UnauthorizedError,
)
from player.game.fallback import DeadlinePlayer
from player.game.game import (
    BEGINNINGS,
    N_AT_ONCE,
    Game,
    GameReport,
    Spectator,
    Timeouts,
)
from player.game.journal import Journal, Ledger
from player.game.outbox import Outbox, state_of
from player.player import Contestant
from player.protocol import messages as protocol
from player.protocol.client import GameServer
from player.protocol.messages import Json, Message, Score

PAUSE_S = 0.02
"""Seconds after an empty answer, for servers that do not wait when they are asked to."""
UNNAMED_S = 0.3
"""Seconds that a restart waits for the first message of a game that a killed process requested."""
STUCK_PAUSE_S = 0.25
"""Seconds after a repeated answer of a server that does not move its cursor."""
LONGEST_POLL_S = 10.0
BUSY_POLL_S = 0.1
"""The longest poll while threads are answering: their games may be over before a message comes."""
MOST_FAULTS_S = 10.0
"""The longest pause after a fault of the inbox."""
MOST_REFUSED = 3
"""Failed requests for a game in a row after which no more games are requested."""
CLOSING_S = 5.0
"""Seconds that the threads have to send their replies when the process ends; a restart sends the others."""
N_WORKERS = 8
"""Threads that answer messages if several games are played at once; the earliest deadline comes first.

If more games are played at once, they keep less in memory and compute it again.
"""
MOST_BUSY = 2 * N_WORKERS
"""No further game is requested while so many have unread messages, so that their replies are in time."""

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
    that were never sent are ignored. Unfinished games of the ledger are played first, and count towards the number of
    games. A fault in one game does not end the other games.

    Args:
        options: the other attributes of `Loop`; `name` and `timeout_s` are required.

    Raises:
        UnauthorizedError: the server does not know the player.
    """
    return Loop(server, contestant, **options).play(n_games)


@dataclass(eq=False, slots=True)
class ActiveGame:
    """A running game with its unread messages and its outbox."""

    game: Game
    outbox: Outbox
    began: float
    deadline: float
    unread: deque[tuple[Message, Json, float]] = field(default_factory=deque)
    failure: PlayerError | None = None
    work: Call[None] | None = None

    @property
    def is_answering(self) -> bool:
        """Whether a thread is answering its messages."""
        return self.work is not None and not self.work.done()

    @property
    def is_busy(self) -> bool:
        """Whether the game has unread messages, or a thread is answering."""
        return bool(self.unread) or self.is_answering

    @property
    def reply_due_at(self) -> float:
        """The earliest time at which a reply to an unread message is due."""
        dues = [self.game.due(message, at) for message, _, at in list(self.unread)]
        return min(dues, default=self.outbox.due_at)


@dataclass(eq=False)
class Loop:
    """Plays all games of one player on one server; see `play_games`.

    Attributes:
        name: logical id of the player in its messages.
        timeout_s: seconds until a game is given up.
        at_once: games that run at the same time.
        timeouts: None sets no time for replies and raises every fault, for replays and measurements.
        ledger: journal of the games; None keeps nothing.
        say: is called with a line about each fault that the game survives; prints to standard error unless given.
    """

    server: GameServer
    player: Contestant
    _: KW_ONLY
    name: str
    timeout_s: float
    at_once: int = 1
    spectator: Spectator | None = None
    timeouts: Timeouts | None = field(default_factory=Timeouts)
    ledger: Ledger | None = None
    say: Callable[[str], None] = notice

    def __post_init__(self) -> None:
        self._ledger = self.ledger or Ledger(Journal(None))
        self._cursor = self._saved_cursor = self._ledger.cursor()
        self._may_begin_again = True
        self._active: list[ActiveGame] = []
        self._n_left = self._n_refused = 0
        self._unnamed: list[int] = []  # games of a killed process that have no id yet
        self._pool = Pool(N_WORKERS) if self.at_once > 1 else None
        self._turns, self._runner = Turns(N_AT_ONCE), Runner(Pool())
        self._last_good = time.monotonic()
        self._fault_pause_s = 0.0
        self._is_closing = False

    def play(self, n_games: int) -> Outcomes:
        """Play, and yield the outcome of each game when it is over."""
        try:
            self._resume()
            self._n_left = n_games - len(self._active)
            while self._n_left > 0 or self._active:
                yield from self._request_games()
                n_over = yield from self._outcomes()
                if n_over == 0 and (self._active or self._n_left > 0):
                    self._poll()

            for key in self._unnamed:
                self._ledger.end(key, "given up")
        finally:
            self._close()

    def _close(self) -> None:
        """Wait a moment for the threads that are sending replies."""
        self._is_closing = True
        calls = [active.work for active in self._active if active.work is not None]
        wait([call for call in calls if not call.cancel()], CLOSING_S)

    def _resume(self) -> None:
        """Continue the unfinished games, and wait a moment for the first messages of those without a known id."""
        for saved in self._ledger.running():
            if not saved.game_id:
                self._unnamed.append(saved.key)
                continue
            active = self._begin(saved.game_id, saved.key)
            active.game.restore(saved)
            if active.game.reply is not None:
                active.outbox.restore(active.game.reply)

        if self._unnamed:
            self._poll(UNNAMED_S)

    def _request_games(self) -> Outcomes:
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
        key = self._ledger.ask()
        try:
            game_id = self.server.request_game()
            for active in self._active:
                if protocol.same_game(game_id, active.game.game_id):
                    raise ServerError(
                        f"The server gave the id of the running game {visible(game_id)} to another game."
                    )
        except ServerError:
            self._ledger.end(key, "given up")
            raise
        self._ledger.name(key, game_id)
        self._begin(game_id, key)

    def _begin(self, game_id: str, key: int) -> ActiveGame:
        def say(line: str) -> None:
            self.say(f"game {game_id}: {line}")

        game = Game(
            game_id=game_id,
            key=key,
            player=DeadlinePlayer(
                self.player, say, self._runner, lean=self.at_once > N_WORKERS
            ),
            name=self.name,
            spectator=self.spectator or Spectator(),
            timeouts=self.timeouts,
            ledger=self._ledger,
            say=say,
        )
        resend_s = None if self.timeouts is None else self.timeouts.resend_s
        now = time.monotonic()
        outbox = Outbox(self.server, resend_s, say)
        active = ActiveGame(game, outbox, began=now, deadline=now + self.timeout_s)
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
            self._ledger.move_cursor(cursor)
            self._saved_cursor = cursor

    def _read_inbox(self, longest_s: float) -> str:
        """Hand the new messages to their games, and return the new cursor."""
        try:
            envelopes, cursor = self.server.inbox(self._cursor, self._wait_s(longest_s))
        except UnauthorizedError:
            raise
        except ServerError as error:
            if self.timeouts is None:
                raise
            self._outage(error, self.timeouts)
            return self._cursor

        arrived = self._last_good = time.monotonic()
        self._fault_pause_s = 0.0
        for envelope in envelopes:
            self._hand_over(envelope, arrived)
        if cursor == self._cursor:
            time.sleep(STUCK_PAUSE_S if envelopes else PAUSE_S)
        elif not envelopes and self._may_begin_again:
            # a server that does not know our cursor has lost its messages
            self._may_begin_again, cursor = False, ""
        return cursor

    def _wait_s(self, longest_s: float) -> float:
        """Return the seconds until something is due, at most `longest_s`."""
        now = time.monotonic()
        if self._may_request:
            longest_s = min(longest_s, BUSY_POLL_S)
        for active in self._active:
            longest_s = min(longest_s, active.deadline - now)
            next_s = BUSY_POLL_S if active.is_busy else active.outbox.due_at - now
            longest_s = min(longest_s, next_s)
        return max(0.0, longest_s)

    def _outage(self, error: ServerError, timeouts: Timeouts) -> None:
        """Wait a moment after a fault of the inbox; give the games up if the faults have lasted too long."""
        if self._fault_pause_s == 0.0:
            self.say(f"the inbox cannot be read and is tried again: {error}")
        now = time.monotonic()
        if now - self._last_good > timeouts.outage_s:
            for active in self._active:
                active.failure = error

        pause_s = max(2.0 * self._fault_pause_s, 0.1, error.retry_after_s)
        self._fault_pause_s = pause_s = min(MOST_FAULTS_S, pause_s)
        for active in self._active:
            pause_s = min(pause_s, active.deadline - now, active.outbox.due_at - now)
        time.sleep(max(PAUSE_S, pause_s))

    def _hand_over(self, envelope: object, arrived: float) -> None:
        """Add a message to the unread ones of its game."""
        try:
            message = protocol.read_message(envelope)
        except MessageError as error:
            self.say(f"a message is skipped: {error}")
            return
        active = self._game_of(message)
        if active is not None and isinstance(envelope, dict):
            active.unread.append((message, envelope, arrived))

    def _game_of(self, message: Message) -> ActiveGame | None:
        """Return the game of a message; a message with a match id alone may begin a game without one."""
        for active in self._active:
            if active.game.owns(message):
                return active
        if message.message_type not in BEGINNINGS:
            return None

        game_id = message.game_id
        if not game_id and message.match_id:
            for active in self._active:
                if not active.game.match_id:
                    return active
        if game_id and self._unnamed and not self._ledger.knows(game_id):
            key = self._unnamed.pop()
            self._ledger.name(key, game_id)
            return self._begin(game_id, key)
        return None

    def _serve(self, active: ActiveGame) -> None:
        """Let a game answer its messages and send its replies, in a thread if several games are played at once."""
        if self._pool is None:
            self._work(active)
        elif not active.is_answering:
            if active.work is not None:
                active.work.result()
            if active.unread or time.monotonic() >= active.outbox.due_at:
                active.work = self._pool.start(
                    lambda: self._work(active), deadline=active.reply_due_at
                )

    def _work(self, active: ActiveGame) -> None:
        try:
            while active.unread and not self._is_closing:
                self._answer(active, *active.unread.popleft())
            if time.monotonic() >= active.outbox.due_at and active.game.score is None:
                self._remind(active)
        except Exception as error:  # a fault ends neither its game nor another
            if self.timeouts is None:
                raise
            if isinstance(error, PlayerError):
                active.failure = error
            else:
                active.game.say(f"{described(error)}; the game goes on")

    def _answer(
        self, active: ActiveGame, message: Message, envelope: Json, arrived: float
    ) -> None:
        """Answer one message of a game."""
        game = active.game
        due = game.due(message, arrived)
        try:
            with self._turns.turn(due):
                reply = game.receive(message, envelope, arrived)
        except MessageError as error:
            game.say(f"a message is skipped: {error}")
            return
        if reply is game.reply and reply is not None:
            active.outbox.send(reply, due)
        elif reply is not None:
            active.outbox.repeat(reply)

    def _remind(self, active: ActiveGame) -> None:
        """Ask the server for a score, and send the last reply again."""
        game = active.game
        if active.outbox.is_accepted:
            state = state_of(self.server, game.game_id)
            if state is not None and state.private_score is not None:
                points = state.league_points or 0
                game.take(Score(state.private_score, points, {}, {}))
                return
        active.outbox.send_again()

    def _outcomes(self) -> Generator[GameReport | PlayerError, None, int]:
        """Yield the outcomes of the games that are over, and return their number.

        A game ends in the ledger after its outcome was taken: an interrupted one is shown by the next process.
        """
        n_over = 0
        for active in list(self._active):
            outcome = self._outcome(active)
            if outcome is None:
                continue
            self._active.remove(active)
            n_over += 1
            is_scored = active.game.score is not None
            if isinstance(outcome, PlayerError):
                active.game.fail(outcome)
            try:
                yield outcome
            finally:
                self._ledger.end(active.game.key, "over" if is_scored else "given up")
        return n_over

    def _outcome(self, active: ActiveGame) -> GameReport | PlayerError | None:
        """Return the outcome of a finished game, None for a running one."""
        now, game = time.monotonic(), active.game
        if active.is_answering:
            return None
        if game.score is not None:
            return game.report(now - active.began)
        if active.failure is None and now >= active.deadline:
            return GameTimeoutError(
                f"Game {visible(game.game_id)} timed out; raise game.game_timeout_s if the referee is slow."
            )
        return active.failure
