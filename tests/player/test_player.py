"""The player by itself: warm-up sums, and a whole round on a small course with a referee that reads perfectly."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from ingest.paragraph import Paragraph
from player.errors import QueryError
from player.player import MAX_WARMUP_CHARS, Player
from player.protocol.messages import RoundStart
from player.questions.answer import LETTERS, NOT_RELEVANT, Answer
from player.questions.question import Question
from player.search.orchestrator import SearchOrchestrator
from tests.player.fakes import (
    ListStrategy,
    course,
    dense_player,
    document,
    game_settings,
    index_of,
    perfect_answer,
    search_settings,
)

tried = settings(derandomize=True, deadline=None, database=None, max_examples=100)


def warmup(question: str) -> str:
    return dense_player(course()).answer_warmup(question)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        *(
            ("What is 7 * 8?", "56"),
            ("Compute 100-58.", "42"),
            ("How much is 84 / 2", "42"),
            ("2 + 3 * 4 = ?", "14"),
        ),
        *(
            ("What is ((1 + 2) * (3 + 4)) - 1?", "20"),
            ("6 × 7", "42"),
            ("84 ÷ 2", "42"),
            ("6 x 7", "42"),
        ),
        *(
            ("50 − 8", "42"),
            ("What is seven? I mean 7 multiplied by 8.", "56"),
            ("What is 12 PLUS 30?", "42"),
        ),
        *(
            ("84 divided by 2 plus 1 minus 3", "40"),
            ("Question 1: what is 15 + 27?", "42"),
            ("5 +\n 3", "8"),
        ),
        *(
            ("What is 1,250 + 1,250,000?", "1251250"),
            ("What is 007 + 005?", "12"),
            ("What is 1.05 + 0.05?", "1.1"),
        ),
        *(
            ("Just 42", "42"),
            ("What is 5 + 3 (answer quickly)?", "8"),
            ("Warm up (hint: 2 + 2)", "4"),
        ),
        *(
            ("1 / 8", "0.125"),
            ("0.1 + 0.2", "0.3"),
            ("1234567 / 2", "617283.5"),
            ("9 / 3", "3"),
            ("1.5 * 2", "3"),
        ),
        *(
            ("What is -5 + 3?", "-2"),
            ("What is 3 * -4?", "-12"),
            ("What is -(2 + 3)?", "-5"),
        ),
        *(("minus 7 plus 3", "-4"), ("0 / -5", "0"), ("2 - -2", "4")),
    ],
)
def test_a_sum_is_worked_out(question: str, answer: str) -> None:
    assert warmup(question) == answer


@pytest.mark.parametrize(
    "question",
    [
        "",
        "What is the capital of France?",
        "1 / (2 - 2)",
        "+ - * /",
        "((((",
        "1.2.3 + 4",
        "2**3",
        "٣ + ٤ = ?",
    ],
)
def test_where_no_sum_can_be_made_out_the_answer_is_0(question: str) -> None:
    assert warmup(question) == "0"


@pytest.mark.parametrize(
    "question",
    [
        "9**9**9**9**9",
        *("(" * 1_000 + "1" + ")" * 1_000, "(" * 30_000, "((1)" * 10_000),
        *("-" * 30_000 + "1", "1" * 30_000, "1+" * 15_000 + "1", "7 times " * 30_000),
        *("," * 30_000 + "000", "0" * 30_000),
    ],
    ids=lambda question: f"{question[:6]} and so on for {len(question)} characters",
)
def test_a_monstrous_sum_takes_bounded_time(question: str) -> None:
    player = dense_player(course())
    started = time.process_time()
    answer = player.answer_warmup(question)
    assert time.process_time() - started < 2.0
    assert 0 < len(answer) <= MAX_WARMUP_CHARS
    float(answer)


@tried
@given(some.text(alphabet="0123456789+-*/(). ,xX×÷−\n", max_size=60))
def test_anything_like_a_sum_has_a_number_for_an_answer(question: str) -> None:
    assert np.isfinite(float(warmup(question)))


def perfect_answers(questions: tuple[Question, ...], secret: Paragraph) -> list[Answer]:
    return [perfect_answer(question, secret.text) for question in questions]


def start(
    hint: str = "a lesson about nothing in particular", book_name: str = ""
) -> RoundStart:
    return RoundStart("M1", book_name, hint, "computer science", "t")


@pytest.mark.parametrize(
    ("row", "book_name"),
    [(0, ""), (4, "first"), (4, "second"), (7, "no such book"), (11, "")],
)
def test_a_perfect_referee_leads_to_the_paragraph_whatever_hint_and_book(
    row: int, book_name: str
) -> None:
    secret = course()[row]
    player = dense_player(course())
    plan = player.plan(start(book_name=book_name))
    decision = player.decide(plan, perfect_answers(plan.questions, secret))
    assert plan.paragraph(decision.best).paragraph_id == secret.paragraph_id
    assert decision.guess.opening_sentence == secret.opening_sentence
    assert decision.guess.confidence == pytest.approx(decision.confidence)
    assert decision.guess.confidence > 0.9


@pytest.mark.parametrize("answers", [[None] * 20, [NOT_RELEVANT] * 20])
def test_without_a_usable_answer_the_best_hit_is_guessed(answers: list[Answer]) -> None:
    player = dense_player(course())
    plan = player.plan(start("grammar token lookahead terminal"))
    decision = player.decide(plan, answers)
    assert (
        decision.guess.opening_sentence
        == plan.result.hits[0].paragraph.opening_sentence
    )
    assert decision.guess.opening_sentence.startswith("Parsing begins")
    np.testing.assert_allclose(decision.belief, plan.prior, atol=0.02)


def test_the_questions_fit_the_candidates_as_the_plan_says() -> None:
    plan = dense_player(course()).plan(start())
    n_read = 0
    usual = [
        row
        for row, place in enumerate(plan.rows.tolist())
        if not plan.places.starts[place].reading
    ]
    assert len(usual) > 12
    for row in usual:
        paragraph = plan.paragraph(row)
        for question, fit, answer in zip(
            plan.questions,
            plan.fits[0, :, row],
            perfect_answers(plan.questions, paragraph),
            strict=True,
        ):
            if answer != NOT_RELEVANT and fit.max() > 0.9:
                assert answer == LETTERS[int(fit.argmax())], (question, paragraph.text)
                n_read += 1
    assert n_read > 100


def test_questions_asked_before_are_fitted_to_the_candidates_again() -> None:
    player = dense_player(course())
    first, second = player.plan(start("trees")), player.plan(start("rings"))
    assert first.questions != second.questions
    again = player.plan(first.start, second.questions)
    assert again.questions == second.questions
    np.testing.assert_allclose(again.prior, first.prior)
    by_place = {place: row for row, place in enumerate(second.rows.tolist())}
    rows = [by_place[place] for place in first.rows.tolist()]
    np.testing.assert_allclose(again.fits, second.fits[:, :, rows])


def test_the_same_round_and_seed_get_the_same_questions() -> None:
    def asked(seed: int, hint: str) -> tuple[Question, ...]:
        return dense_player(course(), seed=seed).plan(start(hint)).questions

    assert asked(0, "trees") == asked(0, "trees")
    assert asked(0, "trees") != asked(1, "trees")
    assert asked(0, "trees") != asked(0, "rings")


def test_a_course_in_which_nothing_is_found_is_a_query_error() -> None:
    orchestrator = SearchOrchestrator(
        index_of([ListStrategy("dense", {})], [document("a")]), search_settings()
    )
    with pytest.raises(QueryError, match="must lead to at least one paragraph"):
        Player(orchestrator, game_settings()).plan(start())
