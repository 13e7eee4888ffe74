"""Build the SearchOrchestrator of a store from settings: strategies, embedder, references, calibration."""

import time
from collections.abc import Callable, Hashable
from typing import cast

from configs.settings import SearchSettings, Settings
from player.deadlines import Call, Runner
from player.errors import SearchError
from player.search.books import NO_ALIASES, References
from player.search.cache import CachingEmbedder, ResultCache, shared_cache
from player.search.calibration import (
    calibration_for,
    calibration_of,
    is_calibrated,
    is_fitted,
)
from player.search.engine import AT_HAND, STORE, SearchOrchestrator
from player.search.index import SearchIndex
from player.search.late_interaction import Hubs, LateInteraction
from player.search.results import Query, ScoreArrays
from player.search.strategies.chroma import Chroma
from player.search.strategies.cross_encoder import CrossEncoder
from player.search.strategies.dense import Dense
from player.search.strategies.keywords import Keyword
from player.search.strategies.strategy import Parts, Strategy
from quarry.embed import Embedder, Models, TokenEmbedder
from quarry.embed.hint_bank import Hints, load_hints, read_bank
from quarry.errors import EmbedderError, StoreError
from quarry.plugins import find, make
from quarry.store import Course, generation_of, is_url, open_store

STRATEGIES: dict[str, Callable[..., Strategy]] = {
    "dense": Dense.from_course,
    "chroma": Chroma.from_course,
    "keyword": Keyword.from_course,
    "cross-encoder": CrossEncoder.from_course,
}
"""Strategies by name. Each is called with as many of the arguments `store, parts` as it accepts."""
EMBEDDING = ("dense", "chroma")
"""These strategies embed the hint."""
SETTING = "search.strategies"


def build_orchestrator(
    store: Course,
    settings: Settings,
    embedder: Embedder | None = None,
    *,
    cache: ResultCache | None = None,
) -> SearchOrchestrator:
    """Build the orchestrator over a store, with the strategies that the settings name.

    Args:
        store: the course to search.
        settings: settings of search and embedding.
        embedder: the store's embedder; None loads it if a strategy needs it. Searches with a given embedder share no
            cached results with other orchestrators.
        cache: cache of results; None takes the cache of this process.

    If the store's embedder cannot be loaded, the strategies that embed fail in every search. Each search lists them in
    `failures`, and keyword search answers.

    Raises:
        SettingsError: a strategy is unknown.
    """
    search = settings.search
    require_strategies(search)
    if cache is None and search.cache_size:
        cache = shared_cache(search.cache_size)
    generation = store.generation
    embeds = any(name in EMBEDDING for name in search.strategies)
    model, fault = embedder, ""

    def state(course: Course) -> tuple[SearchIndex, Hashable]:
        nonlocal model, fault
        is_of_store = model is not None and model.spec == course.embedder_spec
        if embedder is None and embeds and not is_of_store:
            model, fault = None, ""
            try:
                model = store_embedder(course, settings)
            except EmbedderError as error:
                fault = str(error)

        index = index_of(course, settings, model, fault=fault)
        identity = (
            course.location,
            course.collection,
            course.fingerprint,
            repr(index.calibration),
            settings.embed,
            # a method is equal to a method of the same object only
            embedder and embedder.embed_queries,
            tuple(find(STRATEGIES, name, SETTING) for name in search.strategies),
        )
        return index, identity

    def renew() -> tuple[SearchIndex, Hashable] | None:
        nonlocal generation
        try:
            now = generation_of(store)
            if now == generation:
                return None
            renewed = state(open_store(store.location, store.collection))
        except StoreError as error:
            if is_url(store.location):
                raise SearchError(STORE, f"{error}; {AT_HAND}") from error
            raise
        generation = now
        return renewed

    index, identity = state(store)
    return SearchOrchestrator(
        index, search, cache=cache, identity=identity, renew=renew
    )


def index_of(
    store: Course,
    settings: Settings,
    embedder: Embedder | None = None,
    *,
    fault: str = "",
) -> SearchIndex:
    """Build the index of a course.

    Args:
        store: the course to search.
        settings: settings of search and embedding.
        embedder: the store's embedder; None if no strategy needs it, or if it cannot be loaded.
        fault: reason why it cannot be loaded; the strategies that embed then fail in every search.
    """
    search = settings.search
    caching, calibration, late = None, calibration_of(store.embedder_spec), None
    if embedder is not None:
        caching, calibration = CachingEmbedder(embedder), calibration_for(store)
        if search.late_interaction and calibration.late_interaction:
            late = late_interaction_of(store, settings, caching)
        if late is not None:
            calibration = calibration.with_late_interaction()
    parts = Parts(search, calibration, caching, late)

    strategies: dict[str, Strategy] = {}
    dense = ("dense",) if embedder else ()
    for name in ("keyword", *dense, *search.strategies):
        if fault and name in EMBEDDING:
            strategies[name] = Failing(name, fault)
        else:
            strategies[name] = _strategy(name, store, parts)
    return SearchIndex(
        strategies,
        _references(store, parts),
        store.paragraphs,
        calibration=calibration,
        calibrated=embedder is None or is_calibrated(store, calibration),
        pieces=store.pieces,
    )


def _strategy(name: str, store: Course, parts: Parts) -> Strategy:
    """Make a strategy; a user's own that fails, or is not made by the deadline, fails in every search."""

    def work() -> Strategy:
        return cast(
            Strategy,
            make(
                STRATEGIES,
                name,
                SETTING,
                store,
                parts,
            ),
        )

    if name in STRATEGIES:
        return work()
    deadline = time.monotonic() + parts.search.deadline_s
    call: Call[Strategy] = Runner().start(name, work, deadline)
    strategy = call.value()
    reason = call.failure.reason if call.failure else "made nothing"
    return strategy or Failing(name, reason)


def _references(store: Course, parts: Parts) -> References:
    """Make the resolver of book names; it compares meanings if its weights are fitted for the embedder."""
    search = parts.search
    resolves = search.book_match == "resolved"
    compares = resolves and parts.embedder and is_fitted(store.embedder_spec)
    return References(
        store.documents,
        paragraphs=store.paragraphs if resolves else (),
        embedder=parts.embedder if compares else None,
        alias_vectors=(store.aliases, store.alias_vectors) if compares else NO_ALIASES,
        calibration=parts.calibration.references,
    )


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


def store_embedder(store: Course, settings: Settings) -> Embedder:
    """Load the embedder that a store was built with.

    Raises:
        EmbedderError: the embedder cannot be loaded.
    """
    return Models(settings.embed).embedder(store.embedder_spec)


def late_interaction_of(
    store: Course,
    settings: Settings,
    embedder: CachingEmbedder,
    hints: Hints | None = None,
) -> LateInteraction | None:
    """Make the scorer that compares hint and paragraph token by token; None if the store holds no tokens.

    Args:
        store: the course to search.
        settings: settings of embedding.
        embedder: the store's embedder.
        hints: the bank of hints; None takes the bundled one.

    Raises:
        BadInputError: the bank cannot be read.
    """
    tokens = store.tokens
    if tokens is None or not isinstance(embedder.embedder, TokenEmbedder):
        return None
    folder = Models(settings.embed).folder
    bank = read_bank(hints or load_hints(), embedder.embedder, folder)
    doc_ids = [paragraph.doc_id for paragraph in store.paragraphs]
    hubs = Hubs(store.vectors, doc_ids, bank)
    return LateInteraction(embedder, tokens, hubs, bank)
