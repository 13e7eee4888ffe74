"""Counts and latencies of searches, for `SearchOrchestrator.stats`."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from player.search.types import SearchResult

LATENCIES_KEPT = 1_000
"""Latencies are kept for so many of the last searches."""


class SearchStatistics:
    """Counts and latencies of searches; thread-safe.

    Args:
        total: counts the same searches too.
    """

    def __init__(self, total: SearchStatistics | None = None) -> None:
        self._total = total
        self._lock = threading.Lock()
        self._cache = Counter(hits=0, misses=0)
        self._failures: Counter[str] = Counter()
        self._answered_by: Counter[str] = Counter()
        self._ms: deque[tuple[float, float]] = deque(maxlen=LATENCIES_KEPT)

    def count(self, result: SearchResult) -> None:
        """Count one result."""
        if self._total is not None:
            self._total.count(result)
        with self._lock:
            self._cache["hits" if result.cached else "misses"] += 1
            if not result.cached:
                self._failures.update(failure.strategy for failure in result.failures)
                self._answered_by[result.answered_by or "nothing"] += 1
                self._ms.append((result.embed_ms, result.search_ms))

    def count_failures(self, strategies: Sequence[str]) -> None:
        """Count a search in which every strategy failed."""
        if self._total is not None:
            self._total.count_failures(strategies)
        with self._lock:
            self._cache["misses"] += 1
            self._failures.update(strategies)

    def as_dict(self) -> dict[str, Any]:
        """Return searches, cache hits and misses, failures by strategy, answers by step, and p50 and p95 latencies."""
        with self._lock:
            searches = self._cache.total()
            ms = (
                np.percentile(np.array(self._ms), [50, 95], axis=0).T.tolist()
                if self._ms
                else []
            )
            embed, search = (
                ({"p50": p50, "p95": p95} for p50, p95 in ms) if ms else (None, None)
            )
            return {
                "searches": searches,
                "cache": {
                    **self._cache,
                    "hit_rate": self._cache["hits"] / searches if searches else 0.0,
                },
                "failures": dict(sorted(self._failures.items())),
                "answered_by": dict(sorted(self._answered_by.items())),
                "latency_ms": {"embed": embed, "search": search},
            }


OF_PROCESS = SearchStatistics()
"""Counts and latencies of all searches of this process."""
