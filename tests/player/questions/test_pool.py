"""Which questions there are, and which option fits which paragraph."""

from __future__ import annotations

import numpy as np
import pytest

from player.questions.pool import ASK_GROUP, ASK_WORD, NONE_OF_THESE, Question, build_pool
from player.words import words
from tests.player.fakes import course, perfect_answer

THREE = ["Merge the runs, then merge again.", "Runs of the quicksort pivot.", "Pivot without Mergers: 1234 and x1y2."]
UNIFORM = np.full(3, 1.0 / 3.0)


def fitting(question: Question, texts: list[str]) -> list[int]:
    """The option that fits each text, as a careful person reads them."""
    return ["ABCD".index(perfect_answer(question.options, text)) for text in texts]


def test_the_fitting_option_is_the_first_listed_word_that_occurs() -> None:
    pool = build_pool(THREE, UNIFORM, 100, seed=0)
    assert len(pool.questions) > 0
    expected = [fitting(question, THREE) for question in pool.questions]
    np.testing.assert_array_equal(pool.cells, expected)


def test_the_fitting_options_of_a_whole_course_are_those_read_off_the_texts() -> None:
    texts = [item.text for item in course()]
    pool = build_pool(texts, np.full(12, 1.0 / 12.0), 300, seed=3)
    expected = [fitting(question, texts) for question in pool.questions]
    np.testing.assert_array_equal(pool.cells, expected)
    assert set(np.unique(pool.cells)) == {0, 1, 2, 3}


def test_every_choice_of_three_words_of_a_tiny_vocabulary_is_asked() -> None:
    # "then", "again", "without" are stop words, "the" and "of" too short, "1234" and "x1y2" no words: five are left
    pool = build_pool(THREE, UNIFORM, 200, seed=0)
    keys = {question.key for question in pool.questions}
    assert set().union(*keys) == {"merge", "mergers", "pivot", "quicksort", "runs"}
    assert len(keys) == 10  # 5 choose 3


def test_no_question_comes_twice() -> None:
    pool = build_pool(THREE, UNIFORM, 200, seed=0)
    assert len({question.options for question in pool.questions}) == len(pool.questions) > 10


def test_a_question_offers_three_words_and_a_way_out() -> None:
    for question in build_pool(THREE, UNIFORM, 100, seed=0).questions:
        assert question.text == ASK_WORD["en"]
        assert question.options[3] == NONE_OF_THESE["en"]
        assert question.key == frozenset(question.options[:3])
        assert len(question.key) == 3


def test_where_words_are_rare_an_option_lists_several() -> None:
    # every word stands in two of thirty paragraphs, so that one word an option would leave nine tenths to the way out
    letters = "abcdefghijklmnopqrstuvwxyz"
    texts = [f"word{letters[row // 2]} term{letters[(row + 1) // 2 % 15]}" for row in range(30)]
    pool = build_pool(texts, np.full(30, 1.0 / 30.0), 100, seed=0)
    assert len(pool.questions) > 50
    for question in pool.questions:
        assert question.text == ASK_GROUP["en"]
        listed = [{word for word in words(option) if word != "or"} for option in question.options[:3]]
        assert [len(group) for group in listed] == [3, 3, 3]
        assert question.key == frozenset().union(*listed)
        assert len(question.key) == 9
    np.testing.assert_array_equal(pool.cells, [fitting(question, texts) for question in pool.questions])


def test_words_that_stand_in_one_of_many_paragraphs_are_not_asked_for() -> None:
    texts = [f"common shared frequent own{'abcdefghijklmnopqrstuvwxyz'[row]}" for row in range(20)]
    pool = build_pool(texts, np.full(20, 0.05), 100, seed=0)
    assert set().union(*(question.key for question in pool.questions)) == {"common", "shared", "frequent"}


def test_the_same_seed_gives_the_same_pool() -> None:
    texts = [item.text for item in course()]
    prior = np.full(12, 1.0 / 12.0)
    first, second, other = (build_pool(texts, prior, 50, seed) for seed in (7, 7, 8))
    assert first.questions == second.questions
    np.testing.assert_array_equal(first.cells, second.cells)
    assert first.questions != other.questions


@pytest.mark.parametrize("size", [1, 20, 57])
def test_a_pool_is_no_larger_than_wanted(size: int) -> None:
    texts = [item.text for item in course()]
    pool = build_pool(texts, np.full(12, 1.0 / 12.0), size, seed=0)
    assert 0 < len(pool.questions) <= size
    assert pool.cells.shape == (len(pool.questions), 12)


@pytest.mark.parametrize("texts", [["of the and"], ["merge runs"], ["1 2 3", "a b c"], [""]])
def test_fewer_than_three_words_give_an_empty_pool(texts: list[str]) -> None:
    pool = build_pool(texts, np.full(len(texts), 1.0 / len(texts)), 100, seed=0)
    assert pool.questions == ()
    assert pool.cells.shape == (0, len(texts))


def test_words_that_split_the_belief_are_asked_for_more_often() -> None:
    # three words stand everywhere and tell nothing; the others but "other", a stop word, stand in half of the belief
    texts = ["everywhere anywhere overall halfway midway", "everywhere anywhere overall other second"]
    pool = build_pool(texts, np.array([0.5, 0.5]), 1, seed=0)
    telling = {"halfway", "midway", "second"}
    picks = [
        len(question.key & telling)
        for seed in range(30)
        for question in build_pool(texts, np.array([0.5, 0.5]), 1, seed).questions
    ]
    assert len(pool.questions) == 1
    assert picks == [3] * 30


def test_hebrew_paragraphs_get_hebrew_questions() -> None:
    pool = build_pool(["עצים מאוזנים וחיפוש מהיר", "גיבוב התנגשויות וחיפוש איטי"], np.array([0.5, 0.5]), 10, seed=0)
    assert {question.text for question in pool.questions} == {ASK_WORD["he"]}
    assert {question.options[3] for question in pool.questions} == {NONE_OF_THESE["he"]}
