"""One game: what came, what was replied to it, and what the player made of it."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from quarry.player.game.fallback import DeadlinePlayer, Planned
from quarry.player.game.feedback import read_revealed, recognise, use_revealed
from quarry.player.game.ledger import GameRecord, Ledger
from quarry.player.player import Decision, Plan
from quarry.player.protocol import payloads as protocol
from quarry.player.protocol.payloads import Json, Message, RoundStart, Score
from quarry.player.questions.answer import Answer, Answers

MOST_REPEATS = 100
"""Times that one message is replied to: whoever asks more often gets the rest of the game's replies alone."""
REPLY_SHARE = 0.5
"""Share of a deadline that a reply may use: the rest is for slow networks, and for referees whose clock is fast."""
LEAST_BUDGET_S = 0.5
"""Even where a message has waited too long: a late reply may still count."""


@dataclass(frozen=True, slots=True)
class Timeouts:
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


class Spectator:
    """Is shown a game as it happens; this one ignores it."""

    def started(self, game_id: str, start: RoundStart) -> None:
        """The round's name and hint came."""

    def planned(self, plan: Plan) -> None:
        """The candidates are found and the questions sent."""

    def answered(self, plan: Plan, answers: Answers, decision: Decision) -> None:
        """The answers came and the guess was sent."""

    def scored(self, score: Score) -> None:
        """The score came."""


@dataclass(frozen=True, slots=True)
class GameReport:
    """A game that is over.

    Attributes:
        answers: (20,) a letter, "Not Relevant", or None where none came.
        elapsed_s: seconds from asking for the game to its score.
    """

    game_id: str
    start: RoundStart
    plan: Plan
    answers: tuple[Answer, ...]
    decision: Decision
    score: Score
    elapsed_s: float


class Game:
    """One game's state.

    Attributes:
        game_id: as the server gave it.
        key: in the ledger.
        score: None until it has come.
        due_at: when answers that were held back are answered after all, of time.monotonic().
        guess_sent: the guess and the key of what it replies to, once it has been made.
    """

    def __init__(
        self,
        game_id: str,
        key: int,
        player: DeadlinePlayer,
        name: str,
        spectator: Spectator,
        timeouts: Timeouts | None,
        ledger: Ledger,
    ) -> None:
        self.game_id = game_id
        self.key = key
        self.score: Score | None = None
        self.due_at = float("inf")
        self.guess_sent: tuple[str, Json] | None = None
        self._player = player
        self._name = name
        self._spectator = spectator
        self._timeouts = timeouts
        self._ledger = ledger
        self._replies: dict[str, Json] = {}
        self._n_repeats = 0
        self._match_id = ""
        self._planned: Planned | None = None
        self._answers: list[Answer] = []
        self._decision: Decision | None = None
        self._held: tuple[Message, Json, float] | None = None

    @property
    def holds(self) -> bool:
        """Whether a message waits for a better one."""
        return self._held is not None

    def owns(self, message: Message) -> bool:
        """Whether a message is of this game; one that names none is, if it names this game's match."""
        if message.game_id:
            return protocol.same_game(message.game_id, self.game_id)
        match_id = str(message.payload.get("match_id", ""))
        return bool(match_id) and match_id == self._match_id

    def restore(self, saved: GameRecord) -> None:
        """Take up a game where another process left it."""
        for key, reply in saved.replies.items():
            self._keep(key, reply)
        if saved.start is None:
            return
        self._match_id = saved.start.match_id
        self._spectator.started(self.game_id, saved.start)
        budget_s = self._budget_s(time.monotonic(), None)
        planned = self._asked(self._player.again(saved.start, saved.questions, budget_s))
        if saved.answers is not None and saved.guess is not None:
            self._answers = list(saved.answers)
            decision = self._player.decide(planned, self._answers, self._budget_s(time.monotonic(), None))
            self._decision = replace(decision, guess=saved.guess)

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
        if self._timeouts is not None and self._is_empty(message):
            if self._held is None:
                self._held = message, envelope, arrived
                self.due_at = time.monotonic() + min(self._timeouts.grace_s, (message.deadline_s or 1e9) * REPLY_SHARE)
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
        self._keep(key, reply)
        return [(key, reply)]

    def _keep(self, key: str, reply: Json) -> None:
        self._replies[key] = reply
        if reply["message_type"] == protocol.GUESS_SUBMISSION:
            self.guess_sent = key, reply

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
            self._spectator.started(self.game_id, start)
            questions = self._asked(self._player.plan(start, budget_s)).plan.questions
            facts.update(start=start, questions=questions)
            return protocol.QUESTIONS_BATCH, protocol.questions_payload(start, questions)
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

    def _asked(self, planned: Planned) -> Planned:
        """Go on with a plan, and what was revealed when its round was played before."""
        planned.plan = recognise(planned.plan, self._ledger.recall(planned.plan.start))
        self._planned = planned
        self._spectator.planned(planned.plan)
        return planned

    def take(self, score: Score) -> None:
        """The score came."""
        self.score = score
        if self._planned is not None and self._decision is not None:
            plan = self._planned.plan
            self._ledger.reveal(plan.start, read_revealed(score, self._decision.guess, plan))
        self._spectator.scored(score)

    def report(self, elapsed_s: float) -> GameReport:
        """The game, once it is over."""
        assert self._planned is not None
        assert self._decision is not None
        assert self.score is not None
        plan = self._planned.plan
        return GameReport(self.game_id, plan.start, plan, tuple(self._answers), self._decision, self.score, elapsed_s)

    def _budget_s(self, arrived: float, deadline_s: float | None) -> float | None:
        """Seconds left for the reply to a message that came at `arrived`; None where there is no hurry."""
        if self._timeouts is None:
            return None
        share_s = REPLY_SHARE * min(self._timeouts.phase_s, deadline_s or self._timeouts.phase_s)
        return max(LEAST_BUDGET_S, share_s - (time.monotonic() - arrived))
