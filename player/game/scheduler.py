"""The scheduler: all games that one player plays on one server, in one loop over its inbox."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from quarry.configs.terminal import visible
from quarry.player.deadlines import described
from quarry.player.errors import (
    GameTimeoutError,
    MessageError,
    PlayerError,
    RefusedError,
    ServerError,
    UnauthorizedError,
)
from quarry.player.game.fallback import DeadlinePlayer
from quarry.player.game.game import Game, GameReport, Spectator, Timeouts
from quarry.player.game.ledger import GameRecord, Ledger
from quarry.player.player import Contestant
from quarry.player.protocol import payloads as protocol
from quarry.player.protocol.client import GameServer
from quarry.player.protocol.payloads import Json, Message, Score

PAUSE_S = 0.02
"""Seconds after an empty answer, for servers that do not wait when they are asked to."""
UNNAMED_S = (0.3, 10.0)
"""Seconds in which a game that a killed process asked for may show itself: before others are asked for, and at all."""
STUCK_PAUSE_S = 0.25
"""Seconds after an answer that came before, from servers that do not move their cursor."""
LONGEST_POLL_S = 10.0
BUSY_POLL_S = 0.1
"""The same while threads are answering: their games may be over before a message comes."""
MOST_FAULTS_S = 10.0
"""The longest pause after a fault of the inbox."""
MOST_REFUSED = 3
"""Games that may fail in a row before they have begun; then the server gives none."""
CLOSING_S = 5.0
"""Seconds that replies under way have to leave when the process is to end; what is not done by then is done later."""
DEADLINES_WAITED = 2.0
LONGEST_DEADLINE_S = 3_600.0
"""A game is not given up before so many times the deadline that a message names, taken for an hour at most."""
N_WORKERS = 8
"""Threads that answer messages where several games are played at once."""
CONFLICT = 409
"""What a server may say to a message that it has already."""
ABANDONED = frozenset({"aborted", "cancelled", "canceled", "forfeited", "over", "finished", "failed", "closed"})
"""States of a game in which no score will come any more."""


@dataclass(slots=True)
class ActiveGame:
    """A running game: its unread messages, its undelivered replies, and when something is due."""

    game: Game
    began: float
    deadline: float
    unread: deque[tuple[Message, Json, float]] = field(default_factory=deque)
    undelivered: dict[str, Json] = field(default_factory=dict)
    retry_at: float = 0.0
    resend_at: float = float("inf")
    failure: PlayerError | None = None
    work: Future[None] | None = None

    @property
    def is_busy(self) -> bool:
        """Whether it has something to read, or a thread answers."""
        return bool(self.unread) or (self.work is not None and not self.work.done())

    @property
    def due_at(self) -> float:
        """When it has something to send, without another message."""
        return min(self.game.due_at, self.resend_at, self.retry_at if self.undelivered else float("inf"))


class GameScheduler:
    """All games that one player plays on one server; `play_games` has the arguments."""

    def __init__(
        self,
        server: GameServer,
        player: Contestant,
        *,
        name: str,
        timeout_s: float,
        at_once: int,
        spectator: Spectator,
        timeouts: Timeouts | None,
        ledger: Ledger,
        say: Callable[[str], None],
    ) -> None:
        self._server = server
        self._player = player
        self._name = name
        self._timeout_s = timeout_s
        self._at_once = at_once
        self._spectator = spectator
        self._cursor = self._saved_cursor = ledger.cursor()
        self._timeouts = timeouts
        self._ledger = ledger
        self._say = say
        self._active: list[ActiveGame] = []
        self._unnamed: list[int] = []
        """Keys of games that a killed process asked for, and whose id nobody knows."""
        self._pool = ThreadPoolExecutor(N_WORKERS, "game") if at_once > 1 else None
        self._last_good = time.monotonic()
        self._fault_pause_s = 0.0
        self._closing = False

    def play(self, n_games: int) -> Generator[GameReport | PlayerError, None, None]:
        """Play, and give the outcome of each game as it is over."""
        began = time.monotonic()
        try:
            left = n_games - self._resume()
            n_refused = 0
            while left > 0 or self._active or self._awaits_unnamed(began):
                if time.monotonic() - began >= UNNAMED_S[1]:
                    self._give_up_unnamed()
                while left > 0 and len(self._active) < self._at_once and not self._awaits_unnamed(began):
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
                if n_over == 0 and (self._active or self._unnamed or left > 0):
                    left -= self._poll()
        finally:
            self._closing = True
            if self._pool is not None:
                wait([active.work for active in self._active if active.work is not None], CLOSING_S)
                self._pool.shutdown(wait=False, cancel_futures=True)

    def _resume(self) -> int:
        """Go on with the games that are not over; returns how many they are, without those whose id nobody knows."""
        saved = self._ledger.running()
        self._unnamed = [record.key for record in saved if not record.game_id]
        for record in saved:
            if record.game_id:
                self._begin(record.game_id, record.key, record)
        return len(self._active)

    def _awaits_unnamed(self, began: float) -> bool:
        return bool(self._unnamed) and time.monotonic() - began < UNNAMED_S[0]

    def _give_up_unnamed(self) -> None:
        for key in self._unnamed:
            self._ledger.end(key, "given up")
        self._unnamed.clear()

    def _request_game(self) -> None:
        key = self._ledger.ask()
        try:
            game_id = self._server.request_game()
        except ServerError:
            self._ledger.end(key, "given up")
            raise
        self._ledger.name(key, game_id)
        self._begin(game_id, key)

    def _begin(self, game_id: str, key: int, saved: GameRecord | None = None) -> ActiveGame:
        player = DeadlinePlayer(self._player, lambda line: self._say(f"game {game_id}: {line}"))
        game = Game(game_id, key, player, self._name, self._spectator, self._timeouts, self._ledger)
        now = time.monotonic()
        active = ActiveGame(game, now, now + self._timeout_s)
        if saved is not None:
            game.restore(saved)
            active.undelivered = {message: saved.replies[message] for message in saved.undelivered}
            if game.guess_sent is not None:
                active.resend_at = now
        self._active.append(active)
        return active

    def _poll(self) -> int:
        """Read the inbox once, and let each game answer its messages; returns how many unnamed games were found."""
        n_unnamed = len(self._unnamed)
        envelopes: Sequence[Json] = ()
        came = self._cursor
        try:
            envelopes, came = self._server.inbox(self._cursor, self._wait_s())
        except UnauthorizedError:
            raise
        except ServerError as error:
            if self._timeouts is None:
                raise
            self._outage(error, self._timeouts)
        else:
            self._last_good, self._fault_pause_s = time.monotonic(), 0.0
            if came == self._cursor:
                time.sleep(STUCK_PAUSE_S if envelopes else PAUSE_S)
        arrived = time.monotonic()
        for envelope in envelopes:
            self._hand_over(envelope, arrived)
        for active in self._active:
            self._serve(active)
        self._cursor = came
        if came != self._saved_cursor and not any(active.is_busy or active.game.holds for active in self._active):
            self._ledger.move_cursor(came)
            self._saved_cursor = came
        return n_unnamed - len(self._unnamed)

    def _wait_s(self) -> float:
        """Return the seconds until something is due, at most a poll's."""
        now = time.monotonic()
        due = [moment - now for active in self._active for moment in (active.deadline, active.due_at)]
        if any(active.is_busy for active in self._active):
            due.append(BUSY_POLL_S)
        if self._unnamed:
            due.append(UNNAMED_S[0])
        return max(0.0, min([LONGEST_POLL_S, *due]))

    def _outage(self, error: ServerError, timeouts: Timeouts) -> None:
        """Wait a moment where the inbox cannot be read, and give up when that has lasted too long."""
        if self._fault_pause_s == 0.0:
            self._say(f"the inbox cannot be read and is tried again: {error}")
        if time.monotonic() - self._last_good > timeouts.outage_s:
            for active in self._active:
                active.failure = error
        self._fault_pause_s = min(MOST_FAULTS_S, max(2.0 * self._fault_pause_s, 0.1, error.retry_after_s))
        time.sleep(max(0.0, min([self._fault_pause_s, *(one.deadline - time.monotonic() for one in self._active)])))

    def _hand_over(self, envelope: Json, arrived: float) -> None:
        """Give a message to the game that it belongs to."""
        try:
            message = protocol.read_message(envelope)
        except MessageError as error:
            self._say(f"a message is left unread: {error}")
            return
        active = next((active for active in self._active if active.game.owns(message)), None)
        begins = message.message_type in {protocol.WARMUP_CALL, protocol.ROUND_START}
        if active is None and self._unnamed and begins and not self._ledger.knows(message.game_id):
            key = self._unnamed.pop()
            self._ledger.name(key, message.game_id)
            active = self._begin(message.game_id, key)
        if active is not None:
            if message.deadline_s is not None:  # the other player has as long, and the referee must read its reply too
                own_s = DEADLINES_WAITED * min(message.deadline_s, LONGEST_DEADLINE_S)
                active.deadline = max(active.deadline, arrived + own_s)
            active.unread.append((message, envelope, arrived))

    def _serve(self, active: ActiveGame) -> None:
        """Let a game answer its messages and do what is due: here, or in a thread where several games are played."""
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
                for key, reply in game.receive(*active.unread.popleft()):
                    self._deliver(active, key, reply)
            now = time.monotonic()
            replies = game.release() if now >= game.due_at else []
            if now >= active.retry_at:
                replies += active.undelivered.items()
            for key, reply in replies:
                self._deliver(active, key, reply)
            if now >= active.resend_at and game.score is None and self._timeouts is not None:
                self._remind(active, self._timeouts)
        except PlayerError as error:
            if self._timeouts is None:
                raise
            active.failure = error
        except Exception as error:  # a fault of one game ends no other, nor itself
            if self._timeouts is None:
                raise
            self._say(f"game {game.game_id}: {described(error)}; the game goes on")

    def _deliver(self, active: ActiveGame, key: str, reply: Json) -> None:
        """Send a reply; one that cannot be sent now is sent later."""
        if self._timeouts is not None and reply["message_type"] == protocol.GUESS_SUBMISSION:
            active.resend_at = time.monotonic() + self._timeouts.resend_s
        try:
            self._server.send(reply)
        except UnauthorizedError:
            raise
        except ServerError as error:
            if self._timeouts is None:
                raise
            if not isinstance(error, RefusedError):
                active.undelivered[key] = reply
                active.retry_at = time.monotonic() + max(1.0, error.retry_after_s)
                return
            if error.status != CONFLICT:  # it has this message already
                self._say(f"game {active.game.game_id}: {error}")
        active.undelivered.pop(key, None)
        self._ledger.delivered(active.game.key, key)

    def _remind(self, active: ActiveGame, timeouts: Timeouts) -> None:
        """Ask for a score that has not come, and send the guess again."""
        active.resend_at = time.monotonic() + timeouts.resend_s
        with contextlib.suppress(ServerError):
            state = self._server.game(active.game.game_id)
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
        """Give the games that are over; returns how many they were.

        A game ends in the ledger when its outcome has been taken: one that is interrupted before is shown by the
        next process.
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
                score = active.game.score
                self._ledger.end(active.game.key, "over" if score is not None else "given up", score)
        return n_over

    def _outcome(self, active: ActiveGame) -> GameReport | PlayerError | None:
        """Return the outcome of a game that is over, None while it runs."""
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
