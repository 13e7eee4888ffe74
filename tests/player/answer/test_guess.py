"""The guess, and a word that is not in the paragraph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from ingest.paragraph import Paragraph
from player.answer.associations import load_associations
from player.answer.guess import associative_words, expected_scores, make_guess
from player.answer.justify import Evidence
from player.questions.language import is_hebrew
from player.words import stems, words
from tests.contracts.paragraphs import paragraph

tried = settings(derandomize=True, deadline=None, database=None, max_examples=60)


def guessed(own: str, domain: str = "", hint: str = "") -> list[str]:
    return associative_words(paragraph("b:1:1", own), domain, hint)


def test_a_word_of_the_domain_comes_first() -> None:
    found = guessed(
        "A heap keeps the smallest key on top.",
        "gambling",
        "luck decides how deep it goes",
    )
    named = load_associations().named("gambling")
    words_named = {
        word
        for word, share in zip(load_associations().words, named, strict=True)
        if share > -6.0
    }
    assert set(found[:5]) & words_named


@tried
@given(data=some.data())
def test_no_associative_word_stands_in_the_paragraph_or_names_the_domain(
    data: Any,
) -> None:
    vocabulary = [
        "sorting",
        "sorted",
        "merge",
        "casino",
        "dice",
        "color",
        "computer",
        "science",
        "idea",
        "ideas",
        "a",
    ]
    texts = some.lists(some.sampled_from(vocabulary), max_size=8).map(" ".join)
    own, domain = data.draw(texts.filter(bool)), data.draw(texts)
    found = guessed(own, domain, data.draw(texts))
    assert found
    assert len(found) == len(set(found))
    for word in found:
        assert not set(stems(word)) & set(stems(f"{own} {domain}")), word


@pytest.mark.parametrize(
    "domain", ["", "computer science", "???", "the", "C++", "москва", "דת"]
)
def test_there_is_always_a_word_in_lower_case(domain: str) -> None:
    (word, *_) = guessed("A computer does science with an idea.", domain)
    assert words(word) == [word]
    assert word not in {"computer", "science", "idea"}


def test_a_hebrew_domain_gets_a_hebrew_word_that_is_not_in_the_paragraph() -> None:
    found = guessed("הרבי אמר תפילה קצרה.", "דת")
    assert all(map(is_hebrew, found))
    assert "תפילה" not in found
    assert "תפילה" in guessed("ערימה שומרת את המפתח הקטן.", "דת")[:20]


def test_the_word_that_is_like_many_likely_ones_is_worth_more_than_a_slightly_likelier_loner() -> (
    None
):
    likeness = np.array(
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.9], [0.0, 0.9, 1.0]], dtype=np.float32
    )
    shares = np.array([0.35, 0.34, 0.31], dtype=np.float32)
    worth = expected_scores(shares, likeness)
    assert worth == pytest.approx(
        [
            0.35,
            0.6 * 0.34 + 0.4 * (0.34 + 0.9 * 0.31),
            0.6 * 0.31 + 0.4 * (0.31 + 0.9 * 0.34),
        ]
    )
    assert np.argmax(worth) == 1


def test_a_guess_carries_the_opening_sentence_word_and_confidence() -> None:
    right: Paragraph = paragraph("b:1:1", "Merge sorts. It is stable.")
    guess = make_guess(
        right, [Evidence(3, "A", 1.0)], "color", 0.75, ["crimson", "scarlet"]
    )
    assert guess.opening_sentence == "Merge sorts."
    assert (guess.associative_word, guess.confidence) == ("crimson", 0.75)
    assert "question 3 (answer A" in guess.sentence_justification
    assert 'The domain "color" suggests the word crimson' in guess.word_justification
