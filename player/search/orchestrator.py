"""SearchOrchestrator: the one way in to search."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from quarry.configs.settings import SearchSettings, SettingsError
from quarry.ingest.paragraph import Paragraph
from quarry.player.deadlines import Runner
from quarry.player.errors import AllStrategiesFailedError, QueryError, SearchError
from quarry.player.search.cache import IdentityKey, ResultCache
from quarry.player.search.calibration import DEFAULT_EMBEDDER, Calibration, calibration_of
from quarry.player.search.cascade import Cascade
from quarry.player.search.index import SearchIndex
from quarry.player.search.references import References
from quarry.player.search.statistics import SearchStatistics
from quarry.player.search.types import Query, Rewriter, SearchResult, Strategy

_log = logging.getLogger(__name__)


class SearchOrchestrator:
    """Resolves the book, runs the strategies, merges their hits into slots, step by step until something is relevant.

    Safe for many threads at once; from asyncio, use `search_async`.

    Args:
        strategies: by name; those that `settings.strategies` names are used, in its order, and "keyword" where the mode
            of a query asks for it.
        references: resolves book names.
        settings: what a search does.
        paragraphs, calibration, n_paragraphs, priors, rewriter: as `SearchIndex` has them.
        cache: of results; None keeps none.
        identity: equal for orchestrators that find the same, so that they share what is cached; None: like no other.
        renew: what is to be searched if the store has changed since it was asked last, else None; asked by every
            search.
    """

    def __init__(
        self,
        strategies: Mapping[str, Strategy],
        references: References,
        settings: SearchSettings,
        *,
        paragraphs: Sequence[Paragraph] = (),
        calibration: Calibration | None = None,
        n_paragraphs: Mapping[str, int] | None = None,
        priors: Mapping[str, float] | None = None,
        rewriter: Rewriter | None = None,
        cache: ResultCache | None = None,
        identity: Hashable = None,
        renew: Callable[[], tuple[SearchIndex, Hashable] | None] | None = None,
    ) -> None:
        unknown = [name for name in settings.strategies if name not in strategies]
        if unknown:
            raise SettingsError(f"search.strategies must be of {', '.join(strategies)}, got {unknown[0]!r}")
        self.settings = settings
        self._cache = cache
        self._renew = renew
        self._runner = Runner()
        self._statistics = SearchStatistics()
        self._lock = threading.Lock()
        searched = SearchIndex(
            dict(strategies),
            references,
            paragraphs,
            calibration or calibration_of(DEFAULT_EMBEDDER),
            n_paragraphs or {},
            priors or {},
            rewriter,
        )
        self._state = searched, identity or IdentityKey(self)

    def search(self, query: Query) -> SearchResult:
        """What is found for a query; no hits is an empty result, a failed strategy is named in `failures`.

        The steps, until one finds something at least as relevant as the threshold: the book's (filter or boost); the
        rewritten hint; the original hint without the book; keywords, in the mode "fallback"; and all of them again at
        the lowered threshold. Where none does, `relevant` is False and the hits are the first step's.

        Raises:
            QueryError: the hint is empty or k is below 1.
            AllStrategiesFailedError: no strategy answered.
            IngestError: the store has changed and cannot be read.
        """
        started = time.perf_counter()
        searched, identity = self._current()
        query = self._checked(query)

        def find() -> SearchResult:
            return Cascade(searched, self.settings, self._runner, query, started).result()

        try:
            result = find() if self._cache is None else self._cache.get((_plain(query), self.settings, identity), find)
        except AllStrategiesFailedError as error:
            self._statistics.count_failures([failure.strategy for failure in error.failures])
            _warn(error.failures)
            raise
        if result.cached:
            result = replace(result, embed_ms=0.0, search_ms=1000.0 * (time.perf_counter() - started))
        return self._counted(result)

    @property
    def paragraphs(self) -> Sequence[Paragraph]:
        """The course, as it was when it was searched last."""
        return self._state[0].paragraphs

    async def search_async(self, query: Query) -> SearchResult:
        """`search`, in a thread, so that an event loop goes on meanwhile."""
        return await asyncio.to_thread(self.search, query)

    def candidates(self, query: Query) -> SearchResult:
        """As `search`, with every paragraph of the course behind what was found, up to the query's k.

        The hits are a `Ranking`: whoever needs rows and log-odds alone makes none. Where all strategies fail,
        or there is no hint, nothing is found.

        Raises:
            QueryError: the query cannot be searched.
        """
        started = time.perf_counter()
        searched, _ = self._current()
        query = self._checked(query, everything=True)
        cascade = Cascade(searched, self.settings, self._runner, query, started)
        return self._counted(cascade.result(everything=True))

    def paragraphs_for_prompt(self, hint: str, k: int) -> tuple[Paragraph, ...]:
        """At most k paragraphs about the hint, most relevant first, none that is below the threshold."""
        result = self.search(Query(hint, k=k, keywords="fused"))
        best_first = sorted(result.relevant_hits, key=lambda hit: (-hit.relevance, hit.paragraph.paragraph_id))
        return tuple(hit.paragraph for hit in best_first)

    def stats(self) -> dict[str, Any]:
        """Searches, cache hits and misses, failures, answers by step and latencies since this was made."""
        return self._statistics.as_dict()

    def _current(self) -> tuple[SearchIndex, Hashable]:
        """What is searched, read again if the store has changed, and what it is called in the cache."""
        if self._renew is not None:
            with self._lock:
                self._state = self._renew() or self._state
        return self._state

    def _checked(self, query: Query, *, everything: bool = False) -> Query:
        """The query with its mode settled."""
        if not query.hint.strip() and not everything:
            raise QueryError("hint must hold at least one word, got an empty one; say what the paragraph is about")
        if query.k is not None and query.k < 1:
            raise QueryError(f"k must be at least 1, got {query.k}")
        return replace(query, keywords=query.keywords or self.settings.keywords)

    def _counted(self, result: SearchResult) -> SearchResult:
        """The result, counted and told to the log."""
        self._statistics.count(result)
        if not result.cached:
            _warn(result.failures)
        if _log.isEnabledFor(logging.INFO):
            fields = {
                "books": [book.doc_id for book in result.books],
                "tier": result.tier,
                "answered_by": result.answered_by,
                "hits": len(result.hits),
                "best": round(max((hit.relevance for hit in result.hits[:1]), default=0.0), 4),
                "cached": result.cached,
                "failures": [failure.strategy for failure in result.failures],
                "embed_ms": round(result.embed_ms, 3),
                "search_ms": round(result.search_ms, 3),
                **self._statistics.totals(),
            }
            _log.info("search %s", json.dumps(fields), extra={"search": fields})
        return result


def _plain(query: Query) -> Query:
    """The query with its whitespace normalised, and its k as it was asked."""
    return replace(query, hint=" ".join(query.hint.split()), book_name=" ".join(query.book_name.split()))


def _warn(failures: Sequence[SearchError]) -> None:
    for failure in failures:
        _log.warning("%s", failure)
