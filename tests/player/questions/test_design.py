"""The choice of the 20: information against brute force, codes by hand, and tiny courses."""

import itertools

import numpy as np
import pytest

from player.question import DESIGN_VIEWS, N_QUESTIONS, VIEWS, FitArray
from player.questions.design import design
from player.round import RoundStart
from quarry.arrays import Float32Array, Float64Array
from tests.contracts.paragraphs import paragraph
from tests.fakes import each
from tests.player.fakes import dense_player
from tests.player.questions.models import asked, hard_fits, sound


def chosen(
    fits: FitArray,
    prior: Float64Array,
    wrong: float,
    n: int,
    stakes: Float32Array | None = None,
) -> list[int]:
    """The first n of the design for referees who see it all, from questions that fit alike under every view."""
    return design(
        questions=asked(len(fits)),
        fits=np.stack([fits] * len(DESIGN_VIEWS)),
        prior=prior,
        own_prior=prior,
        stakes=stakes if stakes is not None else np.ones((len(prior),) * 2, np.float32),
        referees=(sound(wrong), sound(wrong, "opening", 0.0)),
    )[:n]


def joint_bits(
    prior: Float64Array,
    questions: FitArray,
    wrong: float,
) -> float:
    """Mutual information of the paragraph and all answers, summed over all pairs."""
    channel = sound(wrong).letters_for(asked(1))[0]
    bits = 0.0

    for answers in itertools.product(range(4), repeat=len(questions)):
        likelihood = np.ones(len(prior))
        for letter, fits in zip(answers, questions, strict=True):
            likelihood *= fits @ channel[letter]
        joint = prior * likelihood
        gains = np.log2(likelihood / joint.sum())
        bits += float(joint @ gains)
    return bits


def test_the_chosen_questions_tell_nearly_as_much_as_any_by_brute_force() -> None:
    for seed in range(5):
        generator = np.random.default_rng(seed)
        prior = generator.dirichlet(np.full(7, 0.5))
        shares = generator.dirichlet(np.full(4, 0.3), size=(12, 7))
        fits = shares.astype(np.float32)
        for n in (1, 2):
            most = 0.0
            for batch in itertools.combinations(range(12), n):
                bits = joint_bits(prior, fits[[*batch]], 0.15)
                most = max(most, bits)
            rows = chosen(fits, prior, 0.15, n)
            assert joint_bits(prior, fits[rows], 0.15) > 0.85 * most


def test_candidates_with_one_string_need_not_be_told_apart() -> None:
    # the first question parts the first two candidates, the second parts the third from both
    fits = hard_fits(
        [
            [0, 1, 1],
            [3, 3, 0],
        ]
    )
    prior = np.array([0.4, 0.4, 0.2])
    stakes = np.ones((3, 3), dtype=np.float32)
    assert chosen(fits, prior, 0.15, 1, stakes) == [0]
    stakes[0, 1] = stakes[1, 0] = 0.0
    assert chosen(fits, prior, 0.15, 1, stakes) == [1]


def test_the_second_question_is_not_a_copy_of_the_first() -> None:
    # the two best questions tell the same; the third tells less by itself, but more beside either
    fits = hard_fits(
        [
            [0, 0, 1, 1],
            [1, 1, 0, 0],
            [0, 1, 1, 1],
        ]
    )
    even = np.full(4, 0.25)
    assert chosen(fits, even, 0.01, 2) == [0, 2]


def test_where_errors_are_many_a_question_is_worth_asking_in_other_words() -> None:
    # both of the first two split the belief in halves, the same halves; the third splits off a paragraph of no weight
    fits = hard_fits(
        [
            [0, 0, 1, 1],
            [2, 2, 3, 3],
            [0, 0, 0, 1],
        ]
    )
    prior = np.array([0.495, 0.005, 0.495, 0.005])
    assert chosen(fits, prior, 0.2, 2) == [0, 1]


def test_tiny_candidate_sets_still_get_exactly_20_questions() -> None:
    runs = "Merge sorted runs."
    for texts in (["Of the."], [runs, runs, "Hash probe."]):
        paragraphs = [
            paragraph(f"book:1:{row}", text) for row, text in enumerate(texts)
        ]
        player = dense_player(paragraphs, candidates=10)
        plan = player.plan(RoundStart("m", "book", "what is it", "sorting"))
        assert plan.fits.shape == (len(VIEWS), N_QUESTIONS, len(paragraphs), 4)
        assert len(set(each(plan.questions, "text"))) == 20
        decision = player.decide(plan, ["A"] * 20)
        assert decision.belief.sum() == pytest.approx(1.0)
