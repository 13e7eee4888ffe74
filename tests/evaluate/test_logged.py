"""Error rates counted from logged answers, and the command that writes them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from evaluate.__main__ import main
from evaluate.logged import LoggedAnswer, count_answers
from player.questions.rates import Rates, learned

PRIORS = {"word": Rates(0.06, 0.04), "pair": Rates(0.05, 0.03)}
A_FITS = np.array([1.0, 0.0, 0.0, 0.0])
OUT_FITS = np.array([0.0, 0.0, 0.0, 1.0])


def test_where_it_is_certain_what_fits_answers_are_counted_one_by_one() -> None:
    logged = [
        LoggedAnswer("word", A_FITS, "A"),
        LoggedAnswer("word", A_FITS, "B"),
        LoggedAnswer("word", A_FITS, "Not Relevant"),
        LoggedAnswer("word", OUT_FITS, "D"),
        LoggedAnswer("word", OUT_FITS, "Not Relevant"),
        LoggedAnswer("filler", OUT_FITS, "A"),
    ]
    counts = count_answers(logged, PRIORS)
    assert list(counts) == ["word"]
    found = counts["word"]
    assert (found.asked, found.declined, found.wrong) == pytest.approx((5.0, 2.0, 1.0))


def test_an_answer_that_a_doubtful_fit_explains_is_mostly_no_error() -> None:
    # A fits with 0.3 and D with 0.7; after the answer A, the odds of A are 0.3 * .94 to 0.7 * .02 before any rate moves
    doubtful = np.array([0.3, 0.0, 0.0, 0.7])
    wrong = count_answers([LoggedAnswer("word", doubtful, "A")], PRIORS)["word"].wrong
    at_prior = 0.7 * 0.02 * 0.94 / (0.7 * 0.02 * 0.94 + 0.3 * 0.94 * 0.96)
    assert wrong == pytest.approx(at_prior, abs=0.02)
    assert 0.0 < wrong < 0.1


def test_rates_of_many_drawn_answers_come_back() -> None:
    generator = np.random.default_rng(0)
    logged = []
    for _ in range(4000):
        fits = generator.dirichlet(np.full(4, 0.05))
        fitting = int(generator.choice(4, p=fits))
        letter = fitting if generator.random() > 0.2 else int((fitting + generator.integers(1, 4)) % 4)
        declined = generator.random() < 0.1
        logged.append(LoggedAnswer("word", fits, "Not Relevant" if declined else "ABCD"[letter]))
    found = learned(PRIORS["word"], count_answers(logged, PRIORS)["word"])
    assert found.wrong == pytest.approx(0.2, abs=0.02)
    assert found.not_relevant == pytest.approx(0.1, abs=0.02)


def test_answers_to_no_batch_are_refused_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({"game_id": "nobody's", "answers": []}), encoding="utf-8")
    batches = tmp_path / "batches.jsonl"
    batches.write_text("", encoding="utf-8")
    arguments = ["--games", str(tmp_path / "games.jsonl"), "--batches", str(batches), "--answers", str(answers)]
    assert main(["rates", *arguments, "--out", str(tmp_path / "rates.yaml")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "game_id must be that of a batch" in said
    assert not (tmp_path / "rates.yaml").exists()
