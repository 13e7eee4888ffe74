"""Build the SearchOrchestrator of a store from settings: strategies, embedder, references, calibration."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from quarry.configs.imports import find, make
from quarry.configs.settings import SearchSettings, Settings
from quarry.ingest.embed import Embedder, Models, TokenEmbedder, word_models_of
from quarry.ingest.embed.hint_bank import Hints, load_hints, read_bank
from quarry.ingest.embed.vectors import form_of
from quarry.ingest.errors import EmbedderError, StoreError
from quarry.ingest.store import Course, is_url, open_store
from quarry.ingest.store.course import cached
from quarry.player.errors import SearchError
from quarry.player.search.cache import CachingEmbedder, ResultCache, shared_cache
from quarry.player.search.calibration import (
    Calibration,
    calibration_for,
    calibration_of,
    is_calibrated,
    is_fitted,
)
from quarry.player.search.index import SearchIndex
from quarry.player.search.late_interaction import Hubs, WordByWord
from quarry.player.search.orchestrator import AT_HAND, STORE, SearchOrchestrator
from quarry.player.search.references import References
from quarry.player.search.rules import RuleEvidence
from quarry.player.search.slots import n_slots
from quarry.player.search.strategies.chroma import Chroma
from quarry.player.search.strategies.dense import Dense, Sentences
from quarry.player.search.strategies.keyword import Keyword
from quarry.player.search.strategies.strategy import Strategy
from quarry.player.search.types import Query, ScoreArrays


def build_orchestrator(
    store: Course, settings: Settings, embedder: Embedder | None = None, *, cache: ResultCache | None = None
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
    own = None if embedder is None else object()
    generation = store.generation()
    broken = ""
    if embedder is None and any(name in EMBEDDING for name in search.strategies):
        try:
            embedder = store_embedder(store, settings)
        except EmbedderError as error:
            broken = str(error)

    def state(course: Course) -> tuple[SearchIndex, Hashable]:
        fits = embedder is not None and (own is not None or embedder.spec == course.embedder_spec)
        searched = searched_of(course, settings, embedder if fits else None, broken=broken)
        known = course.location, course.collection, course.fingerprint, words_of(course, settings)
        return searched, (*known, repr(searched.calibration), settings.embed, own)

    def renew() -> tuple[SearchIndex, Hashable] | None:
        nonlocal generation
        try:
            now = store.generation()
            if now == generation:
                return None
            found = state(open_store(store.location, store.collection))
        except StoreError as error:
            if is_url(store.location):
                raise SearchError(STORE, f"{error}; {AT_HAND}") from error
            raise
        generation = now
        return found

    searched, identity = state(store)
    return SearchOrchestrator(searched, search, cache=cache, identity=identity, renew=renew)


def searched_of(
    store: Course, settings: Settings, embedder: Embedder | None = None, *, broken: str = ""
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
    if not broken and any(name in EMBEDDING for name in search.strategies):
        embedder = embedder or store_embedder(store, settings)
    if embedder is not None and not isinstance(embedder, CachingEmbedder):
        embedder = CachingEmbedder(embedder)
    calibration = calibration_of(store.embedder_spec) if embedder is None else calibration_for(store)
    scorers: tuple[WordByWord, ...] = ()
    if embedder is not None and "+".join(words_of(store, settings)) in calibration.words:
        scorers = word_scorers(store, settings, embedder)
        calibration = calibration.word_by_word([scorer.spec for scorer in scorers])
    parts = Parts(store, search, calibration, embedder, scorers)
    strategies: dict[str, Strategy] = {}
    for name in dict.fromkeys(("keyword", *(("dense",) if embedder is not None else ()), *search.strategies)):
        if broken and name in EMBEDDING:
            strategies[name] = Failing(name, broken)
        else:
            strategies[name] = make(STRATEGIES, name, "search.strategies", store, parts)
    resolves = search.book_match == "resolved"
    compares_meanings = resolves and embedder is not None and is_fitted(store.embedder_spec)
    references = References(
        store.documents,
        search.filter_confidence,
        search.boost_confidence,
        paragraphs=store.paragraphs if resolves else (),
        embedder=embedder if compares_meanings else None,
        alias_vectors=(store.aliases, store.alias_vectors) if compares_meanings else None,
        calibration=calibration.references,
    )
    return SearchIndex(
        strategies,
        references,
        store.paragraphs,
        calibration=calibration,
        calibrated=embedder is None or is_calibrated(store),
        kind_weight=search.kind_weight,
    )


def require_strategies(search: SearchSettings) -> None:
    """Check that the strategies in the settings exist, before a model is loaded for them.

    Raises:
        SettingsError: a strategy is neither in the table nor a valid dotted path.
    """
    for name in search.strategies:
        find(STRATEGIES, name, "search.strategies")


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
    titles = {document.doc_id: document.aliases[0].text for document in store.documents if document.aliases}
    return Keyword(store.paragraphs, titles, parts.calibration.keyword)


STRATEGIES: dict[str, Callable[..., Strategy]] = {
    "dense": lambda store, parts: build_dense(store, parts.search, parts.embedder, parts.calibration, parts.scorers),
    "chroma": lambda store, parts: Chroma(store, parts.embedder, parts.calibration.dense, n_slots(parts.search)),
    "keyword": _make_keyword,
}
"""Strategies by name. Each is called with as many of the arguments `store, parts` as it accepts."""
EMBEDDING = ("dense", "chroma")
"""These strategies embed the hint."""


def store_embedder(store: Course, settings: Settings) -> Embedder:
    """Load the embedder that a store was built with.

    Raises:
        EmbedderError: the embedder cannot be loaded.
    """
    return Models.of(settings.embed).embedder(store.embedder_spec)


def words_of(store: Course, settings: Settings) -> tuple[str, ...]:
    """Return the SPECs of the word-by-word models that the settings ask for and the store holds."""
    held = store.word_specs
    wanted = word_models_of(store.embedder_spec, settings.search.accuracy) if held else ()
    return tuple(spec for spec in wanted if spec in held) if store.embedder_spec in held else ()


def word_scorers(
    store: Course, settings: Settings, embedder: CachingEmbedder, hints: Hints | None = None
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
            bank, words = read_bank(hints, model.embedder, models.folder), store.words(spec)
            known = spec, bank.hints.texts, bank.hints.documents, sorted(bank.hints.course)
            hubs = cached(store.paragraphs, f"hubs {known}", functools.partial(Hubs, words.pooled, doc_ids, bank))
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
            store.sentence_vectors, store.sentence_rows, search.sentence_weight, search.sentence_mean_weight
        )
    return Dense(store.paragraphs, store.vectors, embedder, sentences, rules.log_odds, calibration.dense, more)
