"""play(server, player): the one game loop; live games, replays over HTTP and tests share it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from player import protocol
from player.errors import MessageError
from player.player import Decision, Plan, Player
from player.protocol import Guess, Json, Message, RoundStart, Score
from player.server import GameServer, wait_left_s

PAUSE_S = 0.02
"""Seconds after an empty answer, for servers that do not wait when they are asked to."""


class Spectator(Protocol):
    """Is shown a game as it happens."""

    def started(self, game_id: str, start: RoundStart) -> None:
        """The round's name and hint came."""

    def planned(self, plan: Plan) -> None:
        """The candidates are found and the questions sent."""

    def answered(self, plan: Plan, answers: Sequence[str | None], decision: Decision) -> None:
        """The answers came and the guess was sent."""

    def scored(self, score: Score) -> None:
        """The score came."""


class Silent:
    """A spectator that shows nothing."""

    def started(self, game_id: str, start: RoundStart) -> None:
        """Nothing."""

    def planned(self, plan: Plan) -> None:
        """Nothing."""

    def answered(self, plan: Plan, answers: Sequence[str | None], decision: Decision) -> None:
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
    answers: tuple[str | None, ...]
    decision: Decision
    score: Score
    elapsed_s: float
    cursor: str


def play(
    server: GameServer,
    player: Player,
    *,
    name: str,
    timeout_s: float,
    spectator: Spectator | None = None,
    cursor: str = "",
) -> GameReport:
    """Ask for a practice game and play it to its score.

    Messages of other games are passed over; a message that comes twice gets the reply it got before; answers
    to questions that were never sent are nobody's.

    Args:
        name: logical id that the player's messages carry.
        timeout_s: seconds until the game is given up.
        cursor: of the inbox, from the report of the game before; "" reads it from its beginning.

    Raises:
        ServerError: the server is not there or refuses.
        GameTimeoutError: the game was not over in time.
        QueryError: nothing can be searched for.
    """
    started_at = time.monotonic()
    game_id = server.request_game()
    game = _Game(game_id, player, name, spectator or Silent())
    while game.score is None:
        envelopes, cursor = server.inbox(cursor, wait_left_s(started_at + timeout_s, game_id))
        if not envelopes:
            time.sleep(PAUSE_S)
        for envelope in envelopes:
            for reply in game.receive(envelope):
                server.send(reply)
    return game.report(time.monotonic() - started_at, cursor)


class _Game:
    """One game's state: what came, and what was replied to it."""

    def __init__(self, game_id: str, player: Player, name: str, spectator: Spectator) -> None:
        self._game_id = game_id
        self._player = player
        self._name = name
        self._spectator = spectator
        self._replies: dict[str, Json] = {}
        self._plan: Plan | None = None
        self._answers: list[str | None] = []
        self._decision: Decision | None = None
        self.score: Score | None = None

    def receive(self, envelope: Json) -> list[Json]:
        """The replies to a message: one, or none where it asks for none, is of another game, or cannot be read."""
        try:
            message = protocol.read_message(envelope)
        except MessageError:
            return []
        if message.game_id != self._game_id:
            return []
        kind = message.message_type
        if kind in self._replies:
            return [self._replies[kind]]
        payload = self._payload(message)
        if payload is None:
            return []
        reply_type, content = payload
        recipient = _recipient(envelope)
        reply = protocol.write_message(
            reply_type, content, sender=self._name, recipient=recipient, game_id=self._game_id
        )
        self._replies[kind] = reply
        return [reply]

    def _payload(self, message: Message) -> tuple[str, Json] | None:
        kind = message.message_type
        if kind == protocol.WARMUP_CALL:
            call = protocol.read_warmup_call(message)
            return protocol.WARMUP_RESPONSE, protocol.warmup_payload(call, self._player.answer_warmup(call.question))
        if kind == protocol.ROUND_START:
            start = protocol.read_round_start(message)
            self._spectator.started(self._game_id, start)
            self._plan = self._player.plan(start)
            self._spectator.planned(self._plan)
            return protocol.QUESTIONS_BATCH, protocol.questions_payload(start, self._plan.questions)
        if kind == protocol.ANSWERS_BATCH and self._plan is not None:
            self._answers = protocol.read_answers(message, len(self._plan.questions))
            self._decision = self._player.decide(self._plan, self._answers)
            self._spectator.answered(self._plan, self._answers, self._decision)
            return protocol.GUESS_SUBMISSION, protocol.guess_payload(self._plan.start, self._decision.guess)
        if kind == protocol.SCORE_FEEDBACK and self._decision is not None and self.score is None:
            self.score = protocol.read_score(message)
            self._spectator.scored(self.score)
        return None

    def report(self, elapsed_s: float, cursor: str) -> GameReport:
        """The game, once it is over."""
        assert self._plan is not None
        assert self._decision is not None
        assert self.score is not None
        return GameReport(
            self._game_id,
            self._plan.start,
            self._plan,
            tuple(self._answers),
            self._decision,
            self.score,
            elapsed_s,
            cursor,
        )


def report_json(report: GameReport) -> Mapping[str, object]:
    """A game as `run_game.py --json` prints it."""
    guess: Guess = report.decision.guess
    start = report.start
    return {
        "game_id": report.game_id,
        "book_name": start.book_name,
        "hint": start.hint,
        "association_domain": start.association_domain,
        "candidates": len(report.plan.result.hits),
        "questions": protocol.questions_json(report.plan.questions),
        "answers": list(report.answers),
        "guess": {
            "opening_sentence": guess.opening_sentence,
            "sentence_justification": guess.sentence_justification,
            "associative_word": guess.associative_word,
            "word_justification": guess.word_justification,
            "confidence": round(guess.confidence, 4),
        },
        "private_score": report.score.private_score,
        "league_points": report.score.league_points,
        "breakdown": dict(report.score.breakdown),
        "elapsed_s": round(report.elapsed_s, 3),
    }


def _recipient(envelope: Json) -> str:
    sender = envelope.get("sender")
    return str(sender.get("logical_id", "referee")) if isinstance(sender, dict) else "referee"
