"""The messages of the game in canonical form, as typed models: what is written passes through them.

Reading is more tolerant and happens in protocol.py. Where versions of the league look for another key than the
canonical one, the model writes both.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, computed_field
from pydantic.json_schema import models_json_schema

N_QUESTIONS = 20


class _Message(BaseModel):
    """Written strictly; unknown fields of a message that is read are let through."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Sender(_Message):
    """Who writes."""

    email: str
    role: str
    logical_id: str


class Envelope(_Message):
    """What every message comes in."""

    protocol: str = "Q21G.v1"
    message_type: str = Field(min_length=1)
    message_id: str = Field(min_length=1)
    timestamp: str = Field(description="ISO 8601, with its offset")
    sender: Sender
    recipient_id: str
    game_id: str = Field(description="7 digits SSRRGGG: season, round, game")
    payload: dict[str, Any]


class WarmupCallPayload(_Message):
    """Q21WARMUPCALL: the referee's small sum."""

    match_id: str = ""
    warmup_question: str
    deadline: float | str | None = Field(None, description="seconds, or a moment in ISO 8601")
    auth_token: str = ""


class WarmupResponsePayload(_Message):
    """Q21WARMUPRESPONSE: its result."""

    match_id: str
    auth_token: str
    answer: str = Field(min_length=1)


class RoundStartPayload(_Message):
    """Q21ROUNDSTART: what the player is told."""

    match_id: str = ""
    book_name: str
    book_hint: str = Field(description="at most 15 words, none of which occurs in the paragraph")
    association_word: str = Field(description="the domain of the secret associative word")
    questions_required: int = N_QUESTIONS
    deadline: float | str | None = None
    auth_token: str = ""


class Options(_Message):
    """The four options of a question."""

    A: str = Field(min_length=1)
    B: str = Field(min_length=1)
    C: str = Field(min_length=1)
    D: str = Field(min_length=1)


class QuestionItem(_Message):
    """One question of a batch."""

    question_number: int = Field(ge=1, le=N_QUESTIONS)
    question_text: str = Field(min_length=1)
    options: Options

    @computed_field  # type: ignore[prop-decorator]
    @property
    def number(self) -> int:
        """The same as `question_number`."""
        return self.question_number

    @computed_field  # type: ignore[prop-decorator]
    @property
    def text(self) -> str:
        """The same as `question_text`."""
        return self.question_text

    @computed_field  # type: ignore[prop-decorator]
    @property
    def choices(self) -> Options:
        """The same as `options`."""
        return self.options


class QuestionsBatchPayload(_Message):
    """Q21QUESTIONSBATCH: all questions at once."""

    match_id: str
    auth_token: str
    questions: list[QuestionItem] = Field(min_length=N_QUESTIONS, max_length=N_QUESTIONS)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def total_questions(self) -> int:
        """How many there are."""
        return len(self.questions)


class AnswerItem(_Message):
    """One answer."""

    question_number: int = Field(ge=1, le=N_QUESTIONS)
    answer: Literal["A", "B", "C", "D", "Not Relevant"]


class AnswersBatchPayload(_Message):
    """Q21ANSWERSBATCH: what the referee answers; fewer than 20 are allowed."""

    match_id: str = ""
    answers: list[AnswerItem]


class GuessParts(_Message):
    """What is guessed."""

    opening_sentence: str = Field(min_length=1)
    sentence_justification: str = Field(min_length=1)
    associative_word: str = Field(min_length=1)
    word_justification: str = Field(min_length=1)
    confidence: float = Field(ge=0.0, le=1.0)


class GuessSubmissionPayload(GuessParts):
    """Q21GUESSSUBMISSION: the guess, flat and nested, its two main parts under their other names as well."""

    match_id: str
    auth_token: str

    @computed_field  # type: ignore[prop-decorator]
    @property
    def opening_sentence_guess(self) -> str:
        """The same as `opening_sentence`."""
        return self.opening_sentence

    @computed_field  # type: ignore[prop-decorator]
    @property
    def associative_word_guess(self) -> str:
        """The same as `associative_word`."""
        return self.associative_word

    @computed_field  # type: ignore[prop-decorator]
    @property
    def guess(self) -> GuessParts:
        """A nested copy."""
        return GuessParts(**{name: getattr(self, name) for name in GuessParts.model_fields})


class Breakdown(_Message):
    """Points by part, 0..100 each."""

    opening_sentence_score: float
    sentence_justification_score: float
    associative_word_score: float
    word_justification_score: float


class ScoreFeedbackPayload(_Message):
    """Q21SCOREFEEDBACK: what the guess earned."""

    match_id: str = ""
    league_points: int
    private_score: float = Field(ge=0.0, le=100.0)
    breakdown: Breakdown
    feedback: dict[str, str] = Field(default_factory=dict)


PAYLOADS: dict[str, type[_Message]] = {
    "Q21WARMUPCALL": WarmupCallPayload,
    "Q21WARMUPRESPONSE": WarmupResponsePayload,
    "Q21ROUNDSTART": RoundStartPayload,
    "Q21QUESTIONSBATCH": QuestionsBatchPayload,
    "Q21ANSWERSBATCH": AnswersBatchPayload,
    "Q21GUESSSUBMISSION": GuessSubmissionPayload,
    "Q21SCOREFEEDBACK": ScoreFeedbackPayload,
}
"""The payload of each message type."""


def json_schema() -> dict[str, Any]:
    """A JSON schema of the envelope and of every payload, for those who write the other end in another language."""
    models: list[type[BaseModel]] = [Envelope, *PAYLOADS.values()]
    references, definitions = models_json_schema(
        [(model, "serialization") for model in models], title="Messages of the Q21G game in canonical form"
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **definitions,
        "envelope": references[Envelope, "serialization"],
        "payloads": {name: references[model, "serialization"] for name, model in PAYLOADS.items()},
    }
