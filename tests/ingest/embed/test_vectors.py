from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np
import pytest

from ingest.arrays import Float32Array
from ingest.embed.vectors import embed_all, embed_reading, join_parts, parts_of
from ingest.paragraph import Alias
from tests.fakes import CACHES, NETWORKS, RANKING, TREES, HashingEmbedder, make_reading


class Listening(HashingEmbedder):
    """Remembers what it was asked to embed, and tells queries from passages."""

    def __init__(self) -> None:
        super().__init__()
        self.passages: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> Float32Array:
        self.passages += texts
        return super().embed_passages(texts)

    def embed_queries(self, texts: Sequence[str]) -> Float32Array:
        return -super().embed_passages(texts)


def test_paragraphs_sentences_and_names_have_a_vector_each() -> None:
    one_sentence = TREES.split(". ")[0] + "."
    reading = make_reading(
        "trees", [TREES, one_sentence, CACHES], aliases=[Alias("Search trees", "title")]
    )
    embedder = Listening()
    vectors = embed_reading(reading, embedder)

    found = vectors.paragraphs, vectors.sentences, vectors.aliases
    assert [len(part) for part in found] == [3, 2 + 1 + 2, 2]
    np.testing.assert_allclose(vectors.sentences[[0, 2]], vectors.paragraphs[[1, 1]])
    np.testing.assert_allclose(
        vectors.aliases, -HashingEmbedder().embed_passages(["trees", "Search trees"])
    )
    assert len(embedder.passages) == len(set(embedder.passages)) == 3 + 2 + 2 - 1


def test_vectors_of_a_document_are_those_of_its_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ingest.embed.vectors.PART", 2)
    reading = make_reading(
        "trees",
        [TREES, CACHES, RANKING, NETWORKS, TREES],
        aliases=[Alias("Search trees", "title")],
    )
    parts = parts_of(reading)

    assert [len(part.paragraphs) for part in parts] == [2, 2, 1]
    whole, of_parts = (
        join_parts([embed_all([HashingEmbedder()], one, ("minilm",)) for one in ones])
        for ones in ([reading], parts)
    )
    for name in ("paragraphs", "sentences", "aliases"):
        np.testing.assert_array_equal(getattr(of_parts, name), getattr(whole, name))
    for name in ("pooled", "tokens.codes", "tokens.starts"):
        get = operator.attrgetter(name)
        np.testing.assert_array_equal(
            get(of_parts.words["minilm"]), get(whole.words["minilm"])
        )
