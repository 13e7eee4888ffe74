"""SearchOrchestrator: the entry point of every search, with its cache and log."""

import logging
import threading
import time
import unicodedata
from collections.abc import Callable, Hashable
from dataclasses import replace

from configs.settings import SearchSettings
from configs.surrogates import is_unicode
from player.deadlines import Call, Runner
from player.errors import LateStrategyError, QueryError, SearchError
from player.search.cache import ResultCache
from player.search.index import SearchIndex
from player.search.live_search import LiveSearch
from player.search.results import Query, SearchResult
from player.search.slots import n_slots

_log = logging.getLogger(__name__)

STORE = "store"
"""Name of the failure that a store which does not answer adds."""
STALE_COURSE = "the course is searched as it was read last"
"""End of the message of that failure."""


class SearchOrchestrator:
    """Entry point of search: resolves the book, runs the strategies and merges their hits into slots, step by step.

    The orchestrator is thread-safe.

    Args:
        index: the course to search. The strategies in `settings.strategies` are used, in that order, and "keyword" if
            the mode of a query needs it.
        settings: settings of search.
        cache: cache of results; None caches nothing.
        identity: equal for orchestrators with equal results, which share cached results; None shares nothing.
        renew: called before every search, with half of its deadline as timeout; returns the new index and identity if
            the store has changed, else None. While the store does not answer, the last index is searched.
    """

    def __init__(
        self,
        index: SearchIndex,
        settings: SearchSettings,
        *,
        cache: ResultCache | None = None,
        identity: Hashable = None,
        renew: Callable[[], tuple[SearchIndex, Hashable] | None] | None = None,
    ) -> None:
        self.settings = settings
        self._cache = cache
        self._renew = renew
        self._runner = Runner()
        self._lock = threading.Lock()
        self._check: Call[None] | None = None
        self._state = index, identity or object()

    def search(self, query: Query) -> SearchResult:
        """Search step by step until a step reaches the threshold; list failed strategies in `failures`.

        The steps: the hint, with the book that filters or is boosted; keywords, in the mode "fallback". If no step
        reaches the threshold, `relevant` is False, and the hits are those of the first step that reaches the lowered
        threshold, else of the first step.

        Raises:
            QueryError: the hint is empty or no Unicode text, or k is below 1.
            AllStrategiesFailedError: no strategy answered.
            StoreError: the store is missing, or has changed and cannot be read.
        """
        if not query.hint.strip():
            raise QueryError("the hint is empty; say what the paragraph is about")
        return self._find(self._with_mode(query, is_game=False))

    def rank_course(self, query: Query) -> SearchResult:
        """Search as `search` does, and also return the `course_order` of all paragraphs.

        If all strategies fail, or the hint is empty, no paragraph is found. The query's k is the number of paragraphs
        that Chroma is asked for; it changes no slots.

        Raises:
            QueryError: the query cannot be searched.
            StoreError: the store is missing, or has changed and cannot be read.
        """
        return self._find(self._with_mode(query, is_game=True), orders_course=True)

    def _with_mode(self, query: Query, *, is_game: bool) -> Query:
        """Return the query with a mode of keywords: its own, else that of the settings.

        Only games keep the rule that hints avoid words of the paragraph: outside them "fallback" replaces "rule".
        """
        mode = query.keywords or self.settings.keywords
        if query.keywords is None and mode == "rule" and not is_game:
            mode = "fallback"
        return replace(query, keywords=mode)

    def _find(self, query: Query, *, orders_course: bool = False) -> SearchResult:
        """Search the course as the store holds it now, and log the failures.

        Args:
            query: the query, with a mode of keywords.
            orders_course: return the order of the whole course, which is not cached.
        """
        started = time.perf_counter()
        if not is_unicode(query.hint):
            raise QueryError(
                "the hint has half a surrogate pair; it is no Unicode text"
            )
        if query.k is not None and query.k < 1:
            raise QueryError(f"k is {query.k}; it must be at least 1")

        unreachable = self._refresh()
        index, identity = self._state
        search = LiveSearch(
            index, self.settings, query, runner=self._runner, started=started
        )
        result = (
            search.course_result()
            if orders_course
            else self._cached(query, identity, search.result)
        )

        if result.cached:
            elapsed_ms = 1000.0 * (time.perf_counter() - started)
            result = replace(result, query=query, embed_ms=0.0, search_ms=elapsed_ms)
        if unreachable is not None:
            result = replace(result, failures=(unreachable, *result.failures))
        for failure in result.failures:
            _log.warning("%s", failure)
        return result

    def _refresh(self) -> SearchError | None:
        """Take the store's changes; return a failure if the store does not answer within half of the deadline.

        Raises:
            StoreError: the store is missing, or has changed and cannot be read.
        """
        renew = self._renew
        if renew is None:
            return None

        def check() -> None:
            # also if the search has stopped waiting
            self._state = renew() or self._state

        with self._lock:
            if self._check is None or self._check.done():
                deadline = time.monotonic() + self.settings.deadline_s / 2.0
                self._check = self._runner.start(STORE, check, deadline)
            call = self._check
        try:
            call.result(call.remaining_s)
        except TimeoutError:
            return LateStrategyError(STORE, f"no answer in time; {STALE_COURSE}")
        except SearchError as failure:
            return failure
        return None

    def _cached(
        self, query: Query, identity: Hashable, search: Callable[[], SearchResult]
    ) -> SearchResult:
        """Return the result of a plain search, cached by everything that it depends on."""
        if self._cache is None:
            return search()
        plain = replace(
            query,
            hint=_plain(query.hint),
            book_name=_plain(query.book_name),
            k=n_slots(self.settings, query.k),
        )
        return self._cache.get((plain, self.settings, identity), search)


def _plain(text: str) -> str:
    """Normalise a text for the cache key: NFKC, with single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).split())
