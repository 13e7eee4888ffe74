"""Build the SearchOrchestrator of a store, whose index is built again after each ingest."""

import logging
import threading
from collections.abc import Hashable

from configs.settings import Settings
from player.errors import SearchError
from player.search.available import EMBEDDING, STRATEGIES, find_strategies
from player.search.cache import ResultCache, shared_cache
from player.search.engine import AT_HAND, STORE, SearchOrchestrator
from player.search.index import SearchIndex
from player.search.loading import index_of, warm_up
from player.search.stores import store_embedder
from quarry.embed import Embedder
from quarry.errors import EmbedderError, StoreError
from quarry.store import Course, current_identity, is_url, open_store

_log = logging.getLogger(__name__)
SLOW_S = 3.0
"""Number of seconds after which a line says that a user's own strategies are still being loaded."""


def build_orchestrator(
    course: Course,
    settings: Settings,
    embedder: Embedder | None = None,
    *,
    cache: ResultCache | None = None,
) -> SearchOrchestrator:
    """Build the orchestrator over a store, with the strategies that the settings name.

    If the store's embedder cannot be loaded, the strategies that embed fail in every search. Each search lists them in
    `failures`, and keyword search answers.

    Args:
        course: the course to search.
        settings: settings of search and embedding.
        embedder: the store's embedder; None loads it if a strategy needs it. Searches with a given embedder share no
            cached results with other orchestrators.
        cache: cache of results; None takes the cache of this process.

    Raises:
        SettingsError: a strategy is unknown.
    """
    search = settings.search
    if cache is None and search.cache_size:
        cache = shared_cache(search.cache_size)
    current = _CurrentIndex(course, settings, embedder)
    index, identity = current.build(course)
    return SearchOrchestrator(
        index, search, cache=cache, identity=identity, renew=current.renew
    )


class _CurrentIndex:
    """The index of a course, built again after an ingest.

    Args:
        course: the course as it was opened first.
        settings: settings of search and embedding.
        embedder: the given embedder of the store; None loads it if a strategy needs it.
    """

    def __init__(
        self, course: Course, settings: Settings, embedder: Embedder | None
    ) -> None:
        self._course = course
        self._settings = settings
        self._makers = find_strategies(settings.search)
        self._given_embedder = embedder
        self._embedder = embedder
        self._fault = ""

    def build(self, course: Course) -> tuple[SearchIndex, Hashable]:
        """Build the index of a course; also return a value that is equal for searches with equal results."""
        settings = self._settings
        names = settings.search.strategies
        if self._given_embedder is None and not EMBEDDING.isdisjoint(names):
            self._load_embedder(course)

        own = ", ".join(name for name in names if name not in STRATEGIES)
        notice = threading.Timer(SLOW_S, _log.info, ("still loading %s", own))
        if own:
            notice.start()
        try:
            index = index_of(course, settings, self._embedder, fault=self._fault)
            warm_up(index, settings.search)
        finally:
            notice.cancel()
        # bound methods are equal only if their object is the same one: another given embedder shares no results
        given = self._given_embedder and self._given_embedder.embed_queries
        identity = (
            course.location,
            course.collection,
            course.fingerprint,
            repr(index.calibration),
            settings.embed,
            given,
            self._makers,
        )
        return index, identity

    def renew(self) -> tuple[SearchIndex, Hashable] | None:
        """Build the index again if an ingest has changed the course; None if not."""
        course = self._course
        try:
            if current_identity(course) == course.identity:
                return None
            changed = open_store(course.location, course.collection)
            renewed = self.build(changed)
        except StoreError as error:
            if is_url(course.location):
                raise SearchError(STORE, f"{error}; {AT_HAND}") from error
            raise
        self._course = changed
        return renewed

    def _load_embedder(self, course: Course) -> None:
        """Load the embedder of a course, unless it is loaded; keep the reason if it cannot be loaded."""
        loaded = self._embedder
        if loaded is not None and loaded.spec == course.embedder_spec:
            return
        self._embedder, self._fault = None, ""
        try:
            self._embedder = store_embedder(course, self._settings)
        except EmbedderError as error:
            self._fault = str(error)
