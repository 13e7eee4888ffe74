"""Views and answers of simulated referees, and the shares of answers that are replaced."""

from collections import Counter

import pytest

from evaluate.referee.protocol import Posed, Secret
from evaluate.referee.simulated import SimulatedReferee, select_visible_part
from evaluate.referee.spec import RefereeSpec
from evaluate.referee.wording import answer_by_wording
from player.answer import NOT_RELEVANT

SECRET = Secret("A paragraph.", "A paragraph.")
OPTIONS = ("a", "b", "c", "d")


def posed(n: int) -> list[Posed]:
    return [(f"question {number}", OPTIONS) for number in range(n)]


def test_noise_replaces_the_shares_it_was_told_to() -> None:
    spec = RefereeSpec("", "nothing", "constant:B", 0.3, 0.1, 6000)
    counts = Counter(SimulatedReferee(spec, 7).answers(SECRET, posed(6000)))
    assert counts["B"] == pytest.approx(3600, abs=180)
    for answer in ("A", "C", "D", NOT_RELEVANT):
        assert counts[answer] == pytest.approx(600, abs=120)


def test_noise_depends_on_the_question_and_the_seed_but_not_on_its_number() -> None:
    questions = posed(20)
    spec = RefereeSpec("", "nothing", "constant:B", 0.4, 0.2)
    referee, other = SimulatedReferee(spec, 1), SimulatedReferee(spec, 2)
    answers = referee.answers(SECRET, questions)
    assert referee.answers(SECRET, questions[::-1]) == answers[::-1]
    assert other.answers(SECRET, questions) != answers


CLIMBER = Secret(
    "Dr. Ada climbs the wall. Then she rests; the wall is cold.",
    "Dr. Ada climbs the wall.",
    "Mountains",
    "someone goes upwards",
)
PARAGRAPHS = ("Glaciers melt. Snow falls.", "Ropes hold 3 climbers.")
WORDS = ("rests", "glaciers", "someone", "None of these words")


def read(
    view: str,
    question: str,
    *options: str,
) -> str:
    def retrieve(text: str) -> tuple[str, ...]:
        return PARAGRAPHS if "retrieve" in text else ()

    seen = select_visible_part(view, CLIMBER, question, retrieve)
    return answer_by_wording(seen, question, options)


def test_a_word_occurs_where_it_is_seen() -> None:
    question = "Which of these words, retrieve them, occurs in the paragraph?"
    assert read("paragraph", question, *WORDS) == "A"
    assert read("opening", question, *WORDS) == "D"
    assert read("passages", question, *WORDS) == "B"
    assert read("name", question, *WORDS) == "C"
    assert read("nothing", question, *WORDS) == "D"


def test_the_opening_sentence_is_the_labelled_one_however_a_reader_cuts_it() -> None:
    where = "retrieve them, occurs in the first sentence of the paragraph?"
    words = ("rests", "glaciers", "wall", "None of these words")
    begins = ("Snow", "Glaciers", "Dr", "another word")
    for view in ("opening", "passages"):
        assert read(view, f"Which of these words, {where}", *words) == "C"
        assert read(view, "With which word does the paragraph begin?", *begins) == "C"
