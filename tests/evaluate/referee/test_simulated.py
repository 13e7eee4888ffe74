"""Answers that are replaced or left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from quarry.evaluate.referee.answering_policies import Key
from quarry.evaluate.referee.simulated import SimulatedReferee
from quarry.evaluate.referee.types import Posed, Secret
from quarry.player.questions.answer import NOT_RELEVANT

SECRET = Secret("A paragraph.", "A paragraph.")
OPTIONS = ("a", "b", "c", "d")


def posed(n: int) -> list[Posed]:
    return [(f"question {number}", OPTIONS) for number in range(n)]


def test_noise_replaces_the_shares_it_was_told_to() -> None:
    referee = SimulatedReferee(Key("B"), wrong=0.3, declined=0.1, n_answers=6000, seed=7)
    counts = Counter(referee.answers(SECRET, posed(6000)))
    assert counts["B"] / 6000 == pytest.approx(0.6, abs=0.03)
    assert counts[NOT_RELEVANT] / 6000 == pytest.approx(0.1, abs=0.02)
    for letter in "ACD":
        assert counts[letter] / 6000 == pytest.approx(0.1, abs=0.02)


def test_noise_depends_on_the_question_and_the_seed_but_not_on_its_number() -> None:
    def answers(seed: int, order: Sequence[Posed]) -> dict[str, str | None]:
        referee = SimulatedReferee(Key("B"), wrong=0.4, declined=0.2, n_answers=len(order), seed=seed)
        return {question: answer for (question, _), answer in zip(order, referee.answers(SECRET, order), strict=True)}

    questions = posed(40)
    assert answers(1, questions) == answers(1, questions[::-1] + questions)
    assert answers(1, questions) != answers(2, questions)
