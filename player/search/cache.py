"""Caches of search results and of the vectors of hints."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from cachetools import LRUCache, cached

from quarry.ingest.arrays import Float32Array
from quarry.ingest.embed import Embedder, TokenEmbedder, TokenStates
from quarry.player.search.types import SearchResult

HINTS_KEPT = 300
"""The cache of hints holds the vectors and token states of so many hints, 50 kB each."""


@functools.cache
def shared_cache(size: int) -> ResultCache:
    """Return the cache of this size, which all orchestrators of this process share."""
    return ResultCache(size)


class _NotKeptError(Exception):
    """Carries a result that is not cached: the next search may succeed where this one had failures."""

    def __init__(self, result: SearchResult) -> None:
        super().__init__()
        self.result = result


class ResultCache:
    """LRU cache of search results; thread-safe.

    Equal searches that run at the same time are computed once.

    Args:
        size: maximal number of cached results; 0 turns the cache off.
    """

    def __init__(self, size: int) -> None:
        results: LRUCache[Hashable, SearchResult] = LRUCache(size)
        self._get = cached(results, key=lambda key, _: key, condition=threading.Condition())(_made)

    def get(self, key: Hashable, make: Callable[[], SearchResult]) -> SearchResult:
        """Return the cached result with `cached=True`; else call `make`, and cache its result if it has no failures."""
        made: list[SearchResult] = []

        def make_once() -> SearchResult:
            made.append(make())
            return made[0]

        try:
            result = self._get(key, make_once)
        except _NotKeptError as error:
            return error.result
        return result if made else replace(result, cached=True)


def _made(key: Hashable, make: Callable[[], SearchResult]) -> SearchResult:
    result = make()
    if result.failures:
        raise _NotKeptError(result)
    return result


@dataclass(frozen=True, slots=True)
class ReadQuery:
    """A hint as a model reads it.

    Attributes:
        vector: (dim,) unit vector.
        tokens: states of its tokens; None if the embedder returns vectors only.
        beside: (dim,) unit vector of the second text of the same call, or None.
    """

    vector: Float32Array
    tokens: TokenStates | None
    beside: Float32Array | None


class CachingEmbedder:
    """An embedder with an LRU cache of query vectors; thread-safe.

    Args:
        embedder: the embedder to call.
        size: maximal number of cached hints.

    Attributes:
        embedder: the same embedder.
    """

    def __init__(self, embedder: Embedder, size: int = HINTS_KEPT) -> None:
        self.embedder = embedder
        self._cache: LRUCache[tuple[str, str], ReadQuery] = LRUCache(size)
        self._condition = threading.Condition()
        keep = cached(self._cache, key=lambda text, beside="": (text, beside), condition=self._condition)
        self._read = keep(self._read_now)

    @property
    def spec(self) -> str:
        """SPEC of the embedder."""
        return self.embedder.spec

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self.embedder.dim

    def read(self, text: str, beside: str = "") -> ReadQuery:
        """Embed a query, and a second text in the same call.

        The last digits of a vector depend on the other texts of the call, so each pair has its own cache entry. A later
        `read` of the query alone returns the vector of the pair.

        Args:
            beside: the second text, or "".
        """
        read: ReadQuery = self._read(text, beside)
        if beside:
            with self._condition:
                self._cache[text, ""] = read
        return read

    def embed_passages(self, texts: Sequence[str]) -> Float32Array:
        """Embed passages as the embedder does."""
        return self.embedder.embed_passages(texts)

    def embed_queries(self, texts: Sequence[str]) -> Float32Array:
        """Embed queries as the embedder does, one at a time."""
        return np.stack([self.read(text).vector for text in texts])

    def _read_now(self, text: str, beside: str = "") -> ReadQuery:
        texts = [text, beside] if beside else [text]
        tokens = None
        if isinstance(self.embedder, TokenEmbedder):
            vectors, states = self.embedder.read_queries(texts)
            end = int(states.starts[1])
            tokens = TokenStates(states.states[:end], states.ids[:end], states.starts[:2])
        else:
            vectors = self.embedder.embed_queries(texts)
        return ReadQuery(vectors[0], tokens, vectors[1] if beside else None)
