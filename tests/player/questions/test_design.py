"""The choice of the 20: information against brute force, and batches against random ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from player.protocol import RoundStart
from player.questions.belief import NOT_RELEVANT, channel, posterior
from player.questions.design import N_QUESTIONS, design, mutual_information
from player.questions.pool import LETTERS, IntArray, Question, QuestionPool, build_pool
from tests.player.fakes import dense_player, paragraph

FloatArray = NDArray[np.float64]


def brute_force_bits(prior: FloatArray, cells: IntArray, noise: FloatArray) -> float:
    """Mutual information of paragraph and answer, summed over all pairs."""
    bits = 0.0
    for answer in range(5):
        marginal = sum(prior[row] * noise[answer, cells[row]] for row in range(len(prior)))
        for row in range(len(prior)):
            likelihood = noise[answer, cells[row]]
            if prior[row] > 0.0 and likelihood > 0.0:
                bits += prior[row] * likelihood * math.log2(likelihood / marginal)
    return bits


@pytest.mark.parametrize("seed", range(10))
def test_mutual_information_is_that_of_brute_force(seed: int) -> None:
    generator = np.random.default_rng(seed)
    prior = generator.dirichlet(np.full(7, 0.5))
    cells = generator.integers(0, 4, size=(12, 7)).astype(np.int8)
    noise = channel(generator.uniform(0.01, 0.6), generator.uniform(0.01, 0.5))
    expected = [brute_force_bits(prior, row, noise) for row in cells]
    np.testing.assert_allclose(mutual_information(prior, cells, noise), expected, atol=1e-9)


def test_a_perfect_answer_over_four_paragraphs_tells_two_bits() -> None:
    prior = np.full(4, 0.25)
    cells = np.array([[0, 1, 2, 3], [0, 0, 1, 1], [2, 2, 2, 2]], dtype=np.int8)
    noise = np.vstack([np.eye(4), np.zeros((1, 4))])
    np.testing.assert_allclose(mutual_information(prior, cells, noise), [2.0, 1.0, 0.0], atol=1e-9)


def test_an_answer_by_chance_tells_nothing() -> None:
    prior = np.full(4, 0.25)
    cells = np.array([[0, 1, 2, 3]], dtype=np.int8)
    np.testing.assert_allclose(mutual_information(prior, cells, channel(0.75, 0.1)), [0.0], atol=1e-9)


def random_course(seed: int, n_paragraphs: int = 60) -> list[str]:
    """Paragraphs of 25 words out of 150, common ones more often, as in real text."""
    generator = np.random.default_rng(seed)
    letters = "abcdefghijklmnopqrstuvwxyz"
    vocabulary = [f"word{letters[row // 26]}{letters[row % 26]}" for row in range(150)]
    frequency = 1.0 / np.arange(2, 152)
    return [
        " ".join(generator.choice(vocabulary, size=25, replace=False, p=frequency / frequency.sum()))
        for _ in range(n_paragraphs)
    ]


def a_pool(seed: int = 1) -> tuple[QuestionPool, FloatArray]:
    texts = random_course(seed)
    generator = np.random.default_rng(seed)
    prior = generator.dirichlet(np.full(len(texts), 1.0))
    return build_pool(texts, prior, 400, seed), prior


def win_rate(pool: QuestionPool, rows: list[int], prior: FloatArray, noise: FloatArray, n_games: int) -> float:
    """Share of simulated games in which the paragraph drawn from the prior is the likeliest after noisy answers."""
    generator = np.random.default_rng(99)
    cells = pool.cells[rows]
    won = 0
    for truth in generator.choice(len(prior), size=n_games, p=prior):
        given = [int(generator.choice(5, p=noise[:, cell[truth]])) for cell in cells]
        answers = [LETTERS[row] if row < 4 else NOT_RELEVANT for row in given]
        won += int(posterior(prior, cells, answers, noise).argmax()) == truth
    return won / n_games


def test_the_chosen_batch_wins_more_games_than_random_batches() -> None:
    noise = channel(0.15, 0.10)
    generator = np.random.default_rng(5)
    chosen, at_random = [], []
    for seed in (1, 2, 3):
        pool, prior = a_pool(seed)
        chosen.append(win_rate(pool, design(pool, prior, noise, seed=0, n=6), prior, noise, 200))
        for _ in range(3):
            rows = generator.choice(len(pool.questions), 6, replace=False).tolist()
            at_random.append(win_rate(pool, rows, prior, noise, 200))
    assert np.mean(chosen) > np.mean(at_random) + 0.06


def test_more_questions_win_more_games() -> None:
    pool, prior = a_pool()
    noise = channel(0.15, 0.10)
    rows = design(pool, prior, noise, seed=0)
    few, all_of_them = (win_rate(pool, rows[:n], prior, noise, 300) for n in (4, 20))
    assert all_of_them > few + 0.2
    assert all_of_them > 0.9


def test_the_same_seed_gives_the_same_batch() -> None:
    pool, prior = a_pool()
    noise = channel(0.1, 0.1)
    assert design(pool, prior, noise, seed=3) == design(pool, prior, noise, seed=3)
    assert design(pool, prior, noise, seed=3) != design(pool, prior, noise, seed=4)


def test_the_first_question_is_the_most_informative_one() -> None:
    pool, prior = a_pool()
    noise = channel(0.1, 0.1)
    assert design(pool, prior, noise, seed=0, n=1) == [int(mutual_information(prior, pool.cells, noise).argmax())]


def test_the_second_question_is_not_a_copy_of_the_first() -> None:
    # the two best questions tell the same; the third tells less by itself, but more beside either
    cells = np.array([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1]], dtype=np.int8)
    options = ("a", "b", "c", "d")
    questions = tuple(Question("?", options, "word", frozenset({str(row)})) for row in range(3))
    rows = design(QuestionPool(questions, cells), np.full(4, 0.25), channel(0.01, 0.01), seed=0, n=2)
    assert rows == [0, 2]


@pytest.mark.parametrize("seed", range(5))
def test_no_two_questions_share_a_word_while_others_are_left(seed: int) -> None:
    pool, prior = a_pool(seed)
    asked: set[str] = set()
    left = set(range(len(pool.questions)))
    n_fresh = 0
    for row in design(pool, prior, channel(0.1, 0.1), seed):
        fresh_ones = [other for other in left if not pool.questions[other].key & asked]
        if fresh_ones:
            assert row in fresh_ones
            n_fresh += 1
        asked |= pool.questions[row].key
        left.remove(row)
    assert n_fresh >= 10


def test_words_are_asked_for_again_once_none_are_left() -> None:
    texts = ["merge pivot quicksort runs", "merge pivot", "quicksort heap"]
    prior = np.full(3, 1.0 / 3.0)
    pool = build_pool(texts, prior, 100, seed=0)
    rows = design(pool, prior, channel(0.1, 0.1), seed=0)
    # five words: any two questions share one
    assert len(rows) == len(set(rows)) == min(20, len(pool.questions)) > 1


@pytest.mark.parametrize("n", [1, 5, 20, 25])
def test_as_many_questions_come_as_are_wanted_and_none_twice(n: int) -> None:
    pool, prior = a_pool()
    rows = design(pool, prior, channel(0.1, 0.1), seed=0, n=n)
    assert len(rows) == len(set(rows)) == n


def test_an_empty_pool_gives_an_empty_batch() -> None:
    pool = build_pool(["of the"], np.ones(1), 100, seed=0)
    assert design(pool, np.ones(1), channel(0.1, 0.1), seed=0) == []


@pytest.mark.parametrize(
    "texts",
    [
        ["Of the."],
        ["Merge runs, merge all of them."],
        ["Merge sorted runs.", "Pivot."],
        ["Merge sorted runs of equal length.", "Merge sorted runs of equal length.", "Hash bucket probe."],
    ],
)
def test_tiny_candidate_sets_still_get_exactly_20_questions(texts: list[str]) -> None:
    player = dense_player([paragraph(f"book:1:{row}", text) for row, text in enumerate(texts, 1)])
    plan = player.plan(RoundStart("m", "book", "what is it", "sorting", ""))
    assert len(plan.questions) == N_QUESTIONS == 20
    assert plan.cells.shape == (20, len(texts))
    assert len({(question.text, question.options) for question in plan.questions}) == 20
    decision = player.decide(plan, ["A"] * 20)
    assert decision.belief.sum() == pytest.approx(1.0)


def test_questions_that_fill_up_a_batch_do_not_move_the_belief() -> None:
    player = dense_player([paragraph("book:1:1", "Of the."), paragraph("book:1:2", "At 2.")])
    plan = player.plan(RoundStart("m", "book", "what is it", "sorting", ""))
    assert {question.kind for question in plan.questions} == {"filler"}
    np.testing.assert_allclose(player.decide(plan, list("ABCD" * 5)).belief, plan.prior)
