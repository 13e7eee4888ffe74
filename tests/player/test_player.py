"""A whole round on a small course with a referee that reads perfectly."""

import numpy as np
import pytest

from evaluate.referee.reading import answer_by_reading
from evaluate.referee.text import visible_context
from player.errors import QueryError
from player.protocol.messages import RoundStart
from tests.player.fakes import (
    course,
    dense_player,
)

PLAYER = dense_player(course())


def start(hint: str = "a lesson about nothing", book_name: str = "") -> RoundStart:
    return RoundStart("M1", book_name, hint, "computer science", "t")


def test_a_perfect_referee_leads_to_the_paragraph_whatever_hint_and_book() -> None:
    for row, book_name in {
        0: "",
        4: "first",
        5: "first",
        7: "no such book",
        11: "",
    }.items():
        secret = course()[row]
        plan = PLAYER.plan(start(book_name=book_name))
        # by the harness's oracle, which shares no code with the player
        context = visible_context(secret.text)
        answers = [
            answer_by_reading(context, question.text, question.options)
            for question in plan.questions
        ]
        decision = PLAYER.decide(plan, answers)
        assert plan.paragraph(decision.best).paragraph_id == secret.paragraph_id
        assert decision.guess.opening_sentence == secret.opening_sentence
        assert decision.guess.confidence > 0.9


def test_questions_asked_before_are_fitted_to_the_candidates_again() -> None:
    plan = PLAYER.plan(start())
    other = PLAYER.plan(start("rings"))
    assert plan.questions != other.questions
    again = PLAYER.plan(plan.start, other.questions)
    assert again.questions == other.questions
    np.testing.assert_allclose(again.prior, plan.prior)
    ours = again.fits[:, :, np.argsort(plan.rows)]
    theirs = other.fits[:, :, np.argsort(other.rows)]
    np.testing.assert_allclose(ours, theirs)


def test_another_seed_gets_other_questions() -> None:
    other = dense_player(course(), seed=1)
    assert other.plan(start()).questions != PLAYER.plan(start()).questions


def test_a_course_in_which_nothing_is_found_is_a_query_error() -> None:
    with pytest.raises(QueryError, match="leads to no paragraph"):
        dense_player([]).plan(start())
