"""Results kept for the next time, keyed by query, settings and store fingerprint."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Hashable

from cachetools import TTLCache

from configs.settings import SearchSettings
from player.search.types import Query, SearchResult


class ResultCache:
    """Bounded, with a time to live; safe for many threads and many orchestrators.

    Args:
        size: results kept at most; 0 keeps none.
        ttl_s: seconds after which a result is dropped.
        timer: the clock, in seconds.
    """

    def __init__(self, size: int, ttl_s: float, timer: Callable[[], float] = time.monotonic) -> None:
        self._results: TTLCache[Hashable, SearchResult] = TTLCache(maxsize=size, ttl=ttl_s, timer=timer)
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> SearchResult | None:
        """What was kept under the key, None if nothing is."""
        with self._lock:
            return self._results.get(key)

    def put(self, key: Hashable, result: SearchResult) -> None:
        """Keep a result, in place of the oldest if there are too many."""
        if self._results.maxsize:
            with self._lock:
                self._results[key] = result


@functools.cache
def shared_cache(size: int, ttl_s: float) -> ResultCache:
    """The cache that all orchestrators of this process with these settings share."""
    return ResultCache(size, ttl_s)


def key_of(query: Query, settings: SearchSettings, fingerprint: str) -> Hashable:
    """What a result depends on: the query with its whitespace normalised, the settings, and what the store holds."""
    hint, book_name = (" ".join(text.split()) for text in (query.hint, query.book_name))
    return hint, book_name, query.k, query.keywords, query.within, query.said, settings, fingerprint
