"""The posterior against brute force, and the mixture of referees."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from configs.settings import load
from ingest.arrays import Float64Array
from player.questions.answer import NOT_RELEVANT, Answer
from player.questions.belief import log_skewed, update
from player.questions.question import FitArray
from player.questions.referees import SKEW, SKEWED, USELESS, error_model_of
from player.questions.views import VIEWS, View
from tests.player.questions.models import asked, hard_fits, in_all_views, sound

ANSWERS = ["A", "B", "C", "D", NOT_RELEVANT, None]
CELLS = [[0, 1, 3], [2, 2, 0]]
FITS = in_all_views(hard_fits(np.array(CELLS)))
PRIOR = np.array([0.5, 0.3, 0.2])


def chance(answer: Answer, fitting: int, wrong: float) -> float:
    """How probable an answer is if the option with this index fits; 1 if it is no letter."""
    if answer is None or answer == NOT_RELEVANT:
        return 1.0
    return 1.0 - wrong if "ABCD"[fitting] == answer else wrong / 3.0


@pytest.mark.parametrize(("first", "second"), list(itertools.product(ANSWERS, ANSWERS)))
def test_the_posterior_is_bayes_rule_spelt_out(first: Answer, second: Answer) -> None:
    belief = update(PRIOR, FITS, asked(2), [first, second], [sound(0.15)]).belief
    weights = PRIOR.copy()
    for row in range(3):
        weights[row] *= chance(first, CELLS[0][row], 0.15)
        weights[row] *= chance(second, CELLS[1][row], 0.15)
    np.testing.assert_allclose(belief, weights / weights.sum(), rtol=1e-6)


def test_the_mixture_is_bayes_rule_over_paragraph_view_and_care() -> None:
    # under the opening sentence alone the first question fits D everywhere
    fits = FITS.copy()
    fits[VIEWS.index("opening"), 0] = hard_fits(np.array([3, 3, 3]))
    referees = [
        sound(0.1, weight=0.5),
        sound(0.1, "opening", 0.3),
        sound(0.75, None, 0.2),
    ]
    posterior = update(PRIOR, fits, asked(2), ["D", "A"], referees)
    joint = np.empty((3, 3))
    for row in range(3):
        second = chance("A", CELLS[1][row], 0.1)
        joint[0, row] = 0.5 * PRIOR[row] * chance("D", CELLS[0][row], 0.1) * second
        joint[1, row] = 0.3 * PRIOR[row] * chance("D", 3, 0.1) * second
        joint[2, row] = 0.2 * PRIOR[row] / 16
    joint /= joint.sum()
    np.testing.assert_allclose(posterior.belief, joint.sum(axis=0), rtol=1e-5)
    np.testing.assert_allclose(posterior.referees, joint.sum(axis=1), rtol=1e-5)


def test_the_probability_of_skewed_letters_is_polyas_urn() -> None:
    # each letter in turn: (SKEW + times it came) / (4 SKEW + letters so far)
    letters = [1, 1, 3, 1]
    expected = 0.0
    for row, letter in enumerate(letters):
        expected += math.log((SKEW + letters[:row].count(letter)) / (4 * SKEW + row))
    assert log_skewed(letters) == pytest.approx(expected)


MIXTURE = error_model_of(load().game).referees


def a_code(seed: int, n_paragraphs: int = 80) -> FitArray:
    """Twenty questions whose fitting options are drawn at random: as good a code as there is."""
    cells = np.random.default_rng(seed).integers(0, 4, size=(20, n_paragraphs))
    return hard_fits(cells)


def probability_of(posterior: Float64Array, *errors: str) -> float:
    of_errors = [referee.errors in errors for referee in MIXTURE]
    return float(posterior[of_errors].sum())


def test_answers_by_chance_lose_few_games_that_the_hint_would_win() -> None:
    by_hint, by_answers, useless = [], [], []
    for seed in range(100):
        generator = np.random.default_rng(seed)
        prior = generator.dirichlet(np.full(80, 0.05))
        truth = int(generator.choice(80, p=prior))
        answers = ["ABCD"[row] for row in generator.integers(0, 4, size=20)]
        fits = in_all_views(a_code(seed))
        posterior = update(prior, fits, asked(20), answers, MIXTURE)
        by_hint.append(prior.argmax() == truth)
        by_answers.append(posterior.belief.argmax() == truth)
        useless.append(probability_of(posterior.referees, USELESS, SKEWED))
    assert sum(by_hint) > 33
    assert sum(by_answers) > 0.8 * sum(by_hint)
    assert np.mean(useless) > 3 * load().game.useless_share


@pytest.mark.parametrize("letter", "ABCD")
def test_a_constant_letter_is_found_out_and_leaves_the_hint(letter: str) -> None:
    prior = np.random.default_rng(0).dirichlet(np.full(80, 0.05))
    fits = in_all_views(a_code(0))
    posterior = update(prior, fits, asked(20), [letter] * 20, MIXTURE)
    assert probability_of(posterior.referees, SKEWED) > 0.9
    np.testing.assert_allclose(posterior.belief, prior, atol=0.05)


@pytest.mark.parametrize("view", VIEWS)
def test_what_the_referee_sees_is_found_out(view: View) -> None:
    # the same paragraphs fit other options under each view
    fits = np.stack([a_code(seed) for seed in range(len(VIEWS))])
    truth = 30
    answers = ["ABCD"[int(fit[truth].argmax())] for fit in fits[VIEWS.index(view)]]
    posterior = update(np.full(80, 1 / 80), fits, asked(20), answers, MIXTURE)
    assert posterior.belief[truth] > 0.999
    assert MIXTURE[int(posterior.referees.argmax())].name == f"{view}, sound"


def test_support_is_the_probability_of_the_answer_by_the_referees_believed_in() -> None:
    posterior = update(PRIOR, FITS, asked(2), ["A", None], [sound(0.1)])
    expected = np.log2([[0.9, 0.1 / 3, 0.1 / 3], [1.0, 1.0, 1.0]])
    np.testing.assert_allclose(posterior.support, expected, atol=1e-5)
