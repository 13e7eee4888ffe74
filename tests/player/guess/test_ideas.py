"""Norms with ideas: their file, the nearest domains, and what decides between their words."""

from collections.abc import Sequence

import numpy as np
import pytest

from player.guess.ideas import Meanings, load_ideas, near_ideas, word_shares
from player.guess.word import associative_words
from quarry.arrays import Float32Array
from quarry.languages.words import stems, words
from tests.contracts.paragraphs import paragraph

TEXT = "What is sent out comes back after some time and disturbs the next message."


class Embedder:
    """Embeds texts that say "delayed" or "comes back" along the first axis, and others along the second."""

    def __init__(self) -> None:
        self.counts: list[int] = []

    def __call__(self, texts: Sequence[str]) -> Float32Array:
        self.counts.append(len(texts))
        axes = []
        for text in texts:
            is_late = "delayed" in text or "comes back" in text
            axes.append(0 if is_late else 1)
        vectors: Float32Array = np.eye(2, dtype=np.float32)[axes]
        return vectors


def guesses(meanings: Meanings | None = None) -> list[str]:
    return associative_words(paragraph("b:1:1", TEXT), "acoustics", "", meanings)


def test_the_file_has_five_hundred_domains_with_ideas_in_both_languages() -> None:
    domains, names = load_ideas()
    assert len(domains) >= 500
    assert set(names.values()) == set(domains)
    for ideas in domains.values():
        assert len(ideas) >= 25
        for idea in ideas:
            assert words(idea.hebrew)
            assert words(idea.idea)


def test_a_domain_is_found_by_its_name_in_either_language_and_by_nearness() -> None:
    animal = near_ideas("animal")[0]
    assert animal.nearness == 1.0
    assert near_ideas("Animals")[0] == near_ideas("חיות")[0] == animal
    near = near_ideas("theatre")[0]
    assert near.word == load_ideas()[0]["theater"][0].word
    assert near.nearness < 1.0
    assert near_ideas("") == near_ideas("???") == ()


def test_the_idea_of_the_paragraph_decides_between_words() -> None:
    best = stems(guesses(Meanings(Embedder()))[0])
    for idea in near_ideas("acoustics"):
        if stems(idea.word) == best:
            break
    assert "delayed" in idea.idea
    assert stems(guesses()[0]) != best


def test_words_with_and_without_ideas_are_one_distribution() -> None:
    meanings = Meanings(Embedder())
    shares = word_shares("acoustics", "", TEXT, lambda word: True, meanings)
    assert sum(shares.values()) == pytest.approx(1.0, abs=1e-4)
    assert len(shares) > len(near_ideas("acoustics"))


def test_phrases_are_embedded_once_a_domain() -> None:
    embedder = Embedder()
    meanings = Meanings(embedder)
    for _ in range(2):
        meanings.compare("acoustics", "", TEXT)
    n_phrases = len(near_ideas("acoustics"))
    assert embedder.counts == [3, n_phrases, 3]


def test_a_network_that_fails_leaves_the_order_by_typicality() -> None:
    def fail(texts: Sequence[str]) -> Float32Array:
        raise RuntimeError("no model")

    assert guesses(Meanings(fail)) == guesses()
