"""The 20 questions of a game: the pool of questions of all kinds, the choice, and the fits of options to candidates."""

from collections.abc import Sequence

import numpy as np
from threadpoolctl import threadpool_limits

from player.answer import LETTERS
from player.belief.referees import design_referees
from player.question import DESIGN_VIEWS, N_QUESTIONS, VIEWS, FitArray, Question, View
from player.questions.candidates import Candidates, systematic_sample
from player.questions.design import design
from player.questions.kinds import ANYWHERE, KINDS, WRONG_BY_KIND
from player.questions.sentence_points import sentence_points

FILLER = "filler"
"""Kind of the questions without information that fill up a batch to 20."""
N_SAMPLED = 640
"""Number of draws from the belief over which the information of questions is measured; words come from all
candidates."""
RAW_SHARE = 0.3
"""Number of questions about words anywhere in pieces of other editions, as a share of the pool's size. Half of them are
about all candidates, so that they also tell pieces from paragraphs."""


def choose_questions(
    candidates: Candidates, pool_size: int, seed: int
) -> tuple[Question, ...]:
    """Choose the 20 questions that tell the candidates apart; the same inputs and seed give the same questions.

    If the words of the candidates are too few for 20 questions, questions without information are added.

    Args:
        candidates: the candidates to tell apart.
        pool_size: number of questions to choose from.
        seed: seed of all draws.
    """
    offset = np.random.default_rng(seed).random()
    draws = systematic_sample(candidates.prior, N_SAMPLED, offset)
    sample_rows, counts = np.unique(draws, return_counts=True)
    index = candidates.index
    sample = Candidates(
        index, candidates.candidate_places[sample_rows], counts / N_SAMPLED
    )
    openings = [
        index.places.held_sentences[int(place)] for place in sample.candidate_places
    ]
    # many small products: on busy cores several threads wait for each other 20 times as long
    with threadpool_limits(limits=1, user_api="blas"):
        pool = build_pool(candidates, pool_size, seed)
        rows = design(
            questions=pool,
            fits=fit_questions(pool, sample, DESIGN_VIEWS),
            prior=sample.prior,
            own_prior=candidates.prior[sample_rows],
            stakes=1.0 - sentence_points(openings),
            referees=design_referees(WRONG_BY_KIND),
        )

    questions = [pool[row] for row in rows]
    for number in range(len(questions) + 1, N_QUESTIONS + 1):
        text = f"About how many sentences has the paragraph? (question {number})"
        options = ("one or two", "three or four", "five or six", "more than six")
        questions.append(Question(text, options, FILLER))
    return tuple(questions)


def build_pool(
    candidates: Candidates,
    size: int,
    seed: int,
) -> list[Question]:
    """Make about `size` questions of all kinds for the candidates.

    Args:
        seed: seed of the draws.
    """
    generator = np.random.default_rng(seed)
    is_raw = candidates.is_raw
    pool = []
    for kind in KINDS.values():
        n = max(1, round(size * kind.share))
        pool += kind.make(candidates, n, generator, ~is_raw)
    if is_raw.any():
        n = round(size * RAW_SHARE / 2)
        pool += ANYWHERE.make(candidates, n, generator, is_raw)
        pool += ANYWHERE.make(candidates, n, generator, np.ones_like(is_raw))
    return pool


def fit_questions(
    questions: Sequence[Question],
    candidates: Candidates,
    views: tuple[View, ...] = VIEWS,
) -> FitArray:
    """Compute the (n_views, n_questions, n_candidates, 4) fits; all options of a question of unknown kind fit alike."""
    shape = (len(views), len(questions), len(candidates), len(LETTERS))
    fits = np.full(shape, 1.0 / len(LETTERS), dtype=np.float32)
    for name, kind in KINDS.items():
        rows = [row for row, question in enumerate(questions) if question.kind == name]
        if rows:
            kind_questions = [questions[row] for row in rows]
            fits[:, rows] = kind.fit(kind_questions, candidates, views)
    return fits
