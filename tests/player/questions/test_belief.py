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
from player.questions.referees import (
    SKEW,
    SKEWED,
    USELESS,
    ErrorModel,
    ErrorProfile,
    RefereeType,
    error_model,
    error_model_of,
)
from player.questions.views import VIEWS, View
from tests.player.questions.models import hard_fits, in_all_views, sound_only

ANSWERS = ["A", "B", "C", "D", NOT_RELEVANT, None]
FITS = hard_fits(np.array([[0, 1, 3], [2, 2, 0]]))
PRIOR = np.array([0.5, 0.3, 0.2])
KINDS = ["word", "word"]


def chance(answer: str | None, fitting: int, wrong: float) -> float:
    """How probable an answer is if the option with this index fits; 1 if it is no letter."""
    if answer is None or answer == NOT_RELEVANT:
        return 1.0
    return 1.0 - wrong if "ABCD"[fitting] == answer else wrong / 3.0


def posterior(
    prior: Float64Array, fits: FitArray, answers: list[Answer], wrong: float
) -> Float64Array:
    """With one referee, who errs alike on every question."""
    return update(
        prior, in_all_views(fits), ["word"] * len(fits), answers, sound_only(wrong)
    ).belief


def test_one_answer_by_hand() -> None:
    belief = posterior(PRIOR, FITS[:1], ["A"], 0.2)
    weights = [0.5 * 0.8, 0.3 * 0.2 / 3, 0.2 * 0.2 / 3]
    np.testing.assert_allclose(
        belief, [weight / sum(weights) for weight in weights], rtol=1e-6
    )


@pytest.mark.parametrize(("first", "second"), list(itertools.product(ANSWERS, ANSWERS)))
def test_the_posterior_is_bayes_rule_spelt_out(
    first: str | None, second: str | None
) -> None:
    belief = posterior(PRIOR, FITS, [first, second], 0.15)
    cells = FITS.argmax(axis=2)
    weights = [
        PRIOR[row]
        * chance(first, int(cells[0, row]), 0.15)
        * chance(second, int(cells[1, row]), 0.15)
        for row in range(3)
    ]
    np.testing.assert_allclose(
        belief, [weight / sum(weights) for weight in weights], rtol=1e-6
    )


def test_the_mixture_is_bayes_rule_over_paragraph_view_and_care() -> None:
    # under the opening sentence alone the first question fits D everywhere
    fits = in_all_views(FITS).copy()
    fits[VIEWS.index("opening"), 0] = hard_fits(np.array([3, 3, 3]))
    referees = (
        RefereeType(0.5, "paragraph", ErrorProfile("sound", 1.0)),
        RefereeType(0.3, "opening", ErrorProfile("sound", 1.0)),
        RefereeType(0.2, None, ErrorProfile(USELESS, 1.0)),
    )
    model = error_model(
        {(view, "word"): 0.1 for view in VIEWS}, referees, np.array([0.5, 0.5])
    )
    found = update(PRIOR, fits, KINDS, ["D", "A"], model)
    paragraph = [0.5 * PRIOR[row] * chance("D", [0, 1, 3][row], 0.1) * chance("A", [2, 2, 0][row], 0.1)
                 for row in range(3)]  # fmt: skip
    opening = [
        0.3 * PRIOR[row] * chance("D", 3, 0.1) * chance("A", [2, 2, 0][row], 0.1)
        for row in range(3)
    ]
    useless = [0.2 * PRIOR[row] / 16 for row in range(3)]
    joint = np.array([paragraph, opening, useless])
    joint /= joint.sum()
    np.testing.assert_allclose(found.belief, joint.sum(axis=0), rtol=1e-5)
    np.testing.assert_allclose(found.referees, joint.sum(axis=1), rtol=1e-5)


def test_missing_and_declined_answers_count_for_nothing() -> None:
    one = posterior(PRIOR, FITS[:1], ["B"], 0.2)
    np.testing.assert_allclose(posterior(PRIOR, FITS, ["B", None], 0.2), one)
    np.testing.assert_allclose(posterior(PRIOR, FITS, ["B", NOT_RELEVANT], 0.2), one)
    np.testing.assert_allclose(posterior(PRIOR, FITS, [None, NOT_RELEVANT], 0.2), PRIOR)


def test_the_probability_of_skewed_letters_is_polyas_urn() -> None:
    # each letter in turn: (SKEW + times it came) / (4 SKEW + letters so far)
    letters = [1, 1, 3, 1]
    expected = 0.0
    for row, letter in enumerate(letters):
        expected += math.log((SKEW + letters[:row].count(letter)) / (4 * SKEW + row))
    assert log_skewed(letters) == pytest.approx(expected)


def a_code(seed: int, n_paragraphs: int = 80) -> FitArray:
    """Twenty questions whose fitting options are drawn at random: as good a code as there is."""
    return hard_fits(
        np.random.default_rng(seed).integers(0, 4, size=(20, n_paragraphs))
    )


def mixture() -> ErrorModel:
    return error_model_of(load().game)


def probability_of(found: Float64Array, *names: str) -> float:
    return sum(
        float(found[row])
        for row, referee in enumerate(mixture().referees)
        if referee.name in names
    )


def test_answers_by_chance_lose_few_games_that_the_hint_would_win() -> None:
    by_hint = by_answers = useless = 0.0
    for seed in range(300):
        generator = np.random.default_rng(seed)
        prior = generator.dirichlet(np.full(80, 0.05))
        truth = int(generator.choice(80, p=prior))
        given = ["ABCD"[row] for row in generator.integers(0, 4, size=20)]
        found = update(
            prior, in_all_views(a_code(seed)), ["anywhere"] * 20, given, mixture()
        )
        by_hint += int(prior.argmax()) == truth
        by_answers += int(found.belief.argmax()) == truth
        useless += probability_of(found.referees, USELESS, SKEWED)
    assert by_hint > 100
    assert by_answers > 0.8 * by_hint
    assert useless / 300 > 3 * load().game.useless_share


@pytest.mark.parametrize("letter", "ABCD")
def test_a_constant_letter_is_found_out_and_leaves_the_hint(letter: str) -> None:
    prior = np.random.default_rng(0).dirichlet(np.full(80, 0.05))
    found = update(
        prior, in_all_views(a_code(0)), ["anywhere"] * 20, [letter] * 20, mixture()
    )
    assert probability_of(found.referees, SKEWED) > 0.9
    np.testing.assert_allclose(found.belief, prior, atol=0.05)


@pytest.mark.parametrize("view", VIEWS)
def test_what_the_referee_sees_is_found_out(view: View) -> None:
    # the same paragraphs fit other options under each view
    fits = np.stack([a_code(seed) for seed in range(len(VIEWS))])
    truth = 30
    given = ["ABCD"[int(fit[truth].argmax())] for fit in fits[VIEWS.index(view)]]
    prior = np.full(80, 1.0 / 80)
    found = update(prior, fits, ["anywhere"] * 20, given, mixture())
    assert found.belief[truth] > 0.999
    names = [referee.name for referee in mixture().referees]
    assert names[int(found.referees.argmax())] == f"{view}, sound"


def test_support_is_the_probability_of_the_answer_by_the_referees_believed_in() -> None:
    found = update(PRIOR, in_all_views(FITS), KINDS, ["A", None], sound_only(0.1))
    expected = np.log2([[0.9, 0.1 / 3, 0.1 / 3], [1.0, 1.0, 1.0]])
    np.testing.assert_allclose(found.support, expected, atol=1e-5)
