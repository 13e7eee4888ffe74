"""Dense search: cosine similarity of hint and paragraph, by an exact scan in memory."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from cachetools import LRUCache

from ingest.embed import Embedder, FloatArray
from ingest.paragraph import Paragraph
from player.search.types import Hit, Query

QUERY_VECTORS = 256
"""Hints whose vectors are kept."""


class Dense:
    """Paragraphs by cosine similarity with the hint.

    Args:
        paragraphs: what is searched.
        vectors: (n_paragraphs, dim) unit vectors.
        embedder: the one that made the vectors.
    """

    def __init__(self, paragraphs: Sequence[Paragraph], vectors: FloatArray, embedder: Embedder) -> None:
        self._paragraphs = paragraphs
        self._vectors = vectors
        self._embedder = embedder
        # ties go to the smaller paragraph_id
        self._by_id = np.argsort(np.argsort([paragraph.paragraph_id for paragraph in paragraphs]))
        self._rows_of: dict[str, list[int]] = {}
        for row, paragraph in enumerate(paragraphs):
            self._rows_of.setdefault(paragraph.doc_id, []).append(row)
        self._query_vectors: LRUCache[str, FloatArray] = LRUCache(QUERY_VECTORS)
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Always "dense"."""
        return "dense"

    def prepare(self, query: Query) -> None:
        """Embed the hint, unless it was embedded lately."""
        self._query_vector(query.hint)

    def similarities(self, hint: str) -> FloatArray:
        """(n_paragraphs,) cosine similarity of each paragraph with the hint, -1..1."""
        # BLAS sums a row differently by its place, so that equal vectors would not tie; einsum sums all rows alike
        similarities = np.empty(len(self._vectors), dtype=np.float32)
        np.einsum("ij,j->i", self._vectors, self._query_vector(hint), out=similarities)
        return similarities

    def _query_vector(self, hint: str) -> FloatArray:
        with self._lock:
            if hint in self._query_vectors:
                return self._query_vectors[hint]
        vector: FloatArray = self._embedder.embed_queries([hint])[0]
        with self._lock:
            self._query_vectors[hint] = vector
        return vector

    def search(self, query: Query, k: int, doc_id: str = "") -> Sequence[Hit]:
        """At most k hits, most similar first; only paragraphs of `doc_id` if one is given."""
        similarities = self.similarities(query.hint)
        rows = np.asarray(self._rows_of.get(doc_id, []) if doc_id else range(len(self._paragraphs)), dtype=np.intp)
        order = rows[np.lexsort((self._by_id[rows], -similarities[rows]))][:k]
        return [
            Hit(
                paragraph=self._paragraphs[row],
                score=float(similarities[row]),
                relevance=min(max(float(similarities[row]), 0.0), 1.0),
                rank=rank,
                strategy=self.name,
            )
            for rank, row in enumerate(order, 1)
        ]
