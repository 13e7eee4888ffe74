"""The referee's side of one game: what it sends, what it takes, and what it refuses."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest

from evaluate.games.labelled import LabelledGame
from evaluate.practice.match import (
    DEADLINES_S,
    MAX_TEXT_CHARS,
    Match,
    RefusedMessageError,
    read_batch,
)
from evaluate.referee.spec import Posed, Secret
from player.questions.answer import Answer
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import batch, half_alike, labelled_game, message

SECRET = paragraph(
    "alpha:1:1",
    "Ivy climbs the old wall slowly. It clings with small roots and never lets go.",
)

GUESS = {
    "opening_sentence": "Ivy climbs the old wall slowly.",
    "sentence_justification": "",
    "associative_word": "garden",
    "word_justification": "",
    "confidence": 0.9,
}


class LettersInTurn:
    """A referee that answers A, B, C, D and Not Relevant in turn, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, tuple[str, ...]]] = []

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[Answer]:
        for text, options in questions:
            self.asked.append((secret.paragraph, text, tuple(options)))
        letters: list[Answer] = ["A", "B", "C", "D", "Not Relevant"]
        return (letters * len(questions))[: len(questions)]


def make_match(referee: Any = None, label: LabelledGame | None = None) -> Match:
    referee = referee or LettersInTurn()
    return Match(
        "0101001",
        label or labelled_game(),
        SECRET,
        referee,
        half_alike,
        "player-1",
    )


def at_questions(referee: Any = None) -> Match:
    match = make_match(referee)
    match.receive(message("Q21WARMUPRESPONSE", {"answer": "6"}))
    return match


def at_guess() -> Match:
    match = at_questions()
    match.receive(message("Q21QUESTIONSBATCH", {"questions": batch()}))
    return match


def at_the_end() -> Match:
    match = at_guess()
    match.receive(message("Q21GUESSSUBMISSION", GUESS))
    return match


AT = {
    "warmup": make_match,
    "questions": at_questions,
    "guess": at_guess,
    "over": at_the_end,
}
MESSAGES = {
    "warmup": message("Q21WARMUPRESPONSE", {"answer": "6"}),
    "questions": message("Q21QUESTIONSBATCH", {"questions": batch()}),
    "guess": message("Q21GUESSSUBMISSION", GUESS),
}


def state_of(match: Match) -> tuple[Any, ...]:
    return match.state, match.score, tuple(match.answers)


FRAME = {"match_id": "M0101001", "auth_token": "round-0101001"}


def test_each_message_is_answered_with_the_next_and_the_state_follows() -> None:
    match = make_match()
    assert state_of(match)[0] == "warmup"
    assert match.opening()["message_type"] == "Q21WARMUPCALL"
    sent = [match.receive(reply) for reply in MESSAGES.values()]
    assert [[reply["message_type"] for reply in replies] for replies in sent] == [
        ["Q21ROUNDSTART"],
        ["Q21ANSWERSBATCH"],
        ["Q21SCOREFEEDBACK"],
    ]
    assert match.state == "over"
    assert match.score is not None
    assert sent[2][0]["payload"] == {**dataclasses.asdict(match.score), **FRAME}
    # the sentence and the word are right, 0.5 * 100 + 0.2 * 100, the justifications are empty
    assert (match.score.private_score, match.score.league_points) == (70.0, 2)


def test_the_round_starts_with_what_the_label_tells() -> None:
    label = labelled_game(book_name="Old Walls", hint="what climbs")
    match = make_match(label=label)
    assert match.receive(MESSAGES["warmup"])[0]["payload"] == {
        **FRAME,
        "book_name": "Old Walls",
        "book_hint": "what climbs",
        "association_word": "botany",
        "questions_required": 20,
        "deadline": DEADLINES_S["questions"],
    }


def test_the_referee_is_asked_in_the_order_of_the_numbers_with_the_options_in_theirs() -> (
    None
):
    referee = LettersInTurn()
    questions = batch()
    for question in questions:
        question["question_text"] = f"Question {question['question_number']}?"
        question["options"] = dict(reversed(question["options"].items()))
    sent = message("Q21QUESTIONSBATCH", {"questions": questions[::-1]})
    at_questions(referee).receive(sent)
    options = ("merge", "bucket", "vertex", "None of these words")
    assert referee.asked == [
        (SECRET.text, f"Question {number}?", options) for number in range(1, 21)
    ]


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ("questions", "warmup"),
        ("guess", "warmup"),
        ("guess", "questions"),
        ("over", "guess"),
    ],
)
def test_a_message_of_a_stage_that_is_over_is_answered_with_nothing(
    state: str, kind: str
) -> None:
    match = AT[state]()
    before = state_of(match)
    assert match.receive({**MESSAGES[kind], "message_id": "another"}) == []
    assert state_of(match) == before


@pytest.mark.parametrize(
    ("state", "kind", "awaited"),
    [
        ("warmup", "questions", "Q21WARMUPRESPONSE"),
        ("warmup", "guess", "Q21WARMUPRESPONSE"),
        ("questions", "guess", "Q21QUESTIONSBATCH"),
    ],
)
def test_a_message_of_a_later_stage_is_refused_with_what_is_awaited(
    state: str, kind: str, awaited: str
) -> None:
    match = AT[state]()
    before = state_of(match)
    with pytest.raises(
        RefusedMessageError, match=f"{awaited} must come first in game 0101001"
    ):
        match.receive(MESSAGES[kind])
    assert state_of(match) == before


LONG = "x" * (MAX_TEXT_CHARS + 1)
OPTIONS = {"A": "a", "B": "b", "C": "c", "D": "d"}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("question_number", value) for value in (0, 21, "1", 1.0, True, None)),
        *(("question_text", value) for value in ("", " \n ", None, 7, LONG)),
        *(
            ("options", value)
            for value in ({}, list("abcd"), {"A": "a", "B": "b", "C": "c"})
        ),
        *(("options", {**OPTIONS, key: "a"}) for key in ("E", "a", 1)),
        *(("options", {**OPTIONS, "C": value}) for value in ("", "  ", 3, LONG)),
    ],
)
def test_a_bad_question_is_refused_by_its_place_in_the_batch(
    key: str, value: Any
) -> None:
    with pytest.raises(RefusedMessageError, match=rf"^questions\.0\.{key}.*: "):
        read_batch({"questions": batch(**{key: value})})


@pytest.mark.parametrize("text", ["\ud800", "a\udfff"])
def test_half_a_surrogate_pair_is_refused_wherever_it_stands(text: str) -> None:
    for envelope in (
        message("Q21GUESSSUBMISSION", {**GUESS, "associative_word": text}),
        message("Q21GUESSSUBMISSION", {**GUESS, text: ""}),
        message("Q21GUESSSUBMISSION", GUESS, message_id=text),
    ):
        match = at_guess()
        with pytest.raises(
            RefusedMessageError, match="a message must be JSON in Unicode"
        ):
            match.receive(envelope)
        assert match.state == "guess"
