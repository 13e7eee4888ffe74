"""The posterior against brute force, and the channel's columns."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from player.questions.belief import NOT_RELEVANT, answer_row, channel, posterior, prior_from_relevance

ANSWERS = ["A", "B", "C", "D", NOT_RELEVANT, None]
CELLS = np.array([[0, 1, 3], [2, 2, 0]], dtype=np.int8)
PRIOR = np.array([0.5, 0.3, 0.2])


def chance(answer: str | None, fitting: int, wrong_rate: float, not_relevant_rate: float) -> float:
    """How probable an answer is if the option with this index fits; 1 if none came."""
    if answer is None:
        return 1.0
    if answer == NOT_RELEVANT:
        return not_relevant_rate
    right = "ABCD"[fitting] == answer
    return (1.0 - not_relevant_rate) * (1.0 - wrong_rate if right else wrong_rate / 3.0)


def test_one_answer_by_hand() -> None:
    # of ten questions one is declined; of the nine given letters a fifth is wrong, 0.2 / 3 for each wrong letter
    noise = channel(0.2, 0.1)
    belief = posterior(PRIOR, CELLS[:1], ["A"], noise)
    weights = [0.5 * 0.9 * 0.8, 0.3 * 0.9 * 0.2 / 3, 0.2 * 0.9 * 0.2 / 3]
    np.testing.assert_allclose(belief, [weight / sum(weights) for weight in weights])


@pytest.mark.parametrize(("first", "second"), list(itertools.product(ANSWERS, ANSWERS)))
def test_the_posterior_is_bayes_rule_spelt_out(first: str | None, second: str | None) -> None:
    belief = posterior(PRIOR, CELLS, [first, second], channel(0.15, 0.05))
    weights = [
        PRIOR[row] * chance(first, int(CELLS[0, row]), 0.15, 0.05) * chance(second, int(CELLS[1, row]), 0.15, 0.05)
        for row in range(3)
    ]
    np.testing.assert_allclose(belief, [weight / sum(weights) for weight in weights], rtol=1e-9)


def test_missing_answers_count_for_nothing() -> None:
    noise = channel(0.2, 0.1)
    both = posterior(PRIOR, CELLS, ["B", None], noise)
    np.testing.assert_allclose(both, posterior(PRIOR, CELLS[:1], ["B"], noise))
    np.testing.assert_allclose(posterior(PRIOR, CELLS, [None, None], noise), PRIOR)


def test_all_not_relevant_leaves_the_prior() -> None:
    cells = np.tile(CELLS, (10, 1))
    np.testing.assert_allclose(posterior(PRIOR, cells, [NOT_RELEVANT] * 20, channel(0.2, 0.1)), PRIOR)


def test_twenty_answers_against_one_paragraph_leave_a_sum_of_1() -> None:
    cells = np.zeros((20, 3), dtype=np.int8)
    cells[:, 0] = 1
    belief = posterior(np.array([1.0, 0.0, 0.0]), cells, ["A"] * 20, channel(0.001, 0.001))
    assert belief.sum() == pytest.approx(1.0)
    assert np.isfinite(belief).all()


def test_the_number_of_answers_must_be_that_of_the_questions() -> None:
    with pytest.raises(ValueError, match="zip"):
        posterior(PRIOR, CELLS, ["A"], channel(0.2, 0.1))


@pytest.mark.parametrize("wrong_rate", [0.001, 0.1, 0.33, 0.7])
@pytest.mark.parametrize("not_relevant_rate", [0.001, 0.1, 0.9])
def test_the_columns_of_the_channel_sum_to_1(wrong_rate: float, not_relevant_rate: float) -> None:
    noise = channel(wrong_rate, not_relevant_rate)
    assert noise.shape == (5, 4)
    np.testing.assert_allclose(noise.sum(axis=0), 1.0)
    np.testing.assert_allclose(noise[4], not_relevant_rate)
    np.testing.assert_allclose(np.diag(noise[:4]), (1.0 - not_relevant_rate) * (1.0 - wrong_rate))
    assert noise[0, 1] == pytest.approx((1.0 - not_relevant_rate) * wrong_rate / 3.0)


def test_answers_are_rows_of_the_channel() -> None:
    assert [answer_row(answer) for answer in ANSWERS] == [0, 1, 2, 3, 4, None]


def test_the_prior_is_a_softmax_of_relevance() -> None:
    prior = prior_from_relevance(np.array([0.5, 0.4, 0.1]), 0.1, 0.0)
    weights = np.exp(np.array([5.0, 4.0, 1.0]))
    np.testing.assert_allclose(prior, weights / weights.sum())


def test_the_floor_of_the_prior_is_spread_evenly() -> None:
    prior = prior_from_relevance(np.array([1.0, 0.0]), 0.001, 0.2)
    np.testing.assert_allclose(prior, [0.9, 0.1])


def test_a_cold_prior_of_many_sums_to_1() -> None:
    prior = prior_from_relevance(np.linspace(0.0, 1.0, 500), 0.001, 0.02)
    assert prior.sum() == pytest.approx(1.0)
    assert prior.min() >= 0.02 / 500
