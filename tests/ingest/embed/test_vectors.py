from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from quarry.ingest.arrays import Float32Array
from quarry.ingest.embed.vectors import embed_all, embed_reading, join_parts, parts_of
from quarry.ingest.paragraph import Alias
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
    reading = make_reading("trees", [TREES, one_sentence, CACHES], aliases=[Alias("Search trees", "title")])
    embedder = Listening()
    vectors = embed_reading(reading, embedder)
    assert (len(vectors.paragraphs), len(vectors.sentences), len(vectors.aliases)) == (3, 2 + 1 + 2, 2)
    np.testing.assert_allclose(vectors.sentences[[0, 2]], vectors.paragraphs[[1, 1]])
    np.testing.assert_allclose(vectors.aliases, -HashingEmbedder().embed_passages(["trees", "Search trees"]))
    assert len(embedder.passages) == len(set(embedder.passages)) == 3 + 2 + 2 - 1


def test_reading_without_paragraphs_has_vectors_of_its_names_alone() -> None:
    vectors = embed_reading(make_reading("copy", [], same_as="trees"), HashingEmbedder())
    assert (vectors.paragraphs.shape, vectors.sentences.shape, vectors.aliases.shape) == ((0, 8), (0, 8), (1, 8))


def test_vectors_of_a_document_are_those_of_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quarry.ingest.embed.vectors.PART", 2)
    reading = make_reading("trees", [TREES, CACHES, RANKING, NETWORKS, TREES], aliases=[Alias("Search trees", "title")])
    parts = parts_of(reading)
    assert [len(part.paragraphs) for part in parts] == [2, 2, 1]
    whole, of_parts = (
        join_parts([embed_all([HashingEmbedder()], one, ("minilm",)) for one in ones]) for ones in ([reading], parts)
    )
    for name in ("paragraphs", "sentences", "aliases"):
        np.testing.assert_array_equal(getattr(of_parts, name), getattr(whole, name))
    np.testing.assert_array_equal(of_parts.words["minilm"].pooled, whole.words["minilm"].pooled)
    np.testing.assert_array_equal(of_parts.words["minilm"].tokens.codes, whole.words["minilm"].tokens.codes)
    np.testing.assert_array_equal(of_parts.words["minilm"].tokens.starts, whole.words["minilm"].tokens.starts)
