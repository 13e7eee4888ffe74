"""The game loop: `play` plays one game on a server, `play_games` several, in one loop over the player's inbox."""

from __future__ import annotations

import contextlib
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from math import inf

from quarry.configs.terminal import described, visible
from quarry.player.errors import (
    GameTimeoutError,
    MessageError,
    PlayerError,
    RefusedError,
    ServerError,
    UnauthorizedError,
)
from quarry.player.game.fallback import DeadlinePlayer
from quarry.player.game.game import BEGINNINGS, Game, GameReport, Spectator, Timeouts
from quarry.player.game.journal import GameRecord, Journal, Ledger
from quarry.player.player import Contestant
from quarry.player.protocol import messages as protocol
from quarry.player.protocol.client import GameServer
from quarry.player.protocol.messages import Json, Message, Score

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
DEADLINES_WAITED = 2.0
LONGEST_DEADLINE_S = 3_600.0
"""A game is not given up before so many times the deadline of a message, which counts as an hour at most."""
N_WORKERS = 8
"""Threads that answer messages if several games are played at once."""
CONFLICT = 409
"""Status with which a server may refuse a message that it has already."""
ABANDONED = frozenset({"aborted", "cancelled", "canceled", "forfeited", "over", "finished", "failed", "closed"})
"""States of a game in which no score will come any more."""

Outcomes = Generator[GameReport | PlayerError, None, None]


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
    say: Callable[[str], None] = lambda line: print(visible(line), file=sys.stderr),
) -> Outcomes:
    """Play games, and yield the report of each game when it is over, or the error for which it could not be played.

    Messages of other games are ignored. A repeated message gets the same reply, byte for byte. Answers to questions
    that were never sent are ignored. Unfinished games of the ledger are played first, and count towards the number of
    games. A fault in one game does not end the other games.

    Args:
        name: logical id of the player in its messages.
        timeout_s: seconds until a game is given up.
        at_once: games that run at the same time.
        timeouts: None sets no time for replies and raises every fault, for replays and measurements.
        ledger: journal of the games; None keeps nothing.
        say: is called with a line about each fault that the game survives; prints to standard error unless given.

    Raises:
        UnauthorizedError: the server does not know the player.
    """
    return _Scheduler(
        server,
        contestant,
        name,
        timeout_s,
        at_once,
        spectator or Spectator(),
        timeouts,
        ledger or Ledger(Journal(None)),
        say,
    ).play(n_games)


@dataclass(eq=False, slots=True)
class ActiveGame:
    """A running game with its unread messages, its undelivered replies, and the times at which something is due."""

    game: Game
    began: float
    deadline: float
    unread: deque[tuple[Message, Json, float]] = field(default_factory=deque)
    undelivered: dict[str, Json] = field(default_factory=dict)
    retry_at: float = 0.0
    resend_at: float = inf
    failure: PlayerError | None = None
    work: Future[None] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether the game has unread messages, or a thread is answering."""
        return bool(self.unread) or (self.work is not None and not self.work.done())

    @property
    def due_at(self) -> float:
        """The time at which the game has something to send, without another message."""
        return min(self.resend_at, self.retry_at if self.undelivered else inf)


@dataclass(eq=False)
class _Scheduler:
    """Plays all games of one player on one server; see `play_games` for the attributes."""

    server: GameServer
    player: Contestant
    name: str
    timeout_s: float
    at_once: int
    spectator: Spectator
    timeouts: Timeouts | None
    ledger: Ledger
    say: Callable[[str], None]

    def __post_init__(self) -> None:
        self._cursor = self._saved_cursor = self.ledger.cursor()
        self._may_begin_again = True
        self._active: list[ActiveGame] = []
        self._unnamed: list[int] = []  # keys of games that a killed process requested; their ids are not known
        self._pool = ThreadPoolExecutor(N_WORKERS, "game") if self.at_once > 1 else None
        self._last_good = time.monotonic()
        self._fault_pause_s = 0.0
        self._closing = False

    def play(self, n_games: int) -> Outcomes:
        """Play, and yield the outcome of each game when it is over."""
        try:
            self._resume()
            left, n_refused = n_games - len(self._active), 0
            while left > 0 or self._active:
                while left > 0 and len(self._active) < self.at_once:
                    left -= 1
                    try:
                        self._request_game()
                        n_refused = 0
                    except UnauthorizedError:
                        raise
                    except ServerError as error:
                        n_refused += 1
                        yield error
                        if n_refused == MOST_REFUSED:
                            left = 0
                n_over = yield from self._outcomes()
                if n_over == 0 and (self._active or left > 0):
                    self._poll()
            for key in self._unnamed:
                self.ledger.end(key, "given up")
        finally:
            self._closing = True
            if self._pool is not None:
                wait([active.work for active in self._active if active.work is not None], CLOSING_S)
                self._pool.shutdown(wait=False, cancel_futures=True)

    def _resume(self) -> None:
        """Continue the unfinished games, and wait a moment for the first messages of those without a known id."""
        for record in self.ledger.running():
            if record.game_id:
                self._begin(record.game_id, record.key, record)
            else:
                self._unnamed.append(record.key)
        if self._unnamed:
            self._poll(UNNAMED_S)

    def _request_game(self) -> None:
        key = self.ledger.ask()
        try:
            game_id = self.server.request_game()
        except ServerError:
            self.ledger.end(key, "given up")
            raise
        self.ledger.name(key, game_id)
        self._begin(game_id, key)

    def _begin(self, game_id: str, key: int, saved: GameRecord | None = None) -> ActiveGame:
        player = DeadlinePlayer(self.player, lambda line: self.say(f"game {game_id}: {line}"))
        game = Game(game_id, key, player, self.name, self.spectator, self.timeouts, self.ledger)
        now = time.monotonic()
        active = ActiveGame(game, now, now + self.timeout_s)
        if saved is not None:
            game.restore(saved)
            active.undelivered = dict(saved.replies)  # which of them arrived is not known; twice is once
            if game.guess_sent is not None:
                active.resend_at = now
        self._active.append(active)
        return active

    def _poll(self, longest_s: float = LONGEST_POLL_S) -> None:
        """Read the inbox once, and let each game answer its messages."""
        envelopes: Sequence[Json] = ()
        came = self._cursor
        try:
            envelopes, came = self.server.inbox(self._cursor, self._wait_s(longest_s))
        except UnauthorizedError:
            raise
        except ServerError as error:
            if self.timeouts is None:
                raise
            self._outage(error, self.timeouts)
        else:
            self._last_good, self._fault_pause_s = time.monotonic(), 0.0
            if came == self._cursor:
                time.sleep(STUCK_PAUSE_S if envelopes else PAUSE_S)
            elif (
                not envelopes and self._may_begin_again
            ):  # a server that does not know our cursor has lost its messages
                self._may_begin_again, came = False, ""
        arrived = time.monotonic()
        for envelope in envelopes:
            self._hand_over(envelope, arrived)
        for active in self._active:
            self._serve(active)
        self._cursor = came
        if came != self._saved_cursor and not any(active.is_busy for active in self._active):
            self.ledger.move_cursor(came)
            self._saved_cursor = came

    def _wait_s(self, longest_s: float) -> float:
        """Return the seconds until something is due, at most `longest_s`."""
        now = time.monotonic()
        due = [moment - now for active in self._active for moment in (active.deadline, active.due_at)]
        if any(active.is_busy for active in self._active):
            due.append(BUSY_POLL_S)
        return max(0.0, min([longest_s, *due]))

    def _outage(self, error: ServerError, timeouts: Timeouts) -> None:
        """Wait a moment after a fault of the inbox; give the games up if the faults have lasted too long."""
        if self._fault_pause_s == 0.0:
            self.say(f"the inbox cannot be read and is tried again: {error}")
        if time.monotonic() - self._last_good > timeouts.outage_s:
            for active in self._active:
                active.failure = error
        self._fault_pause_s = min(MOST_FAULTS_S, max(2.0 * self._fault_pause_s, 0.1, error.retry_after_s))
        time.sleep(max(0.0, min([self._fault_pause_s, *(one.deadline - time.monotonic() for one in self._active)])))

    def _hand_over(self, envelope: Json, arrived: float) -> None:
        """Add a message to the unread ones of its game."""
        try:
            message = protocol.read_message(envelope)
        except MessageError as error:
            self.say(f"a message is left unread: {error}")
            return
        active = self._game_of(message)
        if active is not None:
            if message.deadline_s is not None:  # the other player has as long, and the referee must read its reply too
                own_s = DEADLINES_WAITED * min(message.deadline_s, LONGEST_DEADLINE_S)
                active.deadline = max(active.deadline, arrived + own_s)
            active.unread.append((message, envelope, arrived))

    def _game_of(self, message: Message) -> ActiveGame | None:
        """Return the game of a message; a message with a match id alone may begin a game without one."""
        begins = message.message_type in BEGINNINGS
        for active in self._active:
            if active.game.owns(message):
                return active
        if begins and message.match_id and not message.game_id:
            return next((active for active in self._active if not active.game.match_id), None)
        if begins and message.game_id and self._unnamed and not self.ledger.knows(message.game_id):
            key = self._unnamed.pop()
            self.ledger.name(key, message.game_id)
            return self._begin(message.game_id, key)
        return None

    def _serve(self, active: ActiveGame) -> None:
        """Let a game answer its messages and send its replies, in a thread if several games are played at once."""
        if self._pool is None:
            self._work(active)
        elif active.work is None or active.work.done():
            if active.work is not None:
                active.work.result()
            if active.unread or time.monotonic() >= active.due_at:
                active.work = self._pool.submit(self._work, active)

    def _work(self, active: ActiveGame) -> None:
        game = active.game
        try:
            while active.unread and not self._closing:
                answer = game.receive(*active.unread.popleft())
                if answer is not None:
                    self._deliver(active, *answer)
            now = time.monotonic()
            for key, reply in list(active.undelivered.items()) if now >= active.retry_at else ():
                self._deliver(active, key, reply)
            if now >= active.resend_at and game.score is None and self.timeouts is not None:
                self._remind(active, self.timeouts)
        except Exception as error:  # a fault ends neither its game nor another
            if self.timeouts is None:
                raise
            if isinstance(error, PlayerError):
                active.failure = error
            else:
                self.say(f"game {game.game_id}: {described(error)}; the game goes on")

    def _deliver(self, active: ActiveGame, key: str, reply: Json) -> None:
        """Send a reply now, or keep it for later if the server cannot be reached."""
        if self.timeouts is not None and reply["message_type"] == protocol.GUESS_SUBMISSION:
            active.resend_at = time.monotonic() + self.timeouts.resend_s
        try:
            self.server.send(reply)
        except UnauthorizedError:
            raise
        except ServerError as error:
            if self.timeouts is None:
                raise
            if not isinstance(error, RefusedError):
                active.undelivered[key] = reply
                active.retry_at = time.monotonic() + max(1.0, error.retry_after_s)
                return
            if error.status != CONFLICT:  # the server has this message already
                self.say(f"game {active.game.game_id}: {error}")
        active.undelivered.pop(key, None)

    def _remind(self, active: ActiveGame, timeouts: Timeouts) -> None:
        """Ask the server for the missing score, and send the guess again."""
        active.resend_at = time.monotonic() + timeouts.resend_s
        with contextlib.suppress(ServerError):
            state = self.server.game(active.game.game_id)
            if state.private_score is not None:
                active.game.take(Score(state.private_score, state.league_points or 0, {}, {}))
                return
            if state.state.lower() in ABANDONED:
                active.failure = ServerError(
                    f"game {active.game.game_id} must end with a score, the server says {visible(state.state)!r} "
                    "and gives none; nothing is left to do"
                )
                return
        if active.game.guess_sent is not None:
            self._deliver(active, *active.game.guess_sent)

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
            try:
                yield outcome
            finally:
                self.ledger.end(active.game.key, "over" if active.game.score is not None else "given up")
        return n_over

    def _outcome(self, active: ActiveGame) -> GameReport | PlayerError | None:
        """Return the outcome of a finished game, None for a running one."""
        now, game = time.monotonic(), active.game
        if active.work is not None and not active.work.done():
            return None
        if game.score is not None:
            return game.report(now - active.began)
        if active.failure is None and now >= active.deadline:
            return GameTimeoutError(
                f"game {game.game_id} must be over in time, its deadline has passed; "
                "raise game.game_timeout_s if the referee is slow"
            )
        return active.failure
