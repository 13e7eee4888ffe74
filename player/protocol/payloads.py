"""Messages <-> types: tolerant reading, strict writing. The field variants are those of docs/protocol.md.

What is read is cut to a length that no honest message reaches, so that nothing behind it has to fear a hint of 10 MB.
"""

from __future__ import annotations

import json
import math
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from quarry.player.errors import MessageError
from quarry.player.protocol import messages
from quarry.player.questions.answer import LETTERS, Answer, read_answer
from quarry.player.questions.question import Question

PROTOCOL = "Q21G.v1"
ROUTE = "mail"
"""Key of an envelope that came by mail: from whom and in which thread, so that its reply goes there."""

WARMUP_CALL = "Q21WARMUPCALL"
WARMUP_RESPONSE = "Q21WARMUPRESPONSE"
ROUND_START = "Q21ROUNDSTART"
QUESTIONS_BATCH = "Q21QUESTIONSBATCH"
ANSWERS_BATCH = "Q21ANSWERSBATCH"
GUESS_SUBMISSION = "Q21GUESSSUBMISSION"
SCORE_FEEDBACK = "Q21SCOREFEEDBACK"

Json = dict[str, Any]

MAX_HINT_CHARS = 2_000
MAX_NAME_CHARS = 300
MAX_ID_CHARS = 200
MAX_TOKEN_CHARS = 8_000
MAX_REMARK_CHARS = 10_000
MAX_REMARKS = 50
"""Of what is read, characters or entries: more is cut off."""
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
    message_type = re.sub(r"[^A-Z0-9]", "", kind[:MAX_ID_CHARS].upper()) if isinstance(kind, str) else ""
    if not message_type:
        came = "an empty one" if isinstance(kind, str) else type(kind).__name__
        raise MessageError(f"message_type must be a string, got {came}")
    payload = _payload(envelope)
    return Message(
        message_type=message_type,
        message_id=_text(envelope, "message_id", "messageid", "messageId"),
        game_id=_text(envelope, *_GAME_IDS) or _text(payload, *_GAME_IDS),
        payload=payload,
        deadline_s=_deadline_s(envelope, payload),
    )


def same_game(game_id: str, other: str) -> bool:
    """Whether two game ids are one: 0101001 sent as a number is 101001."""
    return game_id == other or (game_id.isdecimal() and other.isdecimal() and game_id.lstrip("0") == other.lstrip("0"))


def read_warmup_call(message: Message) -> WarmupCall:
    """The warm-up question; one that is missing reads as ""."""
    payload = message.payload
    return WarmupCall(
        _text(payload, "match_id"),
        _text(payload, "warmup_question", "question", most=MAX_HINT_CHARS),
        _text(payload, "auth_token", most=MAX_TOKEN_CHARS),
    )


def read_round_start(message: Message) -> RoundStart:
    """What is told about the paragraph; what is missing reads as ""."""
    payload = message.payload
    return RoundStart(
        match_id=_text(payload, "match_id"),
        book_name=_text(payload, "book_name", "bookname", most=MAX_NAME_CHARS),
        hint=_text(payload, "book_hint", "description", "general_description", "hint", most=MAX_HINT_CHARS),
        association_domain=_text(
            payload, "association_word", "associative_domain", "association_domain", most=MAX_NAME_CHARS
        ),
        auth_token=_text(payload, "auth_token", most=MAX_TOKEN_CHARS),
    )


def read_answers(message: Message, n_questions: int) -> list[Answer]:
    """The answers by question number: a letter, "Not Relevant", or None where none came or it cannot be read.

    They may come as a list of objects, a plain list in the order of the questions, or a map from number to answer.

    Args:
        n_questions: how many were asked; answers with other numbers are passed over.
    """
    answers: list[Answer] = [None] * n_questions
    for number, answer in _numbered(_first(message.payload, "answers", "responses")):
        if number is not None and 1 <= number <= n_questions and answer is not None:
            answers[number - 1] = answer
    return answers


def read_score(message: Message) -> Score:
    """The score; numbers that are missing or unreadable count as 0."""
    payload = message.payload
    breakdown = payload.get("breakdown")
    feedback = payload.get("feedback")
    parts = list(breakdown.items())[:MAX_REMARKS] if isinstance(breakdown, dict) else ()
    remarks = list(feedback.items())[:MAX_REMARKS] if isinstance(feedback, dict) else ()
    return Score(
        private_score=_float(_first(payload, "private_score", "score")),
        league_points=int(_float(_first(payload, "league_points", "league_score"))),
        breakdown={_printed(part, MAX_ID_CHARS): _float(points) for part, points in parts},
        feedback={_printed(part, MAX_ID_CHARS): _printed(remark, MAX_REMARK_CHARS) for part, remark in remarks},
    )


def write_message(
    message_type: str,
    payload: Json,
    *,
    sender: str,
    recipient: str,
    game_id: str,
    role: str = "player",
    version: str = PROTOCOL,
    like: Mapping[str, Any] | None = None,
) -> Json:
    """An envelope in canonical form with a fresh message_id.

    Args:
        sender: logical id of who writes.
        recipient: logical id of who is written to.
        version: of the protocol.
        like: the message that is replied to; keys of the envelope that it spells otherwise are written both ways.
    """
    envelope: Json = messages.Envelope(
        protocol=version,
        message_type=message_type,
        message_id=str(uuid.uuid4()),
        timestamp=datetime.now(UTC).isoformat(timespec="milliseconds"),
        sender=messages.Sender(email=f"{sender}@localhost", role=role, logical_id=sender),
        recipient_id=recipient,
        game_id=game_id,
        payload=payload,
    ).model_dump()
    for canonical, spelt in _ENVELOPE_SPELLINGS.items():
        for name in spelt:
            if like is not None and name in like:
                envelope[name] = envelope[canonical]
    route = like.get(ROUTE) if like is not None else None
    if isinstance(route, dict):
        envelope[ROUTE] = {
            name: _printed(route[name], MAX_HINT_CHARS)
            for name in ("from", "message_id", "references")
            if isinstance(route.get(name), str)
        }
    return envelope


def sender_of(envelope: Mapping[str, Any]) -> str:
    """The logical id of who wrote a message, "referee" where it does not say."""
    sender = envelope.get("sender")
    named = sender.get("logical_id") if isinstance(sender, dict) else None
    return str(named)[:MAX_ID_CHARS] if named else "referee"


def warmup_payload(call: WarmupCall, answer: str) -> Json:
    """Payload of the answer to a warm-up question."""
    return messages.WarmupResponsePayload(
        match_id=call.match_id, auth_token=call.auth_token, answer=answer
    ).model_dump()


def questions_payload(start: RoundStart, questions: Sequence[Question]) -> Json:
    """Payload of a batch of 20 questions, numbered from 1, with the keys that other versions look for as well."""
    return messages.QuestionsBatchPayload.model_validate(
        {"match_id": start.match_id, "auth_token": start.auth_token, "questions": questions_json(questions)}
    ).model_dump()


def questions_json(questions: Sequence[Question]) -> list[Json]:
    """Questions in canonical form, numbered from 1."""
    return [
        {
            "question_number": number,
            "question_text": _printed(question.text),
            "options": {letter: _printed(option) for letter, option in zip(LETTERS, question.options, strict=True)},
        }
        for number, question in enumerate(questions, 1)
    ]


def guess_payload(start: RoundStart, guess: Guess) -> Json:
    """Payload of the guess, flat and nested."""
    return messages.GuessSubmissionPayload(
        match_id=start.match_id, auth_token=start.auth_token, **guess_json(guess)
    ).model_dump()


def guess_json(guess: Guess) -> Json:
    """A guess in canonical form."""
    return {
        "opening_sentence": _printed(guess.opening_sentence),
        "sentence_justification": _printed(guess.sentence_justification),
        "associative_word": _printed(guess.associative_word),
        "word_justification": _printed(guess.word_justification),
        "confidence": round(min(1.0, max(0.0, guess.confidence)), 4),
    }


_GAME_IDS = ("game_id", "gameid", "gameId")
_ENVELOPE_SPELLINGS = {"message_type": ("messagetype", "messageType"), "game_id": ("gameid", "gameId")}
_ENVELOPE_FIELDS = frozenset(messages.Envelope.model_fields) | {
    name for spelt in _ENVELOPE_SPELLINGS.values() for name in spelt
}
_DEADLINES = ("deadline", "deadline_s", "deadline_seconds", "timeout", "timeout_s", "timeout_seconds", "time_limit")


def _payload(envelope: Json) -> Json:
    """The payload: an object, an object written as a text, or the fields of the envelope itself."""
    if "payload" not in envelope:
        return {name: value for name, value in envelope.items() if name not in _ENVELOPE_FIELDS}
    payload = envelope["payload"]
    if isinstance(payload, str):
        try:
            payload = json.loads(payload)
        except (ValueError, RecursionError):
            return {}
    return payload if isinstance(payload, dict) else {}


def _deadline_s(envelope: Json, payload: Json) -> float | None:
    """Seconds given: a number, "300 s", "5 minutes", or a moment; one in the past says nothing."""
    value = next((at[name] for at in (payload, envelope) for name in _DEADLINES if name in at), None)
    seconds = 0.0 if isinstance(value, bool) else _float(value)
    if isinstance(value, str):
        told = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*(s|secs?|seconds?|m|mins?|minutes?)?\s*", value[:40])
        if told:
            seconds = float(told[1]) * (60.0 if (told[2] or "s").startswith("m") else 1.0)
        else:
            seconds = _seconds_between(_text(envelope, "timestamp"), value[:MAX_ID_CHARS])
    if seconds > 1e11:
        seconds /= 1000.0
    if seconds > 1e9:
        seconds -= datetime.now(UTC).timestamp()
    return seconds if 0.0 < seconds <= FURTHEST_DEADLINE_S else None


def _seconds_between(sent: str, due: str) -> float:
    """From one moment to another in ISO 8601, by the sender's own clock where it said when it sent; 0 if unreadable."""
    try:
        moments = [datetime.fromisoformat(moment) for moment in ([sent, due] if sent else [due])]
    except ValueError:
        return 0.0
    aware = [moment if moment.tzinfo else moment.replace(tzinfo=UTC) for moment in moments]
    try:
        return (aware[-1] - (aware[0] if sent else datetime.now(UTC))).total_seconds()
    except OverflowError:
        return 0.0


def _first(values: Mapping[str, Any], *names: str) -> Any:
    return next((values[name] for name in names if name in values), None)


def _text(values: Mapping[str, Any], *names: str, most: int = MAX_ID_CHARS) -> str:
    """The first of the names that holds a string or number that is not empty; half surrogates become question marks."""
    for name in names:
        value = values.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            text = _printed(value, most).strip()
            if text:
                return text
    return ""


def _printed(value: Any, most: int | None = None) -> str:
    try:
        return str(value)[:most].encode("utf-8", "replace").decode("utf-8")
    except (ValueError, RecursionError):  # Python refuses to print an integer of more than 4,300 digits
        return ""


def _numbered(given: Any) -> list[tuple[int | None, Answer]]:
    """Question number and answer of each entry; entries without a number count by their place if none has one."""
    if isinstance(given, dict):
        return [(_number(name), read_answer(_answer_field(item))) for name, item in given.items()]
    items = given if isinstance(given, list) else []
    numbers = [
        _number(_first(item, "question_number", "number", "questionNumber", "question_id"))
        if isinstance(item, dict)
        else None
        for item in items
    ]
    told = any(isinstance(item, dict) and item.keys() & _NUMBER_FIELDS for item in items)
    return [
        (number if told and isinstance(item, dict) else place, read_answer(_answer_field(item)))
        for place, (number, item) in enumerate(zip(numbers, items, strict=True), 1)
    ]


_NUMBER_FIELDS = frozenset({"question_number", "number", "questionNumber", "question_id"})


def _answer_field(item: Any) -> Any:
    return _first(item, "answer", "choice", "selected_option", "option", "letter") if isinstance(item, dict) else item


def _number(value: Any) -> int | None:
    """1, "1", "1.0", "Q1" or "question 1" as 1."""
    if isinstance(value, str):
        told = re.fullmatch(r"\s*(?:q|question)?[\s_#.-]*(\d{1,9})(?:\.0*)?\s*", value[:40], re.IGNORECASE)
        return int(told[1]) if told else None
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
