"""One game: the replies to its messages, the player's plan and decision, and its outcome."""

import contextlib
import logging
import re
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf

from player.answer import Answers
from player.belief.editions import edition_masses
from player.errors import (
    GameTimeoutError,
    MessageError,
    PlayerError,
    RefusedError,
    ServerError,
    UnauthorizedError,
)
from player.game import messages as protocol
from player.game.client import GameServer
from player.game.fallback import DeadlinePlayer
from player.game.journal import Journal
from player.game.messages import Message
from player.game.record import PlayedGame, SavedGame
from player.guess.opening import after_score
from player.player import Decision, Plan
from player.question import Question
from player.round import Json, RoundStart, Score
from quarry.terminal import describe_error, visible

_log = logging.getLogger(__name__)
REPLY_SHARE = 0.5
"""Share of a deadline that a reply may use; the rest is for slow networks and for referees with a fast clock."""
MIN_BUDGET_S = 0.5
"""Minimum time for a reply, even after its deadline, since a late reply may still count."""
MIN_PAUSE_S = 1.0
"""Minimum pause before a reply is sent again."""
TRIES = 4
"""Approximate number of times that a reply is sent before its deadline, if the referee seems not to have it."""
CONFLICT = 409
"""Status with which a server may refuse a message that it already has."""
ABANDONED = re.compile("abort|cancel|forfeit|over|finish|fail|clos", re.IGNORECASE)
"""Beginnings of the states of games that will get no score any more."""
STAGES = (
    protocol.WARMUP_CALL,
    protocol.ROUND_START,
    protocol.ANSWERS_BATCH,
    protocol.SCORE_FEEDBACK,
)
"""Types of the referee's messages in order; a later message shows that the replies to earlier ones have arrived."""
BEGINNINGS = frozenset(STAGES[:2])
"""Types of the messages that begin a game."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Times of a game against a real server.

    Attributes:
        phase_s: seconds until a reply is due, if the message has no deadline; real deadlines are 40 s and more.
        resend_s: seconds without the referee's next message after which a reply is sent again.
        outage_s: seconds without an answer of the server after which its games are given up.
        is_strict: whether replies have no deadline, and every fault is raised.
    """

    phase_s: float = 40.0
    resend_s: float = 15.0
    outage_s: float = 120.0
    is_strict: bool = False

    def due(self, message: Message) -> float:
        """Return the time at which the reply to a message is due, by time.monotonic()."""
        if self.is_strict:
            return inf
        return message.arrived + (message.deadline_s or self.phase_s)

    def budget_s(self, message: Message) -> float:
        """Return the seconds for the work on a reply that begins now.

        The work may take a share of `phase_s` from the moment at which it begins. The message may have waited until
        then, since many games are answered one after another.
        """
        allowed_s = self.due(message) - message.arrived
        work_s = REPLY_SHARE * min(self.phase_s, allowed_s)
        remaining_s = REPLY_SHARE * allowed_s - (time.monotonic() - message.arrived)
        return max(MIN_BUDGET_S, min(work_s, remaining_s))


STRICT = Timeouts(phase_s=inf, resend_s=inf, is_strict=True)
"""Timeouts of replays and measurements."""


class Spectator:
    """Receives the events of running games, from several threads at once. This base class ignores them.

    Exceptions of a spectator are logged, and do not disturb the game.
    """

    def received(self, game_id: str, message: Json) -> None:
        """Receive a message of the referee, as it came."""

    def sent(self, game_id: str, message: Json) -> None:
        """Receive a reply of the player; it is called once, however often the reply is sent."""

    def started(self, game_id: str, start: RoundStart) -> None:
        """Receive the name and hint of the round."""

    def planned(self, game_id: str, plan: Plan) -> None:
        """Receive the candidates and the questions."""

    def answered(
        self, game_id: str, plan: Plan, answers: Answers, decision: Decision
    ) -> None:
        """Receive the answers, the belief after them and the guess."""

    def scored(self, game_id: str, score: Score) -> None:
        """Receive the score."""

    def failed(self, game_id: str, error: PlayerError) -> None:
        """Receive the error because of which a game could not be played."""


@dataclass(eq=False)
class Game:
    """One game: its state, and the latest reply, which is sent again until the referee's next message comes.

    The same message_id twice is one message, so a repeated reply changes nothing at the server. All times are by
    time.monotonic().

    Attributes:
        game_id: id that the server gave it.
        key: key of the game in the journal.
        name: logical id of the player.
        timeout_s: seconds until the game is given up.
        began: time of the request.
        server: the server; None if the caller sends the replies itself.
        opponent: name of the referee; "" before the first message.
        stage: position of the latest message of the referee in `STAGES`; -1 before the first.
        reply: the reply to the latest message; None before it.
        score: the score; None before it comes.
        failure: the error that ends the game, or None.
        unread: messages that were not answered yet.
        reply_due: time at which the latest reply is due.
        due: time at which the latest reply is sent again; infinite without a reply.
        is_accepted: whether the server has accepted the latest reply; the referee may not have read it yet.
    """

    game_id: str
    key: int
    player: DeadlinePlayer
    name: str
    timeouts: Timeouts
    journal: Journal
    server: GameServer | None = None
    spectator: Spectator = field(default_factory=Spectator)
    timeout_s: float = inf
    began: float = field(default_factory=time.monotonic)
    opponent: str = ""
    stage: int = -1
    reply: Json | None = None
    score: Score | None = None
    failure: PlayerError | None = None
    unread: deque[Message] = field(default_factory=deque)
    reply_due: float = 0.0
    due: float = inf
    is_accepted: bool = True
    _refusals: set[str] = field(default_factory=set)
    _replies: dict[str, Json] = field(default_factory=dict)
    _answers: Answers = ()
    _decision: Decision | None = None

    def restore(self, saved: SavedGame) -> None:
        """Continue a game of an earlier process."""
        for message in saved.messages:
            kind = message.key.split()[0]
            self._keep(kind, message.key, message.reply)
            if kind in BEGINNINGS and message.received is not None:
                self.opponent = protocol.read_message(message.received).opponent
            self.due = self.began  # the server may have the reply
        if saved.start is None:
            return

        self._tell("started", saved.start)
        budget_s = REPLY_SHARE * self.timeouts.phase_s
        plan = self._plan(saved.start, budget_s, saved.questions)
        if saved.answers is not None and saved.guess is not None:
            self._answers = saved.answers
            decision = self.player.decide(self._answers, budget_s)
            self._decision = replace(decision, guess=saved.guess)
            self._tell("answered", plan, self._answers, self._decision)
            if saved.score is not None:  # the earlier process has learned it
                self.score = saved.score
                self._tell("scored", saved.score)

    @property
    def is_guessed(self) -> bool:
        """Whether a guess was made and has no score yet."""
        return self._decision is not None and self.score is None

    def receive(self, message: Message) -> Json | None:
        """Return the reply to a message; None if the message needs no reply.

        Raises:
            MessageError: the message holds a score that is out of range.
        """
        kind = key = message.message_type
        self._tell("received", message.envelope)
        if kind in BEGINNINGS:
            self.opponent = message.opponent
        if kind == protocol.WARMUP_CALL:
            key = f"{kind} {protocol.read_question(message.payload)}"
        if key in self._replies:
            return self._replies[key]

        content = self._content(message)
        if content is None:
            return None

        reply_type, payload, facts = content
        reply = protocol.write_message(
            reply_type,
            payload,
            sender=self.name,
            recipient=message.sender,
            game_id=self.game_id,
            like=message.envelope,
        )
        self.journal.replied(self.key, key, reply, message.envelope, **facts)
        self._keep(kind, key, reply)
        self._tell("sent", reply)
        return reply

    def take(self, score: Score) -> None:
        """Store the score, show it, and learn which edition the referee held.

        Raises:
            ServerError: the score came before the player sent its guess.
        """
        decision, plan = self._decision, self.player.plan
        if decision is None or plan is None:
            raise ServerError(
                f"Game {visible(self.game_id)} was scored before a guess was sent."
            )

        self.score = score
        self.journal.update(self.key, score=score)
        if decision.best >= 0:
            guess = decision.guess.opening_sentence
            belief = after_score(
                decision.belief, plan.rows, plan.places, guess, score.opening
            )
            shares = edition_masses(belief, plan.places, plan.rows)
            self.journal.learn(self.opponent, shares)
        self._tell("scored", score)

    def answer(self, message: Message, sent_ids: set[str]) -> None:
        """Answer a message, and send the reply.

        Args:
            message: the message.
            sent_ids: ids of the replies that were sent to this batch of messages; they are not sent again.
        """
        try:
            reply = self.receive(message)
        except MessageError as error:
            self.log(f"a message is skipped: {error}")
            return
        if reply is None or reply["message_id"] in sent_ids:
            return
        sent_ids.add(reply["message_id"])
        if reply is self.reply:
            self.reply_due = self.timeouts.due(message)
            self.send_again()
        else:  # an earlier message came again
            self._send(reply)

    def remind(self) -> None:
        """Ask the server for the score; if there is none, send the latest reply again.

        Raises:
            ServerError: the game has ended without a score.
        """
        state = None
        assert self.server is not None
        if self.is_accepted:
            with contextlib.suppress(ServerError):
                state = self.server.game(self.game_id)
        if state is not None and state.private_score is not None:
            points = state.league_points or 0
            self.take(Score(state.private_score, points, {}, {}))
        elif state is not None and ABANDONED.match(state.state):
            raise ServerError(
                f"Game {visible(self.game_id)} is {visible(repr(state.state))} on the server and has no score."
            )
        else:
            self.send_again()

    def send_again(self) -> None:
        """Send the latest reply, and choose the time of the next try."""
        assert self.reply is not None
        retry_after_s = self._send(self.reply)
        self.is_accepted = retry_after_s is None
        remaining_s = self.reply_due - time.monotonic()
        pause_s = longest_s = self.timeouts.resend_s
        if remaining_s > 0.0:
            pause_s = min(pause_s, remaining_s / TRIES)
            longest_s = REPLY_SHARE * min(remaining_s, self.timeouts.phase_s)
        if retry_after_s is not None:
            pause_s = min(retry_after_s, longest_s)
        self.due = time.monotonic() + max(MIN_PAUSE_S, pause_s)

    def _send(self, reply: Json) -> float | None:
        """Send a reply once; after a fault, return the seconds that the server asks to wait for, else None."""
        assert self.server is not None
        try:
            self.server.send(reply)
        except ServerError as error:
            if self.timeouts.is_strict or isinstance(error, UnauthorizedError):
                raise
            if not isinstance(error, RefusedError):
                return error.retry_after_s
            if error.status != CONFLICT and str(error) not in self._refusals:
                self._refusals.add(str(error))
                self.log(error)
        return None

    def outcome(self) -> PlayedGame | PlayerError | None:
        """Return the record of a finished game, or the error that ended it; None for a running game."""
        now = time.monotonic()
        if self.score is not None:
            plan, decision = self.player.plan, self._decision
            # if the search fails now, the score is still returned
            with contextlib.suppress(Exception):
                plan = self.player.whole_plan()
            assert plan is not None
            assert decision is not None
            return PlayedGame.of(
                plan,
                decision,
                game_id=self.game_id,
                key=self.key,
                answers=tuple(self._answers),
                score=self.score,
                elapsed_s=now - self.began,
            )

        if self.failure is None and now >= self.began + self.timeout_s:
            self.failure = GameTimeoutError(
                f"Game {visible(self.game_id)} timed out; raise game.game_timeout_s if the referee is slow."
            )
        if self.failure is not None:
            self._tell("failed", self.failure)
        return self.failure

    def log(self, problem: object) -> None:
        """Log a fault that does not end the game."""
        _log.warning("game %s: %s", visible(self.game_id), problem)

    def _keep(self, kind: str, key: str, reply: Json) -> None:
        """Store the reply to a message, in case it comes again, and as the latest reply unless others followed."""
        self._replies[key] = reply
        stage = STAGES.index(kind)
        if stage >= self.stage:
            self.stage, self.reply = stage, reply

    def _tell(self, event: str, *facts: object) -> None:
        """Call the spectator; log its exception, or raise it if timeouts are strict."""
        try:
            getattr(self.spectator, event)(self.game_id, *facts)
        except Exception as error:
            if self.timeouts.is_strict:
                raise
            self.log(f"the spectator failed: {describe_error(error)}")

    def _content(self, message: Message) -> tuple[str, Json, Json] | None:
        """Return the type and the payload of the reply, and the facts in it that the journal must store."""
        kind, payload = message.message_type, message.payload
        budget_s = self.timeouts.budget_s(message)

        if kind == protocol.WARMUP_CALL:
            question = protocol.read_question(payload)
            answer = self.player.warmup(question, budget_s)
            start = protocol.read_start(payload)
            reply = protocol.reply_payload(start, answer=answer)
            return protocol.WARMUP_RESPONSE, reply, {}

        if kind == protocol.ROUND_START:
            editions = self.journal.editions(self.opponent)
            start = protocol.read_start(payload)
            start = replace(start, editions=tuple(editions.items()))
            self._tell("started", start)
            questions = self._plan(start, budget_s).questions
            batch = protocol.questions_payload(start, questions)
            facts = {"start": start, "questions": questions}
            return protocol.QUESTIONS_BATCH, batch, facts

        if kind == protocol.ANSWERS_BATCH and self.player.plan is not None:
            n_questions = len(self.player.plan.questions)
            self._answers = protocol.read_answers(payload, n_questions)
            self._decision = decision = self.player.decide(self._answers, budget_s)
            plan = self.player.plan
            self._tell("answered", plan, self._answers, decision)
            facts = {"answers": self._answers, "guess": decision.guess}
            guess = protocol.guess_payload(plan.start, decision.guess)
            return protocol.GUESS_SUBMISSION, guess, facts

        if kind == protocol.SCORE_FEEDBACK and self.is_guessed:
            self.take(protocol.read_score(payload))
        return None

    def _plan(
        self,
        start: RoundStart,
        budget_s: float,
        questions: Sequence[Question] | None = None,
    ) -> Plan:
        plan = self.player.make_plan(start, budget_s, questions)
        self._tell("planned", plan)
        return plan
