"""Messages <-> types: tolerant reading, strict writing. The field variants are those of the shared PROTOCOL.md."""

from __future__ import annotations

import math
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from player.errors import MessageError
from player.questions.belief import NOT_RELEVANT
from player.questions.question import LETTERS, Question

PROTOCOL = "Q21G.v1"

WARMUP_CALL = "Q21WARMUPCALL"
WARMUP_RESPONSE = "Q21WARMUPRESPONSE"
ROUND_START = "Q21ROUNDSTART"
QUESTIONS_BATCH = "Q21QUESTIONSBATCH"
ANSWERS_BATCH = "Q21ANSWERSBATCH"
GUESS_SUBMISSION = "Q21GUESSSUBMISSION"
SCORE_FEEDBACK = "Q21SCOREFEEDBACK"

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One envelope, read.

    Attributes:
        message_type: canonical, e.g. "Q21ROUNDSTART".
        message_id: "" if the sender gave none.
        game_id: "" if the sender gave none.
        payload: as it came.
    """

    message_type: str
    message_id: str
    game_id: str
    payload: Json


@dataclass(frozen=True, slots=True)
class WarmupCall:
    """The referee's first question, a small sum."""

    match_id: str
    question: str
    auth_token: str


@dataclass(frozen=True, slots=True)
class RoundStart:
    """What the player is told about the secret paragraph."""

    match_id: str
    book_name: str
    hint: str
    association_domain: str
    auth_token: str


@dataclass(frozen=True, slots=True)
class Guess:
    """What the player returns in the end.

    Attributes:
        confidence: 0..1, that the sentence is the right one.
    """

    opening_sentence: str
    sentence_justification: str
    associative_word: str
    word_justification: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Score:
    """What the referee made of the guess.

    Attributes:
        private_score: 0..100.
        breakdown: points by part, as sent.
        feedback: remarks by part, as sent.
    """

    private_score: float
    league_points: int
    breakdown: Mapping[str, float]
    feedback: Mapping[str, str]


def read_message(envelope: object) -> Message:
    """An envelope under any of the names its fields go by in the wild.

    Raises:
        MessageError: it is no object, or has no message type.
    """
    if not isinstance(envelope, dict):
        raise MessageError(f"a message must be a JSON object, got {type(envelope).__name__}")
    kind = _first(envelope, "message_type", "messagetype", "messageType", "type")
    if not isinstance(kind, str) or not kind.strip():
        came = "an empty one" if isinstance(kind, str) else type(kind).__name__
        raise MessageError(f"message_type must be a string, got {came}")
    payload = envelope.get("payload")
    return Message(
        message_type=re.sub(r"[^A-Z0-9]", "", kind.upper()),
        message_id=_text(envelope, "message_id", "messageid"),
        game_id=_text(envelope, "game_id", "gameid"),
        payload=payload if isinstance(payload, dict) else {},
    )


def read_warmup_call(message: Message) -> WarmupCall:
    """The warm-up question; one that is missing reads as ""."""
    payload = message.payload
    return WarmupCall(
        _text(payload, "match_id"), _text(payload, "warmup_question", "question"), _text(payload, "auth_token")
    )


def read_round_start(message: Message) -> RoundStart:
    """What is told about the paragraph; what is missing reads as ""."""
    payload = message.payload
    return RoundStart(
        match_id=_text(payload, "match_id"),
        book_name=_text(payload, "book_name"),
        hint=_text(payload, "book_hint", "description", "general_description", "hint"),
        association_domain=_text(payload, "association_word", "associative_domain", "association_domain"),
        auth_token=_text(payload, "auth_token"),
    )


def read_answers(message: Message, n_questions: int) -> list[str | None]:
    """The answers by question number: a letter, "Not Relevant", or None where none came or it cannot be read.

    Args:
        n_questions: how many were asked; answers with other numbers are passed over.
    """
    answers: list[str | None] = [None] * n_questions
    given = message.payload.get("answers")
    for place, item in enumerate(given if isinstance(given, list) else []):
        if isinstance(item, dict):
            number = _number(_first(item, "question_number", "number"))
            answer = _answer(_first(item, "answer", "choice"))
        else:
            number, answer = place + 1, _answer(item)
        if number is not None and 1 <= number <= n_questions and answer is not None:
            answers[number - 1] = answer
    return answers


def read_score(message: Message) -> Score:
    """The score; numbers that are missing or unreadable count as 0."""
    payload = message.payload
    breakdown = payload.get("breakdown")
    feedback = payload.get("feedback")
    parts = breakdown.items() if isinstance(breakdown, dict) else ()
    remarks = feedback.items() if isinstance(feedback, dict) else ()
    return Score(
        private_score=_float(_first(payload, "private_score", "score")),
        league_points=int(_float(_first(payload, "league_points", "league_score"))),
        breakdown={_printed(part): _float(points) for part, points in parts},
        feedback={_printed(part): _printed(remark) for part, remark in remarks},
    )


def write_message(
    message_type: str, payload: Json, *, sender: str, recipient: str, game_id: str, role: str = "player"
) -> Json:
    """An envelope in canonical form with a fresh message_id.

    Args:
        sender: logical id of who writes.
        recipient: logical id of who is written to.
    """
    return {
        "protocol": PROTOCOL,
        "message_type": message_type,
        "message_id": str(uuid.uuid4()),
        "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "sender": {"email": f"{sender}@localhost", "role": role, "logical_id": sender},
        "recipient_id": recipient,
        "game_id": game_id,
        "payload": payload,
    }


def warmup_payload(call: WarmupCall, answer: str) -> Json:
    """Payload of the answer to a warm-up question."""
    return {"match_id": call.match_id, "auth_token": call.auth_token, "answer": answer}


def questions_payload(start: RoundStart, questions: Sequence[Question]) -> Json:
    """Payload of a batch of questions, numbered from 1."""
    return {"match_id": start.match_id, "auth_token": start.auth_token, "questions": questions_json(questions)}


def questions_json(questions: Sequence[Question]) -> list[Json]:
    """Questions as a referee gets them, numbered from 1."""
    return [
        {
            "question_number": number,
            "question_text": question.text,
            "options": dict(zip(LETTERS, question.options, strict=True)),
        }
        for number, question in enumerate(questions, 1)
    ]


def guess_payload(start: RoundStart, guess: Guess) -> Json:
    """Payload of the guess."""
    return {
        "match_id": start.match_id,
        "auth_token": start.auth_token,
        "opening_sentence": guess.opening_sentence,
        "sentence_justification": guess.sentence_justification,
        "associative_word": guess.associative_word,
        "word_justification": guess.word_justification,
        "confidence": round(guess.confidence, 4),
    }


def _first(values: Mapping[str, Any], *names: str) -> Any:
    return next((values[name] for name in names if name in values), None)


def _text(values: Mapping[str, Any], *names: str) -> str:
    """The first of the names that holds a string or number that is not empty; half surrogates become question marks."""
    for name in names:
        value = values.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            text = _printed(value).strip()
            if text:
                return text
    return ""


def _printed(value: Any) -> str:
    try:
        return str(value).encode("utf-8", "replace").decode("utf-8")
    except ValueError:  # Python refuses to print an integer of more than 4,300 digits
        return ""


def _number(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return None


def _float(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return number if math.isfinite(number) else 0.0


def _answer(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    plain = re.sub(r"[^A-Z]", "", value.upper())
    if plain in LETTERS and len(plain) == 1:
        return plain
    return NOT_RELEVANT if plain in {"NOTRELEVANT", "NR", "NA", "IRRELEVANT"} else None
