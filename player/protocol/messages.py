"""The payloads that a player reads, as pydantic dataclasses: each field under every name that was seen in the wild.

What is read is cut to a length that no honest message reaches, so that nothing behind it has to fear a hint of 10 MB.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import AliasChoices, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from quarry.player.questions.answer import Answer, read_answer

MAX_HINT_CHARS = 2_000
MAX_NAME_CHARS = 300
MAX_ID_CHARS = 200
MAX_TOKEN_CHARS = 8_000
MAX_REMARK_CHARS = 10_000
MAX_REMARKS = 50
"""Of what is read, characters or entries: more is cut off."""

T = TypeVar("T")
Json = dict[str, Any]


def printed(value: object, most: int | None = None) -> str:
    """Return a value as text that UTF-8 can write; half surrogates become question marks."""
    try:
        return str(value)[:most].encode("utf-8", "replace").decode("utf-8")
    except (ValueError, RecursionError):  # Python refuses to print an integer of more than 4,300 digits
        return ""


def text_of(value: object, most: int) -> str:
    """Return a string or an integer as text without blanks around it; "" for anything else."""
    return printed(value, most).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _cut(most: int) -> BeforeValidator:
    return BeforeValidator(lambda value: value if text_of(value, most) == "" != value else text_of(value, most))


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and math.isfinite(value) else value


def _number_of(value: Any) -> int | None:
    """Read 1, "1", "1.0", "Q1" or "question 1" as 1."""
    if isinstance(value, str):
        told = re.fullmatch(r"\s*(?:q|question)?[\s_#.-]*(\d{1,9})(?:\.0*)?\s*", value[:40], re.IGNORECASE)
        return int(told[1]) if told else None
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return None


def float_of(value: Any) -> float:
    """Return a finite number, also one that is written as text; 0 for anything else."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return number if math.isfinite(number) else 0.0


def _points_by_part(value: object) -> dict[str, float]:
    parts = list(value.items())[:MAX_REMARKS] if isinstance(value, dict) else ()
    return {printed(part, MAX_ID_CHARS): float_of(points) for part, points in parts}


def _remarks_by_part(value: object) -> dict[str, str]:
    parts = list(value.items())[:MAX_REMARKS] if isinstance(value, dict) else ()
    return {printed(part, MAX_ID_CHARS): printed(remark, MAX_REMARK_CHARS) for part, remark in parts}


Id = Annotated[str, _cut(MAX_ID_CHARS)]
Name = Annotated[str, _cut(MAX_NAME_CHARS)]
Hint = Annotated[str, _cut(MAX_HINT_CHARS)]
Token = Annotated[str, _cut(MAX_TOKEN_CHARS)]
Points = Annotated[float, Field(allow_inf_nan=False)]
WholePoints = Annotated[int, BeforeValidator(_whole), Field(ge=-1_000, le=1_000)]
_NUMBERS = ("question_number", "number", "questionNumber", "question_id")
_CONFIG = ConfigDict(extra="ignore", validate_by_name=True, validate_by_alias=True)


def _named(*names: str, default: Any = "") -> Any:
    """Make a field that is read under the first of these names that the message has."""
    return Field(default, validation_alias=AliasChoices(*names))


@dataclass(frozen=True, slots=True, config=_CONFIG)
class WarmupCall:
    """Q21WARMUPCALL: the referee's first question, a small sum."""

    match_id: Id = ""
    question: Hint = _named("warmup_question", "question")
    auth_token: Token = ""


@dataclass(frozen=True, slots=True, config=_CONFIG)
class RoundStart:
    """Q21ROUNDSTART: what the player is told about the secret paragraph."""

    match_id: Id
    book_name: Name = _named("book_name", "bookname")
    hint: Hint = _named("book_hint", "description", "general_description", "hint")
    association_domain: Name = _named("association_word", "associative_domain", "association_domain")
    auth_token: Token = ""


@dataclass(frozen=True, slots=True, config=_CONFIG)
class AnswerItem:
    """One answer of a batch; None where it cannot be read."""

    question_number: Annotated[int | None, BeforeValidator(_number_of)] = _named(*_NUMBERS, default=None)
    answer: Annotated[Answer, BeforeValidator(read_answer)] = _named(
        "answer", "choice", "selected_option", "option", "letter", default=None
    )


def _answer_items(given: object) -> list[Json]:
    """Bring a list of objects, a plain list and a map from number to answer into one form.

    The answers of a list count by their place if none of them has a number.
    """
    if isinstance(given, dict):
        return [_fields_of(item) | {"question_number": number} for number, item in given.items()]
    items = [_fields_of(item) for item in given] if isinstance(given, list) else []
    if any(isinstance(item, dict) and item.keys() & set(_NUMBERS) for item in items):
        return items
    return [item | {"question_number": place} for place, item in enumerate(items, 1)]


def _fields_of(item: object) -> Json:
    return {str(name): value for name, value in item.items()} if isinstance(item, dict) else {"answer": item}


@dataclass(frozen=True, slots=True, config=_CONFIG)
class AnswersBatch:
    """Q21ANSWERSBATCH: what the referee answers; fewer than 20 are allowed."""

    match_id: Id = ""
    answers: Annotated[list[AnswerItem], BeforeValidator(_answer_items)] = _named("answers", "responses", default=())


@dataclass(frozen=True, slots=True, config=_CONFIG)
class Score:
    """Q21SCOREFEEDBACK: what the referee made of the guess.

    Attributes:
        private_score: 0..100.
        breakdown: points by part, as sent.
        feedback: remarks by part, as sent.
    """

    private_score: Points = _named("private_score", "score", default=0.0)
    league_points: WholePoints = _named("league_points", "league_score", default=0)
    breakdown: Annotated[Mapping[str, float], BeforeValidator(_points_by_part)] = Field(default_factory=dict)
    feedback: Annotated[Mapping[str, str], BeforeValidator(_remarks_by_part)] = Field(default_factory=dict)


def read_payload(kind: type[T], payload: Json) -> T:
    """Read a payload; a field that is blank or cannot be read gives way to its variants, and then to its default."""
    readable = {name: value for name, value in payload.items() if isinstance(name, str) and not _is_blank(value)}
    while True:
        try:
            found: T = _adapter(kind).validate_python({"match_id": "", **readable})  # type: ignore[arg-type]  # hashable
            return found
        except ValidationError as error:
            for fault in error.errors(include_url=False, include_context=False, include_input=False):
                del readable[str(fault["loc"][0])]


def _is_blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


@functools.cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
