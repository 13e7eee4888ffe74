"""One game: the replies to its messages, the player's plan and decision, and its report, also as JSON."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import inf

import numpy as np

from ingest.arrays import Float64Array
from ingest.console.terminal import described, visible
from player.answer.sentence import after_score
from player.errors import PlayerError, ServerError
from player.game.fallback import DeadlinePlayer, Planned
from player.game.journal import Candidate, Ledger, SavedGame
from player.player import Decision, Plan
from player.protocol import messages as protocol
from player.protocol.messages import (
    Json,
    Message,
    RoundStart,
    Score,
    WarmupCall,
    read_payload,
)
from player.questions.answer import Answer, Answers
from player.questions.editions import editions_of
from player.questions.question import Question

OPENING_SCORE = "opening_sentence_score"
"""Name of the points of the opening sentence in a score."""
MOST_REPEATS = 100
"""The most replies to repeated messages of a game; a server that repeats more gets no further ones."""
REPLY_SHARE = 0.5
"""The share of a deadline that a reply may use. The rest is for slow networks and for referees with a fast clock."""
LEAST_BUDGET_S = 0.5
"""Seconds for a reply to a message that has waited too long: a late reply may still count."""
N_AT_ONCE = max(2, os.cpu_count() or 1)
"""The most replies that are computed at once; the others wait, and their time begins with their turn."""
N_LIKELIEST = 10
"""Number of candidates that the journal keeps."""
STAGES = (
    protocol.WARMUP_CALL,
    protocol.ROUND_START,
    protocol.ANSWERS_BATCH,
    protocol.SCORE_FEEDBACK,
)
"""Types of the referee's messages in their order; a later one shows that the reply to an earlier one arrived."""
BEGINNINGS = frozenset(STAGES[:2])
"""Types of the messages that begin a game."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Times of a game against a real server.

    Attributes:
        phase_s: seconds within which a reply is due, unless the message asks for less; real deadlines are 40 and more.
        resend_s: seconds without the referee's next message after which a reply is sent again.
        outage_s: seconds without an answer of the server after which its games are given up.
    """

    phase_s: float = 40.0
    resend_s: float = 15.0
    outage_s: float = 120.0

    def due(self, message: Message, arrived: float) -> float:
        """Return the time at which the reply to a message is due; all times are of time.monotonic()."""
        return arrived + (message.deadline_s or self.phase_s)

    def budget_s(self, message: Message, arrived: float) -> float:
        """Return the seconds for the work on a reply that begins now.

        A reply may take a share of `phase_s`, from the moment at which its work begins. It may wait for its turn as
        long as the message allows, since many games are answered one after another.
        """
        work_s = REPLY_SHARE * min(self.phase_s, message.deadline_s or self.phase_s)
        allowed_s = REPLY_SHARE * (self.due(message, arrived) - arrived)
        remaining_s = arrived + allowed_s - time.monotonic()
        return max(LEAST_BUDGET_S, min(work_s, remaining_s))


class Spectator:
    """Receives the events of running games, from several threads at once; this base class ignores them.

    An exception of a spectator is printed and disturbs no game.
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
        """Receive the reason for which a game could not be played."""


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
        say: is called with a line about each fault.
        opponent: logical id of the referee, "" before the first message.
        match_id: id of the game's first message, "" before.
        stage: number of the latest message of the referee in `STAGES`, -1 before the first.
        score: None until it has come.
        reply: the reply to the latest message, None before.
    """

    game_id: str
    key: int
    player: DeadlinePlayer
    name: str
    spectator: Spectator
    timeouts: Timeouts | None
    ledger: Ledger
    say: Callable[[str], None]
    opponent: str = ""
    match_id: str = ""
    stage: int = -1
    score: Score | None = None
    reply: Json | None = None
    _replies: dict[str, Json] = field(default_factory=dict)
    _n_repeats: int = 0
    _planned: Planned | None = None
    _answers: Answers = ()
    _decision: Decision | None = None

    def owns(self, message: Message) -> bool:
        """Return whether a message belongs to this game, by its game id or else by its match id."""
        if message.game_id:
            return protocol.same_game(message.game_id, self.game_id)
        ids = {self.match_id, self.game_id}
        return bool(message.match_id) and message.match_id in ids

    def restore(self, saved: SavedGame) -> None:
        """Continue a game of an earlier process."""
        for message in saved.messages:
            self._replies[message.key] = message.reply
            kind = message.key.split()[0]
            self._move_to(kind, message.reply)
            if kind in BEGINNINGS and message.received is not None:
                self.opponent = protocol.sender_of(message.received)
        if saved.start is None:
            return

        self.match_id = saved.start.match_id
        self._tell("started", saved.start)
        budget_s = None
        if self.timeouts is not None:
            budget_s = REPLY_SHARE * self.timeouts.phase_s
        planned = self._plan(saved.start, budget_s, saved.questions)
        if saved.answers is not None and saved.guess is not None:
            self._answers = saved.answers
            decision = self.player.decide(planned, self._answers, budget_s)
            self._decision = replace(decision, guess=saved.guess)
            if saved.score is not None:  # the earlier process has learned it
                self.score = saved.score
                self._tell("scored", saved.score)

    def receive(self, message: Message, envelope: Json, arrived: float) -> Json | None:
        """Return the reply to a message; None if the message asks for no reply.

        Args:
            arrived: time of arrival, of time.monotonic().

        Raises:
            MessageError: the message holds a score that is out of range.
        """
        kind = key = message.message_type
        self._tell("received", envelope)
        if kind in BEGINNINGS:
            self.opponent = protocol.sender_of(envelope)
            self.match_id = self.match_id or message.match_id
        if kind == protocol.WARMUP_CALL:
            key = f"{kind} {read_payload(WarmupCall, message.payload).question}"
        if key in self._replies:
            self._n_repeats += 1
            return self._replies[key] if self._n_repeats <= MOST_REPEATS else None

        facts: dict[str, object] = {}
        content = self._content(message, arrived, facts)
        if content is None:
            return None
        reply = protocol.write_message(
            *content,
            sender=self.name,
            recipient=protocol.sender_of(envelope),
            game_id=self.game_id,
            like=envelope,
        )
        self.ledger.replied(self.key, key, reply, envelope, **facts)
        self._replies[key] = reply
        self._move_to(kind, reply)
        self._tell("sent", reply)
        return reply

    def take(self, score: Score) -> None:
        """Store the score and show it.

        Raises:
            ServerError: the game was scored before the player has sent its guess.
        """
        if self._decision is None:
            raise ServerError(
                f"Game {visible(self.game_id)} was scored before a guess was sent."
            )
        self.score = score
        self.ledger.scored(self.key, score)
        if self._planned is not None and self._decision.best >= 0:
            plan, belief = self._planned.plan, self._decision.belief
            points = score.breakdown.get(OPENING_SCORE)
            guess = self._decision.guess.opening_sentence
            belief = after_score(belief, plan.rows, plan.places, guess, points)
            shares = editions_of(belief, plan.places, plan.rows)
            self.ledger.learn(self.opponent, shares)
        self._tell("scored", score)

    def fail(self, error: PlayerError) -> None:
        """Show the reason for which the game could not be played."""
        self._tell("failed", error)

    def report(self, elapsed_s: float) -> GameReport:
        """Return the report of the game after its score has come."""
        assert self._planned is not None
        assert self._decision is not None
        assert self.score is not None
        plan = self._planned.plan
        with contextlib.suppress(Exception):  # a search that fails now loses no score
            plan = self.player.whole(self._planned)
        return GameReport(
            game_id=self.game_id,
            start=plan.start,
            plan=plan,
            answers=tuple(self._answers),
            decision=self._decision,
            score=self.score,
            elapsed_s=elapsed_s,
        )

    def due(self, message: Message, arrived: float) -> float:
        """Return the time at which the reply to a message is due, of time.monotonic()."""
        return inf if self.timeouts is None else self.timeouts.due(message, arrived)

    def _move_to(self, kind: str, reply: Json) -> None:
        stage = STAGES.index(kind)
        if stage >= self.stage:
            self.stage, self.reply = stage, reply

    def _tell(self, event: str, *facts: object) -> None:
        """Call the spectator; print its exception unless all faults are raised."""
        try:
            getattr(self.spectator, event)(self.game_id, *facts)
        except Exception as error:
            if self.timeouts is None:
                raise
            self.say(f"the spectator failed: {described(error)}")

    def _content(
        self, message: Message, arrived: float, facts: dict[str, object]
    ) -> tuple[str, Json] | None:
        """Return type and payload of the reply, and add to `facts` all that a restart must know of it."""
        kind, payload = message.message_type, message.payload
        budget_s = None
        if self.timeouts is not None:
            budget_s = self.timeouts.budget_s(message, arrived)

        if kind == protocol.WARMUP_CALL:
            call = read_payload(WarmupCall, payload)
            answer = self.player.warmup(call.question, budget_s)
            return protocol.WARMUP_RESPONSE, protocol.warmup_payload(call, answer)

        if kind == protocol.ROUND_START:
            known = tuple(self.ledger.editions(self.opponent).items())
            start = replace(read_payload(RoundStart, payload), editions=known)
            self._tell("started", start)
            questions = self._plan(start, budget_s).plan.questions
            facts.update(start=start, questions=questions)
            batch = protocol.questions_payload(start, questions)
            return protocol.QUESTIONS_BATCH, batch

        if kind == protocol.ANSWERS_BATCH and self._planned is not None:
            return protocol.GUESS_SUBMISSION, self._guess(
                self._planned, message, budget_s, facts
            )

        is_open = self._decision is not None and self.score is None
        if kind == protocol.SCORE_FEEDBACK and is_open:
            self.take(protocol.read_score(payload))
        return None

    def _plan(
        self,
        start: RoundStart,
        budget_s: float | None,
        questions: Sequence[Question] | None = None,
    ) -> Planned:
        self._planned = self.player.plan(start, budget_s, questions)
        self._tell("planned", self._planned.plan)
        return self._planned

    def _guess(
        self,
        planned: Planned,
        message: Message,
        budget_s: float | None,
        facts: dict[str, object],
    ) -> Json:
        """Return the payload of the guess after the answers in a message."""
        self._answers = protocol.read_answers(message, len(planned.plan.questions))
        decision = self.player.decide(planned, self._answers, budget_s)
        self._decision = decision
        self._tell("answered", planned.plan, self._answers, decision)
        facts.update(
            answers=self._answers,
            guess=decision.guess,
            belief=_likeliest(planned.plan, decision),
        )
        return protocol.guess_payload(planned.plan.start, decision.guess)


def _likeliest(plan: Plan, decision: Decision) -> list[Candidate]:
    """Return the candidates with the highest belief after the answers, the best first."""
    candidates = []
    for row in np.argsort(-decision.belief, kind="stable")[:N_LIKELIEST]:
        paragraph = plan.paragraph(int(row))
        candidate = Candidate(
            paragraph_id=paragraph.paragraph_id,
            opening_sentence=paragraph.opening_sentence,
            before=float(plan.prior[row]),
            after=float(decision.belief[row]),
        )
        candidates.append(candidate)
    return candidates


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
