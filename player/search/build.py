"""Build the SearchOrchestrator of a store from settings: strategies, embedder, references, calibration."""

import logging
import time
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import cast

from configs.settings import SearchSettings, Settings
from player.deadlines import Call, Runner
from player.errors import LateStrategyError, SearchError
from player.search.books.resolver import BookResolver
from player.search.cache import CachingEmbedder, ResultCache, shared_cache
from player.search.calibration import (
    course_calibration,
    embedder_calibration,
    is_calibrated,
    is_fitted,
    notice_of,
)
from player.search.cascade import Cascade
from player.search.engine import AT_HAND, STORE, SearchOrchestrator
from player.search.index import DENSE, KEYWORD, SearchIndex
from player.search.late_interaction import Hubs, LateInteraction
from player.search.results import Query, ScoreArrays
from player.search.strategies.chroma import Chroma
from player.search.strategies.cross_encoder import CrossEncoder
from player.search.strategies.dense import Dense
from player.search.strategies.keywords import Keyword
from player.search.strategies.strategy import Strategy, StrategyInputs
from quarry.embed import Embedder, Models, TokenEmbedder
from quarry.embed.hint_bank import Hints, load_hints, read_bank
from quarry.errors import EmbedderError, StoreError
from quarry.plugins import find, make
from quarry.store import (
    DEFAULT_COLLECTION,
    Course,
    current_identity,
    is_url,
    open_store,
)

_log = logging.getLogger(__name__)
STRATEGIES: dict[str, Callable[..., Strategy]] = {
    DENSE: Dense,
    "chroma": Chroma,
    KEYWORD: Keyword,
    "cross-encoder": CrossEncoder,
}
"""Strategies by name. Each is called with as many of the arguments `course, inputs` as it accepts."""
EMBEDDING = (DENSE, "chroma")
"""These strategies embed the hint."""
SETTING = "search.strategies"
LOADING_S = 20.0
"""Maximum time of loading; what takes longer is late in the first searches."""


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
    require_strategies(search)
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
        self._given = embedder
        self._embedder = embedder
        self._fault = ""

    def build(self, course: Course) -> tuple[SearchIndex, Hashable]:
        """Build the index of a course; also return a value that is equal for searches with equal results."""
        settings = self._settings
        strategies = settings.search.strategies
        if self._given is None and any(name in EMBEDDING for name in strategies):
            self._load_embedder(course)

        index = index_of(course, settings, self._embedder, fault=self._fault)
        _warm_up(index, settings.search)
        # a method is equal to a method of the same object only
        given_embedder = self._given and self._given.embed_queries
        identity = (
            course.location,
            course.collection,
            course.fingerprint,
            repr(index.calibration),
            settings.embed,
            given_embedder,
            tuple(find(STRATEGIES, name, SETTING) for name in strategies),
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
    calibration = embedder_calibration(course.embedder_spec)
    caching = None
    late = None
    if embedder is not None:
        calibration = course_calibration(course)
        is_late = search.late_interaction and calibration.late_interaction is not None
        caching = CachingEmbedder(embedder, with_tokens=is_late)
        if is_late:
            late = late_interaction_of(course, settings, caching)
        if late is not None:
            calibration = calibration.with_late_interaction()
    inputs = StrategyInputs(search, calibration, caching, late)

    strategies: dict[str, Strategy] = {}
    dense = () if embedder is None else (DENSE,)
    for name in dict.fromkeys((KEYWORD, *dense, *search.strategies)):
        if fault and name in EMBEDDING:
            strategies[name] = Failing(name, fault)
        else:
            strategies[name] = _strategy(name, course, inputs)
    # book names are compared by meaning if the weights are fitted for the embedder
    compares = search.book_match == "resolved" and is_fitted(course.embedder_spec)
    return SearchIndex(
        strategies,
        BookResolver(course, caching if compares else None, calibration.references),
        course.paragraphs,
        calibration=calibration,
        calibrated=embedder is None or is_calibrated(course, calibration),
        pieces=course.pieces,
    )


def _strategy(name: str, course: Course, inputs: StrategyInputs) -> Strategy:
    """Make a strategy; a user's own that fails, or is not made by the deadline, fails in every search."""

    def work() -> Strategy:
        made = make(STRATEGIES, name, SETTING, course, inputs)
        return cast(Strategy, made)

    if name in STRATEGIES:
        return work()
    deadline = time.monotonic() + inputs.search.deadline_s
    call: Call[Strategy] = Runner().start(name, work, deadline)
    strategy = call.value()
    if strategy is not None:
        return strategy
    reason = call.failure.reason if call.failure else "made nothing"
    return Failing(name, reason)


def _warm_up(index: SearchIndex, search: SearchSettings) -> None:
    """Search once and drop the hits, so that no later search waits within its deadline for what is loaded at first use.

    Log the strategies that are not loaded after `LOADING_S`. Keywords are loaded by the first search that needs them,
    since most need none.
    """
    patient = replace(search, deadline_s=LOADING_S)
    query = Query("an idea and its example", "ideas, by example", 1, search.keywords)
    result = Cascade(
        index=index,
        settings=patient,
        runner=Runner(),
        query=query,
        started=time.perf_counter(),
        everything=True,
    ).result()
    for failure in result.failures:
        if isinstance(failure, LateStrategyError):
            late = "strategy %s is not loaded after %g s; searches go on without it"
            _log.warning(late, failure.strategy, LOADING_S)


def require_strategies(search: SearchSettings) -> None:
    """Check that the strategies in the settings exist, before a model is loaded for them.

    Raises:
        SettingsError: a strategy is neither in the table nor a valid dotted path.
    """
    for name in search.strategies:
        find(STRATEGIES, name, SETTING)


class Failing(Strategy):
    """A strategy that fails in every search; it replaces a strategy that could not be created."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(())
        self._name = name
        self._reason = reason

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        """Raise the reason."""
        raise SearchError(self._name, self._reason)


def open_course(location: str, collection: str = DEFAULT_COLLECTION) -> Course:
    """Open a store to be searched, and log the notice about its embedder; see `open_store`."""
    course = open_store(location, collection)
    if notice := notice_of(course):
        _log.warning("%s", notice)
    return course


def store_embedder(course: Course, settings: Settings) -> Embedder:
    """Load the embedder that a store was built with.

    Raises:
        EmbedderError: the embedder cannot be loaded.
    """
    return Models(settings.embed).embedder(course.embedder_spec)


def late_interaction_of(
    course: Course,
    settings: Settings,
    embedder: CachingEmbedder,
    hints: Hints | None = None,
) -> LateInteraction | None:
    """Make the scorer that compares hint and paragraph token by token; None if the store holds no tokens.

    Args:
        course: the course to search.
        settings: settings of embedding.
        embedder: the store's embedder.
        hints: the bank of hints; None takes the bundled one.
    """
    tokens = course.tokens
    if tokens is None or not isinstance(embedder.embedder, TokenEmbedder):
        return None
    folder = Models(settings.embed).folder
    bank = read_bank(hints or load_hints(), embedder.embedder, folder)
    doc_ids = [paragraph.doc_id for paragraph in course.paragraphs]
    hubs = Hubs(course.vectors, doc_ids, bank)
    return LateInteraction(embedder, tokens, hubs, bank)
