"""Messages <-> values: reads envelopes however they are spelt, and writes them in canonical form."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from quarry.player.errors import MessageError
from quarry.player.protocol.messages import (
    MAX_ID_CHARS,
    AnswersBatch,
    Json,
    RoundStart,
    Score,
    WarmupCall,
    float_of,
    printed,
    read_payload,
    text_of,
)
from quarry.player.questions.answer import LETTERS, Answer
from quarry.player.questions.question import Question

__all__ = ["Guess", "Json", "Message", "RoundStart", "Score", "WarmupCall"]

PROTOCOL = "Q21G.v1"
WARMUP_CALL = "Q21WARMUPCALL"
WARMUP_RESPONSE = "Q21WARMUPRESPONSE"
ROUND_START = "Q21ROUNDSTART"
QUESTIONS_BATCH = "Q21QUESTIONSBATCH"
ANSWERS_BATCH = "Q21ANSWERSBATCH"
GUESS_SUBMISSION = "Q21GUESSSUBMISSION"
SCORE_FEEDBACK = "Q21SCOREFEEDBACK"

FURTHEST_DEADLINE_S = 7 * 86_400.0
"""Later ones are taken for nonsense."""


@dataclass(frozen=True, slots=True)
class Message:
    """One envelope, read.

    Attributes:
        message_type: canonical, e.g. "Q21ROUNDSTART".
        message_id: "" if the sender gave none.
        game_id: of the envelope or else of the payload, "" if the sender gave none.
        payload: as it came; of a message without one, its other fields.
        deadline_s: seconds from its sending in which it wants its reply, None if it says nothing that makes sense.
    """

    message_type: str
    message_id: str
    game_id: str
    payload: Json
    deadline_s: float | None = None


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


def read_message(envelope: object) -> Message:
    """An envelope under any of the names its fields go by in the wild.

    Raises:
        MessageError: it is no object, or has no message type.
    """
    if not isinstance(envelope, dict):
        raise MessageError(f"a message must be a JSON object, got {type(envelope).__name__}")
    kind = next((envelope[name] for name in _MESSAGE_TYPES if name in envelope), None)
    message_type = re.sub(r"[^A-Z0-9]", "", kind[:MAX_ID_CHARS].upper()) if isinstance(kind, str) else ""
    if not message_type:
        came = "an empty one" if isinstance(kind, str) else type(kind).__name__
        raise MessageError(f"message_type must be a string, got {came}")
    payload = _payload(envelope)
    return Message(
        message_type=message_type,
        message_id=_id(envelope, "message_id", "messageid", "messageId"),
        game_id=_id(envelope, *_GAME_IDS) or _id(payload, *_GAME_IDS),
        payload=payload,
        deadline_s=_deadline_s(envelope, payload),
    )


def same_game(game_id: str, other: str) -> bool:
    """Whether two game ids are one: 0101001 sent as a number is 101001."""
    return game_id == other or (game_id.isdecimal() and other.isdecimal() and game_id.lstrip("0") == other.lstrip("0"))


def read_warmup_call(message: Message) -> WarmupCall:
    """Read the warm-up question; one that is missing reads as ""."""
    return read_payload(WarmupCall, message.payload)


def read_round_start(message: Message) -> RoundStart:
    """Read what is told about the paragraph; what is missing reads as ""."""
    return read_payload(RoundStart, message.payload)


def read_answers(message: Message, n_questions: int) -> list[Answer]:
    """Read the answers by question number: a letter, "Not Relevant", or None where none came or it cannot be read.

    Args:
        n_questions: how many were asked; answers with other numbers are passed over.
    """
    answers: list[Answer] = [None] * n_questions
    for item in read_payload(AnswersBatch, message.payload).answers:
        number = item.question_number
        if number is not None and 1 <= number <= n_questions and item.answer is not None:
            answers[number - 1] = item.answer
    return answers


def read_score(message: Message) -> Score:
    """Read the score; numbers that are missing or unreadable count as 0."""
    return read_payload(Score, message.payload)


def write_message(
    message_type: str,
    payload: Json,
    *,
    sender: str,
    recipient: str,
    game_id: str,
    role: str = "player",
    like: Mapping[str, Any] | None = None,
) -> Json:
    """Write an envelope in canonical form with a fresh message_id.

    Args:
        sender: logical id of who writes.
        recipient: logical id of who is written to.
        like: the message that is replied to; keys of the envelope that it spells otherwise are written both ways.
    """
    envelope: Json = {
        "protocol": PROTOCOL,
        "message_type": message_type,
        "message_id": str(uuid.uuid4()),
        "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "sender": {"email": f"{sender}@localhost", "role": role, "logical_id": sender},
        "recipient_id": recipient,
        "game_id": game_id,
        "payload": payload,
    }
    for canonical, *others in (_MESSAGE_TYPES[:3], _GAME_IDS):
        envelope |= {name: envelope[canonical] for name in others if name in (like or {})}
    return envelope


def sender_of(envelope: Mapping[str, Any]) -> str:
    """Return the logical id of who wrote a message, "referee" where it does not say."""
    sender = envelope.get("sender")
    named = sender.get("logical_id") if isinstance(sender, dict) else None
    return str(named)[:MAX_ID_CHARS] if named else "referee"


def warmup_payload(call: WarmupCall, answer: str) -> Json:
    """Write the answer to a warm-up question."""
    return {"match_id": call.match_id, "auth_token": call.auth_token, "answer": answer}


def questions_payload(start: RoundStart, questions: Sequence[Question]) -> Json:
    """Write a batch of questions, numbered from 1, with the keys that other versions look for as well."""
    items = [
        {**item, "number": item["question_number"], "text": item["question_text"], "choices": item["options"]}
        for item in questions_json(questions)
    ]
    told = {"match_id": start.match_id, "auth_token": start.auth_token}
    return {**told, "questions": items, "total_questions": len(items)}


def questions_json(questions: Sequence[Question]) -> list[Json]:
    """Write questions in canonical form, numbered from 1."""
    return [
        {
            "question_number": number,
            "question_text": printed(question.text),
            "options": {letter: printed(option) for letter, option in zip(LETTERS, question.options, strict=True)},
        }
        for number, question in enumerate(questions, 1)
    ]


def guess_payload(start: RoundStart, guess: Guess) -> Json:
    """Write the guess, flat and nested, its two main parts under their other names as well."""
    parts = guess_json(guess)
    others = {f"{name}_guess": parts[name] for name in ("opening_sentence", "associative_word")}
    return {"match_id": start.match_id, "auth_token": start.auth_token, **parts, **others, "guess": parts}


def guess_json(guess: Guess) -> Json:
    """Write a guess in canonical form."""
    texts = {name: printed(text) for name, text in asdict(guess).items() if name != "confidence"}
    return {**texts, "confidence": round(min(1.0, max(0.0, guess.confidence)), 4)}


_GAME_IDS = ("game_id", "gameid", "gameId")
_MESSAGE_TYPES = ("message_type", "messagetype", "messageType", "type")
_DEADLINES = ("deadline", "deadline_s", "deadline_seconds", "timeout", "timeout_s", "timeout_seconds", "time_limit")
_ENVELOPE_FIELDS = frozenset(
    {"protocol", "message_id", "timestamp", "sender", "recipient_id", *_MESSAGE_TYPES[:3], *_GAME_IDS}
)


def _payload(envelope: Json) -> Json:
    """Return the payload: an object, an object written as a text, or the fields of the envelope itself."""
    if "payload" not in envelope:
        return {name: value for name, value in envelope.items() if name not in _ENVELOPE_FIELDS}
    payload = envelope["payload"]
    if isinstance(payload, str):
        try:
            payload = json.loads(payload)
        except (ValueError, RecursionError):
            return {}
    return payload if isinstance(payload, dict) else {}


def _id(fields: Mapping[str, Any], *names: str) -> str:
    """Return the first of these fields that holds a text or number, as text; "" where none does."""
    return next(filter(None, (text_of(fields.get(name), MAX_ID_CHARS) for name in names)), "")


def _deadline_s(envelope: Json, payload: Json) -> float | None:
    """Return the seconds given: a number, "300 s", "5 minutes", or a moment; one in the past says nothing."""
    value = next((at[name] for at in (payload, envelope) for name in _DEADLINES if name in at), None)
    seconds = 0.0 if isinstance(value, bool) else float_of(value)
    if isinstance(value, str):
        told = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*(s|secs?|seconds?|m|mins?|minutes?)?\s*", value[:40])
        if told:
            seconds = float(told[1]) * (60.0 if (told[2] or "s").startswith("m") else 1.0)
        else:
            seconds = _seconds_until(value[:MAX_ID_CHARS], _id(envelope, "timestamp"))
    if seconds > 1e11:  # milliseconds since 1970
        seconds /= 1000.0
    if seconds > 1e9:
        seconds -= datetime.now(UTC).timestamp()
    return seconds if 0.0 < seconds <= FURTHEST_DEADLINE_S else None


def _seconds_until(due: str, sent: str) -> float:
    """Count the seconds to a moment in ISO 8601, by the sender's own clock where it said when it sent."""
    try:
        moments = [datetime.fromisoformat(moment) for moment in (due, sent or datetime.now(UTC).isoformat())]
        aware = [moment if moment.tzinfo else moment.replace(tzinfo=UTC) for moment in moments]
        return (aware[0] - aware[1]).total_seconds()
    except (ValueError, OverflowError):
        return 0.0
