"""Error rates counted from logged answers."""

from __future__ import annotations

import numpy as np
import pytest

from quarry.evaluate.fit.rates import LoggedAnswer, count_answers
from quarry.player.questions.rates import learned

PRIORS = {"word": 0.06, "pair": 0.05}
A_FITS = np.array([1.0, 0.0, 0.0, 0.0])
OUT_FITS = np.array([0.0, 0.0, 0.0, 1.0])


def test_where_it_is_certain_what_fits_letters_are_counted_one_by_one() -> None:
    logged = [
        LoggedAnswer("paragraph", "word", A_FITS, "A"),
        LoggedAnswer("paragraph", "word", A_FITS, "B"),
        LoggedAnswer("paragraph", "word", A_FITS, "Not Relevant"),
        LoggedAnswer("opening", "word", OUT_FITS, "D"),
        LoggedAnswer("paragraph", "filler", OUT_FITS, "A"),
    ]
    counts = count_answers(logged, PRIORS)
    assert list(counts) == [("opening", "word"), ("paragraph", "word")]
    assert (counts["paragraph", "word"].given, counts["paragraph", "word"].wrong) == pytest.approx((2.0, 1.0))
    assert (counts["opening", "word"].given, counts["opening", "word"].wrong) == pytest.approx((1.0, 0.0))


def test_an_answer_that_a_doubtful_fit_explains_is_mostly_no_error() -> None:
    # A fits with 0.3 and D with 0.7; after the answer A, the odds of A are 0.3 * .94 to 0.7 * .02 before any rate moves
    doubtful = np.array([0.3, 0.0, 0.0, 0.7])
    wrong = count_answers([LoggedAnswer("paragraph", "word", doubtful, "A")], PRIORS)["paragraph", "word"].wrong
    assert wrong == pytest.approx(0.7 * 0.02 / (0.7 * 0.02 + 0.3 * 0.94), abs=0.02)
    assert 0.0 < wrong < 0.1


def test_rates_of_many_drawn_answers_come_back() -> None:
    generator = np.random.default_rng(0)
    logged = []
    for _ in range(4000):
        fits = generator.dirichlet(np.full(4, 0.05))
        fitting = int(generator.choice(4, p=fits))
        letter = fitting if generator.random() > 0.2 else int((fitting + generator.integers(1, 4)) % 4)
        logged.append(LoggedAnswer("passages", "word", fits, "ABCD"[letter]))
    counts = count_answers(logged, PRIORS)["passages", "word"]
    assert learned(PRIORS["word"], counts) == pytest.approx(0.2, abs=0.02)
