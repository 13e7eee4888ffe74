"""The referee's side of one game: what it sends, what it takes, and what it refuses."""

import dataclasses
from typing import Any
from unittest.mock import Mock

import pytest

from evaluate.practice.referee_game import (
    MAX_TEXT_CHARS,
    QUESTIONS_S,
    RefereeGame,
    RefusedMessageError,
    read_batch,
)
from evaluate.referee.simulated import make_referee
from tests.contracts.game_server import GUESS as NO_GUESS
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import batch, half_alike, labelled_game, message

SECRET = paragraph(
    "alpha:1:1",
    "Ivy climbs the old wall slowly. It clings with small roots and never lets go.",
)

SENTENCE = "Ivy climbs the old wall slowly."
GUESS = {**NO_GUESS, "opening_sentence": SENTENCE, "associative_word": "garden"}


MESSAGES = [
    message("Q21WARMUPRESPONSE", {"answer": "6"}),
    message("Q21QUESTIONSBATCH", {"questions": batch()}),
    message("Q21GUESSSUBMISSION", GUESS),
]


def game_at(stage: int, **label: Any) -> RefereeGame:
    """A game that waits for the message of a stage."""
    referee = Mock(wraps=make_referee("constant:A"))
    game = RefereeGame(
        "0101001", labelled_game(**label), SECRET, referee, half_alike, "me"
    )
    for sent in MESSAGES[:stage]:
        game.receive(sent)
    return game


FRAME = {"match_id": "M0101001", "auth_token": "round-0101001"}


def test_the_state_follows_the_messages_up_to_the_score() -> None:
    game = game_at(0)
    states = [game.state]
    for sent in MESSAGES:
        (reply,) = game.receive(sent)
        states.append(game.state)
    assert states == ["warmup", "questions", "guess", "over"]
    assert game.score is not None
    assert reply["payload"] == {**dataclasses.asdict(game.score), **FRAME}
    # the sentence and the word are right, 0.5 * 100 + 0.2 * 100, the justifications are empty
    assert game.score.private_score == 70.0
    assert game.score.league_points == 2


def test_a_raw_secret_is_won_by_its_ratio_and_another_one_by_its_words() -> None:
    sentence = "Ivy climbs the old wall slowly. It c"
    for edition, points, won in (
        ({"reader": "pdfplumber", "cut": "page"}, 88.0, True),  # 2 * 31 / (31 + 36)
        ({}, 85.71, False),  # 2 * 6 / (6 + 8)
    ):
        game = game_at(3, opening_sentence=sentence, **edition)
        assert game.score is not None
        assert game.score.breakdown["opening_sentence_score"] == points
        assert game.won == won
        assert game.score.outcome == ("" if won else "LOST")


def test_the_round_starts_with_what_the_label_tells() -> None:
    game = game_at(0, book_name="Old Walls", hint="what climbs")
    assert game.receive(MESSAGES[0])[0]["payload"] == {
        **FRAME,
        "book_name": "Old Walls",
        "book_hint": "what climbs",
        "association_word": "botany",
        "questions_required": 20,
        "deadline": QUESTIONS_S,
    }


def test_the_referee_is_asked_questions_and_options_in_their_order() -> None:
    questions = batch()
    for question in questions:
        question["question_text"] = f"Question {question['question_number']}?"
        options = question["options"]
        question["options"] = dict(reversed(options.items()))
    game: Any = game_at(1)
    game.receive(message("Q21QUESTIONSBATCH", {"questions": questions[::-1]}))
    secret, posed = game.referee.answers.call_args.args
    assert secret.paragraph == SECRET.text
    words = ["merge", "bucket", "vertex", "None of these words"]
    assert posed == [(f"Question {number}?", words) for number in range(1, 21)]


def test_a_message_that_the_referee_failed_on_may_be_sent_again() -> None:
    game: Any = game_at(1)
    game.referee.answers.side_effect = [ZeroDivisionError, ["A"] * 20]
    with pytest.raises(ZeroDivisionError):
        game.receive(MESSAGES[1])
    (reply,) = game.receive(MESSAGES[1])
    assert reply["message_type"] == "Q21ANSWERSBATCH"


LONG = "x" * (MAX_TEXT_CHARS + 1)
OPTIONS: dict[Any, Any] = {"A": "a", "B": "b", "C": "c", "D": "d"}


BAD_VALUES: dict[str, list[Any]] = {
    "question_number": [0, 21, "1", 1.0, True, None],
    "question_text": ["", " \n ", None, 7, LONG],
    "options": [
        {},
        ["a", "b", "c", "d"],
        {"A": "a", "B": "b", "C": "c"},
        {**OPTIONS, "E": "a"},
        {**OPTIONS, 1: "a"},
        {**OPTIONS, "C": "  "},
        {**OPTIONS, "C": LONG},
    ],
}


def test_a_bad_question_is_refused_by_its_place_in_the_batch() -> None:
    for key, values in BAD_VALUES.items():
        place = rf"^questions\.0\.{key}.*: "
        for value in values:
            with pytest.raises(RefusedMessageError, match=place):
                read_batch({"questions": batch(**{key: value})})


def test_the_questions_of_a_batch_have_a_limit_together() -> None:
    questions = batch()
    for question in questions:
        question["question_text"] = "x" * 2_000
        question["options"] = dict.fromkeys("ABCD", "x" * 2_000)
    with pytest.raises(RefusedMessageError, match="200000 characters; they may have"):
        read_batch({"questions": questions})


def test_half_a_surrogate_pair_is_refused_wherever_it_stands() -> None:
    text = "a\udfff"
    for envelope in (
        message("Q21GUESSSUBMISSION", {**GUESS, "associative_word": text}),
        message("Q21GUESSSUBMISSION", {**GUESS, text: ""}),
        message("Q21GUESSSUBMISSION", GUESS, message_id=text),
    ):
        game = game_at(2)
        with pytest.raises(RefusedMessageError, match="is not JSON in Unicode"):
            game.receive(envelope)
        assert game.state == "guess"
