"""The referee's side of one practice game: a state machine that replies to the player's messages, without HTTP."""

import reprlib
import secrets
import threading
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError
from pydantic_core import to_json

from evaluate.errors import NOT_BLANK, EvaluateError, first_fault
from evaluate.games.labelled import LabelledGame
from evaluate.referee.protocol import Posed, Referee, Secret, build_secret
from evaluate.referee.scoring import Similarity, has_won, score_guess
from player.answer import LETTERS, Answer
from player.errors import MessageError, ServerError
from player.game import messages
from player.question import N_QUESTIONS
from player.round import Json, Score
from quarry.course.paragraph import Paragraph

STATES = ("warmup", "questions", "guess", "over")
"""States of a game, in order."""
AWAITED = (
    messages.WARMUP_RESPONSE,
    messages.QUESTIONS_BATCH,
    messages.GUESS_SUBMISSION,
)
"""Messages that the referee awaits in each state but the last."""
MAX_TEXT_CHARS = 2_000
"""Maximum number of characters of a text in a message."""
MAX_BATCH_CHARS = 60_000
"""Maximum number of characters of a batch of questions; an honest batch has 10,000."""
WARMUP_S = 300
"""Deadline of the warm-up call, in seconds; the practice referee itself waits without limit."""
QUESTIONS_S = 600
"""Deadline of the questions, in seconds."""
GUESS_TEXTS = (
    "opening_sentence",
    "sentence_justification",
    "associative_word",
    "word_justification",
)
"""Texts of a guess that are stored, cut to MAX_TEXT_CHARS."""
REFEREE = "practice-referee"
"""Logical id of the referee."""

_Text = Annotated[str, Field(max_length=MAX_TEXT_CHARS, pattern=NOT_BLANK)]


class _Question(BaseModel, strict=True):
    question_number: Annotated[int, Field(ge=1, le=N_QUESTIONS)]
    question_text: _Text
    options: Annotated[
        dict[Literal["A", "B", "C", "D"], _Text], Field(min_length=len(LETTERS))
    ]


class _Batch(BaseModel):
    questions: Annotated[
        list[_Question], Field(min_length=N_QUESTIONS, max_length=N_QUESTIONS)
    ]


class RefusedMessageError(EvaluateError, ServerError):
    """The referee refuses a message of the player; the text states the reason."""


@dataclass(eq=False)
class RefereeGame:
    """The referee's side of one game; it is safe for many threads.

    Attributes:
        game_id: 7 digits SSRRGGG: season, round and game.
        labelled: the labelled game, whose solution no player gets.
        paragraph: the secret paragraph as ingested.
        referee: answers the questions.
        similarity: similarity of two words, for the score.
        player_id: recipient of the messages.
        stage: position of the awaited message in `AWAITED`.
        score: the score; None before the guess arrives.
        posed: the questions; [] before they arrive.
        answers: the referee's answers, None if it does not answer a question; [] before the questions arrive.
        guess: texts of the player's guess; {} before it arrives.
    """

    game_id: str
    labelled: LabelledGame
    paragraph: Paragraph
    referee: Referee
    similarity: Similarity
    player_id: str
    stage: int = 0
    score: Score | None = None
    posed: list[Posed] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    guess: dict[str, str] = field(default_factory=dict)
    _accepted: set[int] = field(default_factory=set)  # hashes of the ids
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def secret(self) -> Secret:
        """The secret as the referee reads it."""
        return build_secret(self.labelled, self.paragraph)

    @property
    def opening_sentence(self) -> str:
        """The opening sentence with which the guess is compared."""
        return self.labelled.opening_sentence or self.secret.opening_sentence

    @property
    def won(self) -> bool:
        """Whether the guess has won the game."""
        guess, is_raw = self.guess["opening_sentence"], bool(self.labelled.edition)
        return has_won(guess, self.opening_sentence, is_raw=is_raw)

    @property
    def state(self) -> str:
        """One of STATES: the message that the game waits for, or "over"."""
        return STATES[self.stage]

    def first_message(self) -> Json:
        """Return the first message: the warm-up call."""
        # without a seed, since players could compute the order of the games from their sums
        one, other = 2 + secrets.randbelow(11), 2 + secrets.randbelow(11)
        return self._write(
            messages.WARMUP_CALL,
            warmup_question=f"What is {one} * {other}?",
            deadline=WARMUP_S,
        )

    def receive(self, envelope: Json) -> list[Json]:
        """Return the referee's reply to a message of the player; [] if such a message was accepted before.

        Raises:
            RefusedMessageError: the message is malformed or too early; the state does not change.
        """
        message_id = envelope.get("message_id")
        if not isinstance(message_id, str) or not message_id:
            raise RefusedMessageError(
                f"message_id is {reprlib.repr(message_id)}; it must be a string that is not empty"
            )
        key = hash(message_id)  # a long id would fill the memory
        with self._lock:
            if key in self._accepted:
                return []
            replies = self._reply(envelope)
            if replies:  # other messages change nothing when they come again
                self._accepted.add(key)
        return replies

    def _reply(self, envelope: Json) -> list[Json]:
        message = _read(envelope)
        kind, payload = message.message_type, message.payload
        if kind not in AWAITED:
            raise RefusedMessageError(
                f"message_type {kind} is unknown; send {', '.join(AWAITED)}"
            )
        stage = AWAITED.index(kind)
        if stage > self.stage:
            raise RefusedMessageError(
                f"game {self.game_id} waits for {AWAITED[self.stage]} and got {kind}"
            )
        if stage < self.stage:
            return []

        if kind == messages.WARMUP_RESPONSE:
            reply = self._start()
        elif kind == messages.QUESTIONS_BATCH:
            reply = self._answer(payload)
        else:
            reply = self._judge(payload)
        self.stage += 1
        return [reply]

    def _start(self) -> Json:
        """Return the message that starts the round."""
        return self._write(
            messages.ROUND_START,
            book_name=self.labelled.book_name,
            book_hint=self.labelled.hint,
            association_word=self.labelled.association_domain,
            questions_required=N_QUESTIONS,
            deadline=QUESTIONS_S,
        )

    def _answer(self, payload: Json) -> Json:
        """Store a batch of questions, and return the answers."""
        self.posed = read_batch(payload)
        self.answers = self.referee.answers(self.secret, self.posed)
        answers = []
        for number, answer in enumerate(self.answers, 1):
            if answer is not None:
                answers.append({"question_number": number, "answer": answer})
        return self._write(messages.ANSWERS_BATCH, answers=answers)

    def _judge(self, payload: Json) -> Json:
        """Store a guess, and return its score."""
        for key in GUESS_TEXTS:
            self.guess[key] = str(payload.get(key, ""))[:MAX_TEXT_CHARS]
        self.score = score_guess(
            payload,
            opening_sentence=self.opening_sentence,
            associative_word=self.labelled.associative_word,
            answers=self.answers,
            similarity=self.similarity,
            is_raw=bool(self.labelled.edition),
        )
        return self._write(messages.SCORE_FEEDBACK, **asdict(self.score))

    def _write(self, message_type: str, **payload: Any) -> Json:
        frame = {
            "match_id": f"M{self.game_id}",
            "auth_token": f"round-{self.game_id}",
        }
        return messages.write_message(
            message_type,
            frame | payload,
            sender=REFEREE,
            recipient=self.player_id,
            game_id=self.game_id,
            role="referee",
        )


def _read(envelope: Json) -> messages.Message:
    """Read a message of the player.

    Raises:
        RefusedMessageError: it is not JSON in Unicode, or has no type.
    """
    try:
        to_json(envelope)
        return messages.read_message(envelope)
    except MessageError as error:
        raise RefusedMessageError(str(error)) from error
    except (ValueError, RecursionError) as error:
        raise RefusedMessageError(
            f"a message is not JSON in Unicode: {error}"
        ) from error


def read_batch(payload: Json) -> list[Posed]:
    """Read a batch of questions; return the text and the four options of each, in the order of their numbers.

    Raises:
        RefusedMessageError: the batch does not have exactly 20 valid questions, numbered 1 to 20.
    """
    try:
        questions = _Batch.model_validate(payload).questions
    except ValidationError as error:
        raise RefusedMessageError(first_fault(error.errors())) from error

    posed: dict[int, Posed] = {}
    for question in questions:
        options = [text for _, text in sorted(question.options.items())]
        posed[question.question_number] = question.question_text, options
    if len(posed) < N_QUESTIONS:
        raise RefusedMessageError("a question_number is there twice")
    n_chars = sum(
        len(text) + sum(map(len, options)) for text, options in posed.values()
    )
    if n_chars > MAX_BATCH_CHARS:
        raise RefusedMessageError(
            f"the questions have {n_chars} characters; they may have {MAX_BATCH_CHARS}"
        )
    return [posed[number] for number in sorted(posed)]
