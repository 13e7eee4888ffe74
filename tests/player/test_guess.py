"""The guess, and a word that is not in the paragraph."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from ingest.paragraph import Paragraph
from player.guess import associative_words, make_guess
from player.justify import Evidence
from player.words import stems, words
from tests.player.fakes import FixedEmbedder, WordsEmbedder, paragraph

tried = settings(derandomize=True, deadline=None, database=None, max_examples=60)


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
    guess = make_guess(right, [Evidence(3, "A", 1.0)], "color", 0.75, ["crimson", "scarlet"])
    assert guess.opening_sentence == "Merge sorts."
    assert (guess.associative_word, guess.confidence) == ("crimson", 0.75)
    assert "question 3 (answer A" in guess.sentence_justification
    assert 'The domain "color" suggests the word crimson' in guess.word_justification
