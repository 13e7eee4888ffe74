"""Counts and latencies of searches, for `SearchOrchestrator.stats`."""

from __future__ import annotations

import threading
from collections import Counter, deque
from typing import Any

import numpy as np

from quarry.player.search.types import SearchResult

LATENCIES_KEPT = 1_000


class SearchStatistics:
    """What has been searched since the orchestrator was made; safe for many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hits = 0
        self._misses = 0
        self._failures: Counter[str] = Counter()
        self._answered_by: Counter[str] = Counter()
        self._embed_ms: deque[float] = deque(maxlen=LATENCIES_KEPT)
        self._search_ms: deque[float] = deque(maxlen=LATENCIES_KEPT)

    def count(self, result: SearchResult) -> None:
        """Take one result into account."""
        with self._lock:
            if result.cached:
                self._hits += 1
                return
            self._misses += 1
            if result.failures:
                self._failures.update(failure.strategy for failure in result.failures)
            self._answered_by[result.answered_by or "nothing"] += 1
            self._embed_ms.append(result.embed_ms)
            self._search_ms.append(result.search_ms)

    def count_failures(self, strategies: list[str]) -> None:
        """Take a search into account of which every strategy failed."""
        with self._lock:
            self._misses += 1
            self._failures.update(strategies)

    def totals(self) -> dict[str, Any]:
        """Searches and the share of them that came from the cache."""
        with self._lock:
            searches = self._hits + self._misses
            return {"searches": searches, "hit_rate": round(self._hits / searches, 4) if searches else 0.0}

    def as_dict(self) -> dict[str, Any]:
        """Searches, cache hits and misses, failures by strategy, answers by step, and milliseconds at p50 and p95."""
        with self._lock:
            searches = self._hits + self._misses
            return {
                "searches": searches,
                "cache": {
                    "hits": self._hits,
                    "misses": self._misses,
                    "hit_rate": self._hits / searches if searches else 0.0,
                },
                "failures": dict(sorted(self._failures.items())),
                "answered_by": dict(sorted(self._answered_by.items())),
                "latency_ms": {"embed": _percentiles(self._embed_ms), "search": _percentiles(self._search_ms)},
            }


def _percentiles(values: deque[float]) -> dict[str, float] | None:
    if not values:
        return None
    p50, p95 = np.percentile(list(values), [50, 95])
    return {"p50": float(p50), "p95": float(p95)}
