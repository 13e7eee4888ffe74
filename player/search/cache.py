"""Caches of search results and of the vectors of hints."""

import functools
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

from cachetools import LRUCache, cached

from player.search.results import SearchResult
from quarry.arrays import Float32Array
from quarry.embed import Embedder, TokenEmbedder, TokenStates

HINTS_KEPT = 300
"""Maximum number of hints whose vectors and token states are cached, 50 kB each."""


class ResultCache:
    """LRU cache of search results; thread-safe.

    Equal searches that run at the same time are computed once.

    Args:
        size: maximal number of cached results.
    """

    def __init__(self, size: int) -> None:
        self._results: LRUCache[Hashable, SearchResult] = LRUCache(size)
        self._changes = threading.Condition()
        remember = cached(
            self._results, key=lambda key, _: key, condition=self._changes
        )
        self._get: Callable[..., SearchResult] = remember(lambda _, make: make())

    def get(self, key: Hashable, make: Callable[[], SearchResult]) -> SearchResult:
        """Return the cached result with `cached=True`; else call `make`, and cache its result if it has no failures."""
        fresh: list[SearchResult] = []

        def make_once() -> SearchResult:
            fresh.append(make())
            return fresh[0]

        result = self._get(key, make_once)
        if result.failures:  # the next search may succeed
            with self._changes:
                self._results.pop(key, None)
        elif not fresh:
            result = replace(result, cached=True)
        return result


shared_cache = functools.cache(ResultCache)
"""Returns the cache of a size, which the orchestrators of this process with this `cache_size` share."""


@dataclass(frozen=True, slots=True)
class EmbeddedHint:
    """A hint as a model represents it.

    Attributes:
        vector: (dim,) unit vector.
        tokens: states of its tokens; None if they are not needed, or the embedder returns vectors only.
    """

    vector: Float32Array
    tokens: TokenStates | None


class CachingEmbedder:
    """Embeds hints, and keeps the last ones in an LRU cache; thread-safe.

    Args:
        embedder: the embedder.
        with_tokens: whether the states of tokens are needed.

    Attributes:
        embedder: the embedder.
        embed: embeds a hint, unless its vectors are cached.
    """

    def __init__(self, embedder: Embedder, *, with_tokens: bool = True) -> None:
        self.embedder = embedder
        self._with_tokens = with_tokens
        cache: LRUCache[str, EmbeddedHint] = LRUCache(HINTS_KEPT)
        remember = cached(cache, key=str, condition=threading.Condition())
        self.embed: Callable[[str], EmbeddedHint] = remember(self._embed)

    def _embed(self, text: str) -> EmbeddedHint:
        if not (self._with_tokens and isinstance(self.embedder, TokenEmbedder)):
            return EmbeddedHint(self.embedder.embed_queries([text])[0], None)
        vectors, states = self.embedder.embed_with_tokens([text], as_queries=True)
        return EmbeddedHint(vectors[0], states)
