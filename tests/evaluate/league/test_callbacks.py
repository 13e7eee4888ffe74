"""Our referee behind a league's four referee callbacks."""

from __future__ import annotations

from typing import Any

import pytest

from quarry.evaluate.league.callbacks import RefereeCallbacks
from quarry.evaluate.referee import make_referee
from quarry.player.game.callbacks import Callbacks
from quarry.player.questions.answer import Answer
from tests.evaluate.fakes import batch, half_alike
from tests.evaluate.league.fakes import make_setter
from tests.player.fakes import course, dense_player


@pytest.fixture
def referee() -> RefereeCallbacks:
    oracle = make_referee("oracle")
    assert oracle is not None
    return RefereeCallbacks(make_setter(), oracle, half_alike)


def ctx(**fields: Any) -> dict[str, Any]:
    return {"dynamic": {"game_id": "0101001", **fields}, "service": {"name": "referee", "deadline_seconds": 40}}


def test_our_player_and_our_referee_play_a_game_through_their_callbacks(referee: RefereeCallbacks) -> None:
    player = Callbacks(dense_player(course(), questions_pool=60))
    question = referee.get_warmup_question(ctx())["warmup_question"]
    one, other = (int(word) for word in question.removeprefix("What is ").rstrip("?").split(" * "))
    assert player.get_warmup_answer(ctx(warmup_question=question)) == {"answer": str(one * other)}
    start = referee.get_round_start_info(ctx())
    assert set(start) == {"book_name", "book_hint", "association_word"}
    asked = player.get_questions(ctx(**start))
    answers = referee.get_answers(ctx(player_id="p1", **asked))
    assert [answer["question_number"] for answer in answers["answers"]] == list(range(1, 21))
    guess = player.get_guess(ctx(**answers))
    feedback = referee.get_score_feedback(ctx(player_id="p1", player_guess=guess))
    assert feedback["breakdown"]["opening_sentence_score"] == 100.0
    assert feedback["breakdown"]["sentence_justification_score"] == 100.0
    assert feedback["league_points"] >= 2
    assert referee.get_score_feedback(ctx(player_id="p1", **guess)) == feedback, "flat as well"


def test_the_same_game_is_the_same_round_and_another_one_another(referee: RefereeCallbacks) -> None:
    first = [referee.get_round_start_info(ctx(game_id=game_id)) for game_id in ("0101001", "0101001", "101001")]
    assert first[0] == first[1] == first[2]
    assert referee.get_round_start_info(ctx(game_id="0101002")) != first[0]
    assert referee.get_warmup_question(ctx()) == referee.get_warmup_question(ctx())


@pytest.mark.parametrize(
    "questions",
    [
        None,
        "twenty",
        [],
        [None, 7, {}, {"question_text": "x"}],
        [{"text": "Which?", "choices": ["merge", "bucket"], "number": 9}],
        [{"question_text": "x" * 100_000, "options": {"A": "y" * 100_000}}] * 300,
    ],
)
def test_whatever_is_asked_is_answered(referee: RefereeCallbacks, questions: object) -> None:
    answers = referee.get_answers(ctx(questions=questions))["answers"]
    assert {answer["answer"] for answer in answers} <= {"A", "B", "C", "D", "Not Relevant"}
    assert len(answers) <= 100


@pytest.mark.parametrize("context", [None, {}, {"dynamic": None}, {"dynamic": {"game_id": ["x"]}}, {"dynamic": []}, 7])
def test_whatever_the_context_nothing_is_raised(referee: RefereeCallbacks, context: Any) -> None:
    assert referee.get_warmup_question(context)["warmup_question"]
    assert referee.get_round_start_info(context)["book_hint"]
    assert referee.get_answers(context) == {"answers": []}
    assert referee.get_score_feedback(context)["private_score"] == 0.0


def test_a_referee_that_fails_answers_not_relevant() -> None:
    class Failing:
        def answers(self, secret: object, questions: object) -> list[Answer]:
            raise RuntimeError("a bug")

    referee = RefereeCallbacks(make_setter(), Failing(), half_alike)
    answers = referee.get_answers(ctx(questions=batch()))["answers"]
    assert [answer["answer"] for answer in answers] == ["Not Relevant"] * 20
