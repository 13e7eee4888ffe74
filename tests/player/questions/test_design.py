"""The choice of the 20: information against brute force, and batches against random ones."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from ingest.arrays import Float64Array
from player.protocol.messages import RoundStart
from player.questions.answer import LETTERS
from player.questions.batch import build_pool
from player.questions.belief import update
from player.questions.candidates import Candidates
from player.questions.design import N_QUESTIONS, design
from player.questions.question import FitArray, Question, QuestionPool
from player.questions.referees import ErrorModel, channel
from player.questions.views import DESIGN_VIEWS, VIEWS
from player.questions.word_index import index_words
from tests.contracts.paragraphs import first_places, paragraph
from tests.player.fakes import dense_player
from tests.player.questions.models import hard_fits, in_all_views, sound_only

FIFTEEN = sound_only(0.15)


def pool_of(questions: Sequence[Question], fits: FitArray) -> QuestionPool:
    """A pool whose questions fit alike under every view."""
    kinds = tuple(question.kind for question in questions)
    drafts = tuple((lambda question=question: question) for question in questions)
    return QuestionPool(
        drafts, kinds, np.broadcast_to(fits, (len(DESIGN_VIEWS), *fits.shape))
    )


def brute_force_bits(prior: Float64Array, fits: FitArray, noise: Float64Array) -> float:
    """Mutual information of paragraph and answer, summed over all pairs."""
    bits = 0.0
    likelihood = [
        [float(noise[answer] @ fits[row]) for row in range(len(prior))]
        for answer in range(4)
    ]
    for answer in range(4):
        marginal = sum(
            prior[row] * likelihood[answer][row] for row in range(len(prior))
        )
        for row in range(len(prior)):
            if prior[row] > 0.0 and likelihood[answer][row] > 0.0:
                bits += (
                    prior[row]
                    * likelihood[answer][row]
                    * math.log2(likelihood[answer][row] / marginal)
                )
    return bits


@pytest.mark.parametrize("seed", range(5))
def test_the_first_question_tells_nearly_as_much_as_any_by_brute_force(
    seed: int,
) -> None:
    generator = np.random.default_rng(seed)
    prior = generator.dirichlet(np.full(7, 0.5))
    fits = generator.dirichlet(np.full(4, 0.3), size=(12, 7)).astype(np.float32)
    questions = [
        Question(f"{row}?", ("a", "b", "c", "d"), "word", frozenset({str(row)}))
        for row in range(12)
    ]
    bits = [brute_force_bits(prior, row, channel(0.15)) for row in fits]
    first = design(pool_of(questions, fits), prior, FIFTEEN, n=1)[0]
    assert bits[first] > 0.85 * max(bits)


def random_course(seed: int, n_paragraphs: int = 60) -> list[str]:
    """Paragraphs of 25 words out of 150, common ones more often, as in real text."""
    generator = np.random.default_rng(seed)
    letters = "abcdefghijklmnopqrstuvwxyz"
    vocabulary = [f"word{letters[row // 26]}{letters[row % 26]}" for row in range(150)]
    frequency = 1.0 / np.arange(2, 152)
    return [
        " ".join(
            generator.choice(
                vocabulary, size=25, replace=False, p=frequency / frequency.sum()
            )
        )
        for _ in range(n_paragraphs)
    ]


def course_pool(
    texts: list[str], prior: Float64Array, size: int, seed: int = 0
) -> QuestionPool:
    index = index_words(
        [paragraph(f"book:1:{row}", text) for row, text in enumerate(texts, 1)]
    )
    return build_pool(Candidates(index, first_places(index.places), prior), size, seed)


def a_pool(seed: int = 1) -> tuple[QuestionPool, Float64Array]:
    texts = random_course(seed)
    prior = np.random.default_rng(seed).dirichlet(np.full(len(texts), 1.0))
    return course_pool(texts, prior, 400, seed), prior


def win_rate(
    pool: QuestionPool,
    rows: list[int],
    prior: Float64Array,
    model: ErrorModel,
    n_games: int,
) -> float:
    """Share of simulated games in which the paragraph drawn from the prior is the likeliest after noisy answers."""
    generator = np.random.default_rng(99)
    fits = pool.fits[0, rows]
    kinds = [pool.questions[row].kind for row in rows]
    noise = channel(0.15)
    won = 0
    for truth in generator.choice(len(prior), size=n_games, p=prior):
        chances = [noise @ fit[truth] for fit in fits]
        answers = [
            LETTERS[int(generator.choice(4, p=chance / chance.sum()))]
            for chance in chances
        ]
        won += (
            int(
                update(prior, in_all_views(fits), kinds, answers, model).belief.argmax()
            )
            == truth
        )
    return won / n_games


def test_the_chosen_batch_wins_more_games_than_random_batches() -> None:
    generator = np.random.default_rng(5)
    chosen, at_random = [], []
    for seed in (1, 2, 3):
        pool, prior = a_pool(seed)
        chosen.append(
            win_rate(pool, design(pool, prior, FIFTEEN, n=6), prior, FIFTEEN, 200)
        )
        for _ in range(3):
            rows = generator.choice(len(pool.questions), 6, replace=False).tolist()
            at_random.append(win_rate(pool, rows, prior, FIFTEEN, 200))
    assert np.mean(chosen) > np.mean(at_random) + 0.06


@pytest.mark.parametrize(("in_pieces", "first"), [(0.1, 0), (0.8, 1)])
def test_pieces_are_told_apart_first_if_the_referee_probably_holds_one(
    in_pieces: float, first: int
) -> None:
    # two passages and four pieces; the first question tells the passages apart, the second one the pieces
    prior = np.array([(1.0 - in_pieces) / 2] * 2 + [in_pieces / 4] * 4)
    letters = np.array([[0, 1, 3, 3, 3, 3], [3, 3, 0, 1, 2, 3]])
    fits = np.eye(4, dtype=np.float32)[letters]
    questions = [
        Question(f"{row}?", ("a", "b", "c", "d"), "word", frozenset({str(row)}))
        for row in range(2)
    ]
    editions = np.array([0, 0, 1, 1, 1, 1])
    pool = pool_of(questions, fits)
    assert design(pool, prior, FIFTEEN, n=1, editions=editions) == [first]


def test_the_second_question_is_not_a_copy_of_the_first() -> None:
    # the two best questions tell the same; the third tells less by itself, but more beside either
    fits = hard_fits(np.array([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1]]))
    options = ("a", "b", "c", "d")
    questions = tuple(
        Question("?", options, "word", frozenset({str(row)})) for row in range(3)
    )
    rows = design(pool_of(questions, fits), np.full(4, 0.25), sound_only(0.01), n=2)
    assert rows == [0, 2]


def test_where_errors_are_many_a_question_is_worth_asking_in_other_words() -> None:
    # both of the first two split the belief in halves, the same halves; the third splits off a paragraph of no weight
    fits = hard_fits(np.array([[0, 0, 1, 1], [2, 2, 3, 3], [0, 0, 0, 1]]))
    prior = np.array([0.495, 0.005, 0.495, 0.005])
    questions = tuple(
        Question("?", ("a", "b", "c", "d"), "word", frozenset({str(row)}))
        for row in range(3)
    )
    assert design(pool_of(questions, fits), prior, sound_only(0.2), n=2) == [0, 1]


@pytest.mark.parametrize(
    "texts",
    [
        ["Of the."],
        ["Merge runs, merge all of them."],
        ["Merge sorted runs.", "Pivot."],
        [
            "Merge sorted runs of equal length.",
            "Merge sorted runs of equal length.",
            "Hash bucket probe.",
        ],
    ],
)
def test_tiny_candidate_sets_still_get_exactly_20_questions(texts: list[str]) -> None:
    paragraphs = []
    for row, text in enumerate(texts, 1):
        paragraphs.append(paragraph(f"book:1:{row}", text))
    player = dense_player(paragraphs, candidates=10)
    plan = player.plan(RoundStart("m", "book", "what is it", "sorting", ""))
    assert len(plan.questions) == N_QUESTIONS == 20
    assert plan.fits.shape == (len(VIEWS), 20, len(texts), 4)
    assert len({(question.text, question.options) for question in plan.questions}) == 20
    decision = player.decide(plan, ["A"] * 20)
    assert decision.belief.sum() == pytest.approx(1.0)
