"""Build the SearchOrchestrator of a store from settings: strategies, embedder, references, calibration."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import cast

from configs.settings import SearchSettings, Settings
from ingest.embed import Embedder, Models, TokenEmbedder, word_models_of
from ingest.embed.hint_bank import Hints, load_hints, read_bank
from ingest.embed.vectors import form_of
from ingest.errors import EmbedderError, StoreError
from ingest.extensions import find, make
from ingest.store import Course, is_url, open_store
from ingest.store.cache import cached
from player.deadlines import Call, Runner
from player.errors import SearchError
from player.search.cache import CachingEmbedder, ResultCache, shared_cache
from player.search.calibration import (
    Calibration,
    calibration_for,
    calibration_of,
    is_calibrated,
    is_fitted,
)
from player.search.index import SearchIndex
from player.search.late_interaction import Hubs, WordByWord
from player.search.orchestrator import AT_HAND, STORE, SearchOrchestrator
from player.search.references import References
from player.search.rules import RuleEvidence
from player.search.slots import n_slots
from player.search.strategies.chroma import Chroma
from player.search.strategies.cross_encoder import CrossEncoder
from player.search.strategies.dense import Dense, Sentences
from player.search.strategies.keyword import Keyword
from player.search.strategies.strategy import Strategy
from player.search.types import Query, ScoreArrays


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
    given = embedder
    generation = store.generation()
    embedder, broken = _embedder_or_reason(store, settings, given)

    def state(course: Course) -> tuple[SearchIndex, Hashable]:
        fits = embedder is not None and (
            given is not None or embedder.spec == course.embedder_spec
        )
        index = index_of(course, settings, embedder if fits else None, broken=broken)
        identity = (
            course.location,
            course.collection,
            course.fingerprint,
            words_of(course, settings),
            repr(index.calibration),
            settings.embed,
            # a method is equal to a method of the same object only
            type(embedder) if given is None else given.embed_queries,
            tuple(find(STRATEGIES, name, SETTING) for name in search.strategies),
        )
        return index, identity

    def renew() -> tuple[SearchIndex, Hashable] | None:
        nonlocal generation
        try:
            now = store.generation()
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


def _embedder_or_reason(
    store: Course, settings: Settings, given: Embedder | None
) -> tuple[Embedder | None, str]:
    """Return the embedder that a search needs, and the reason why it cannot be loaded, or ""."""
    if given is not None or not needs_embedder(settings.search):
        return given, ""
    try:
        return store_embedder(store, settings), ""
    except EmbedderError as error:
        return None, str(error)


def index_of(
    store: Course,
    settings: Settings,
    embedder: Embedder | None = None,
    *,
    broken: str = "",
) -> SearchIndex:
    """Build the index of a course.

    Args:
        store: the course to search.
        settings: settings of search and embedding.
        embedder: the store's embedder; None loads it if a strategy needs it.
        broken: reason why the embedder cannot be loaded; the strategies that embed then fail in every search.
    """
    search = settings.search
    require_strategies(search)
    if embedder is None and not broken and needs_embedder(search):
        embedder = store_embedder(store, settings)
    if embedder is not None and not isinstance(embedder, CachingEmbedder):
        embedder = CachingEmbedder(embedder)

    calibration = calibration_of(store.embedder_spec)
    scorers: tuple[WordByWord, ...] = ()
    if embedder is not None:
        calibration = calibration_for(store)
        if "+".join(words_of(store, settings)) in calibration.words:
            scorers = word_scorers(store, settings, embedder)
            specs = [scorer.spec for scorer in scorers]
            calibration = calibration.word_by_word(specs)

    names = ["keyword", *(("dense",) if embedder else ()), *search.strategies]
    parts = Parts(store, search, calibration, embedder, scorers)
    return SearchIndex(
        {name: _strategy(name, store, parts, broken) for name in dict.fromkeys(names)},
        _references(store, search, calibration, embedder),
        store.paragraphs,
        calibration=calibration,
        calibrated=embedder is None or is_calibrated(store),
        kind_weight=search.kind_weight,
        is_uncased=store.embedder_spec in UNCASED
        and all(name in STRATEGIES for name in search.strategies),
        pieces=store.pieces,
    )


def _strategy(name: str, store: Course, parts: Parts, broken: str) -> Strategy:
    """Make a strategy; one that fails, or is not made by the deadline, fails in every search."""
    if broken and name in EMBEDDING:
        return Failing(name, broken)
    if name in STRATEGIES:
        return cast(Strategy, make(STRATEGIES, name, SETTING, store, parts))

    deadline = time.monotonic() + parts.search.deadline_s
    call: Call[Strategy] = Runner().start(
        name, lambda: make(STRATEGIES, name, SETTING, store, parts), deadline
    )
    strategy = call.value()
    if strategy is not None:
        return strategy
    return Failing(name, call.failure.reason if call.failure else "made nothing")


def _references(
    store: Course,
    search: SearchSettings,
    calibration: Calibration,
    embedder: Embedder | None,
) -> References:
    """Make the resolver of book names; it compares meanings if its weights are fitted for the embedder."""
    resolves = search.book_match == "resolved"
    compares_meanings = resolves and is_fitted(store.embedder_spec)
    return References(
        store.documents,
        search.filter_confidence,
        search.boost_confidence,
        paragraphs=store.paragraphs if resolves else (),
        embedder=embedder if compares_meanings else None,
        alias_vectors=(store.aliases, store.alias_vectors)
        if compares_meanings and embedder is not None
        else None,
        calibration=calibration.references,
    )


def needs_embedder(search: SearchSettings) -> bool:
    """Return whether a strategy of the settings embeds the hint."""
    return any(name in EMBEDDING for name in search.strategies)


def require_strategies(search: SearchSettings) -> None:
    """Check that the strategies in the settings exist, before a model is loaded for them.

    Raises:
        SettingsError: a strategy is neither in the table nor a valid dotted path.
    """
    for name in search.strategies:
        find(STRATEGIES, name, SETTING)


class Failing(Strategy):
    """A strategy that fails in every search; it replaces a strategy that could not be created."""

    name = ""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(())
        self.name = name
        self._reason = reason

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        """Raise the reason."""
        raise SearchError(self.name, self._reason)


@dataclass(frozen=True)
class Parts:
    """Inputs of the strategies in the table.

    Attributes:
        embedder: None if no strategy needs an embedder.
        scorers: scorers that compare hint and paragraph word by word.
    """

    store: Course
    search: SearchSettings
    calibration: Calibration
    embedder: Embedder | None
    scorers: Sequence[WordByWord]


def _make_keyword(store: Course, parts: Parts) -> Strategy:
    names: dict[str, list[str]] = {}
    for document in store.documents:
        aliases = names.setdefault(document.same_as or document.doc_id, [])
        aliases += [alias.text for alias in document.aliases]
    return Keyword(store.paragraphs, names, parts.calibration.keyword)


STRATEGIES: dict[str, Callable[..., Strategy]] = {
    "dense": lambda store, parts: build_dense(
        store, parts.search, parts.embedder, parts.calibration, parts.scorers
    ),
    "chroma": lambda store, parts: Chroma(
        store, parts.embedder, parts.calibration.dense, n_slots(parts.search)
    ),
    "keyword": _make_keyword,
    "cross-encoder": lambda store, parts: CrossEncoder(
        store.paragraphs, parts.search.cross_encoder
    ),
}
"""Strategies by name. Each is called with as many of the arguments `store, parts` as it accepts."""
EMBEDDING = ("dense", "chroma")
"""These strategies embed the hint."""
UNCASED = ("minilm", "mpnet")
"""These networks read capital letters as small ones."""
SETTING = "search.strategies"


def store_embedder(store: Course, settings: Settings) -> Embedder:
    """Load the embedder that a store was built with.

    Raises:
        EmbedderError: the embedder cannot be loaded.
    """
    return Models.of(settings.embed).embedder(store.embedder_spec)


def words_of(store: Course, settings: Settings) -> tuple[str, ...]:
    """Return the SPECs of the word-by-word models that the settings ask for and the store holds."""
    held = store.word_specs
    wanted = (
        word_models_of(store.embedder_spec, settings.search.accuracy) if held else ()
    )
    return (
        tuple(spec for spec in wanted if spec in held)
        if store.embedder_spec in held
        else ()
    )


def word_scorers(
    store: Course,
    settings: Settings,
    embedder: CachingEmbedder,
    hints: Hints | None = None,
) -> tuple[WordByWord, ...]:
    """Make the scorers that compare hint and paragraph word by word.

    Args:
        store: the course to search.
        settings: settings that name the models.
        embedder: the store's embedder; further models are loaded.
        hints: the bank of hints; None takes the bundled one.

    Raises:
        BadInputError: the bank cannot be read.
        EmbedderError: a model cannot be loaded.
    """
    specs = words_of(store, settings)
    if not specs:
        return ()
    models = Models.of(settings.embed)
    hints = hints or load_hints()
    doc_ids = [paragraph.doc_id for paragraph in store.paragraphs]
    scorers = []
    for spec in specs:
        own = spec == embedder.spec
        model = embedder if own else CachingEmbedder(models.embedder(spec))
        form = form_of(spec)
        if form is not None and isinstance(model.embedder, TokenEmbedder):
            bank, words = (
                read_bank(hints, model.embedder, models.folder),
                store.words(spec),
            )
            known = (
                spec,
                bank.hints.texts,
                bank.hints.documents,
                sorted(bank.hints.course),
            )
            hubs = cached(
                store.paragraphs,
                f"hubs {known}",
                functools.partial(Hubs, words.pooled, doc_ids, bank),
            )
            scorers.append(WordByWord(model, words, hubs, form, bank))
    return tuple(scorers)


def build_dense(
    store: Course,
    search: SearchSettings,
    embedder: Embedder,
    calibration: Calibration,
    more: Sequence[WordByWord] = (),
) -> Dense:
    """Make dense search over a store; compare its sentences too if they have a weight."""
    rules = RuleEvidence(store.paragraphs, search.rule_weight)
    sentences = None
    if search.sentence_weight or search.sentence_mean_weight:
        sentences = Sentences(
            store.sentence_vectors,
            store.sentence_rows,
            search.sentence_weight,
            search.sentence_mean_weight,
        )
    return Dense(
        store.paragraphs,
        store.vectors,
        embedder,
        sentences,
        rules.log_odds,
        calibration.dense,
        more,
    )
