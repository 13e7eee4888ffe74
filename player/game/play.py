"""play(server, contestant): the one game loop; live games, replays over HTTP and tests share it."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from typing import Protocol

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
from quarry.player.game.fallback import Planned, Steady
from quarry.player.game.feedback import read_revealed, recognise, use_revealed
from quarry.player.game.journal import Kept, Ledger
from quarry.player.player import Contestant, Decision, Plan
from quarry.player.protocol import payloads as protocol
from quarry.player.protocol.client import GameServer
from quarry.player.protocol.payloads import Json, Message, RoundStart, Score
from quarry.player.questions.answer import Answer, Answers

PAUSE_S = 0.02
"""Seconds after an empty answer, for servers that do not wait when they are asked to."""
OWED_S = (0.3, 10.0)
"""Seconds in which a game that a killed process asked for may show itself: before others are asked for, and at all."""
STUCK_PAUSE_S = 0.25
"""Seconds after an answer that came before, from servers that do not move their cursor."""
LONGEST_POLL_S = 10.0
BUSY_POLL_S = 0.1
"""The same while threads are answering: their games may be over before a message comes."""
MOST_FAULTS_S = 10.0
"""The longest pause after a fault of the inbox."""
MOST_REPEATS = 100
"""Times that one message is replied to: who asks more often gets the rest of the game's replies alone."""
MOST_UNASKED = 3
"""Games that may fail in a row before they have begun; then the server gives none."""
REPLY_SHARE = 0.5
"""Of a deadline, used for a reply at most: the rest is for slow wires, and for referees whose clock is fast."""
LEAST_BUDGET_S = 0.5
"""Even where a message has waited too long: a late reply may still count."""
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


@dataclass(frozen=True, slots=True)
class Pace:
    """How a game against a real server is kept going.

    Attributes:
        phase_s: seconds within which a reply is due, where the message asks for no less; the shortest seen is 40.
        grace_s: seconds that answers which are all missing are held back, since a better batch may follow.
        resend_s: seconds without a score after which the guess is sent again.
        outage_s: seconds without a sign of life of the server after which its games are given up.
    """

    phase_s: float = 40.0
    grace_s: float = 3.0
    resend_s: float = 15.0
    outage_s: float = 120.0


class Spectator(Protocol):
    """Is shown a game as it happens."""

    def started(self, game_id: str, start: RoundStart) -> None:
        """The round's name and hint came."""

    def planned(self, plan: Plan) -> None:
        """The candidates are found and the questions sent."""

    def answered(self, plan: Plan, answers: Answers, decision: Decision) -> None:
        """The answers came and the guess was sent."""

    def scored(self, score: Score) -> None:
        """The score came."""


class Silent:
    """A spectator that shows nothing."""

    def started(self, game_id: str, start: RoundStart) -> None:
        """Nothing."""

    def planned(self, plan: Plan) -> None:
        """Nothing."""

    def answered(self, plan: Plan, answers: Answers, decision: Decision) -> None:
        """Nothing."""

    def scored(self, score: Score) -> None:
        """Nothing."""


@dataclass(frozen=True, slots=True)
class GameReport:
    """A game that is over.

    Attributes:
        answers: (20,) a letter, "Not Relevant", or None where none came.
        elapsed_s: seconds from asking for the game to its score.
        cursor: of the inbox, after the game's last message.
    """

    game_id: str
    start: RoundStart
    plan: Plan
    answers: tuple[Answer, ...]
    decision: Decision
    score: Score
    elapsed_s: float
    cursor: str


def play(
    server: GameServer,
    contestant: Contestant,
    *,
    name: str,
    timeout_s: float,
    spectator: Spectator | None = None,
    cursor: str = "",
    pace: Pace | None = Pace(),
    ledger: Ledger | None = None,
) -> GameReport:
    """Ask for a practice game and play it to its score; see `play_games`.

    Raises:
        ServerError: the server is not there or refuses.
        GameTimeoutError: the game was not over in time.
        QueryError: nothing can be searched for.
    """
    games = play_games(
        server,
        contestant,
        1,
        name=name,
        timeout_s=timeout_s,
        spectator=spectator,
        cursor=cursor,
        pace=pace,
        ledger=ledger,
    )
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
    cursor: str = "",
    pace: Pace | None = Pace(),
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
        cursor: of the inbox, from the report of the game before; "" takes the ledger's, or reads it from its beginning.
        pace: None hurries no reply and lets every fault pass to the caller, for replays and measurements.
        ledger: where games are kept; None keeps nothing.
        say: is told in a line what went wrong and was survived; standard error unless given.

    Raises:
        UnauthorizedError: the server does not know the player.
    """
    table = _Table(
        server,
        contestant,
        name,
        timeout_s,
        at_once,
        spectator or Silent(),
        cursor,
        pace,
        ledger or Ledger(None),
    )
    table.say = say or (lambda line: print(visible(line), file=sys.stderr))
    yield from table.play(n_games)


@dataclass(slots=True)
class _Seat:
    """A running game at the table: its unread messages and its undelivered replies."""

    game: _Game
    began: float
    deadline: float
    lock: threading.Lock = field(default_factory=threading.Lock)
    mail: deque[tuple[Message, Json, float]] = field(default_factory=deque)
    undelivered: dict[str, Json] = field(default_factory=dict)
    retry_at: float = 0.0
    resend_at: float = float("inf")
    failure: PlayerError | None = None
    work: Future[None] | None = None


class _Table:
    """All games that one player plays on one server."""

    def __init__(
        self,
        server: GameServer,
        player: Contestant,
        name: str,
        timeout_s: float,
        at_once: int,
        spectator: Spectator,
        cursor: str,
        pace: Pace | None,
        ledger: Ledger,
    ) -> None:
        self._server = server
        self._player = player
        self._name = name
        self._timeout_s = timeout_s
        self._at_once = at_once
        self._spectator = spectator
        self._cursor = self._saved_cursor = cursor or ledger.cursor()
        self._pace = pace
        self._ledger = ledger
        self._seats: list[_Seat] = []
        self._owed: list[int] = []
        self._pool = ThreadPoolExecutor(N_WORKERS, "game") if at_once > 1 else None
        self._last_good = time.monotonic()
        self._fault_pause_s = 0.0
        self._closing = False
        self.say: Callable[[str], None] = print

    def play(self, n_games: int) -> Generator[GameReport | PlayerError, None, None]:
        """The outcome of each game as it is over."""
        try:
            began = time.monotonic()
            left = n_games - self._resume()
            n_unasked = 0
            waited_s = 0.0
            while left > 0 or self._seats or (self._owed and waited_s < OWED_S[0]):
                waited_s = time.monotonic() - began
                self._forget_owed(waited_s)
                while left > 0 and len(self._seats) < self._at_once and not (self._owed and waited_s < OWED_S[0]):
                    left -= 1
                    try:
                        self._ask()
                        n_unasked = 0
                    except UnauthorizedError:
                        raise
                    except ServerError as error:
                        n_unasked += 1
                        yield error
                        if n_unasked == MOST_UNASKED:
                            left = 0
                n_over = yield from self._outcomes()
                if n_over == 0 and (self._seats or self._owed or left > 0):
                    left -= self._poll()
        finally:
            self._closing = True
            if self._pool is not None:
                wait([seat.work for seat in self._seats if seat.work is not None], CLOSING_S)
                self._pool.shutdown(wait=False, cancel_futures=True)

    def _resume(self) -> int:
        """Sit down again at the games that are not over; how many they are, without those whose id nobody knows."""
        kept = self._ledger.running()
        self._owed = [game.key for game in kept if not game.game_id]
        for game in kept:
            if game.game_id:
                self._sit(game.game_id, game.key, game)
        return len(kept) - len(self._owed)

    def _forget_owed(self, waited_s: float) -> None:
        """Give up the games that a killed process asked for, if they have not shown themselves."""
        if waited_s >= OWED_S[1]:
            for key in self._owed:
                self._ledger.end(key, "given up")
            self._owed.clear()

    def _ask(self) -> None:
        key = self._ledger.ask()
        try:
            game_id = self._server.request_game()
        except ServerError:
            self._ledger.end(key, "given up")
            raise
        self._ledger.name(key, game_id)
        self._sit(game_id, key)

    def _sit(self, game_id: str, key: int, kept: Kept | None = None) -> None:
        game = _Game(game_id, key, self._player, self._name, self._spectator, self._pace, self._ledger, self.say)
        now = time.monotonic()
        seat = _Seat(game, now, now + self._timeout_s)
        if kept is not None:
            game.restore(kept)
            seat.undelivered = {message: kept.replies[message] for message in kept.undelivered}
            if game.guessed:
                seat.resend_at = now
        self._seats.append(seat)

    def _poll(self) -> int:
        """Read the inbox once, and let each game answer what is its own; how many games showed themselves."""
        n_owed = len(self._owed)
        envelopes: Sequence[Json] = ()
        came = self._cursor
        try:
            envelopes, came = self._server.inbox(self._cursor, self._wait_s())
        except UnauthorizedError:
            raise
        except ServerError as error:
            if self._pace is None:
                raise
            self._outage(error, self._pace)
        else:
            self._last_good, self._fault_pause_s = time.monotonic(), 0.0
            if came == self._cursor:
                time.sleep(STUCK_PAUSE_S if envelopes else PAUSE_S)
        arrived = time.monotonic()
        for envelope in envelopes:
            self._hand_over(envelope, arrived)
        for seat in self._seats:
            self._serve(seat)
        self._cursor = came
        idle = not any(seat.mail or seat.game.holds or (seat.work and not seat.work.done()) for seat in self._seats)
        if idle and self._cursor != self._saved_cursor:
            self._ledger.move_cursor(self._cursor)
            self._saved_cursor = self._cursor
        return n_owed - len(self._owed)

    def _wait_s(self) -> float:
        """Seconds until something is due, at most a poll's."""
        now = time.monotonic()
        busy = any(seat.mail or (seat.work is not None and not seat.work.done()) for seat in self._seats)
        due = [LONGEST_POLL_S, *([OWED_S[0]] if self._owed else []), *([BUSY_POLL_S] if busy else [])]
        for seat in self._seats:
            due += [seat.deadline - now, seat.game.due_at - now, seat.resend_at - now]
            due += [seat.retry_at - now] if seat.undelivered else []
        return max(0.0, min(due))

    def _outage(self, error: ServerError, pace: Pace) -> None:
        """The inbox cannot be read: wait a moment, and give up when that has lasted too long."""
        if self._fault_pause_s == 0.0:
            self.say(f"the inbox cannot be read and is tried again: {error}")
        if time.monotonic() - self._last_good > pace.outage_s:
            for seat in self._seats:
                seat.failure = error
        self._fault_pause_s = min(MOST_FAULTS_S, max(2.0 * self._fault_pause_s, 0.1, error.retry_after_s))
        time.sleep(max(0.0, min([self._fault_pause_s, *(seat.deadline - time.monotonic() for seat in self._seats)])))

    def _hand_over(self, envelope: Json, arrived: float) -> None:
        """Put a message before the game that it belongs to."""
        try:
            message = protocol.read_message(envelope)
        except MessageError as error:
            self.say(f"a message is left unread: {error}")
            return
        seat = next((seat for seat in self._seats if seat.game.owns(message)), None)
        begins = message.message_type in {protocol.WARMUP_CALL, protocol.ROUND_START}
        if seat is None and self._owed and begins and not self._ledger.knows(message.game_id):
            key = self._owed.pop()
            self._ledger.name(key, message.game_id)
            self._sit(message.game_id, key)
            seat = self._seats[-1]
        if seat is not None:
            if message.deadline_s is not None:  # the other player has as long, and the referee must read its reply too
                own_s = DEADLINES_WAITED * min(message.deadline_s, LONGEST_DEADLINE_S)
                seat.deadline = max(seat.deadline, arrived + own_s)
            seat.mail.append((message, envelope, arrived))

    def _serve(self, seat: _Seat) -> None:
        """Let a game answer its messages and do what is due: here, or in a thread where several games are played."""
        if self._pool is None:
            self._work(seat)
        elif seat.work is None or seat.work.done():
            if seat.work is not None:
                seat.work.result()
            if seat.mail or self._is_due(seat):
                seat.work = self._pool.submit(self._work, seat)

    def _is_due(self, seat: _Seat) -> bool:
        now = time.monotonic()
        return now >= min(seat.game.due_at, seat.resend_at, seat.retry_at if seat.undelivered else now + 1.0)

    def _work(self, seat: _Seat) -> None:
        try:
            while seat.mail and not self._closing:
                message, envelope, arrived = seat.mail.popleft()
                for key, reply in seat.game.receive(message, envelope, arrived):
                    self._deliver(seat, key, reply)
            now = time.monotonic()
            if now >= seat.game.due_at:
                for key, reply in seat.game.release():
                    self._deliver(seat, key, reply)
            if seat.undelivered and now >= seat.retry_at:
                for key, reply in list(seat.undelivered.items()):
                    self._deliver(seat, key, reply)
            if now >= seat.resend_at and seat.game.score is None and self._pace is not None:
                self._remind(seat, self._pace)
        except PlayerError as error:
            if self._pace is None:
                raise
            seat.failure = error
        except Exception as error:  # a fault of one game ends no other, nor itself
            if self._pace is None:
                raise
            self.say(f"game {seat.game.game_id}: {described(error)}; the game goes on")

    def _deliver(self, seat: _Seat, key: str, reply: Json) -> None:
        """Send a reply; one that cannot be sent now is sent later."""
        if self._pace is not None and seat.game.guessed and reply["message_type"] == protocol.GUESS_SUBMISSION:
            seat.resend_at = time.monotonic() + self._pace.resend_s
        try:
            self._server.send(reply)
        except UnauthorizedError:
            raise
        except RefusedError as error:
            if self._pace is None:
                raise
            if error.status != CONFLICT:  # it has this message already
                self.say(f"game {seat.game.game_id}: {error}")
        except ServerError as error:
            if self._pace is None:
                raise
            seat.undelivered[key] = reply
            seat.retry_at = time.monotonic() + max(1.0, error.retry_after_s)
            return
        seat.undelivered.pop(key, None)
        self._ledger.delivered(seat.game.key, key)

    def _remind(self, seat: _Seat, pace: Pace) -> None:
        """No score has come: look whether there is one, and send the guess again."""
        seat.resend_at = time.monotonic() + pace.resend_s
        with contextlib.suppress(ServerError):
            state = self._server.game(seat.game.game_id)
            if state.private_score is not None:
                seat.game.take(Score(state.private_score, state.league_points or 0, {}, {}))
                return
            if state.state.lower() in ABANDONED:
                seat.failure = ServerError(
                    f"game {seat.game.game_id} must end with a score, the server says {visible(state.state)!r} "
                    "and gives none; nothing is left to do"
                )
                return
        guess = seat.game.guess_sent
        if guess is not None:
            self._deliver(seat, *guess)

    def _outcomes(self) -> Generator[GameReport | PlayerError, None, int]:
        """The games that are over; returns how many they were.

        A game ends in the ledger when its outcome has been taken: one that is interrupted before is shown by the
        next process.
        """
        n_over = 0
        now = time.monotonic()
        for seat in list(self._seats):
            if seat.work is not None and not seat.work.done():
                continue
            game = seat.game
            outcome: GameReport | PlayerError | None = seat.failure
            if game.score is not None:
                outcome = game.report(now - seat.began, self._cursor)
            elif outcome is None and now >= seat.deadline:
                outcome = GameTimeoutError(
                    f"game {game.game_id} must be over in time, its deadline has passed; "
                    "raise game.game_timeout_s if the referee is slow"
                )
            if outcome is None:
                continue
            self._seats.remove(seat)
            n_over += 1
            try:
                yield outcome
            except GeneratorExit:
                self._end(game)
                raise
            self._end(game)
        return n_over

    def _end(self, game: _Game) -> None:
        self._ledger.end(game.key, "over" if game.score is not None else "given up", game.score)


class _Game:
    """One game's state: what came, and what was replied to it.

    Attributes:
        game_id: as the server gave it.
        key: in the ledger.
        score: None until it has come.
        due_at: when answers that were held back are answered after all, of time.monotonic().
    """

    def __init__(
        self,
        game_id: str,
        key: int,
        player: Contestant,
        name: str,
        spectator: Spectator,
        pace: Pace | None,
        ledger: Ledger,
        say: Callable[[str], None],
    ) -> None:
        self.game_id = game_id
        self.key = key
        self.score: Score | None = None
        self.due_at = float("inf")
        self._name = name
        self._spectator = spectator
        self._pace = pace
        self._ledger = ledger
        self._say = say
        self._player = Steady(player, lambda line: say(f"game {game_id}: {line}"))
        self._replies: dict[str, Json] = {}
        self._n_repeats = 0
        self._match_id = ""
        self._start: RoundStart | None = None
        self._planned: Planned | None = None
        self._answers: list[Answer] = []
        self._decision: Decision | None = None
        self._held: tuple[Message, Json, float] | None = None

    @property
    def holds(self) -> bool:
        """Whether a message waits for a better one."""
        return self._held is not None

    @property
    def guessed(self) -> bool:
        """Whether the guess has been made."""
        return self.guess_sent is not None

    @property
    def guess_sent(self) -> tuple[str, Json] | None:
        """The guess and what it replies to, once it has been made."""
        return next(
            (
                (key, reply)
                for key, reply in self._replies.items()
                if reply["message_type"] == protocol.GUESS_SUBMISSION
            ),
            None,
        )

    def owns(self, message: Message) -> bool:
        """Whether a message is of this game; one that names none is, if it names this game's match."""
        if message.game_id:
            return protocol.same_game(message.game_id, self.game_id)
        match_id = str(message.payload.get("match_id", ""))
        return bool(match_id) and match_id == self._match_id

    def restore(self, kept: Kept) -> None:
        """Take up a game where another process left it."""
        self._replies = dict(kept.replies)
        if kept.start is None:
            return
        self._start, self._match_id = kept.start, kept.start.match_id
        self._spectator.started(self.game_id, kept.start)
        planned = self._player.again(kept.start, kept.questions, self._budget_s(time.monotonic(), None))
        planned.plan = recognise(planned.plan, self._ledger.recall(kept.start))
        self._planned = planned
        self._spectator.planned(planned.plan)
        if kept.answers is not None and kept.guess is not None:
            self._answers = list(kept.answers)
            decision = self._player.decide(planned, self._answers, self._budget_s(time.monotonic(), None))
            self._decision = replace(decision, guess=kept.guess)

    def receive(self, message: Message, envelope: Json, arrived: float) -> list[tuple[str, Json]]:
        """The replies to a message with their keys: one, or none where it asks for none.

        Args:
            arrived: when it came, of time.monotonic().
        """
        self._match_id = self._match_id or str(message.payload.get("match_id", ""))
        key = message.message_type
        if key == protocol.WARMUP_CALL:
            key = f"{key} {protocol.read_warmup_call(message).question}"
        if key in self._replies:
            self._n_repeats += 1
            return [(key, self._replies[key])] if self._n_repeats <= MOST_REPEATS else []
        if self._pace is not None and self._is_empty(message):
            if self._held is None:
                self._held = message, envelope, arrived
                self.due_at = time.monotonic() + min(self._pace.grace_s, (message.deadline_s or 1e9) * REPLY_SHARE)
            return []
        if message.message_type == protocol.ANSWERS_BATCH:
            self._held, self.due_at = None, float("inf")
        before = self.release() if message.message_type == protocol.SCORE_FEEDBACK else []
        return before + self._reply(key, message, envelope, arrived)

    def release(self) -> list[tuple[str, Json]]:
        """The reply to answers that were held back."""
        held, self._held, self.due_at = self._held, None, float("inf")
        if held is None or held[0].message_type in self._replies:
            return []
        return self._reply(held[0].message_type, *held)

    def _is_empty(self, message: Message) -> bool:
        """Whether these are answers to our questions, and none of them can be read."""
        return (
            message.message_type == protocol.ANSWERS_BATCH
            and self._planned is not None
            and not any(protocol.read_answers(message, len(self._planned.plan.questions)))
        )

    def _reply(self, key: str, message: Message, envelope: Json, arrived: float) -> list[tuple[str, Json]]:
        facts: dict[str, object] = {}
        payload = self._payload(message, arrived, facts)
        if payload is None:
            return []
        reply_type, content = payload
        reply = protocol.write_message(
            reply_type,
            content,
            sender=self._name,
            recipient=protocol.sender_of(envelope),
            game_id=self.game_id,
            like=envelope,
        )
        self._ledger.replied(self.key, key, reply, **facts)
        self._replies[key] = reply
        return [(key, reply)]

    def _payload(self, message: Message, arrived: float, facts: dict[str, object]) -> tuple[str, Json] | None:
        """Type and payload of the reply; what a restart must know of it goes into `facts`."""
        kind = message.message_type
        budget_s = self._budget_s(arrived, message.deadline_s)
        if kind == protocol.WARMUP_CALL:
            call = protocol.read_warmup_call(message)
            answer = self._player.warmup(call.question, budget_s)
            return protocol.WARMUP_RESPONSE, protocol.warmup_payload(call, answer)
        if kind == protocol.ROUND_START:
            start = protocol.read_round_start(message)
            self._start = start
            self._spectator.started(self.game_id, start)
            planned = self._player.plan(start, budget_s)
            planned.plan = recognise(planned.plan, self._ledger.recall(start))
            self._planned = planned
            self._spectator.planned(planned.plan)
            facts.update(start=start, questions=planned.plan.questions)
            return protocol.QUESTIONS_BATCH, protocol.questions_payload(start, planned.plan.questions)
        if kind == protocol.ANSWERS_BATCH and self._planned is not None:
            self._answers = protocol.read_answers(message, len(self._planned.plan.questions))
            decision = self._player.decide(self._planned, self._answers, budget_s)
            plan = self._planned.plan
            self._decision = use_revealed(decision, plan, self._ledger.recall(plan.start))
            self._spectator.answered(plan, self._answers, self._decision)
            facts.update(answers=self._answers, guess=self._decision.guess)
            return protocol.GUESS_SUBMISSION, protocol.guess_payload(plan.start, self._decision.guess)
        if kind == protocol.SCORE_FEEDBACK and self._decision is not None and self.score is None:
            self.take(protocol.read_score(message))
        return None

    def take(self, score: Score) -> None:
        """The score came."""
        self.score = score
        if self._planned is not None and self._decision is not None:
            plan = self._planned.plan
            self._ledger.reveal(plan.start, read_revealed(score, self._decision.guess, plan))
        self._spectator.scored(score)

    def report(self, elapsed_s: float, cursor: str) -> GameReport:
        """The game, once it is over."""
        assert self._planned is not None
        assert self._decision is not None
        assert self.score is not None
        plan = self._planned.plan
        return GameReport(
            self.game_id, plan.start, plan, tuple(self._answers), self._decision, self.score, elapsed_s, cursor
        )

    def _budget_s(self, arrived: float, deadline_s: float | None) -> float | None:
        """Seconds left for the reply to a message that came at `arrived`; None where there is no hurry."""
        if self._pace is None:
            return None
        share_s = REPLY_SHARE * min(self._pace.phase_s, deadline_s or self._pace.phase_s)
        return max(LEAST_BUDGET_S, share_s - (time.monotonic() - arrived))
