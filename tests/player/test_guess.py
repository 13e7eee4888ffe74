"""The guess: lengths of the justifications, true citations, and a word that is not in the paragraph."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from ingest.paragraph import Paragraph
from player.guess import (
    SENTENCE_WORDS,
    WORD_WORDS,
    Evidence,
    associative_words,
    justify_sentence,
    justify_word,
    make_guess,
    weigh_answers,
)
from player.questions.belief import NOT_RELEVANT
from player.questions.question import Question
from player.words import stems, words
from tests.player.fakes import FixedEmbedder, WordsEmbedder, paragraph

tried = settings(derandomize=True, deadline=None, database=None, max_examples=60)

option_texts = some.lists(some.text("abcdé-'", min_size=1, max_size=9), min_size=1, max_size=7).map(" ".join)
evidence_items = some.builds(
    Evidence,
    number=some.integers(1, 20),
    letter=some.sampled_from("ABCD"),
    option=option_texts,
    weight=some.floats(-5.0, 5.0),
)
evidence_lists = some.lists(evidence_items, max_size=20, unique_by=lambda item: item.number)
domains = some.lists(some.text("abcdé-'", min_size=1, max_size=9), max_size=6).map(" ".join)
CITATION = re.compile(r"question (\d+) \(answer ([ABCD])(?:: \"([^\"]*)\")?\)")


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
    given_answers = {(item.number, item.letter): item.option for item in evidence}
    sentence, word = justify_sentence(evidence, confidence), justify_word(evidence, "idea", domain)
    for text, wanted in ((sentence, 3), (word, 2)):
        cited = CITATION.findall(text)
        assert len(cited) == min(wanted, len(evidence))
        assert len(re.findall("question", text)) - len(re.findall("questions", text)) == len(cited)
        for number, letter, option in cited:
            assert given_answers[int(number), letter].startswith(option)


@tried
@given(evidence=evidence_lists, confidence=some.floats(0.0, 1.0))
def test_a_justification_is_whole_sentences(evidence: list[Evidence], confidence: float) -> None:
    for text in (justify_sentence(evidence, confidence), justify_word(evidence, "idea", "color")):
        assert text.endswith(".")
        assert ".." not in text


def test_the_most_telling_answers_are_cited_first() -> None:
    evidence = [
        Evidence(7, "B", "pivot", 1.5),
        Evidence(2, "A", "merge", 1.0),
        Evidence(9, "D", "none of these words", 0.1),
    ]
    text = justify_sentence([*evidence, Evidence(11, "C", "heap", -1.0)], 0.873)
    assert text.startswith(
        'What decided it: question 7 (answer B: "pivot"), question 2 (answer A: "merge") and '
        'question 9 (answer D: "none of these words").'
    )
    assert "87% of the belief" in text
    assert justify_word(evidence, "quicksilver", "the colors").startswith(
        "The word quicksilver belongs to the colors and"
    )


def test_answers_that_do_not_speak_for_the_paragraph_are_not_said_to_decide() -> None:
    assert justify_sentence([Evidence(7, "B", "pivot", -0.5)], 0.3).startswith("The answers hardly speak for it: ")


def test_without_an_answer_the_justification_says_so() -> None:
    assert justify_sentence([], 0.1).startswith("No usable answer came back, so the hint alone decides here.")


QUESTIONS = [Question(f"Which? {n}", ("one", "two", "three", "none"), "word", frozenset({str(n)})) for n in range(4)]
RIGHT, WRONG = np.log2(0.9), np.log2(0.1 / 3)
SUPPORT = np.array([[RIGHT, WRONG], [RIGHT, RIGHT], [WRONG, RIGHT], [WRONG, WRONG]])
EVEN = np.array([0.5, 0.5])


def test_answers_are_weighed_by_the_bits_they_give_the_guessed_paragraph() -> None:
    # two paragraphs, equally likely; the first answer fits the first alone, the second both, the third the other
    found = weigh_answers(0, EVEN, QUESTIONS, SUPPORT, ["A", "A", "A", "D"])
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
    found = weigh_answers(0, EVEN, QUESTIONS, SUPPORT, [NOT_RELEVANT, None, "B", None])
    assert [item.number for item in found] == [3]


def near(text: str, own: str, *others: str, domain: str = "") -> list[str]:
    paragraphs = [paragraph(f"b:1:{row}", other) for row, other in enumerate(others, 2)]
    return list(associative_words(paragraph("b:1:1", own), paragraphs, domain, WordsEmbedder()))


def test_the_nearest_word_to_domain_and_paragraph_comes_first() -> None:
    embedder = FixedEmbedder(
        {
            "plants": [1.0, 0.0],
            "Own text.": [0.0, 1.0],
            "garden": [0.8, 0.6],
            "engine": [0.0, -1.0],
            "meadow": [0.6, 0.0],
        }
    )
    found = associative_words(
        paragraph("b:1:1", "Own text."), [paragraph("b:1:2", "Engine meadow garden.")], "plants", embedder
    )
    assert list(found)[:3] == ["garden", "meadow", "engine"]


@tried
@given(data=some.data())
def test_no_associative_word_stands_in_the_paragraph_or_names_the_domain(data: Any) -> None:
    vocabulary = [
        "sorting",
        "sorted",
        "merge",
        "merging",
        "color",
        "colors",
        "computer",
        "science",
        "idea",
        "ideas",
        "the",
        "a",
    ]
    texts = some.lists(some.sampled_from(vocabulary), max_size=8).map(" ".join)
    own, domain = data.draw(texts.filter(bool)), data.draw(texts)
    found = near("", own, *data.draw(some.lists(texts, max_size=3)), domain=domain)
    assert found
    for word in found:
        assert not set(stems(word)) & set(stems(f"{own} {domain}")), word


@pytest.mark.parametrize("domain", ["", "computer science", "???", "the", "C++"])
def test_there_is_a_word_even_without_neighbours(domain: str) -> None:
    (word, *_) = near("", "A computer does science with an idea.", domain=domain)
    assert words(word) == [word]
    assert word not in {"computer", "science", "idea"}


def test_a_guess_carries_the_opening_sentence_word_and_confidence() -> None:
    right: Paragraph = paragraph("b:1:1", "Merge sorts. It is stable.")
    guess = make_guess(right, [Evidence(3, "A", "stable", 1.0)], "color", 0.75, ["crimson", "scarlet"])
    assert guess.opening_sentence == "Merge sorts."
    assert (guess.associative_word, guess.confidence) == ("crimson", 0.75)
    assert "question 3 (answer A" in guess.sentence_justification
    assert "The word crimson belongs to color" in guess.word_justification
