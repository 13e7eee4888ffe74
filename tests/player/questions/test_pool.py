"""The pool over all kinds, and how its questions fit by code of another hand."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from player.questions.batch import build_pool, fit_questions
from player.questions.candidates import Candidates
from player.questions.kinds import KINDS
from player.questions.question import Question, QuestionPool, first_of
from player.questions.views import DESIGN_VIEWS, VIEWS
from player.words import words
from tests.contracts.kind import ENGLISH, candidates_of


def a_pool(size: int = 200, seed: int = 0) -> QuestionPool:
    return build_pool(candidates_of(ENGLISH), size, seed)


def answer(question: Question, text: str) -> int:
    """The option that fits a text, found by splitting it into words once more."""
    opening = text.split(". ", maxsplit=1)[0].split("? ", maxsplit=1)[0]
    found = words(text if question.kind == "anywhere" else opening)
    if question.kind.endswith("letter"):
        letters = [word[0] for word in found if word[0].isalpha()]
        positions = {
            "first letter": 0,
            "second letter": 1,
            "third letter": 2,
            "fourth letter": 3,
            "second-to-last letter": -2,
            "last letter": -1,
        }
        found = [letters[positions[question.kind]]]
    return next(
        (row for row, group in enumerate(question.groups) if set(group) & set(found)), 3
    )


def test_the_fitting_options_are_those_that_a_count_of_words_finds_under_either_view() -> (
    None
):
    pool = a_pool()
    read: dict[str, int] = defaultdict(int)
    for place, view in enumerate(DESIGN_VIEWS):
        for question, fits in zip(pool.questions, pool.fits[place], strict=True):
            for text, fit in zip(ENGLISH, fits, strict=True):
                if fit.max() > 0.9:
                    seen = text if view == "paragraph" else text.split(". ")[0] + "."
                    assert int(fit.argmax()) == answer(question, seen), (
                        question,
                        text,
                        view,
                    )
                    read[question.kind] += 1
    assert min(read[kind] for kind in KINDS) > 20


def test_every_kind_of_question_is_there() -> None:
    assert {question.kind for question in a_pool().questions} == set(KINDS)


def test_names_keep_their_capitals() -> None:
    options = " ".join(
        option for question in a_pool().questions for option in question.options
    )
    assert "Williams" in options
    assert "williams" not in options


def test_who_sees_the_opening_sentence_finds_no_later_word() -> None:
    candidates = candidates_of(ENGLISH)
    question = Question("?", ("levers", "trails", "rest", "none"), "anywhere", frozenset(),
                        (("levers",), ("trails",), ("rest",)))  # fmt: skip
    fits = fit_questions([question], candidates)
    by_view = dict(zip(VIEWS, fits[:, 0], strict=True))
    assert (
        by_view["paragraph"][0].argmax() == 0
    )  # the first paragraph has its levers in the second sentence
    assert by_view["opening"][0].argmax() == 3
    assert by_view["opening"][4].argmax() == 1
    assert 0.3 < by_view["passages"][0, 0] < 0.7  # retrieved or not


def test_who_sees_the_name_and_the_hint_answers_alike_whatever_the_paragraph() -> None:
    whole = candidates_of(ENGLISH)
    told = Candidates(
        whole.index, whole.rows, whole.prior, "Of levers. Moving names about"
    )
    groups = (("trails",), ("levers", "desk"), ("names",))
    question = Question(
        "?",
        ("trails", "levers or desk", "names", "none"),
        "anywhere",
        frozenset(),
        groups,
    )
    fits = fit_questions([question], told)[VIEWS.index("name"), 0]
    np.testing.assert_allclose(fits, fits[:1].repeat(len(ENGLISH), axis=0))
    assert fits[0].argmax() == 1


@pytest.mark.parametrize(
    ("present", "expected"),
    [
        ([1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]),
        ([0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 0.0]),
        ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]),
        ([0.5, 0.0, 1.0], [0.5, 0.0, 0.5, 0.0]),
    ],
)
def test_the_first_that_holds_is_chosen_else_the_way_out(
    present: list[float], expected: list[float]
) -> None:
    np.testing.assert_allclose(first_of(np.array(present, dtype=np.float32)), expected)
