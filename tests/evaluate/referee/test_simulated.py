"""What simulated referees see, how they answer, and which answers are replaced or left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pytest

from evaluate.referee.reading import answer_by_reading
from evaluate.referee.simulated import (
    CharacterEncoder,
    SimulatedReferee,
    Tools,
    look,
)
from evaluate.referee.spec import Posed, RefereeSpec, Secret
from ingest.arrays import AnyFloatArray
from player.questions.answer import NOT_RELEVANT

SECRET = Secret("A paragraph.", "A paragraph.")
OPTIONS = ("a", "b", "c", "d")


def posed(n: int) -> list[Posed]:
    return [(f"question {number}", OPTIONS) for number in range(n)]


def test_noise_replaces_the_shares_it_was_told_to() -> None:
    spec = RefereeSpec("", "nothing", "constant:B", 0.3, 0.1, 6000)
    referee = SimulatedReferee(spec, 7)
    counts = Counter(referee.answers(SECRET, posed(6000)))
    assert counts["B"] / 6000 == pytest.approx(0.6, abs=0.03)
    assert counts[NOT_RELEVANT] / 6000 == pytest.approx(0.1, abs=0.02)
    for letter in "ACD":
        assert counts[letter] / 6000 == pytest.approx(0.1, abs=0.02)


def test_noise_depends_on_the_question_and_the_seed_but_not_on_its_number() -> None:
    def answers(seed: int, order: Sequence[Posed]) -> dict[str, str | None]:
        spec = RefereeSpec("", "nothing", "constant:B", 0.4, 0.2, len(order))
        referee = SimulatedReferee(spec, seed)
        texts = [question for question, _ in order]
        return dict(zip(texts, referee.answers(SECRET, order), strict=True))

    questions = posed(40)
    assert answers(1, questions) == answers(1, questions[::-1] + questions)
    assert answers(1, questions) != answers(2, questions)


class ByHand(CharacterEncoder):
    """Four texts and their vectors."""

    vectors: ClassVar = {
        "The text.": [0.6, 0.8],
        "far": [-1.0, 0.0],
        "near": [0.8, 0.6],
        "nearer": [0.6, 0.8],
        "none": [1.0, 0.0],
    }

    def embed_queries(self, texts: Sequence[str]) -> AnyFloatArray:
        return np.array([self.vectors[text] for text in texts])

    def embed_passages(self, texts: Sequence[str]) -> AnyFloatArray:
        return self.embed_queries(texts)


def test_the_semantic_one_picks_the_option_nearest_to_what_it_sees_whatever_is_asked() -> (
    None
):
    tools = Tools()
    tools.encoder = ByHand()
    referee = SimulatedReferee(RefereeSpec(policy="semantic"), tools=tools)
    secret = Secret("The text.", "")
    options = ("far", "near", "nearer", "none")
    asked = [("Which occurs?", options), ("Which does not?", options)]
    asked.append(("Which?", ("near", "far", "near", "none")))
    assert referee.answers(secret, asked) == ["C", "C", "A"]


CLIMBER = Secret(
    "Dr. Ada climbs the wall. Then she rests; the wall is cold.",
    "Dr. Ada climbs the wall.",
    "Mountains",
    "someone goes upwards",
)
PASSAGES = ("Glaciers melt. Snow falls.", "Ropes hold 3 climbers.")
WORDS = ("rests", "glaciers", "someone", "None of these words")


def read(view: str, question: str, *options: str) -> str:
    seen = look(
        view, CLIMBER, question, lambda text: PASSAGES if "retrieve" in text else ()
    )
    return answer_by_reading(seen, question, options)


@pytest.mark.parametrize(
    ("view", "answer"),
    [
        ("paragraph", "A"),
        ("opening", "D"),
        ("passages", "B"),
        ("name", "C"),
        ("nothing", "D"),
    ],
)
def test_a_word_occurs_where_it_is_seen(view: str, answer: str) -> None:
    question = "Which of these words, retrieve them, occurs in the paragraph?"
    assert read(view, question, *WORDS) == answer


@pytest.mark.parametrize("view", ["opening", "passages"])
def test_the_opening_sentence_is_the_labelled_one_wherever_a_reader_would_cut_it(
    view: str,
) -> None:
    where = "retrieve them, occurs in the first sentence of the paragraph?"
    words = ("rests", "glaciers", "wall", "None of these words")
    assert read(view, f"Which of these words, {where}", *words) == "C"
    begins = ("Snow", "Glaciers", "Dr", "another word")
    assert read(view, "With which word does the paragraph begin?", *begins) == "C"
