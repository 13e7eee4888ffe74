"""One practice game as the referee runs it: messages in, messages out; knows nothing of HTTP."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict
from typing import Any, Literal

import numpy as np

from quarry.evaluate.errors import EvaluateError
from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.referee import N_QUESTIONS, Posed, Referee, Secret
from quarry.evaluate.referee.scoring import Score, Similarity, score_guess
from quarry.player.errors import MessageError
from quarry.player.protocol import payloads as protocol
from quarry.player.protocol.payloads import Json
from quarry.player.questions.answer import LETTERS, Answer

MatchState = Literal["warmup", "questions", "guess", "over"]
MAX_TEXT_CHARS = 2_000
DEADLINES_S = {"warmup": 300, "questions": 600, "guess": 300}
"""Seconds that are told to the player with each message; the practice referee waits longer."""
REFEREE = "practice-referee"


class RefusedMessageError(EvaluateError, ValueError):
    """A player's message that the referee cannot take; the text says what must hold."""


class Match:
    """The referee's side of one game.

    Args:
        game_id: 7 digits SSRRGGG.
        label: the labelled game; its solution stays here.
        secret: what there is to know about its paragraph.
        referee: answers the questions.
        similarity: of two words, for the score.
        player_id: whom the messages are addressed to.
        seed: of the warm-up sum.

    Attributes:
        state: which message is awaited.
        score: None until the guess has come.
        batch: the questions as they came; empty before.
        answers: what was answered, None where nothing was; guess: what was guessed; empty before.
    """

    def __init__(
        self,
        game_id: str,
        label: LabelledGame,
        secret: Secret,
        referee: Referee,
        similarity: Similarity,
        player_id: str,
        seed: int = 0,
    ) -> None:
        self.game_id = game_id
        self.state: MatchState = "warmup"
        self.score: Score | None = None
        self.batch: list[Json] = []
        self.answers: list[Answer] = []
        self.guess: Json = {}
        self._label = label
        self._secret = secret
        self._referee = referee
        self._similarity = similarity
        self._player_id = player_id
        self._lock = threading.Lock()
        one, other = np.random.default_rng(seed).integers(2, 13, size=2)
        self._warmup_question = f"What is {one} * {other}?"

    def opening(self) -> Json:
        """The first message: the warm-up call."""
        return self._write(
            protocol.WARMUP_CALL, {"warmup_question": self._warmup_question, "deadline": DEADLINES_S["warmup"]}
        )

    def receive(self, envelope: Json) -> list[Json]:
        """The referee's messages in reply to the player's; none to one that comes again after it was taken.

        Raises:
            RefusedMessageError: it is malformed, or of a kind that is not awaited; the state stays as it was.
        """
        try:
            json.dumps(envelope, ensure_ascii=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            raise RefusedMessageError(f"a message must be JSON in Unicode: {error}") from error
        try:
            message = protocol.read_message(envelope)
        except MessageError as error:
            raise RefusedMessageError(str(error)) from error
        with self._lock:
            kind = message.message_type
            if kind not in _ORDER:
                raise RefusedMessageError(f"message_type must be one of {', '.join(_ORDER)}, got {kind}")
            if _ORDER[kind] < _STATES.index(self.state):
                return []
            if _ORDER[kind] > _STATES.index(self.state):
                raise RefusedMessageError(f"{_AWAITED[self.state]} must come first in game {self.game_id}, got {kind}")
            if kind == protocol.WARMUP_RESPONSE:
                return self._start_round()
            if kind == protocol.QUESTIONS_BATCH:
                return self._answer(message.payload)
            return self._judge(message.payload)

    def _start_round(self) -> list[Json]:
        self.state = "questions"
        return [
            self._write(
                protocol.ROUND_START,
                {
                    "book_name": self._label.book_name,
                    "book_hint": self._label.hint,
                    "association_word": self._label.association_domain,
                    "questions_required": N_QUESTIONS,
                    "deadline": DEADLINES_S["questions"],
                },
            )
        ]

    def _answer(self, payload: Json) -> list[Json]:
        questions = read_batch(payload)
        self.batch = payload["questions"]
        self.answers = self._referee.answers(self._secret, questions)
        self.state = "guess"
        answers = [{"question_number": number, "answer": answer} for number, answer in self._given().items()]
        return [self._write(protocol.ANSWERS_BATCH, {"answers": answers})]

    def _judge(self, payload: Json) -> list[Json]:
        self.guess = payload
        self.score = score_guess(
            payload,
            opening_sentence=self._secret.opening_sentence,
            associative_word=self._label.associative_word,
            answers=self._given(),
            similarity=self._similarity,
        )
        self.state = "over"
        return [self._write(protocol.SCORE_FEEDBACK, asdict(self.score))]

    def _given(self) -> dict[int, str]:
        """The answers that are sent, by question number."""
        return {number: answer for number, answer in enumerate(self.answers, 1) if answer is not None}

    def _write(self, message_type: str, payload: Json) -> Json:
        content = {"match_id": f"M{self.game_id}", "auth_token": f"round-{self.game_id}", **payload}
        return protocol.write_message(
            message_type, content, sender=REFEREE, recipient=self._player_id, game_id=self.game_id, role="referee"
        )


_STATES: tuple[MatchState, ...] = ("warmup", "questions", "guess", "over")
_ORDER = {protocol.WARMUP_RESPONSE: 0, protocol.QUESTIONS_BATCH: 1, protocol.GUESS_SUBMISSION: 2}
_AWAITED = {
    "warmup": protocol.WARMUP_RESPONSE,
    "questions": protocol.QUESTIONS_BATCH,
    "guess": protocol.GUESS_SUBMISSION,
    "over": "nothing",
}


def read_batch(payload: Json) -> list[Posed]:
    """Text and four options of each of the 20 questions, by number.

    Raises:
        RefusedMessageError: there are not exactly 20 valid ones, numbered 1 to 20.
    """
    items = payload.get("questions")
    if not isinstance(items, list) or len(items) != N_QUESTIONS:
        came = len(items) if isinstance(items, list) else type(items).__name__
        raise RefusedMessageError(f"questions must be a list of exactly {N_QUESTIONS}, got {came}")
    questions: dict[int, Posed] = {}
    for place, item in enumerate(items, 1):
        number, question = _read_question(item, place)
        if number in questions:
            raise RefusedMessageError(f"question_number must be given once each, got {number} again")
        questions[number] = question
    return [questions[number] for number in sorted(questions)]


def _read_question(item: Any, place: int) -> tuple[int, Posed]:
    if not isinstance(item, dict):
        raise RefusedMessageError(f"question {place} must be an object, got {type(item).__name__}")
    number, text, options = item.get("question_number"), item.get("question_text"), item.get("options")
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= N_QUESTIONS:
        raise RefusedMessageError(f"question_number must be within 1..{N_QUESTIONS}, got {number!r}")
    if not isinstance(text, str) or not 0 < len(text.strip()) <= MAX_TEXT_CHARS:
        raise RefusedMessageError(
            f"question {number}: question_text must be a text of at most {MAX_TEXT_CHARS} characters"
        )
    if not isinstance(options, dict) or set(options) != set(LETTERS):
        raise RefusedMessageError(f"question {number}: options must be A, B, C and D")
    texts = [options[letter] for letter in LETTERS]
    if not all(isinstance(option, str) and 0 < len(option.strip()) <= MAX_TEXT_CHARS for option in texts):
        raise RefusedMessageError(
            f"question {number}: each option must be a text of at most {MAX_TEXT_CHARS} characters"
        )
    return number, (text, texts)
