"""Counts and latencies of searches, for `SearchOrchestrator.stats`."""

import threading
from collections import Counter, deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from player.errors import SearchError
from player.search.results import SearchResult

LATENCIES_KEPT = 1_000
"""Maximum number of searches, the last ones, whose latencies are kept."""


class SearchStatistics:
    """Counts and latencies of searches; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cache = Counter(hits=0, misses=0)
        self._failures: Counter[str] = Counter()
        self._answered_by: Counter[str] = Counter()
        self._ms: deque[tuple[float, float]] = deque(maxlen=LATENCIES_KEPT)

    def count(
        self, result: SearchResult | None, failures: Sequence[SearchError]
    ) -> None:
        """Count one search.

        Args:
            result: None if every strategy failed.
            failures: strategies that failed.
        """
        with self._lock:
            self._failures.update(failure.strategy for failure in failures)
            if result is not None and result.cached:
                self._cache["hits"] += 1
                return
            self._cache["misses"] += 1
            if result is not None:
                self._answered_by[result.answered_by or "nothing"] += 1
                self._ms.append((result.embed_ms, result.search_ms))

    def as_dict(self) -> dict[str, Any]:
        """Return searches, cache hits and misses, failures by strategy, answers by step, and p50 and p95 latencies."""
        with self._lock:
            n_searches = self._cache.total()
            hit_rate = self._cache["hits"] / max(1, n_searches)
            latencies: list[Any] = [None, None]
            if self._ms:
                percentiles = np.percentile(self._ms, [50, 95], axis=0).T.tolist()
                latencies = [{"p50": p50, "p95": p95} for p50, p95 in percentiles]

            return {
                "searches": n_searches,
                "cache": {**self._cache, "hit_rate": hit_rate},
                "failures": dict(sorted(self._failures.items())),
                "answered_by": dict(sorted(self._answered_by.items())),
                "latency_ms": dict(zip(("embed", "search"), latencies, strict=True)),
            }
