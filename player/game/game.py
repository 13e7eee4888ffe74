"""One game: the replies to its messages, the player's plan and decision, and its score."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf

from player.answer import Answers
from player.belief.editions import edition_masses
from player.errors import ServerError
from player.game import messages as protocol
from player.game.deadline_player import DeadlinePlayer
from player.game.journal import Journal
from player.game.messages import Message
from player.game.record import PlayedGame, SavedGame
from player.guess.opening import after_score
from player.player import Decision, Plan
from player.round import Json, RoundStart, Score
from quarry.terminal import describe_error, visible

_log = logging.getLogger(__name__)
REPLY_SHARE = 0.5
"""Share of a deadline that a reply may use; the rest is for slow networks and for referees with a fast clock."""
MIN_BUDGET_S = 0.5
"""Minimum time for a reply, even after its deadline, since a late reply may still count."""
STAGES = (
    protocol.WARMUP_CALL,
    protocol.ROUND_START,
    protocol.ANSWERS_BATCH,
    protocol.SCORE_FEEDBACK,
)
"""Types of the referee's messages in order; a later message shows that the replies to earlier ones have arrived."""
FIRST_STAGES = frozenset(STAGES[:2])
"""Types of the messages that begin a game."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Times of a game against a real server.

    Attributes:
        phase_s: seconds until a reply is due, if the message has no deadline; real deadlines are 40 s and more.
        resend_s: seconds without the referee's next message after which a reply is sent again.
        outage_s: seconds without an answer of the server after which its games are given up.
    """

    phase_s: float = 40.0
    resend_s: float = 15.0
    outage_s: float = 120.0

    @property
    def is_strict(self) -> bool:
        """Whether replies have no deadline and every fault is raised: `phase_s` is infinite."""
        return self.phase_s == inf

    def reply_deadline(self, message: Message) -> float:
        """Return the time at which the reply to a message is due, by time.monotonic()."""
        if self.is_strict:
            return inf
        return message.arrived + (message.deadline_s or self.phase_s)

    def budget_s(self, message: Message) -> float:
        """Return the seconds for the work on a reply that begins now.

        The work may take a share of `phase_s` from the moment at which it begins. The message may have waited until
        then, since many games are answered one after another.
        """
        allowed_s = self.reply_deadline(message) - message.arrived
        work_s = REPLY_SHARE * min(self.phase_s, allowed_s)
        remaining_s = REPLY_SHARE * allowed_s - (time.monotonic() - message.arrived)
        return max(MIN_BUDGET_S, min(work_s, remaining_s))


STRICT = Timeouts(phase_s=inf, resend_s=inf)
"""Timeouts of replays and measurements."""


class Spectator:
    """Receives the events of running games, from several threads at once. This base class ignores them.

    Exceptions of a spectator are logged, and do not disturb the game.
    """

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


@dataclass(eq=False)
class Game:
    """One game: it replies to messages, and sends nothing itself.

    Attributes:
        game_id: id that the server gave it.
        journal_key: key of the game in the journal.
        player: the player of this game.
        name: logical id of the player.
        timeouts: timeouts of replies.
        journal: stores replies, facts and what the score shows about the opponent.
        spectator: receives the events of the game.
        opponent: name of the referee; "" before the first message.
        score: the score; None before it comes.
    """

    game_id: str
    journal_key: int
    player: DeadlinePlayer
    name: str
    timeouts: Timeouts
    journal: Journal
    spectator: Spectator = field(default_factory=Spectator)
    opponent: str = ""
    score: Score | None = None
    _replies: dict[str, Json] = field(default_factory=dict)
    _answers: Answers = ()
    _decision: Decision | None = None

    def restore(self, saved: SavedGame) -> None:
        """Continue a game of an earlier process."""
        for message in saved.messages:
            self._replies[message.key] = message.reply
            if _kind(message.key) in FIRST_STAGES:
                self.opponent = protocol.read_message(message.received).opponent
        if saved.start is None:
            return

        self._tell(self.spectator.started, saved.start)
        budget_s = REPLY_SHARE * self.timeouts.phase_s
        self.player.make_plan(saved.start, budget_s, saved.questions)
        if saved.answers is not None and saved.guess is not None:
            self._answers = saved.answers
            decision = self.player.decide(self._answers, budget_s)
            self._decision = replace(decision, guess=saved.guess)
            self.score = saved.score

        # a decision replaces a plan that was late
        plan = self.player.plan
        self._tell(self.spectator.planned, plan)
        if self._decision is not None:
            self._tell(self.spectator.answered, plan, self._answers, self._decision)
        if self.score is not None:  # the earlier process has learned it
            self._tell(self.spectator.scored, self.score)

    @property
    def reply(self) -> Json | None:
        """The reply to the latest message, in the order of `STAGES`; None before it."""
        in_order = sorted(self._replies, key=lambda key: STAGES.index(_kind(key)))
        return self._replies[in_order[-1]] if in_order else None

    @property
    def is_guessed(self) -> bool:
        """Whether a guess was made and has no score yet."""
        return self._decision is not None and self.score is None

    def receive(self, message: Message) -> Json | None:
        """Return the reply to a message; None if the message needs no reply.

        Raises:
            MessageError: the message holds a score that is out of range.
        """
        kind = message_key = message.message_type
        if kind in FIRST_STAGES:
            self.opponent = message.opponent
        if kind == protocol.WARMUP_CALL:
            message_key = f"{kind} {protocol.read_question(message.payload)}"
        if message_key in self._replies:
            return self._replies[message_key]

        content = self._make_reply(message)
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
        self.journal.store_reply(
            self.journal_key, message_key, reply, message.envelope, **facts
        )
        self._replies[message_key] = reply
        return reply

    def take_score(self, score: Score) -> None:
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
        self.journal.update(self.journal_key, score=score)
        if decision.best >= 0:
            guess = decision.guess.opening_sentence
            belief = after_score(
                decision.belief,
                plan.candidate_places,
                plan.places,
                guess,
                score.opening_points,
            )
            shares = edition_masses(belief, plan.candidate_places, plan.places)
            self.journal.learn(self.opponent, shares)
        self._tell(self.spectator.scored, score)

    def record(self, elapsed_s: float) -> PlayedGame:
        """Return the record of a game that has a score.

        Args:
            elapsed_s: seconds from the request for the game to its score.
        """
        plan, decision, score = self.player.plan, self._decision, self.score
        assert plan is not None
        assert decision is not None
        assert score is not None

        return PlayedGame(
            game_id=self.game_id,
            plan=plan,
            answers=tuple(self._answers),
            decision=decision,
            score=score,
            key=self.journal_key,
            elapsed_s=elapsed_s,
        )

    def log(self, problem: object) -> None:
        """Log a fault that does not end the game."""
        name = visible(self.game_id) or "without an id"
        _log.warning("game %s: %s", name, problem)

    def _tell(self, event: Callable[..., object], *facts: object) -> None:
        """Call a method of the spectator; log its exception, or raise it if timeouts are strict."""
        try:
            event(self.game_id, *facts)
        except Exception as error:
            if self.timeouts.is_strict:
                raise
            self.log(f"the spectator failed: {describe_error(error)}")

    def _make_reply(self, message: Message) -> tuple[str, Json, Json] | None:
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
            self._tell(self.spectator.started, start)
            plan = self.player.make_plan(start, budget_s)
            self._tell(self.spectator.planned, plan)
            batch = protocol.questions_payload(start, plan.questions)
            facts = {"start": start, "questions": plan.questions}
            return protocol.QUESTIONS_BATCH, batch, facts

        if kind == protocol.ANSWERS_BATCH and self.player.plan is not None:
            n_questions = len(self.player.plan.questions)
            self._answers = protocol.read_answers(payload, n_questions)
            self._decision = decision = self.player.decide(self._answers, budget_s)
            plan = self.player.plan
            self._tell(self.spectator.answered, plan, self._answers, decision)
            facts = {"answers": self._answers, "guess": decision.guess}
            guess = protocol.guess_payload(plan.start, decision.guess)
            return protocol.GUESS_SUBMISSION, guess, facts

        if kind == protocol.SCORE_FEEDBACK and self.is_guessed:
            self.take_score(protocol.read_score(payload))
        return None


def _kind(message_key: str) -> str:
    """Return the type of a message; see `SavedMessage`."""
    return message_key.partition(" ")[0]
