"""One game: the replies to its messages, the player's plan and decision, and its report, also as JSON."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from quarry.ingest.arrays import Float64Array
from quarry.player.game.fallback import DeadlinePlayer, Planned
from quarry.player.game.journal import GameRecord, Ledger
from quarry.player.player import Decision, Plan
from quarry.player.protocol import messages as protocol
from quarry.player.protocol.messages import Json, Message, RoundStart, Score, WarmupCall, read_payload
from quarry.player.questions.answer import Answer, Answers

MOST_REPEATS = 100
"""The most replies to repeated messages of a game; a server that repeats more gets no further ones."""
REPLY_SHARE = 0.5
"""The share of a deadline that a reply may use. The rest is for slow networks and for referees with a fast clock."""
LEAST_BUDGET_S = 0.5
"""Seconds for a reply to a message that has waited too long: a late reply may still count."""
BEGINNINGS = frozenset({protocol.WARMUP_CALL, protocol.ROUND_START})
"""Types of the messages that begin a game."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Times of a game against a real server.

    Attributes:
        phase_s: seconds within which a reply is due, unless the message asks for less; real deadlines are 40 and more.
        resend_s: seconds without a score after which the guess is sent again.
        outage_s: seconds without an answer of the server after which its games are given up.
    """

    phase_s: float = 40.0
    resend_s: float = 15.0
    outage_s: float = 120.0


class Spectator:
    """Receives the events of a game; this base class ignores them."""

    def started(self, game_id: str, start: RoundStart) -> None:
        """Receive the name and hint of the round."""

    def planned(self, plan: Plan) -> None:
        """Receive the candidates and the questions."""

    def answered(self, plan: Plan, answers: Answers, decision: Decision) -> None:
        """Receive the answers and the guess."""

    def scored(self, score: Score) -> None:
        """Receive the score."""


@dataclass(frozen=True, slots=True)
class GameReport:
    """A finished game.

    Attributes:
        answers: (20,) a letter, "Not Relevant", or None for a missing answer.
        elapsed_s: seconds from the request for the game to its score.
    """

    game_id: str
    start: RoundStart
    plan: Plan
    answers: tuple[Answer, ...]
    decision: Decision
    score: Score
    elapsed_s: float


@dataclass(eq=False, slots=True)
class Game:
    """The state of one game.

    Attributes:
        game_id: as the server gave it.
        key: key of the game in the ledger.
        name: logical id of the player.
        timeouts: None if no reply is urgent.
        match_id: id of the game's first message, "" before.
        score: None until it has come.
        guess_sent: the guess and the key of the message that it replies to; None before.
    """

    game_id: str
    key: int
    player: DeadlinePlayer
    name: str
    spectator: Spectator
    timeouts: Timeouts | None
    ledger: Ledger
    match_id: str = ""
    score: Score | None = None
    guess_sent: tuple[str, Json] | None = None
    _replies: dict[str, Json] = field(default_factory=dict)
    _n_repeats: int = 0
    _planned: Planned | None = None
    _answers: list[Answer] = field(default_factory=list)
    _decision: Decision | None = None

    def owns(self, message: Message) -> bool:
        """Return whether a message belongs to this game, by its game id or else by its match id."""
        if message.game_id:
            return protocol.same_game(message.game_id, self.game_id)
        return bool(message.match_id) and message.match_id in {self.match_id, self.game_id}

    def restore(self, saved: GameRecord) -> None:
        """Continue a game of an earlier process."""
        for key, reply in saved.replies.items():
            self._keep(key, reply)
        if saved.start is None:
            return
        self.match_id = saved.start.match_id
        self.spectator.started(self.game_id, saved.start)
        planned = self._plan(saved.start, self._budget_s(time.monotonic(), None), saved)
        if saved.answers is not None and saved.guess is not None:
            self._answers = list(saved.answers)
            decision = self.player.decide(planned, self._answers, self._budget_s(time.monotonic(), None))
            self._decision = replace(decision, guess=saved.guess)

    def receive(self, message: Message, envelope: Json, arrived: float) -> tuple[str, Json] | None:
        """Return the reply to a message and the key of the message; None if the message asks for no reply.

        Args:
            arrived: time of arrival, of time.monotonic().
        """
        key = message.message_type
        if key in BEGINNINGS:
            self.match_id = self.match_id or message.match_id
        if key == protocol.WARMUP_CALL:
            key = f"{key} {read_payload(WarmupCall, message.payload).question}"
        if key in self._replies:
            self._n_repeats += 1
            return (key, self._replies[key]) if self._n_repeats <= MOST_REPEATS else None
        facts: dict[str, object] = {}
        payload = self._payload(message, arrived, facts)
        if payload is None:
            return None
        recipient = protocol.sender_of(envelope)
        reply = protocol.write_message(
            *payload, sender=self.name, recipient=recipient, game_id=self.game_id, like=envelope
        )
        self.ledger.replied(self.key, key, reply, **facts)
        self._keep(key, reply)
        return key, reply

    def take(self, score: Score) -> None:
        """Store the score and show it."""
        self.score = score
        self.spectator.scored(score)

    def report(self, elapsed_s: float) -> GameReport:
        """Return the report of the game after its score has come."""
        assert self._planned is not None
        assert self._decision is not None
        assert self.score is not None
        plan = self._planned.plan
        return GameReport(self.game_id, plan.start, plan, tuple(self._answers), self._decision, self.score, elapsed_s)

    def _keep(self, key: str, reply: Json) -> None:
        self._replies[key] = reply
        if reply["message_type"] == protocol.GUESS_SUBMISSION:
            self.guess_sent = key, reply

    def _payload(self, message: Message, arrived: float, facts: dict[str, object]) -> tuple[str, Json] | None:
        """Return type and payload of the reply, and add to `facts` all that a restart must know of it."""
        kind = message.message_type
        budget_s = self._budget_s(arrived, message.deadline_s)
        if kind == protocol.WARMUP_CALL:
            call = read_payload(WarmupCall, message.payload)
            answer = self.player.warmup(call.question, budget_s)
            return protocol.WARMUP_RESPONSE, protocol.warmup_payload(call, answer)
        if kind == protocol.ROUND_START:
            start = read_payload(RoundStart, message.payload)
            self.spectator.started(self.game_id, start)
            questions = self._plan(start, budget_s).plan.questions
            facts.update(start=start, questions=questions)
            return protocol.QUESTIONS_BATCH, protocol.questions_payload(start, questions)
        if kind == protocol.ANSWERS_BATCH and self._planned is not None:
            plan = self._planned.plan
            self._answers = protocol.read_answers(message, len(plan.questions))
            self._decision = self.player.decide(self._planned, self._answers, budget_s)
            self.spectator.answered(self._planned.plan, self._answers, self._decision)
            facts.update(answers=self._answers, guess=self._decision.guess)
            return protocol.GUESS_SUBMISSION, protocol.guess_payload(plan.start, self._decision.guess)
        if kind == protocol.SCORE_FEEDBACK and self._decision is not None and self.score is None:
            self.take(read_payload(Score, message.payload))
        return None

    def _plan(self, start: RoundStart, budget_s: float | None, saved: GameRecord | None = None) -> Planned:
        self._planned = self.player.plan(start, budget_s, saved.questions if saved is not None else None)
        self.spectator.planned(self._planned.plan)
        return self._planned

    def _budget_s(self, arrived: float, deadline_s: float | None) -> float | None:
        """Return the seconds left for the reply to a message that came at `arrived`; None if it is not urgent."""
        if self.timeouts is None:
            return None
        share_s = REPLY_SHARE * min(self.timeouts.phase_s, deadline_s or self.timeouts.phase_s)
        return max(LEAST_BUDGET_S, share_s - (time.monotonic() - arrived))


def report_json(report: GameReport) -> Json:
    """Write a finished game as `run_game.py --json` prints it."""
    start, decision, score = report.start, report.decision, report.score
    return {
        "game_id": report.game_id,
        "book_name": start.book_name,
        "hint": start.hint,
        "association_domain": start.association_domain,
        "questions": protocol.questions_json(report.plan.questions),
        "answers": list(report.answers),
        "guess": protocol.guess_json(decision.guess),
        "private_score": score.private_score,
        "league_points": score.league_points,
        "breakdown": dict(score.breakdown),
        "feedback": dict(score.feedback),
        "candidates": len(report.plan.rows),
        "belief_before": _belief_in(decision.best, report.plan.prior),
        "belief_after": _belief_in(decision.best, decision.belief),
        "evidence": [
            {
                "question_number": item.number,
                "answer": item.letter,
                "bits": round(item.weight, 3),
                "clause": item.clause,
            }
            for item in decision.evidence
        ],
        "elapsed_s": round(report.elapsed_s, 3),
    }


def _belief_in(row: int, belief: Float64Array) -> float | None:
    """Return the belief in the guess; None if it is not one of the candidates."""
    return round(float(belief[row]), 6) if 0 <= row < len(belief) else None
