"""The posterior against brute force, and the mixture of referees."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from player.questions.belief import NOT_RELEVANT, answer_row, update
from player.questions.question import FitArray, hard_fits
from player.questions.rates import FloatArray, Rates
from player.questions.referees import REFEREES, ErrorModel, RefereeType, sound_only

ANSWERS = ["A", "B", "C", "D", NOT_RELEVANT, None]
FITS = hard_fits(np.array([[0, 1, 3], [2, 2, 0]]))
PRIOR = np.array([0.5, 0.3, 0.2])
KINDS = ["word", "word"]


def chance(answer: str | None, fitting: int, wrong_rate: float, not_relevant_rate: float) -> float:
    """How probable an answer is if the option with this index fits; 1 if none came."""
    if answer is None:
        return 1.0
    if answer == NOT_RELEVANT:
        return not_relevant_rate
    right = "ABCD"[fitting] == answer
    return (1.0 - not_relevant_rate) * (1.0 - wrong_rate if right else wrong_rate / 3.0)


def posterior(
    prior: FloatArray, fits: FitArray, answers: list[str | None], wrong: float, not_relevant: float
) -> FloatArray:
    """With one referee, who errs alike on every question."""
    model = sound_only(Rates(wrong, not_relevant))
    return update(prior, fits, ["word"] * len(fits), answers, model).belief


def test_one_answer_by_hand() -> None:
    # of ten questions one is declined; of the nine given letters a fifth is wrong, 0.2 / 3 for each wrong letter
    belief = posterior(PRIOR, FITS[:1], ["A"], 0.2, 0.1)
    weights = [0.5 * 0.9 * 0.8, 0.3 * 0.9 * 0.2 / 3, 0.2 * 0.9 * 0.2 / 3]
    np.testing.assert_allclose(belief, [weight / sum(weights) for weight in weights])


@pytest.mark.parametrize(("first", "second"), list(itertools.product(ANSWERS, ANSWERS)))
def test_the_posterior_is_bayes_rule_spelt_out(first: str | None, second: str | None) -> None:
    belief = posterior(PRIOR, FITS, [first, second], 0.15, 0.05)
    cells = FITS.argmax(axis=2)
    weights = [
        PRIOR[row] * chance(first, int(cells[0, row]), 0.15, 0.05) * chance(second, int(cells[1, row]), 0.15, 0.05)
        for row in range(3)
    ]
    np.testing.assert_allclose(belief, [weight / sum(weights) for weight in weights], rtol=1e-9)


def test_an_uncertain_fit_is_averaged_over() -> None:
    # the first paragraph fits A in half of the readings: (0.9 + 0.1 / 3) / 2; the second never
    fits = np.array([[[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]], dtype=np.float32)
    belief = posterior(np.array([0.5, 0.5]), fits, ["A"], 0.1, 0.0)
    weights = [(0.9 + 0.1 / 3) / 2, 0.1 / 3]
    np.testing.assert_allclose(belief, [weight / sum(weights) for weight in weights], rtol=1e-6)


def test_the_mixture_is_bayes_rule_over_paragraph_and_referee() -> None:
    sound, useless = RefereeType("sound", 0.8), RefereeType("useless", 0.2, slips=1.0)
    model = ErrorModel({}, Rates(0.1, 0.05), (sound, useless))
    found = update(PRIOR, FITS, KINDS, ["A", "C"], model)
    cells = FITS.argmax(axis=2)
    joint = np.array(
        [
            [
                weight
                * PRIOR[row]
                * chance("A", int(cells[0, row]), wrong, 0.05)
                * chance("C", int(cells[1, row]), wrong, 0.05)
                for row in range(3)
            ]
            for weight, wrong in ((0.8, 0.1), (0.2, 0.75))
        ]
    )
    joint /= joint.sum()
    np.testing.assert_allclose(found.belief, joint.sum(axis=0), rtol=1e-9)
    np.testing.assert_allclose(found.referees, joint.sum(axis=1), rtol=1e-9)


def test_every_kind_of_question_errs_at_its_own_rate() -> None:
    model = ErrorModel(
        {"word": Rates(0.01, 0.01), "purpose": Rates(0.6, 0.01)},
        Rates(0.1, 0.1),
        (RefereeType("sound", 1.0),),
    )
    fits = hard_fits(np.array([[0, 1], [1, 0]]))
    # "A" to both: the word question speaks for the first paragraph, the purpose question for the second
    found = update(np.array([0.5, 0.5]), fits, ["word", "purpose"], ["A", "A"], model)
    assert found.belief[0] > 0.95


def test_missing_answers_count_for_nothing() -> None:
    both = posterior(PRIOR, FITS, ["B", None], 0.2, 0.1)
    np.testing.assert_allclose(both, posterior(PRIOR, FITS[:1], ["B"], 0.2, 0.1))
    np.testing.assert_allclose(posterior(PRIOR, FITS, [None, None], 0.2, 0.1), PRIOR)


def test_all_not_relevant_leaves_the_prior() -> None:
    fits = np.tile(FITS, (10, 1, 1))
    np.testing.assert_allclose(posterior(PRIOR, fits, [NOT_RELEVANT] * 20, 0.2, 0.1), PRIOR, rtol=1e-6)


@pytest.mark.parametrize("kind", ["word", "purpose"])
def test_declining_tells_about_the_referee_and_nothing_about_the_paragraph(kind: str) -> None:
    fits = hard_fits(np.tile(np.array([0, 3, 1]), (6, 1)))
    found = update(PRIOR, fits, [kind] * 6, [NOT_RELEVANT] * 6, mixture())
    np.testing.assert_allclose(found.belief, PRIOR, rtol=1e-6)
    assert found.referees[[referee.name for referee in REFEREES].index("declining")] > 0.9


def test_twenty_answers_against_one_paragraph_leave_a_sum_of_1() -> None:
    fits = hard_fits(np.tile(np.array([1, 0, 0]), (20, 1)))
    belief = posterior(np.array([1.0, 0.0, 0.0]), fits, ["A"] * 20, 0.002, 0.002)
    assert belief.sum() == pytest.approx(1.0)
    assert np.isfinite(belief).all()


def test_the_number_of_answers_must_be_that_of_the_questions() -> None:
    with pytest.raises(ValueError, match="zip"):
        posterior(PRIOR, FITS, ["A"], 0.2, 0.1)


def test_answers_are_rows_of_the_channel() -> None:
    assert [answer_row(answer) for answer in ANSWERS] == [0, 1, 2, 3, 4, None]


def a_code(seed: int, n_paragraphs: int = 80) -> FitArray:
    """Twenty questions whose fitting options are drawn at random: as good a code as there is."""
    return hard_fits(np.random.default_rng(seed).integers(0, 4, size=(20, n_paragraphs)))


def mixture() -> ErrorModel:
    return ErrorModel({}, Rates(0.05, 0.05), REFEREES)


def test_answers_by_chance_lose_few_games_that_the_hint_would_win() -> None:
    by_hint = by_answers = useless = 0.0
    for seed in range(300):
        generator = np.random.default_rng(seed)
        prior = generator.dirichlet(np.full(80, 0.05))
        truth = int(generator.choice(80, p=prior))
        given = ["ABCD"[row] for row in generator.integers(0, 4, size=20)]
        found = update(prior, a_code(seed), ["word"] * 20, given, mixture())
        by_hint += int(prior.argmax()) == truth
        by_answers += int(found.belief.argmax()) == truth
        useless += float(found.referees[[referee.name for referee in REFEREES].index("useless")])
    assert by_hint > 100
    assert by_answers > 0.8 * by_hint
    assert useless / 300 > 0.3  # 0.10 before the answers


def test_a_contrary_referee_is_found_out_and_read_the_other_way_round() -> None:
    generator = np.random.default_rng(3)
    fits = hard_fits(generator.integers(0, 4, size=(20, 5)))
    truth = 2
    given = ["ABCD"[(int(fit[truth].argmax()) + int(generator.integers(1, 4))) % 4] for fit in fits]
    found = update(np.full(5, 0.2), fits, ["word"] * 20, given, mixture())
    assert int(found.belief.argmax()) == truth
    names = [referee.name for referee in REFEREES]
    assert names[int(found.referees.argmax())] == "contrary"


def test_a_sound_referee_decides_against_the_prior() -> None:
    fits = a_code(1)
    prior = np.full(80, 0.001)
    prior[7] = 1.0 - 0.079
    given = ["ABCD"[int(fit[30].argmax())] for fit in fits]
    found = update(prior, fits, ["word"] * 20, given, mixture())
    assert int(found.belief.argmax()) == 30
    assert found.belief[30] > 0.999
    assert found.referees[0] > 0.9


def test_support_is_the_probability_of_the_answer_by_the_referees_believed_in() -> None:
    found = update(PRIOR, FITS, KINDS, ["A", None], sound_only(Rates(0.1, 0.2)))
    expected = np.log2([[0.8 * 0.9, 0.8 * 0.1 / 3, 0.8 * 0.1 / 3], [1.0, 1.0, 1.0]])
    np.testing.assert_allclose(found.support, expected, atol=1e-6)
