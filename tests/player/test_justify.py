"""The justifications: their lengths, their citations, and what they claim of the paragraph."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from evaluate.scoring import citations
from player.justify import (
    SENTENCE_WORDS,
    WORD_WORDS,
    Evidence,
    justify_sentence,
    justify_word,
    weigh_answers,
)
from player.questions.belief import NOT_RELEVANT
from player.questions.question import Question
from tests.player.fakes import paragraph

tried = settings(derandomize=True, deadline=None, database=None, max_examples=60)

CLAUSES = (
    "",
    'it has "heap" and "pivot"',
    "it has a calendar year",
    "its first sentence has none of the words named",
    'it begins with "An"',
    "it tells who did something in the past, and when",
)
option_texts = some.lists(some.text("abcdé-'", min_size=1, max_size=9), min_size=1, max_size=7).map(" ".join)
evidence_items = some.builds(
    Evidence,
    number=some.integers(1, 20),
    letter=some.sampled_from("ABCD"),
    option=option_texts,
    weight=some.floats(-5.0, 5.0),
    clause=some.sampled_from(CLAUSES),
)
evidence_lists = some.lists(evidence_items, max_size=20, unique_by=lambda item: item.number)
domains = some.lists(some.text("abcdé-'", min_size=1, max_size=9), max_size=6).map(" ".join)


@tried
@given(evidence=evidence_lists, confidence=some.floats(0.0, 1.0))
def test_the_sentences_justification_has_35_to_50_words(evidence: list[Evidence], confidence: float) -> None:
    assert 35 <= len(justify_sentence(evidence, confidence).split()) <= 50
    assert SENTENCE_WORDS == (35, 50)


@tried
@given(evidence=evidence_lists, word=some.text("abcdé-'", min_size=1, max_size=12), domain=domains)
def test_the_words_justification_has_20_to_30_words(evidence: list[Evidence], word: str, domain: str) -> None:
    text = justify_word(evidence, word, domain)
    assert 20 <= len(text.split()) <= 30
    assert word in text.split()
    assert WORD_WORDS == (20, 30)


@tried
@given(evidence=evidence_lists, confidence=some.floats(0.0, 1.0), domain=domains)
def test_every_citation_names_an_answer_that_was_given(
    evidence: list[Evidence], confidence: float, domain: str
) -> None:
    given_answers = {item.number: {item.letter} for item in evidence}
    sentence, word = justify_sentence(evidence, confidence), justify_word(evidence, "idea", domain)
    for text, wanted in ((sentence, 3), (word, 2)):
        cited = citations(text)
        assert len(cited) == min(wanted, len(evidence))
        assert len(re.findall("question ", text)) == len(cited)
        assert all(given_answers[number] == letters for number, letters in cited.items())


@tried
@given(evidence=evidence_lists, confidence=some.floats(0.0, 1.0))
def test_a_justification_is_whole_sentences(evidence: list[Evidence], confidence: float) -> None:
    for text in (justify_sentence(evidence, confidence), justify_word(evidence, "idea", "color")):
        assert text.endswith(".")
        assert ".." not in text


def test_the_most_telling_answers_are_cited_first_by_what_they_say() -> None:
    evidence = [
        Evidence(7, "B", "pivot", 1.5, 'it has "pivot"'),
        Evidence(2, "A", "merge", 1.0, "it has a colon"),
        Evidence(9, "D", "none of these words", 0.1),
    ]
    text = justify_sentence([*evidence, Evidence(11, "C", "heap", -1.0)], 0.873)
    assert text.startswith(
        'The answers point to this paragraph: it has "pivot" (question 7, answer B), '
        'it has a colon (question 2, answer A) and question 9 (answer D: "none of these words").'
    )
    assert "87% of the belief" in text
    assert justify_word(evidence, "quicksilver", "the colors").startswith(
        "The word quicksilver belongs to the colors and"
    )


def test_answers_that_do_not_speak_for_the_paragraph_are_not_said_to_point_to_it() -> None:
    found = justify_sentence([Evidence(7, "B", "pivot", -0.5)], 0.3)
    assert found.startswith("The answers hardly speak for this paragraph: ")


def test_without_an_answer_the_justification_says_so() -> None:
    assert justify_sentence([], 0.1).startswith("No usable answer came back, so the hint alone decides here.")


HEAP = paragraph("b:1:1", "A heap keeps the smallest key on top. Trees, however, sort: slowly.")
QUESTIONS = [Question(f"Which? {n}", ("one", "two", "three", "none"), "word", frozenset({str(n)})) for n in range(4)]
RIGHT, WRONG = np.log2(0.9), np.log2(0.1 / 3)
SUPPORT = np.array([[RIGHT, WRONG], [RIGHT, RIGHT], [WRONG, RIGHT], [WRONG, WRONG]])
EVEN = np.array([0.5, 0.5])


def test_answers_are_weighed_by_the_bits_they_give_the_guessed_paragraph() -> None:
    # two paragraphs, equally likely; the first answer fits the first alone, the second both, the third the other
    found = weigh_answers(0, HEAP, EVEN, QUESTIONS, SUPPORT, ["A", "A", "A", "D"])
    average = (0.9 + 0.1 / 3) / 2
    assert [(item.number, item.letter, item.option) for item in found] == [
        (1, "A", "one"),
        (2, "A", "one"),
        (4, "D", "none"),
        (3, "A", "one"),
    ]
    bits = [np.log2(0.9 / average), 0.0, 0.0, np.log2(0.1 / 3 / average)]
    assert [item.weight for item in found] == pytest.approx(bits, abs=1e-9)


def test_declined_and_missing_answers_are_no_evidence() -> None:
    found = weigh_answers(0, HEAP, EVEN, QUESTIONS, SUPPORT, [NOT_RELEVANT, None, "B", None])
    assert [item.number for item in found] == [3]


LISTS = ("key or tree", "heap, sort or Trees", "graph or pivot", "None of these words")


@pytest.mark.parametrize(
    ("kind", "options", "answer", "clause"),
    [
        ("words", LISTS, "A", 'it has "key"'),
        ("words", LISTS, "B", 'it has "heap" and "sort"'),
        ("words", LISTS, "C", ""),  # the referee erred: nothing of it is there to be cited
        ("word", LISTS, "D", "it has none of the words named"),
        ("opening", LISTS, "B", 'its first sentence has "heap"'),
        ("opening", LISTS, "D", "its first sentence has none of the words named"),
        ("beginning", ("A or The", "In", "On", "another word"), "A", "it begins with one of the words named"),
        ("feature", ("a colon", "digits", "a year", "None of these"), "A", "it has a colon"),
        ("subject", ("a, b, c", "d, e, f / g, h, i", "j, k", "None"), "B", 'its subject is near "d, e"'),
        ("purpose", ("it compares things", "it proves", "it tells", "else"), "A", "it compares things"),
        ("filler", ("one", "two", "three", "more"), "A", ""),
    ],
)
def test_a_clause_says_what_the_answer_found_in_the_paragraph(
    kind: str, options: tuple[str, str, str, str], answer: str, clause: str
) -> None:
    question = Question("Which?", options, kind, frozenset({"it"}))
    found = weigh_answers(0, HEAP, EVEN, [question], np.array([[RIGHT, WRONG]]), [answer])
    assert [item.clause for item in found] == [clause]


@pytest.mark.parametrize(
    ("answer", "clause"),
    [
        ("A", 'it has both "heap" and "tree"'),
        ("B", 'it has "heap" but not "tree"'),
        ("C", 'it has "tree" but not "heap"'),
        ("D", 'it has neither "heap" nor "tree"'),
    ],
)
def test_a_pair_is_said_in_full(answer: str, clause: str) -> None:
    question = Question("Do?", ("both", "one", "other", "none"), "pair", frozenset({"it"}), (("heap",), ("tree",)))
    found = weigh_answers(0, HEAP, EVEN, [question], np.array([[RIGHT, WRONG]]), [answer])
    assert [item.clause for item in found] == [clause]


def test_an_answer_that_speaks_against_the_paragraph_is_not_said_to_be_found_in_it() -> None:
    question = Question("Which?", LISTS, "words", frozenset({"it"}))
    found = weigh_answers(0, HEAP, EVEN, [question], np.array([[WRONG, RIGHT]]), ["A"])
    assert [item.clause for item in found] == [""]
