"""Build the index of a course, and the SearchOrchestrator of a store, whose index is built again after each ingest."""

import logging
import threading
from collections.abc import Hashable
from dataclasses import replace

from configs.settings import SearchSettings, Settings
from player.errors import LateStrategyError, SearchError
from player.search.available import (
    STRATEGIES,
    Failing,
    find_strategies,
    make_strategy,
    needs_embedder,
)
from player.search.books.resolver import BookResolver
from player.search.cache import CachingEmbedder, shared_cache
from player.search.calibration import course_calibration, is_calibrated, is_fitted
from player.search.engine import STALE_COURSE, STORE, SearchOrchestrator
from player.search.index import SearchIndex
from player.search.late_interaction import late_interaction_of
from player.search.live_search import LiveSearch
from player.search.results import KEYWORD, Query
from player.search.stores import store_embedder
from player.search.strategies.strategy import Strategy, StrategyInputs
from quarry.addresses import is_url
from quarry.embed import Embedder
from quarry.errors import EmbedderError, StoreError
from quarry.store import Course, current_identity, open_store

_log = logging.getLogger(__name__)
SLOW_S = 3.0
"""Number of seconds after which a line says that a user's own strategies are still being loaded."""
LOADING_S = 20.0
"""Maximum number of seconds of loading; slower strategies are missing from the first searches."""


def build_orchestrator(
    course: Course,
    settings: Settings,
    embedder: Embedder | None = None,
) -> SearchOrchestrator:
    """Build the orchestrator over a store, with the strategies that the settings name.

    If the store's embedder cannot be loaded, the strategies that embed fail in every search. Each search lists them in
    `failures`, and keyword search answers.

    Args:
        course: the course to search.
        settings: settings of search and embedding.
        embedder: the store's embedder; None loads it if a strategy needs it. Searches with a given embedder share no
            cached results with other orchestrators.

    Raises:
        SettingsError: a strategy is unknown.
    """
    search = settings.search
    cache = shared_cache(search.cache_size) if search.cache_size else None
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
        self._is_given = embedder is not None
        self._embedder = embedder
        self._fault = ""

    def build(self, course: Course) -> tuple[SearchIndex, Hashable]:
        """Return the index of a course and its cache identity."""
        settings = self._settings
        names = settings.search.strategies
        if not self._is_given and any(map(needs_embedder, names)):
            self._load_embedder(course)

        own = ", ".join(name for name in names if name not in STRATEGIES)
        notice = threading.Timer(SLOW_S, _log.info, ("still loading %s", own))
        if own:
            notice.start()
        try:
            index = index_of(course, settings, self._embedder, fault=self._fault)
            preload(index, settings.search)
        finally:
            notice.cancel()

        identity = (
            course.location,
            course.collection,
            course.fingerprint,
            repr(index.calibration),
            settings.embed,
            self._makers,
            object() if self._is_given else None,  # it equals nothing else
        )
        return index, identity

    def renew(self) -> tuple[SearchIndex, Hashable] | None:
        """Build the index again if an ingest has changed the course; None if not."""
        course = self._course
        try:
            if current_identity(course) == course.identity:
                return None
            new_course = open_store(course.location, course.collection)
            index_and_identity = self.build(new_course)
        except StoreError as error:
            if is_url(course.location):
                raise SearchError(STORE, f"{error}; {STALE_COURSE}") from error
            raise
        self._course = new_course
        return index_and_identity

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


def index_of(
    course: Course,
    settings: Settings,
    embedder: Embedder | None = None,
    *,
    fault: str = "",
) -> SearchIndex:
    """Build the index of a course.

    Args:
        course: the course to search.
        settings: settings of search and embedding.
        embedder: the store's embedder; None if no strategy needs it, or if it cannot be loaded.
        fault: reason why it cannot be loaded; the strategies that embed then fail in every search.
    """
    search = settings.search
    calibration = course_calibration(course)
    caching = None
    late_interaction = None
    if embedder is not None:
        with_tokens = bool(search.late_interaction and calibration.late_interaction)
        caching = CachingEmbedder(embedder, with_tokens=with_tokens)
        if with_tokens:
            late_interaction = late_interaction_of(course, settings, caching)
        if late_interaction is not None:
            calibration = calibration.with_late_interaction()
    inputs = StrategyInputs(search, calibration, caching, late_interaction)

    strategies: dict[str, Strategy] = {}
    for name in dict.fromkeys((KEYWORD, *search.strategies)):
        if fault and needs_embedder(name):
            strategies[name] = Failing(name, fault)
        else:
            strategies[name] = make_strategy(name, course, inputs)

    # book names are compared by meaning if the weights are fitted for the embedder
    compares = search.book_match == "resolved" and is_fitted(course.embedder_spec)
    return SearchIndex(
        strategies,
        BookResolver(course, caching if compares else None, calibration.books),
        course.paragraphs,
        calibration=calibration,
        calibrated=embedder is None or is_calibrated(course, calibration),
        pieces=course.pieces,
    )


def preload(index: SearchIndex, search: SearchSettings) -> None:
    """Search once and drop the hits, so that no later search waits within its deadline for what is loaded at first use.

    Log the strategies that are not loaded after `LOADING_S`. Keywords are loaded by the first search that needs them,
    since most need none.
    """
    query = Query("an idea and its example", "ideas, by example", 1, search.keywords)
    settings = replace(search, deadline_s=LOADING_S)
    result = LiveSearch(index, settings, query).course_result()

    for failure in result.failures:
        if isinstance(failure, LateStrategyError):
            _log.warning(
                "strategy %s is not loaded after %g s; searches go on without it",
                failure.strategy,
                LOADING_S,
            )
