"""Norms with ideas: their file, the nearest domains, and what decides between their words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ingest.arrays import Float32Array
from player.answer.associations import load_associations
from player.answer.guess import associative_words
from player.answer.ideas import Meanings, join, load_ideas, near_ideas
from player.words import stems, words
from tests.contracts.paragraphs import paragraph

TEXT = "What is sent out comes back after some time and disturbs the next message."


def embed(texts: Sequence[str]) -> Float32Array:
    """Embed texts that say "delayed" or "comes back" along the first axis, and others along the second."""
    late = ["delayed" in text or "comes back" in text for text in texts]
    return np.array([[said, not said] for said in late], dtype=np.float32)


def test_the_file_has_five_hundred_domains_with_ideas_in_both_languages() -> None:
    domains, names = load_ideas()
    assert len(domains) >= 500
    assert min(map(len, domains.values())) >= 25
    assert set(names.values()) == set(domains)
    ideas = [idea for of_domain in domains.values() for idea in of_domain]
    assert all(words(idea.hebrew) and words(idea.idea) for idea in ideas)


def test_a_domain_is_found_by_its_name_in_either_language_and_by_nearness() -> None:
    animal = near_ideas("animal")[0]
    assert animal.nearness == 1.0
    assert near_ideas("Animals")[0] == near_ideas("חיות")[0] == animal
    near = near_ideas("theatre")[0]
    assert near.word == load_ideas()[0]["theater"][0].word
    assert near.nearness < 1.0
    assert near_ideas("") == near_ideas("???") == ()


def test_the_idea_of_the_paragraph_decides_between_words() -> None:
    plain = associative_words(paragraph("b:1:1", TEXT), "acoustics")
    read = associative_words(
        paragraph("b:1:1", TEXT), "acoustics", meanings=Meanings(embed)
    )
    delayed = {
        stems(idea.word)[0]
        for idea in near_ideas("acoustics")
        if "delayed" in idea.idea
    }
    assert delayed
    assert stems(read[0])[0] in delayed
    assert plain[:10] != read[:10]


def test_words_with_and_without_ideas_are_one_distribution() -> None:
    found = join(
        load_associations(),
        "acoustics",
        "",
        TEXT,
        lambda idea: idea.word != "echo",
        Meanings(embed),
    )
    assert "echo" not in {idea.word for idea in found.ideas}
    assert np.isclose(found.idea_shares.sum() + found.row_shares.sum(), 1.0, atol=1e-4)
    assert found.row_shares.sum() > 0.0
    assert not set(found.rows) & {
        load_associations().row_of(idea.word) for idea in found.ideas
    }


def test_phrases_are_embedded_once_a_domain() -> None:
    asked: list[int] = []

    def counted(texts: Sequence[str]) -> Float32Array:
        asked.append(len(texts))
        return embed(texts)

    meanings = Meanings(counted)
    for _ in range(2):
        meanings.compare("acoustics", "", TEXT)
    assert asked == [3, len(near_ideas("acoustics")), 3]


def test_a_network_that_fails_leaves_the_order_by_typicality() -> None:
    def fail(texts: Sequence[str]) -> Float32Array:
        raise RuntimeError("no model")

    text = paragraph("b:1:1", TEXT)
    plain = associative_words(text, "acoustics")
    assert associative_words(text, "acoustics", meanings=Meanings(fail)) == plain
