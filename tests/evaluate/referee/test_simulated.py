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
    answering_policy,
    look,
)
from evaluate.referee.spec import Posed, RefereeSpec, Secret
from evaluate.referee.text import visible_context
from ingest.arrays import AnyFloatArray
from player.questions.answer import NOT_RELEVANT

SECRET = Secret("A paragraph.", "A paragraph.")
OPTIONS = ("a", "b", "c", "d")


def posed(n: int) -> list[Posed]:
    return [(f"question {number}", OPTIONS) for number in range(n)]


def test_noise_replaces_the_shares_it_was_told_to() -> None:
    referee = SimulatedReferee(
        RefereeSpec("", "nothing", "constant:B", 0.3, 0.1, 6000), 7
    )
    counts = Counter(referee.answers(SECRET, posed(6000)))
    assert counts["B"] / 6000 == pytest.approx(0.6, abs=0.03)
    assert counts[NOT_RELEVANT] / 6000 == pytest.approx(0.1, abs=0.02)
    for letter in "ACD":
        assert counts[letter] / 6000 == pytest.approx(0.1, abs=0.02)


def test_noise_depends_on_the_question_and_the_seed_but_not_on_its_number() -> None:
    def answers(seed: int, order: Sequence[Posed]) -> dict[str, str | None]:
        referee = SimulatedReferee(
            RefereeSpec("", "nothing", "constant:B", 0.4, 0.2, len(order)), seed
        )
        return {
            question: answer
            for (question, _), answer in zip(
                order, referee.answers(SECRET, order), strict=True
            )
        }

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
    semantic, seen = (
        answering_policy("semantic", 0, tools),
        visible_context("The text."),
    )
    for question in ("Which of these words occurs?", "Which does not?"):
        assert semantic(seen, 1, question, ("far", "near", "nearer", "none")) == "C"
    assert semantic(seen, 1, "Which?", ("near", "far", "near", "none")) == "A"


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
    assert (
        read(
            view,
            "Which of these words, retrieve them, occurs in the paragraph?",
            *WORDS,
        )
        == answer
    )


@pytest.mark.parametrize("view", ["opening", "passages"])
def test_the_opening_sentence_is_the_labelled_one_wherever_a_reader_would_cut_it(
    view: str,
) -> None:
    question = "Which of these words, retrieve them, occurs in the first sentence of the paragraph?"

    assert (
        read(view, question, "rests", "glaciers", "wall", "None of these words") == "C"
    )
    assert (
        read(
            view,
            "With which word does the paragraph begin?",
            "Snow",
            "Glaciers",
            "Dr",
            "another word",
        )
        == "C"
    )


def test_a_reader_of_the_whole_paragraph_knows_where_its_first_sentence_ends() -> None:
    secret = Secret("People v. Ada is a case. It was lost.", "People v. Ada is a case.")
    options = ("lost", "case", "won", "None of these words")
    question = "Which of these words does the first sentence of the paragraph contain?"
    for text in (secret, Secret(secret.paragraph, "A sentence that stands elsewhere.")):
        seen = look("paragraph", text, question, lambda text: ())
        assert answer_by_reading(seen, question, options) == (
            "B" if text is secret else "D"
        )
