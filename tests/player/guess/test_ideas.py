"""Words with ideas: their file, the nearest domains, and what decides between their words."""

from collections.abc import Sequence

import numpy as np

from player.errors import SearchError
from player.guess.ideas import Ideas, load_ideas
from player.guess.word import associative_words
from quarry.arrays import Float32Array
from quarry.languages.words import words
from tests.contracts.paragraphs import paragraph

TEXT = "A faint input leaves the circuit many times louder than it came."


class Embedder:
    """Embeds texts about loudness and about theatres along axes of their own, and others along a third."""

    def __init__(self) -> None:
        self.counts: list[int] = []

    def __call__(self, texts: Sequence[str]) -> Float32Array:
        self.counts.append(len(texts))
        axes = []
        for text in texts:
            is_loud = "weak thing strong" in text or "louder" in text
            is_stage = text in ("theater", "theatre in the round")
            axes.append(0 if is_loud else 1 if is_stage else 2)
        vectors: Float32Array = np.eye(3, dtype=np.float32)[axes]
        return vectors


def guesses(ideas: Ideas) -> list[str]:
    return associative_words(paragraph("b:1:1", TEXT), "acoustics", "", ideas)


def test_the_file_has_five_hundred_domains_with_ideas_in_both_languages() -> None:
    domains, names = load_ideas()
    assert len(domains) >= 500
    assert set(names.values()) == set(domains)
    for ideas in domains.values():
        assert len(ideas) >= 25
        for idea in ideas:
            assert words(idea.hebrew)
            assert words(idea.phrase)


def test_a_domain_is_found_by_its_name_in_either_language() -> None:
    of_animals = load_ideas()[0]["animal"]
    for name in ("animal", "Animals", "חיות"):
        assert Ideas().find_words(name) == (of_animals, None)
    assert Ideas().find_words("theatre in the round") == ([], None)


def test_another_domain_gets_the_words_of_the_one_with_the_nearest_name() -> None:
    ideas, vectors = Ideas(Embedder()).find_words("theatre in the round")
    assert ideas == load_ideas()[0]["theater"]
    assert vectors is not None
    assert vectors.shape == (len(ideas), 3)
    assert Ideas(Embedder()).find_words("???") == ([], None)


def test_the_idea_of_the_paragraph_decides_between_words() -> None:
    assert guesses(Ideas(Embedder()))[0] == "amplification"
    assert guesses(Ideas())[0] == "echo"


def test_phrases_are_embedded_once_a_domain() -> None:
    embedder = Embedder()
    ideas = Ideas(embedder)
    for _ in range(2):
        guesses(ideas)
    n_phrases = len(load_ideas()[0]["acoustics"])
    assert embedder.counts == [n_phrases, 3, 3]


def test_a_network_that_fails_leaves_the_order_by_typicality() -> None:
    def fail(texts: Sequence[str]) -> Float32Array:
        raise SearchError("embedder", "no model")

    assert guesses(Ideas(fail)) == guesses(Ideas())
