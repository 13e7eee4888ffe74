"""Messages of the game: readers accept any spelling of envelopes and payloads; writers use the canonical form.

Each field is read under all its known names, and cut to a length that no honest message reaches.
"""

import contextlib
import json
import re
import time
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from math import inf
from typing import Any

from player.answer import LETTERS, Answer, read_answer
from player.errors import MessageError
from player.question import Question
from player.round import Guess, Json, RoundStart, Score

PROTOCOL = "Q21G.v1"
"""Name and version of the protocol."""

# canonical types of messages
WARMUP_CALL = "Q21WARMUPCALL"
WARMUP_RESPONSE = "Q21WARMUPRESPONSE"
ROUND_START = "Q21ROUNDSTART"
QUESTIONS_BATCH = "Q21QUESTIONSBATCH"
ANSWERS_BATCH = "Q21ANSWERSBATCH"
GUESS_SUBMISSION = "Q21GUESSSUBMISSION"
SCORE_FEEDBACK = "Q21SCOREFEEDBACK"

MAX_HINT_CHARS = 2_000
"""Maximum number of characters of a hint or a warm-up question that are read."""
MAX_NAME_CHARS = 300
"""Maximum number of characters of a name or a domain that are read."""
MAX_ID_CHARS = 200
"""Maximum number of characters of an id, a type or a time that are read."""
MAX_TOKEN_CHARS = 8_000
"""Maximum number of characters of a token that are read."""
MAX_REMARK_CHARS = 10_000
"""Maximum number of characters of a remark that are read."""
MAX_REMARKS = 50
"""Maximum number of remarks, and of parts of a score, that are read."""
MAX_POINTS = 1_000
"""Maximum number of points of a score; a message with more is refused. Honest scores have at most 100."""
MAX_DEADLINE_S = 7 * 86_400
"""Maximum time to a deadline; later deadlines are ignored."""

ALIASES = {
    "message_type": ("message_type", "messagetype", "messageType", "type"),
    "game_id": ("game_id", "gameid", "gameId"),
    "book_name": ("book_name", "bookname"),
    "hint": ("book_hint", "description", "general_description", "hint"),
    "domain": ("association_word", "associative_domain", "association_domain"),
    "deadline": (
        "deadline",
        "deadline_s",
        "deadline_seconds",
        "timeout",
        "timeout_s",
        "timeout_seconds",
        "time_limit",
    ),
    "referee": (
        "logical_id",
        "referee_email",
        "referee_address",
        "referee_id",
        "referee",
        "sender",
        "email",
        "referee_group",
        "group_id",
        "group",
    ),
    "question_number": ("question_number", "number", "questionNumber", "question_id"),
    "answer": ("answer", "choice", "selected_option", "option", "letter"),
}
"""Names of fields in the versions of the protocol, the canonical one first."""
# "type" may also be a field of a payload
_OWN_TYPE_NAMES = ALIASES["message_type"][:3]


@dataclass(frozen=True, slots=True)
class Message:
    """A message that was read.

    Attributes:
        envelope: the envelope as it came.
        message_type: the type in canonical form, e.g. "Q21ROUNDSTART".
        game_id: id in the envelope, or else in the payload; "" if missing.
        sender: logical id of the sender; "referee" if missing.
        opponent: logical id, address or group of the referee; "referee" if missing.
        payload: the payload as it came; of a message without one, the envelope.
        deadline_s: seconds from sending to the deadline of the reply; None without a usable deadline.
        arrived: time of arrival, by time.monotonic().
    """

    envelope: Json
    message_type: str
    game_id: str
    sender: str
    payload: Json
    deadline_s: float | None
    opponent: str = "referee"
    arrived: float = field(default_factory=time.monotonic)


def as_utf8(value: object, most: int | None = None) -> str:
    """Return a value as a text that UTF-8 can encode; lone surrogates become question marks."""
    try:
        return str(value)[:most].encode("utf-8", "replace").decode("utf-8")
    except (ValueError, RecursionError):
        return ""  # an integer of more than 4,300 digits


def read_text_field(fields: Json, most: int, *names: str) -> str:
    """Return the first text or integer under these names that is not blank, as a stripped text; "" if there is none."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            text = as_utf8(value, most).strip()
            if text:
                return text
    return ""


def read_number(value: Any, most: float) -> float | None:
    """Return a number within -most..most, which may be written as a text; None for anything else."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if abs(number) <= most else None


def _first(fields: Json, names: Sequence[str]) -> Any:
    """Return the first value under these names that is neither blank nor None; None if there is none."""
    for name in names:
        value = fields.get(name)
        is_blank = isinstance(value, str) and not value.strip()
        if value is not None and not is_blank:
            return value
    return None


def read_message(envelope: object) -> Message:
    """Read an envelope in any spelling of its fields.

    Raises:
        MessageError: the envelope is not an object, or has no message type.
    """
    if not isinstance(envelope, dict):
        description = as_utf8(envelope, 80) or type(envelope).__name__
        raise MessageError(f"a message is {description}, not a JSON object")
    type_text = _first(envelope, ALIASES["message_type"])
    if not isinstance(type_text, str):
        description = type(type_text).__name__
        raise MessageError(f"message_type is {description}, not a string")
    message_type = re.sub(r"[^A-Z0-9]", "", type_text[:MAX_ID_CHARS].upper())
    if not message_type:
        raise MessageError("message_type is empty")

    payload = _read_payload(envelope)
    sender = envelope.get("sender")
    referee = sender.get("logical_id") if isinstance(sender, dict) else None
    opponent = _read_opponent(envelope) or _read_opponent(payload)
    game_id = read_text_field(envelope, MAX_ID_CHARS, *ALIASES["game_id"])
    return Message(
        envelope=envelope,
        message_type=message_type,
        game_id=game_id or read_text_field(payload, MAX_ID_CHARS, *ALIASES["game_id"]),
        sender=as_utf8(referee or "", MAX_ID_CHARS) or "referee",
        payload=payload,
        deadline_s=_read_deadline_s(envelope, payload),
        opponent=opponent or "referee",
    )


def _read_opponent(fields: Json) -> str:
    """Read the logical id, address or group of the referee from its object, or else from the fields; "" if missing."""
    for name in ("sender", "referee"):
        referee = fields.get(name)
        if isinstance(referee, dict) and (
            text := read_text_field(referee, MAX_ID_CHARS, *ALIASES["referee"])
        ):
            return text
    return read_text_field(fields, MAX_ID_CHARS, *ALIASES["referee"])


def _read_payload(envelope: Json) -> Json:
    """Return the payload: an object, an object written as a JSON text, or the envelope if it has no payload."""
    payload = envelope.get("payload", envelope)
    if isinstance(payload, str):
        try:
            payload = json.loads(payload)
        except (ValueError, RecursionError):
            return {}
    return payload if isinstance(payload, dict) else {}


def _read_deadline_s(envelope: Json, payload: Json) -> float | None:
    """Read the seconds until the first deadline that can be read; None if there is none."""
    sent = read_text_field(envelope, MAX_ID_CHARS, "timestamp")
    for fields in (payload, envelope):
        for name in ALIASES["deadline"]:
            seconds = _read_seconds(fields.get(name), sent)
            if seconds is not None:
                return seconds
    return None


def _read_seconds(deadline: Any, sent: str) -> float | None:
    """Read a deadline, which may be a number or an ISO 8601 time; None if it is unreadable or past.

    Args:
        deadline: the value of a field.
        sent: time of the message.
    """
    if isinstance(deadline, bool):
        return None
    seconds = read_number(deadline, MAX_DEADLINE_S)
    if isinstance(deadline, str) and seconds is None:
        try:
            seconds = (_moment(deadline) - _sent_at(sent)).total_seconds()
        except (ValueError, OverflowError):
            return None
    is_usable = seconds is not None and 0.0 < seconds <= MAX_DEADLINE_S
    return seconds if is_usable else None


def _sent_at(timestamp: str) -> datetime:
    """Read the time of a message; return the time of arrival if it is missing or unreadable."""
    with contextlib.suppress(ValueError):
        return _moment(timestamp)
    return datetime.now(UTC)


def _moment(text: str) -> datetime:
    """Read a time in ISO 8601, in UTC if it has no offset."""
    moment = datetime.fromisoformat(text[:MAX_ID_CHARS])
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def read_question(payload: Json) -> str:
    """Read the question of a warm-up call; "" if it is unreadable."""
    return read_text_field(payload, MAX_HINT_CHARS, "warmup_question", "question")


def read_start(payload: Json) -> RoundStart:
    """Read the start of a round; of other messages, read the match and the token. An unreadable field is empty."""
    return RoundStart(
        match_id=read_text_field(payload, MAX_ID_CHARS, "match_id"),
        book_name=read_text_field(payload, MAX_NAME_CHARS, *ALIASES["book_name"]),
        hint=read_text_field(payload, MAX_HINT_CHARS, *ALIASES["hint"]),
        association_domain=read_text_field(payload, MAX_NAME_CHARS, *ALIASES["domain"]),
        auth_token=read_text_field(payload, MAX_TOKEN_CHARS, "auth_token"),
    )


def read_score(payload: Json) -> Score:
    """Read a score; it is 0 if it is missing or not a number.

    Raises:
        MessageError: the score is a number out of range.
    """
    points_sent = _first(payload, ["private_score", "score"])
    points = read_number(points_sent, MAX_POINTS)
    is_number = isinstance(points_sent, int | float)
    if points is None and (is_number or read_number(points_sent, inf) is not None):
        raise MessageError(f"private_score is {as_utf8(points_sent, 40)}, out of range")

    league = read_number(_first(payload, ["league_points", "league_score"]), MAX_POINTS)
    breakdown = {}
    for part, value in _entries(payload, "breakdown"):
        breakdown[part] = read_number(value, MAX_POINTS) or 0.0
    feedback = {}
    for part, value in _entries(payload, "feedback"):
        feedback[part] = as_utf8(value, MAX_REMARK_CHARS)
    return Score(points or 0.0, int(league or 0), breakdown, feedback)


def _entries(payload: Json, name: str) -> list[tuple[str, object]]:
    """Return the first MAX_REMARKS entries of the mapping under a name; [] for anything else."""
    value = payload.get(name)
    entries = list(value.items())[:MAX_REMARKS] if isinstance(value, dict) else []
    return [(as_utf8(part, MAX_ID_CHARS), item) for part, item in entries]


def read_answers(payload: Json, n_questions: int) -> list[Answer]:
    """Read the answers in the order of the questions: a letter, "Not Relevant", or None if missing or unreadable.

    The payload may have a list of objects, a plain list, or a map from number to answer. A list without numbers is in
    the order of the questions. Numbers begin with 1, or with 0 if there are 0 and 1 and the last one is missing.

    Args:
        payload: payload of the message.
        n_questions: number of questions; answers with higher numbers are ignored.
    """
    numbered = []
    for number, item in _numbered_answers(payload):
        numbered.append((_read_question_number(number), item))
    numbers = {number for number, _ in numbered}
    is_from_zero = {0, 1} <= numbers and n_questions not in numbers
    first = 0 if is_from_zero else 1

    answers: list[Answer] = [None] * n_questions
    for number, item in numbered:
        if isinstance(item, dict):
            item = _first(item, ALIASES["answer"])
        answer = read_answer(item)
        row = -1 if number is None else number - first
        if answer is not None and 0 <= row < n_questions:
            answers[row] = answer
    return answers


def _numbered_answers(payload: Json) -> list[tuple[Any, Any]]:
    """Return the answers in a payload with the numbers as they are written; number a list without numbers from 1."""
    entries = _first(payload, ["answers", "responses"])
    if isinstance(entries, dict):
        return list(entries.items())
    if not isinstance(entries, list):
        return []
    names = ALIASES["question_number"]
    objects = [item for item in entries if isinstance(item, dict)]
    if any(not item.keys().isdisjoint(names) for item in objects):
        return [(_first(item, names), item) for item in objects]
    return list(enumerate(entries, 1))


def _read_question_number(value: Any) -> int | None:
    """Read 1, "1", "1.0", "Q1" or "question 1" as 1; None for anything else."""
    match = re.fullmatch(
        r"\s*(?:q(?:uestion)?[\s_.-]*)?#?(\d{1,9})(?:\.0*)?\s*",
        as_utf8(value, 40),
        re.IGNORECASE,
    )
    return int(match[1]) if match else None


def normalise_id(text: str) -> str:
    """Return an id without the leading zeros of a number, since 0101001 sent as a number is 101001."""
    if not text.isdecimal():
        return text
    return text.lstrip("0") or "0"


def write_message(
    message_type: str,
    payload: Json,
    *,
    sender: str,
    recipient: str,
    game_id: str,
    role: str = "player",
    like: Json | None = None,
) -> Json:
    """Write an envelope in canonical form with a new message_id.

    Args:
        message_type: canonical type.
        payload: the payload.
        sender: logical id of the sender.
        recipient: logical id of the recipient.
        game_id: id of the game.
        role: role of the sender.
        like: the message that is answered; fields that it spells differently are written in both spellings.
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

    for name in like or {}:
        if name in _OWN_TYPE_NAMES:
            envelope[name] = message_type
        elif name in ALIASES["game_id"]:
            envelope[name] = game_id
    return envelope


def reply_payload(to: RoundStart, **fields: Any) -> Json:
    """Write a payload with the match and the token of the message that it answers."""
    return {"match_id": to.match_id, "auth_token": to.auth_token, **fields}


def questions_payload(start: RoundStart, questions: Sequence[Question]) -> Json:
    """Write a batch of questions, numbered from 1, with the keys of all versions of the protocol."""
    items = questions_json(questions)
    for item in items:
        item["number"] = item["question_number"]
        item["text"] = item["question_text"]
        item["choices"] = item["options"]
    return reply_payload(start, questions=items, total_questions=len(items))


def questions_json(questions: Sequence[Question]) -> list[Json]:
    """Write questions in canonical form, numbered from 1."""
    items = []
    for number, question in enumerate(questions, 1):
        options = map(as_utf8, question.options)
        items.append(
            {
                "question_number": number,
                "question_text": as_utf8(question.text),
                "options": dict(zip(LETTERS, options, strict=True)),
            }
        )
    return items


def guess_payload(start: RoundStart, guess: Guess) -> Json:
    """Write the guess, flat and nested, with all names of the sentence and the word."""
    parts = guess_json(guess)
    return reply_payload(
        start,
        **parts,
        opening_sentence_guess=parts["opening_sentence"],
        associative_word_guess=parts["associative_word"],
        guess=parts,
    )


def guess_json(guess: Guess) -> Json:
    """Write a guess in canonical form."""
    parts = {name: as_utf8(text) for name, text in asdict(guess).items()}
    return {**parts, "confidence": round(min(1.0, max(0.0, guess.confidence)), 4)}
