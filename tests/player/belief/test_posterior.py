"""The posterior against brute force, and the mixture of referees."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest

from player.answer import NOT_RELEVANT, Answer, Answers
from player.belief.posterior import Posterior, log_skewed, update
from player.belief.referees import (
    SKEW,
    RefereeModel,
    mixture,
)
from player.question import VIEWS, FitArray
from player.questions.kinds import WRONG_BY_KIND
from quarry.arrays import BoolArray, Float64Array
from tests.player.questions.models import asked, hard_fits, sound

CELLS = [
    [0, 1, 3],
    [2, 2, 0],
]
FITS = hard_fits(CELLS)
PRIOR = np.array([0.5, 0.3, 0.2])
MIXTURE = mixture(WRONG_BY_KIND)


def updated(
    prior: Float64Array,
    fits: FitArray,
    answers: Answers,
    referees: Sequence[RefereeModel] = MIXTURE,
    is_raw: BoolArray | bool = False,
) -> Posterior:
    """The posterior over printed paragraphs, which fit alike under every view unless the fits say otherwise."""
    shape = (len(VIEWS), *fits.shape[-3:])
    return update(
        prior=prior,
        fits=np.broadcast_to(fits, shape),
        questions=asked(len(answers)),
        answers=answers,
        mixture=referees,
        is_raw=np.broadcast_to(is_raw, len(prior)),
    )


def chance(
    answer: Answer,
    fitting: int,
    wrong: float,
) -> float:
    """How probable an answer is if the option with this index fits; 1 if it is no letter."""
    if answer is None or answer == NOT_RELEVANT:
        return 1.0
    return 1.0 - wrong if "ABCD"[fitting] == answer else wrong / 3.0


def test_the_posterior_is_bayes_rule_over_paragraph_view_and_care() -> None:
    # under the opening sentence alone the first question fits D everywhere
    fits = np.stack([FITS] * len(VIEWS))
    opening = VIEWS.index("opening")
    fits[opening, 0] = hard_fits([3, 3, 3])
    referees = [
        sound(0.1, weight=0.5),
        sound(0.1, "opening", 0.3),
        sound(0.75, None, 0.2),
    ]

    answers = ["A", "B", "C", "D", NOT_RELEVANT, None]
    for first, second in itertools.product(answers, answers):
        likelihoods = np.empty((2, 3, 3))  # questions, referees, rows
        for row in range(3):
            of_second = chance(second, CELLS[1][row], 0.1)
            likelihoods[0, :, row] = (
                chance(first, CELLS[0][row], 0.1),
                chance(first, 3, 0.1),
                chance(first, 0, 0.75),
            )
            likelihoods[1, :, row] = (of_second, of_second, chance(second, 0, 0.75))

        joint = np.outer([0.5, 0.3, 0.2], PRIOR) * likelihoods.prod(axis=0)
        joint /= joint.sum()
        support = np.einsum("r,qrp->qp", joint.sum(axis=1), likelihoods)
        posterior = updated(PRIOR, fits, [first, second], referees)
        assert posterior.belief == pytest.approx(joint.sum(axis=0), rel=1e-5)
        assert np.exp2(posterior.support) == pytest.approx(support, rel=1e-5)


def test_the_probability_of_skewed_letters_is_polyas_urn() -> None:
    # each letter in turn: (SKEW + times it came) / (4 SKEW + letters so far)
    letters = [1, 1, 3, 1]
    expected = 0.0
    for row, letter in enumerate(letters):
        n_before = letters[:row].count(letter)
        expected += math.log((SKEW + n_before) / (4 * SKEW + row))
    assert log_skewed(letters) == pytest.approx(expected)


def test_a_constant_letter_is_found_out_and_leaves_the_hint() -> None:
    generator = np.random.default_rng(0)
    prior = generator.dirichlet(np.full(80, 0.05))
    code = hard_fits(generator.integers(0, 4, size=(20, 80)))
    for letter in "ABCD":
        posterior = updated(prior, code, [letter] * 20)
        # an answer by chance supports no paragraph; without skewed referees, some are supported
        np.testing.assert_allclose(np.exp2(posterior.support), 0.25, atol=1e-3)
        np.testing.assert_allclose(posterior.belief, prior, atol=0.05)


def test_support_is_the_probability_of_the_answer_by_the_referees_believed_in() -> None:
    referees = [sound(0.1)]
    posterior = updated(PRIOR, FITS, ["A", None], referees)
    first, second = posterior.support
    wrong = 0.1 / 3
    probabilities = [0.9, wrong, wrong]
    assert np.exp2(first) == pytest.approx(probabilities, abs=1e-5)
    assert second == pytest.approx(0.0)


def test_a_page_is_believed_under_both_readings_of_its_first_sentence() -> None:
    # the answers fit the page if "the first sentence" is its opening, and else fit neither
    prior = np.array([0.5, 0.5])
    fits = np.full((len(VIEWS), 4, 2, 4), 0.25, dtype=np.float32)
    same = VIEWS.index("paragraph")
    fits[same, :, 1] = np.eye(4, dtype=np.float32)[0]
    page = np.array([False, True])
    by_page = updated(prior, fits, ["A"] * 4, is_raw=page).belief[1]
    assert by_page > 0.95

    # one reading holds for all answers, so that the page keeps half of its belief at least
    fits[same, :, 1] = np.eye(4, dtype=np.float32)[1]
    against = updated(prior, fits, ["A"] * 4, is_raw=page).belief[1]
    assert 0.3 < against < 0.5
