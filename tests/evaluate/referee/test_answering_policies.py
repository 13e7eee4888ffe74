"""The manners that do not read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from quarry.evaluate.referee.answering_policies import Random, Semantic
from quarry.evaluate.referee.visible_context import see
from quarry.ingest.arrays import AnyFloatArray

OPTIONS = ("a", "b", "c", "d")


class ByHand:
    """Four texts and their vectors."""

    name = "by hand"
    vectors: ClassVar = {
        "The text.": [0.6, 0.8],
        "far": [-1.0, 0.0],
        "near": [0.8, 0.6],
        "nearer": [0.6, 0.8],
        "none": [1.0, 0.0],
    }

    def of_queries(self, texts: Sequence[str]) -> AnyFloatArray:
        return np.array([self.vectors[text] for text in texts])

    def of_passages(self, texts: Sequence[str]) -> AnyFloatArray:
        return self.of_queries(texts)


def test_the_semantic_one_picks_the_option_nearest_to_what_it_sees_whatever_is_asked() -> None:
    semantic, seen = Semantic(ByHand()), see("The text.")
    for question in ("Which of these words occurs?", "Which does not?"):
        assert semantic.answer(seen, 1, question, ["far", "near", "nearer", "none"]) == "C"
    assert semantic.answer(seen, 1, "Which?", ["near", "far", "near", "none"]) == "A"


def test_random_answers_are_even_and_the_same_for_the_same_seed() -> None:
    def given(seed: int) -> list[str]:
        return [Random(seed).answer(see("text"), 1, f"Question {n}?", OPTIONS) for n in range(400)]

    assert given(1) == given(1) != given(2)
    assert all(70 <= given(1).count(letter) <= 130 for letter in "ABCD")
