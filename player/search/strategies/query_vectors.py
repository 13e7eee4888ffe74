"""Vectors of the hints that were embedded lately."""

from __future__ import annotations

import threading

from cachetools import LRUCache

from ingest.embed import Embedder, FloatArray

QUERY_VECTORS = 256
"""Hints whose vectors and scores are kept."""


class QueryVectors:
    """Embeds each hint once, as long as it is kept; safe for many threads.

    Args:
        embedder: the one that made the vectors that hints are compared with.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: LRUCache[str, FloatArray] = LRUCache(QUERY_VECTORS)
        self._lock = threading.Lock()

    def of(self, hint: str) -> FloatArray:
        """(dim,) unit vector of a hint."""
        with self._lock:
            if hint in self._vectors:
                return self._vectors[hint]
        vector: FloatArray = self._embedder.embed_queries([hint])[0]
        with self._lock:
            self._vectors[hint] = vector
        return vector
