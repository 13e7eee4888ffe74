"""How much of the secret paragraph each view shows."""

from __future__ import annotations

import pytest

from quarry.evaluate.referee.reading import Reading
from quarry.evaluate.referee.types import Secret
from quarry.evaluate.referee.views import VIEWS
from quarry.player.questions.answer import NOT_RELEVANT

SECRET = Secret(
    "Dr. Ada climbs the wall. Then she rests; the wall is cold.",
    "Dr. Ada climbs the wall.",
    "Mountains",
    "someone goes upwards",
)
PASSAGES = ("Glaciers melt. Snow falls.", "Ropes hold 3 climbers.")
WORDS = ("rests", "glaciers", "someone", "None of these words")


def read(view: str, question: str, *options: str) -> str:
    seen = VIEWS[view].look(SECRET, question, lambda text: PASSAGES if "retrieve" in text else ())
    return Reading().answer(seen, 1, question, options)


@pytest.mark.parametrize(
    ("view", "answer"), [("paragraph", "A"), ("opening", "D"), ("passages", "B"), ("name", "C"), ("nothing", "D")]
)
def test_a_word_occurs_where_it_is_seen(view: str, answer: str) -> None:
    assert read(view, "Which of these words, retrieve them, occurs in the paragraph?", *WORDS) == answer


@pytest.mark.parametrize("view", ["opening", "passages"])
def test_the_opening_sentence_is_the_labelled_one_wherever_a_reader_would_cut_it(view: str) -> None:
    question = "Which of these words, retrieve them, occurs in the first sentence of the paragraph?"
    assert read(view, question, "rests", "glaciers", "wall", "None of these words") == "C"
    assert read(view, "With which word does the paragraph begin?", "Snow", "Glaciers", "Dr", "another word") == "C"


def test_passages_come_by_the_text_of_the_question() -> None:
    assert read("passages", "Which of these words occurs in the paragraph?", *WORDS) == "D"


def test_what_is_said_after_the_opening_sentence_are_the_passages() -> None:
    options = ("the first sentence", "a later sentence", "both", "nowhere")
    assert read("passages", 'Where does the word "snow" (retrieve) occur?', *options) in ("B", NOT_RELEVANT)
    seen = VIEWS["passages"].look(SECRET, "retrieve", lambda text: PASSAGES)
    assert seen.sentences == ("Dr. Ada climbs the wall.", "Glaciers melt.", "Snow falls.", "Ropes hold 3 climbers.")
    assert VIEWS["opening"].look(SECRET, "", lambda text: PASSAGES).sentences == ("Dr. Ada climbs the wall.",)


def test_a_reader_of_the_whole_paragraph_knows_where_its_first_sentence_ends() -> None:
    secret = Secret("People v. Ada is a case. It was lost.", "People v. Ada is a case.")
    options = ("lost", "case", "won", "None of these words")
    question = "Which of these words does the first sentence of the paragraph contain?"
    for text in (secret, Secret(secret.paragraph, "A sentence that stands elsewhere.")):
        seen = VIEWS["paragraph"].look(text, question, lambda text: ())
        assert Reading().answer(seen, 1, question, options) == ("B" if text is secret else "D")
