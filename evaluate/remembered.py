"""Queries that are embedded once, for games that are played many times."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ingest.embed import Embedder

N_KEPT = 2**15
"""Queries whose vectors are kept: 50 MB of 384 numbers each."""


class RememberingEmbedder:
    """An embedder that embeds no query twice.

    Args:
        embedder: does it the first time.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._query = functools.lru_cache(maxsize=N_KEPT)(lambda text: embedder.embed_queries([text])[0])

    @property
    def spec(self) -> str:
        """As the embedder's."""
        return self._embedder.spec

    @property
    def dim(self) -> int:
        """As the embedder's."""
        return self._embedder.dim

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As the embedder embeds them."""
        return self._embedder.embed_passages(texts)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(len(texts), dim) vectors, each worked out once."""
        return np.array([self._query(text) for text in texts], dtype=np.float32).reshape(len(texts), self.dim)
