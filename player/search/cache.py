"""What is kept for the next time: results of searches, and vectors of what was searched for."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

import numpy as np
from cachetools import LRUCache, cached

from quarry.ingest.arrays import Float32Array
from quarry.ingest.embed import Embedder, TokenEmbedder, TokenStates
from quarry.player.search.types import SearchResult

RESULT_BYTES = 8_192
"""What a kept result of 20 hits takes at most, its paragraphs aside, which the course holds; `cache_size` of these are
the bound of the cache."""
HIT_BYTES = 400
VECTOR_BYTES = 8_388_608
"""Bound of the kept vectors, some 5,000 of minilm's, and as much again of the states of their tokens, some 300."""


@functools.cache
def shared_cache(size: int) -> ResultCache:
    """Return the cache that all orchestrators of this process with these settings share."""
    return ResultCache(size)


class _NotKeptError(Exception):
    """Carries a result past the cache: one with failures may be better the next time."""

    def __init__(self, result: SearchResult) -> None:
        super().__init__()
        self.result = result


class ResultCache:
    """Results by all that they depend on; bounded in bytes, the least recently used dropped. Safe for many threads.

    Equal searches that come at once are made once.

    Args:
        size: results of usual size kept at most (`RESULT_BYTES` each); 0 keeps none.
    """

    def __init__(self, size: int) -> None:
        results: LRUCache[Hashable, SearchResult] = LRUCache(size * RESULT_BYTES, getsizeof=_bytes_of)
        self._get = cached(results, key=lambda key, _: key, condition=threading.Condition())(_made)

    def get(self, key: Hashable, make: Callable[[], SearchResult]) -> SearchResult:
        """What is kept under the key, marked as such; else what `make` returns, kept unless it has failures."""
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


def _bytes_of(result: SearchResult) -> int:
    return max(RESULT_BYTES, HIT_BYTES * len(result.hits))


class RememberingEmbedder:
    """An embedder that embeds no query twice, as long as its vector is kept; bounded in bytes. Safe for many threads.

    Args:
        embedder: embeds them.
        n_bytes: of the vectors kept at most, and of the states of tokens.

    Attributes:
        embedder: the one that embeds.
    """

    def __init__(self, embedder: Embedder, n_bytes: int = VECTOR_BYTES) -> None:
        self.embedder = embedder
        vectors: LRUCache[str, Float32Array] = LRUCache(n_bytes, getsizeof=lambda vector: vector.nbytes)
        states: LRUCache[str, TokenStates] = LRUCache(n_bytes, getsizeof=lambda read: read.states.nbytes)
        vectors_lock = threading.Condition()

        # each text by itself: in a batch with others its last digits would be others
        @cached(vectors, key=str, condition=vectors_lock)
        def vector_of(text: str) -> Float32Array:
            vector: Float32Array = embedder.embed_queries([text])[0]
            return vector

        @cached(states, key=str, condition=threading.Condition())
        def states_of(text: str) -> TokenStates:
            assert isinstance(embedder, TokenEmbedder)
            found, read = embedder.read_queries([text])
            with vectors_lock, contextlib.suppress(ValueError):  # larger than the bound
                vectors[text] = found[0]
            return read

        self.vector = vector_of
        self.tokens = states_of

    @property
    def spec(self) -> str:
        """The embedder's."""
        return self.embedder.spec

    @property
    def dim(self) -> int:
        """The embedder's."""
        return self.embedder.dim

    def embed_passages(self, texts: Sequence[str]) -> Float32Array:
        """As the embedder does."""
        return self.embedder.embed_passages(texts)

    def embed_queries(self, texts: Sequence[str]) -> Float32Array:
        """As the embedder does, one text at a time."""
        return np.stack([self.vector(text) for text in texts])


class IdentityKey:
    """A key that is equal to itself alone: for what has no other name, such as a user's own rewriter.

    Args:
        thing: kept alive as long as the key is, so that no other thing gets its place.
    """

    def __init__(self, thing: object) -> None:
        self._thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdentityKey) and other._thing is self._thing

    def __hash__(self) -> int:
        return id(self._thing)
