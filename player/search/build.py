"""Build the SearchOrchestrator of a store from settings: strategies, embedder, references, calibration."""

import logging
from collections.abc import Callable

from configs.settings import SearchSettings, Settings
from player.errors import SearchError
from player.search.cache import CachingEmbedder
from player.search.calibration import (
    calibration_for,
    calibration_of,
    is_calibrated,
    is_fitted,
    notice_of,
)
from player.search.engine import AT_HAND, STORE, SearchOrchestrator
from player.search.index import KEYWORD, SearchIndex
from player.search.late_interaction import Hubs, LateInteraction
from player.search.references import References
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
from quarry.store import DEFAULT_COLLECTION, Course, identity_of, is_url, open_store

_log = logging.getLogger(__name__)
STRATEGIES: dict[str, Callable[..., Strategy]] = {
    "dense": Dense.from_course,
    "chroma": Chroma,
    "keyword": Keyword.from_course,
    "cross-encoder": CrossEncoder,
}
"""Strategies by name. Each is called with as many of the arguments `course, inputs` as it accepts."""
EMBEDDING = ("dense", "chroma")
"""These strategies embed the hint."""
SETTING = "search.strategies"


def build_orchestrator(
    course: Course, settings: Settings, embedder: Embedder | None = None
) -> SearchOrchestrator:
    """Build the orchestrator over a store, with the strategies that the settings name.

    Args:
        course: the course to search.
        settings: settings of search and embedding.
        embedder: the store's embedder; None loads it if a strategy needs it.

    Raises:
        SettingsError: a strategy is unknown, or a user's own cannot be made.
    """
    require_strategies(settings.search)
    current = course

    def renew() -> SearchIndex | None:
        """Build the index again if an ingest has changed the course; None if not."""
        nonlocal current
        try:
            if identity_of(current) == current.identity:
                return None
            changed = open_store(current.location, current.collection)
            index = index_of(changed, settings, embedder)
        except StoreError as error:
            if is_url(current.location):
                raise SearchError(STORE, f"{error}; {AT_HAND}") from error
            raise
        current = changed
        return index

    index = index_of(course, settings, embedder)
    return SearchOrchestrator(index, settings.search, renew)


def index_of(
    course: Course, settings: Settings, embedder: Embedder | None = None
) -> SearchIndex:
    """Build the index of a course.

    If the store's embedder cannot be loaded, the strategies that embed fail in every search. Each search lists them in
    `failures`, and keyword search answers.

    Args:
        course: the course to search.
        settings: settings of search and embedding.
        embedder: the store's embedder; None loads it if a strategy needs it.

    Raises:
        SettingsError: a user's own strategy cannot be made.
    """
    search, fault = settings.search, ""
    if embedder is None and any(name in EMBEDDING for name in search.strategies):
        try:
            embedder = store_embedder(course, settings)
        except EmbedderError as error:
            fault = str(error)

    inputs = _inputs_of(course, settings, embedder)
    strategies: dict[str, Strategy] = {}
    for name in (KEYWORD, *search.strategies):
        if fault and name in EMBEDDING:
            strategies[name] = Failing(name, fault)
        else:
            strategies[name] = make(STRATEGIES, name, SETTING, course, inputs)

    resolves = search.book_match == "resolved"
    references = References(
        course.documents,
        paragraphs=course.paragraphs if resolves else (),
        # meanings are compared only with weights that are fitted for the embedder
        embedder=inputs.embedder
        if resolves and is_fitted(course.embedder_spec)
        else None,
        alias_vectors=(course.aliases, course.alias_vectors),
        calibration=inputs.calibration.references,
    )
    return SearchIndex(
        strategies,
        references,
        course.paragraphs,
        calibration=inputs.calibration,
        calibrated=embedder is None or is_calibrated(course, inputs.calibration),
        pieces=course.pieces,
    )


def _inputs_of(
    course: Course, settings: Settings, embedder: Embedder | None
) -> StrategyInputs:
    """Return the inputs of the strategies, with the numbers that are fitted for the embedder."""
    search = settings.search
    if embedder is None:
        return StrategyInputs(search, calibration_of(course.embedder_spec))

    caching, calibration = CachingEmbedder(embedder), calibration_for(course)
    late = None
    if search.late_interaction and calibration.late_interaction:
        late = late_interaction_of(course, settings, caching)
    if late is not None:
        calibration = calibration.with_late_interaction()
    return StrategyInputs(search, calibration, caching, late)


def require_strategies(search: SearchSettings) -> None:
    """Check that the strategies in the settings exist, before a model is loaded for them.

    Raises:
        SettingsError: a strategy is neither in the table nor a valid dotted path.
    """
    for name in search.strategies:
        find(STRATEGIES, name, SETTING)


class Failing(Strategy):
    """A strategy that fails in every search, since the embedder could not be loaded."""

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

    Raises:
        BadInputError: the bank cannot be read.
    """
    tokens = course.tokens
    if tokens is None or not isinstance(embedder.embedder, TokenEmbedder):
        return None
    folder = Models(settings.embed).folder
    bank = read_bank(hints or load_hints(), embedder.embedder, folder)
    doc_ids = [paragraph.doc_id for paragraph in course.paragraphs]
    hubs = Hubs(course.vectors, doc_ids, bank)
    return LateInteraction(embedder, tokens, hubs, bank)
