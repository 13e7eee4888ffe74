"""The league's four callbacks: plain dicts in, plain dicts out, whatever comes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from player.game.callbacks import Callbacks
from player.protocol.messages import Json
from tests.player.fakes import course, dense_player, perfect_answer

HINT = "grammar token lookahead terminal"
ROUND = {
    "game_id": "0101001",
    "book_name": "first",
    "book_hint": HINT,
    "association_word": "color",
}
GUESS_KEYS = {
    "opening_sentence",
    "sentence_justification",
    "associative_word",
    "word_justification",
    "confidence",
}


@pytest.fixture(scope="module")
def callbacks() -> Callbacks:
    return Callbacks(dense_player(course(), questions_pool=60), say=lambda _: None)


def dynamic(**fields: Any) -> Json:
    return {"dynamic": fields, "service": {}}


def answered(questions: list[Json], text: str) -> list[Json]:
    from player.questions.question import Question

    return [
        {
            "question_number": item["question_number"],
            "answer": perfect_answer(
                Question(
                    item["text"],
                    tuple(item["options"][letter] for letter in "ABCD"),
                    "",
                    frozenset(),
                ),
                text,
            ),
        }
        for item in questions
    ]


def test_a_game_goes_through_the_four_callbacks(callbacks: Callbacks) -> None:
    assert callbacks.get_warmup_answer(dynamic(warmup_question="What is 7 * 8?")) == {
        "answer": "56"
    }
    questions = callbacks.get_questions(dynamic(**ROUND))["questions"]
    assert [item["number"] for item in questions] == list(range(1, 21))
    truth = next(item for item in course() if HINT in item.text)
    guess = callbacks.get_guess(
        dynamic(game_id="0101001", answers=answered(questions, truth.text))
    )
    assert guess["opening_sentence"] == truth.opening_sentence
    assert set(guess) == GUESS_KEYS
    assert (
        callbacks.on_score_received(dynamic(game_id="0101001", private_score=80))  # type: ignore[func-returns-value]
        is None
    )
    json.dumps([questions, guess])


def test_asked_again_it_returns_the_same(callbacks: Callbacks) -> None:
    first = callbacks.get_questions(dynamic(**ROUND, match_id="M1"))
    assert (
        callbacks.get_questions(dynamic(**{**ROUND, "book_hint": "something else"}))
        == first
    )
    guess = callbacks.get_guess(dynamic(game_id=101001, answers=["A"] * 20))
    assert callbacks.get_guess(dynamic(game_id="0101001", answers=["B"] * 20)) == guess


def test_fields_may_stand_in_a_payload_or_with_the_service(
    callbacks: Callbacks,
) -> None:
    payload = {key: value for key, value in ROUND.items() if key != "game_id"}
    contexts: list[Json] = [
        {"dynamic": {"payload": payload, "game_id": "0101011"}},
        {"dynamic": payload, "service": {"game_id": "0101012"}},
        {"dynamic": {"message": {"gameid": "0101013", **payload}}},
    ]
    batches = [callbacks.get_questions(ctx)["questions"] for ctx in contexts]
    assert batches[0] == batches[1] == batches[2]


def test_two_games_do_not_mix(callbacks: Callbacks) -> None:
    one = callbacks.get_questions(dynamic(**{**ROUND, "game_id": "0101021"}))
    two = callbacks.get_questions(
        dynamic(
            **{**ROUND, "game_id": "0101022", "book_hint": "bucket probe collision"}
        )
    )
    assert one != two


def test_a_game_that_was_never_announced_is_guessed_all_the_same(
    callbacks: Callbacks,
) -> None:
    assert callbacks.get_guess(dynamic(game_id="0101031", answers=["A"] * 20))[
        "opening_sentence"
    ]


@pytest.mark.parametrize("callback", ["get_questions", "get_guess"])
def test_no_message_sets_what_is_believed_about_its_sender(
    callbacks: Callbacks, callback: str
) -> None:
    editions = [["pypdf:page", 1e9], ["printed", float("nan")]]
    game_id = f"editions {callback}"
    fields: Json = {**ROUND, "game_id": game_id, "editions": editions}
    getattr(callbacks, callback)(dynamic(**fields))
    planned = callbacks._rounds[game_id].planned
    assert planned is not None
    assert planned.plan.start.editions == ()


anything = some.recursive(
    some.none()
    | some.booleans()
    | some.integers()
    | some.floats()
    | some.text(max_size=8),
    lambda inner: (
        some.lists(inner, max_size=3)
        | some.dictionaries(some.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(derandomize=True, deadline=None, database=None, max_examples=20)
@given(
    ctx=anything | some.fixed_dictionaries({"dynamic": anything, "service": anything})
)
def test_whatever_comes_the_replies_are_valid(callbacks: Callbacks, ctx: Any) -> None:
    assert callbacks.get_warmup_answer(ctx)["answer"]
    assert len(callbacks.get_questions(ctx)["questions"]) == 20
    guess = callbacks.get_guess(ctx)
    assert set(guess) == GUESS_KEYS
    assert all(guess.values())
    assert 0.0 <= guess["confidence"] <= 1.0
    callbacks.on_score_received(ctx)
