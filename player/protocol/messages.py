"""Messages of the game: envelopes and payloads, read in any spelling and written in canonical form.

Each field is read under every name that is known, and cut to a length that no honest message reaches.
"""

from __future__ import annotations

import functools
import itertools
import json
import math
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from pydantic import (
    AliasChoices,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)
from pydantic.dataclasses import dataclass

from player.errors import MessageError
from player.questions.answer import LETTERS, Answer, read_answer
from player.questions.question import Question

PROTOCOL = "Q21G.v1"
WARMUP_CALL = "Q21WARMUPCALL"
WARMUP_RESPONSE = "Q21WARMUPRESPONSE"
ROUND_START = "Q21ROUNDSTART"
QUESTIONS_BATCH = "Q21QUESTIONSBATCH"
ANSWERS_BATCH = "Q21ANSWERSBATCH"
GUESS_SUBMISSION = "Q21GUESSSUBMISSION"
SCORE_FEEDBACK = "Q21SCOREFEEDBACK"

MAX_HINT_CHARS = 2_000
MAX_NAME_CHARS = 300
MAX_ID_CHARS = 200
MAX_TOKEN_CHARS = 8_000
MAX_REMARK_CHARS = 10_000
MAX_REMARKS = 50
"""The most characters or entries that are read."""
MOST_POINTS = 1_000
"""Scores beyond these points are refused; honest ones have at most 100."""
FURTHEST_DEADLINE_S = 7 * 86_400.0
"""Later deadlines are ignored."""

T = TypeVar("T")
Json = dict[str, Any]


def printed(value: object, most: int | None = None) -> str:
    """Return a value as text for UTF-8; half surrogates become question marks."""
    try:
        return str(value)[:most].encode("utf-8", "replace").decode("utf-8")
    except (
        ValueError,
        RecursionError,
    ):  # Python refuses to print an integer of more than 4,300 digits
        return ""


def text_of(value: object, most: int) -> str:
    """Return a stripped string, or an integer as text; "" for anything else."""
    return (
        printed(value, most).strip()
        if isinstance(value, str | int) and not isinstance(value, bool)
        else ""
    )


def _float_of(value: Any) -> float:
    """Return a finite number, also of a text; 0 for anything else."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return number if math.isfinite(number) else 0.0


def _points_of(value: object) -> float:
    points = _float_of(value)
    return points if abs(points) <= MOST_POINTS else 0.0


def _cut(most: int) -> BeforeValidator:
    return BeforeValidator(
        lambda value: (
            value if text_of(value, most) == "" != value else text_of(value, most)
        )
    )


def _by_part(read: Callable[[object], object]) -> BeforeValidator:
    """Read the first entries of a mapping; anything else is an empty mapping."""

    def read_all(value: object) -> dict[str, object]:
        parts = (
            itertools.islice(value.items(), MAX_REMARKS)
            if isinstance(value, dict)
            else ()
        )
        return {printed(part, MAX_ID_CHARS): read(item) for part, item in parts}

    return BeforeValidator(read_all)


Id = Annotated[str, _cut(MAX_ID_CHARS)]
Name = Annotated[str, _cut(MAX_NAME_CHARS)]
Hint = Annotated[str, _cut(MAX_HINT_CHARS)]
Token = Annotated[str, _cut(MAX_TOKEN_CHARS)]
Points = Annotated[float, Field(ge=-MOST_POINTS, le=MOST_POINTS)]
WholePoints = Annotated[int, Field(ge=-MOST_POINTS, le=MOST_POINTS)]
_CONFIG = ConfigDict(extra="ignore", validate_by_name=True, validate_by_alias=True)


def _named(*names: str, default: Any = "") -> Any:
    """Return a field that is read under the first of these names in the message."""
    return Field(default, validation_alias=AliasChoices(*names))


@dataclass(frozen=True, slots=True)
class Message:
    """An envelope.

    Attributes:
        message_type: canonical, e.g. "Q21ROUNDSTART".
        game_id: id of the envelope or else of the payload, "" if missing.
        payload: as sent; of a message without a payload, its other fields.
        deadline_s: seconds from sending to the deadline of the reply, None without a usable deadline.
    """

    message_type: str
    game_id: str
    payload: Json
    deadline_s: float | None = None

    @property
    def match_id(self) -> str:
        """The match id of the payload, "" if missing."""
        return text_of(self.payload.get("match_id"), MAX_ID_CHARS)


@dataclass(frozen=True, slots=True, config=_CONFIG)
class WarmupCall:
    """Q21WARMUPCALL: a small sum."""

    match_id: Id = ""
    question: Hint = _named("warmup_question", "question")
    auth_token: Token = ""


@dataclass(frozen=True, slots=True, config=_CONFIG)
class RoundStart:
    """Q21ROUNDSTART: name of the book, hint, and domain of the associative word.

    Attributes:
        editions: our own knowledge, never the message's: the editions that this opponent held, and in how many games.
    """

    match_id: Id
    book_name: Name = _named("book_name", "bookname")
    hint: Hint = _named("book_hint", "description", "general_description", "hint")
    association_domain: Name = _named(
        "association_word", "associative_domain", "association_domain"
    )
    auth_token: Token = ""
    editions: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True, config=_CONFIG)
class Score:
    """Q21SCOREFEEDBACK: the score of the guess.

    Attributes:
        private_score: 0..100.
        breakdown: points by part, as sent.
        feedback: remarks by part, as sent.
    """

    private_score: Points = _named("private_score", "score", default=0.0)
    league_points: WholePoints = _named("league_points", "league_score", default=0)
    breakdown: Annotated[Mapping[str, float], _by_part(_points_of)] = Field(
        default_factory=dict
    )
    feedback: Annotated[
        Mapping[str, str], _by_part(lambda remark: printed(remark, MAX_REMARK_CHARS))
    ] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Guess:
    """The guess at the end of a game.

    Attributes:
        confidence: probability of the sentence, 0..1.
    """

    opening_sentence: str
    sentence_justification: str
    associative_word: str
    word_justification: str
    confidence: float


def read_message(envelope: object) -> Message:
    """Read an envelope in any spelling of its fields.

    Raises:
        MessageError: it is not an object, or has no message type.
    """
    if not isinstance(envelope, dict):
        came = printed(envelope, 80) or type(envelope).__name__
        raise MessageError(f"a message must be a JSON object, got {came}")
    kind = next((envelope[name] for name in _MESSAGE_TYPES if name in envelope), None)
    message_type = (
        re.sub(r"[^A-Z0-9]", "", kind[:MAX_ID_CHARS].upper())
        if isinstance(kind, str)
        else ""
    )
    if not message_type:
        came = "an empty one" if isinstance(kind, str) else type(kind).__name__
        raise MessageError(f"message_type must be a string, got {came}")
    payload = _payload(envelope)
    return Message(
        message_type=message_type,
        game_id=_id(envelope, *_GAME_IDS) or _id(payload, *_GAME_IDS),
        payload=payload,
        deadline_s=_deadline_s(envelope, payload),
    )


@functools.cache
def adapter(kind: Any) -> TypeAdapter[Any]:
    """Return pydantic's adapter of a type, which is slow to make."""
    return TypeAdapter(kind)


def read_payload(kind: type[T], payload: Json) -> T:
    """Read a payload; a blank or unreadable field is replaced by its other spellings, and then by its default."""
    readable = {
        name: value
        for name, value in payload.items()
        if isinstance(name, str) and not _is_blank(value)
    }
    while True:
        try:
            found: T = adapter(kind).validate_python({"match_id": "", **readable})  # type: ignore[arg-type]  # hashable
            return found
        except ValidationError as error:
            for fault in error.errors(
                include_url=False, include_context=False, include_input=False
            ):
                del readable[str(fault["loc"][0])]


def read_score(payload: Json) -> Score:
    """Read a score; one that is missing or not a number is 0.

    Raises:
        MessageError: it is a number, and out of range.
    """
    for name in ("private_score", "score"):
        points = payload.get(name)
        if isinstance(points, int | float) and not abs(points) <= MOST_POINTS:
            raise MessageError(f"{name} is {printed(points)[:40]}, out of range")
    return read_payload(Score, payload)


def read_answers(message: Message, n_questions: int) -> list[Answer]:
    """Read the answers by question number: a letter, "Not Relevant", or None for a missing or unreadable answer.

    They may be a list of objects, a plain list, or a map from number to answer. A list without numbers is in the order
    of the questions.

    Args:
        n_questions: answers with higher numbers are ignored.
    """
    given = _first(message.payload, "answers", "responses")
    items = given if isinstance(given, list) else []
    numbered = any(
        isinstance(item, dict) and not item.keys().isdisjoint(_NUMBERS)
        for item in items
    )
    answers: list[Answer] = [None] * n_questions
    for place, item in (
        given.items() if isinstance(given, dict) else enumerate(items, 1)
    ):
        fields = item if isinstance(item, dict) else {"answer": item}
        number = _number_of(_first(fields, *_NUMBERS) if numbered else place)
        answer = read_answer(_first(fields, *_ANSWERS))
        if number is not None and 1 <= number <= n_questions and answer is not None:
            answers[number - 1] = answer
    return answers


def same_game(game_id: str, other: str) -> bool:
    """Return whether two game ids are equal, or equal numbers: 0101001 sent as a number is 101001."""
    return game_id == other or (
        game_id.isdecimal()
        and other.isdecimal()
        and game_id.lstrip("0") == other.lstrip("0")
    )


def sender_of(envelope: Mapping[str, Any]) -> str:
    """Return the logical id of the sender, "referee" if missing."""
    sender = envelope.get("sender")
    named = sender.get("logical_id") if isinstance(sender, dict) else None
    return str(named)[:MAX_ID_CHARS] if named else "referee"


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
        sender: logical id.
        recipient: logical id.
        like: the message that is replied to; fields of the envelope that it spells otherwise are written both ways.
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
        envelope |= {
            name: envelope[canonical] for name in others if name in (like or {})
        }
    return envelope


def warmup_payload(call: WarmupCall, answer: str) -> Json:
    """Write the answer to a warm-up question."""
    return {"match_id": call.match_id, "auth_token": call.auth_token, "answer": answer}


def questions_payload(start: RoundStart, questions: Sequence[Question]) -> Json:
    """Write a batch of questions, numbered from 1, with the keys of other versions too."""
    items = [
        {
            **item,
            "number": item["question_number"],
            "text": item["question_text"],
            "choices": item["options"],
        }
        for item in questions_json(questions)
    ]
    total = {"questions": items, "total_questions": len(items)}
    return {"match_id": start.match_id, "auth_token": start.auth_token, **total}


def questions_json(questions: Sequence[Question]) -> list[Json]:
    """Write questions in canonical form, numbered from 1."""
    return [
        {
            "question_number": number,
            "question_text": printed(question.text),
            "options": {
                letter: printed(option)
                for letter, option in zip(LETTERS, question.options, strict=True)
            },
        }
        for number, question in enumerate(questions, 1)
    ]


def guess_payload(start: RoundStart, guess: Guess) -> Json:
    """Write the guess, flat and nested, and its two main parts under their other names too."""
    parts = guess_json(guess)
    others = {
        f"{name}_guess": parts[name]
        for name in ("opening_sentence", "associative_word")
    }
    return {
        "match_id": start.match_id,
        "auth_token": start.auth_token,
        **parts,
        **others,
        "guess": parts,
    }


def guess_json(guess: Guess) -> Json:
    """Write a guess in canonical form."""
    texts = {
        name: printed(text)
        for name, text in asdict(guess).items()
        if name != "confidence"
    }
    return {**texts, "confidence": round(min(1.0, max(0.0, guess.confidence)), 4)}


_GAME_IDS = ("game_id", "gameid", "gameId")
_MESSAGE_TYPES = ("message_type", "messagetype", "messageType", "type")
_NUMBERS = ("question_number", "number", "questionNumber", "question_id")
_ANSWERS = ("answer", "choice", "selected_option", "option", "letter")
_DEADLINES = (
    "deadline",
    "deadline_s",
    "deadline_seconds",
    "timeout",
    "timeout_s",
    "timeout_seconds",
    "time_limit",
)
_ENVELOPE_FIELDS = frozenset(
    {
        "protocol",
        "message_id",
        "timestamp",
        "sender",
        "recipient_id",
        *_MESSAGE_TYPES[:3],
        *_GAME_IDS,
    }
)


def _is_blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _first(fields: Mapping[str, Any], *names: str) -> Any:
    """Return the first of these fields that is not blank, or None."""
    return next(
        (fields[name] for name in names if not _is_blank(fields.get(name))), None
    )


def _id(fields: Mapping[str, Any], *names: str) -> str:
    """Return the first of these fields with a text or a number, as text, or ""."""
    return next(
        filter(None, (text_of(fields.get(name), MAX_ID_CHARS) for name in names)), ""
    )


def _number_of(value: Any) -> int | None:
    """Read 1, "1", "1.0", "Q1" or "question 1" as 1."""
    if isinstance(value, str):
        found = re.fullmatch(
            r"\s*(?:q|question)?[\s_#.-]*(\d{1,9})(?:\.0*)?\s*",
            value[:40],
            re.IGNORECASE,
        )
        return int(found[1]) if found else None
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return None


def _payload(envelope: Json) -> Json:
    """Return the payload: an object, the object of a JSON text, or the other fields of the envelope."""
    if "payload" not in envelope:
        return {
            name: value
            for name, value in envelope.items()
            if name not in _ENVELOPE_FIELDS
        }
    payload = envelope["payload"]
    if isinstance(payload, str):
        try:
            payload = json.loads(payload)
        except (ValueError, RecursionError):
            return {}
    return payload if isinstance(payload, dict) else {}


def _deadline_s(envelope: Json, payload: Json) -> float | None:
    """Return the seconds until the deadline, a number or a moment in ISO 8601; None if it is missing or past."""
    value = next(
        (at[name] for at in (payload, envelope) for name in _DEADLINES if name in at),
        None,
    )
    seconds = 0.0 if isinstance(value, bool) else _float_of(value)
    if isinstance(value, str) and not seconds:
        sent = (
            _id(envelope, "timestamp") or datetime.now(UTC).isoformat()
        )  # by the clock of the sender
        try:
            moments = [
                datetime.fromisoformat(moment)
                for moment in (value[:MAX_ID_CHARS], sent)
            ]
            due, now = (
                moment if moment.tzinfo else moment.replace(tzinfo=UTC)
                for moment in moments
            )
            seconds = (due - now).total_seconds()
        except (ValueError, OverflowError):
            return None
    return seconds if 0.0 < seconds <= FURTHEST_DEADLINE_S else None
