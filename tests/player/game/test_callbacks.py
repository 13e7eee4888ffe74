"""The league's four callbacks: plain dicts in, plain dicts out, whatever comes."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from player.game.callbacks import Callbacks
from player.protocol.messages import Json
from tests.fakes import each
from tests.player.fakes import course, dense_player
from tests.player.protocol.test_messages import junk

HINT = "grammar token lookahead terminal"
ROUND = {"book_name": "first", "book_hint": HINT, "association_word": "color"}
GUESS_KEYS = {
    "opening_sentence",
    "sentence_justification",
    "associative_word",
    "word_justification",
    "confidence",
}


@pytest.fixture(scope="module")
def callbacks() -> Callbacks:
    return Callbacks(dense_player(course()))


def dynamic(**fields: Any) -> Json:
    return {"dynamic": fields, "service": {}}


def questions_of(callbacks: Callbacks, **fields: Any) -> Any:
    return callbacks.get_questions(dynamic(**fields))["questions"]


def guess_of(
    callbacks: Callbacks,
    answers: object,
    game_id: object,
) -> Json:
    return callbacks.get_guess(dynamic(game_id=game_id, answers=answers))


def test_a_game_goes_through_the_four_callbacks(callbacks: Callbacks) -> None:
    warm = callbacks.get_warmup_answer(dynamic(warmup_question="What is 7 * 8?"))
    assert warm == {"answer": "56"}
    questions = questions_of(callbacks, game_id="0101001", **ROUND)
    assert each(questions, "number") == list(range(1, 21))

    # the second game was never announced
    for game_id in ("0101001", "0101031"):
        guess = guess_of(callbacks, ["A"] * 20, game_id)
        assert set(guess) == GUESS_KEYS
        assert guess["opening_sentence"] in set(each(course(), "opening_sentence"))
    callbacks.on_score_received(dynamic(game_id="0101001", private_score=80))
    json.dumps([questions, guess])


def test_asked_again_it_returns_the_same(callbacks: Callbacks) -> None:
    questions = questions_of(
        callbacks,
        game_id="0101002",
        match_id="M1",
        **ROUND,
    )
    other = {**ROUND, "book_hint": "something else"}
    assert questions_of(callbacks, game_id="0101002", **other) == questions
    guess = guess_of(callbacks, ["A"] * 20, 101002)
    assert guess_of(callbacks, ["B"] * 20, "0101002") == guess


def test_fields_may_stand_in_a_payload_or_with_the_service_and_games_do_not_mix(
    callbacks: Callbacks,
) -> None:
    questions = callbacks.get_questions(dynamic(game_id="0101010", **ROUND))
    for ctx in (
        {"dynamic": {"payload": ROUND, "game_id": "0101011"}},
        {"dynamic": ROUND, "service": {"game_id": "0101012"}},
        {"dynamic": {"message": {"gameid": "0101013", **ROUND}}},
    ):
        assert callbacks.get_questions(ctx) == questions
    other = dynamic(**ROUND | {"book_hint": "bucket probe collision"})
    assert callbacks.get_questions(other) != questions


@settings(max_examples=20)
@given(ctx=junk | some.fixed_dictionaries({"dynamic": junk, "service": junk}))
def test_whatever_comes_the_replies_are_valid(callbacks: Callbacks, ctx: Any) -> None:
    assert callbacks.get_warmup_answer(ctx)["answer"]
    assert len(callbacks.get_questions(ctx)["questions"]) == 20
    guess = callbacks.get_guess(ctx)
    assert set(guess) == GUESS_KEYS
    assert all(guess.values())
    assert 0.0 <= guess["confidence"] <= 1.0
    callbacks.on_score_received(ctx)
