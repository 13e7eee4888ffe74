"""A store and settings -> the SearchOrchestrator over them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path

from quarry.configs.imports import find, make
from quarry.configs.settings import SearchSettings, Settings, SettingsError
from quarry.ingest.embed import Embedder, TokenEmbedder, word_models_of
from quarry.ingest.embed.hint_bank import HINTS, Hints, load_hints, read_bank
from quarry.ingest.embed.tokens import form_of
from quarry.ingest.store import Course, open_store
from quarry.player.search.cache import IdentityKey, RememberingEmbedder, ResultCache, shared_cache
from quarry.player.search.calibration import Calibration, ReferenceCalibration, calibration_of, is_calibrated
from quarry.player.search.core import document_priors
from quarry.player.search.cross_encoder import CrossEncoderScorer
from quarry.player.search.index import SearchIndex
from quarry.player.search.late_interaction import WordByWord
from quarry.player.search.orchestrator import SearchOrchestrator
from quarry.player.search.references import References
from quarry.player.search.rules import RuleEvidence
from quarry.player.search.strategies.dense import Dense, PartScorer, Sentences
from quarry.player.search.strategies.keyword import Keyword
from quarry.player.search.strategies.reranked import Reranked
from quarry.player.search.types import Rewriter, Strategy

GIVE_ONE = "write `search: {cross_encoder: FOLDER}` to a file and name that with --config"
"""How a cross-encoder is given."""


def build_orchestrator(
    store: Course,
    settings: Settings,
    embedder: Embedder | None = None,
    *,
    more: Sequence[Strategy] = (),
    rewriter: Rewriter | None = None,
    cache: ResultCache | None = None,
) -> SearchOrchestrator:
    """The orchestrator over a store, with the strategies that the settings name.

    Args:
        store: what is searched.
        settings: what a search does.
        embedder: the store's, if it is loaded already; otherwise it is loaded if a strategy needs it.
        more: a user's own strategies, by the names that `search.strategies` may then hold.
        rewriter: a user's own; None takes what `search.rewrite` says.
        cache: of results; None shares one with all of this process.

    Raises:
        EmbedderError: the store's embedder cannot be loaded.
        SettingsError: a strategy is unknown.
    """
    search = settings.search
    require_strategies(search, more)
    if cache is None and search.cache_size:
        cache = shared_cache(search.cache_size)
    own = (*more, *((rewriter,) if rewriter else ()), *((embedder,) if embedder else ()))
    generation = store.generation()
    is_given = embedder is not None
    if embedder is None and {"dense", "reranked"} & set(search.strategies):
        embedder = store_embedder(store, settings)

    def state(of: Course) -> tuple[SearchIndex, Hashable]:
        fits = embedder is not None and (is_given or embedder.spec == of.embedder_spec)
        searched = searched_of(of, settings, embedder if fits else None, more, rewriter)
        known = of.location, of.collection, of.fingerprint, words_of(of, settings), repr(searched.calibration)
        return searched, (*known, *map(IdentityKey, own))

    def renew() -> tuple[SearchIndex, Hashable] | None:
        nonlocal generation
        now = store.generation()
        if now == generation:
            return None
        found = state(open_store(store.location, store.collection))
        generation = now
        return found

    searched, identity = state(store)
    return SearchOrchestrator(
        searched.strategies,
        searched.references,
        search,
        paragraphs=searched.paragraphs,
        calibration=searched.calibration,
        priors=searched.priors,
        rewriter=searched.rewriter,
        cache=cache,
        identity=identity,
        renew=renew,
    )


def searched_of(
    store: Course,
    settings: Settings,
    embedder: Embedder | None = None,
    more: Sequence[Strategy] = (),
    rewriter: Rewriter | None = None,
) -> SearchIndex:
    """All that is searched, and with what; as `build_orchestrator` takes it."""
    search = settings.search
    own = {strategy.name: strategy for strategy in more}
    require_strategies(search, more)
    if {"dense", "reranked"} & set(search.strategies):
        embedder = embedder or store_embedder(store, settings)
    if embedder is not None and not isinstance(embedder, RememberingEmbedder):
        embedder = RememberingEmbedder(embedder)
    calibration = calibration_of(store.embedder_spec)
    knows = is_calibrated(store.embedder_spec)
    if not knows and embedder is not None:
        calibration = calibration.rescaled(store.vectors)
    scorers: tuple[WordByWord, ...] = ()
    if embedder is not None and "+".join(words_of(store, settings)) in calibration.words:
        scorers = word_scorers(store, settings, embedder)
        calibration = calibration.word_by_word([scorer.spec for scorer in scorers])
    parts = Parts(store, search, calibration, embedder, scorers)
    strategies: dict[str, Strategy] = dict(own)
    always = ("keyword", *(("dense",) if embedder is not None else ()))
    for name in (*always, *search.strategies):
        if name not in strategies:
            strategies[name] = make(STRATEGIES, name, "search.strategies", store, parts)
    if rewriter is None and search.rewrite != "off":
        rewriter = make({}, search.rewrite, "search.rewrite", store)
    return SearchIndex(
        strategies,
        build_references(store, search, embedder if knows else None, calibration.references),
        store.paragraphs,
        calibration=calibration,
        priors=document_priors(store.documents, search.quality_weight, search.recency_weight),
        rewriter=rewriter,
    )


def require_strategies(search: SearchSettings, more: Sequence[Strategy] = ()) -> None:
    """Pass if there are the strategies that the settings name; to be asked before a model is loaded for them.

    Raises:
        SettingsError: one is neither in the table, nor a dotted path that leads to one, nor among `more`.
    """
    for name in {*search.strategies} - {strategy.name for strategy in more}:
        find(STRATEGIES, name, "search.strategies")


@dataclass(frozen=True)
class Parts:
    """What strategies over a store are made of.

    Attributes:
        embedder: None where no strategy asks for one.
        scorers: what compares word by word.
    """

    store: Course
    search: SearchSettings
    calibration: Calibration
    embedder: Embedder | None
    scorers: Sequence[PartScorer]

    @functools.cached_property
    def dense(self) -> Strategy:
        """Dense search; made once for all strategies that use its hits."""
        assert self.embedder is not None, "it was loaded for the strategies that need it"
        return build_dense(self.store, self.search, self.embedder, self.calibration, self.scorers)


def _make_dense(store: Course, parts: Parts) -> Strategy:
    return parts.dense


def _make_keyword(store: Course, parts: Parts) -> Strategy:
    titles = {document.doc_id: document.aliases[0].text for document in store.documents if document.aliases}
    return Keyword(store.paragraphs, titles, parts.calibration.keyword)


def _make_reranked(store: Course, parts: Parts) -> Strategy:
    if parts.search.lacks_cross_encoder:
        raise SettingsError(f"search.cross_encoder must be set for the strategy reranked, got none; {GIVE_ONE}")
    return Reranked(parts.dense, CrossEncoderScorer(parts.search.cross_encoder), parts.search.rerank_pool)


STRATEGIES: dict[str, Callable[..., Strategy]] = {
    "dense": _make_dense,
    "keyword": _make_keyword,
    "reranked": _make_reranked,
}
"""By name; each is given the store and the parts, or as much of these as it takes."""


def store_embedder(store: Course, settings: Settings) -> Embedder:
    """The embedder that a store was made with.

    Raises:
        EmbedderError: it cannot be loaded.
    """
    return store.models(settings.embed).embedder(store.embedder_spec)


def words_of(store: Course, settings: Settings) -> tuple[str, ...]:
    """SPECs of the models that compare word by word in a store: those that the settings want and the store holds."""
    held = store.word_specs
    wanted = word_models_of(store.embedder_spec, settings.search.accuracy) if held else ()
    return tuple(spec for spec in wanted if spec in held) if store.embedder_spec in held else ()


def word_scorers(
    store: Course, settings: Settings, embedder: RememberingEmbedder, hints: Hints | None = None
) -> tuple[WordByWord, ...]:
    """What compares word by word in a store.

    Args:
        store: what is searched.
        settings: which models, and which bank of hints.
        embedder: the store's; another one that it takes is loaded.
        hints: the bank, if not that of the settings.

    Raises:
        BadInputError: the bank cannot be read.
        EmbedderError: a model cannot be loaded.
    """
    specs = words_of(store, settings)
    if not specs:
        return ()
    models = store.models(settings.embed)
    hints = hints or load_hints(Path(settings.search.hints) if settings.search.hints else HINTS)
    doc_ids = [paragraph.doc_id for paragraph in store.paragraphs]
    scorers = []
    for spec in specs:
        own = spec == embedder.spec
        model = embedder if own else RememberingEmbedder(models.embedder(spec))
        form = form_of(spec)
        if form is not None and isinstance(model.embedder, TokenEmbedder):
            bank = read_bank(hints, model.embedder, models.folder)
            scorers.append(WordByWord(model, [store.words(spec)], doc_ids, form, bank))
    return tuple(scorers)


def build_dense(
    store: Course,
    search: SearchSettings,
    embedder: Embedder,
    calibration: Calibration,
    more: Sequence[PartScorer] = (),
) -> Dense:
    """Dense search over a store, with its sentences if they weigh anything."""
    rules = RuleEvidence(store.paragraphs, search.rule_weight)
    sentences = None
    if search.sentence_weight or search.sentence_mean_weight:
        sentences = Sentences(
            store.sentence_vectors, store.sentence_rows, search.sentence_weight, search.sentence_mean_weight
        )
    return Dense(store.paragraphs, store.vectors, embedder, sentences, rules.log_odds, calibration.dense, more)


def build_references(
    store: Course,
    search: SearchSettings,
    embedder: Embedder | None,
    calibration: ReferenceCalibration,
    *,
    without: str = "",
) -> References:
    """The resolution of book names over a store.

    Args:
        store: whose documents, paragraphs and names' vectors count.
        search: thresholds; nothing but stems is looked at unless names are resolved.
        embedder: of the store; None leaves meanings out.
        calibration: of that embedder.
        without: a doc_id to leave out, with its twins, as if the store did not hold it.
    """
    resolves = search.book_match == "resolved"
    documents = [
        document for document in store.documents if not without or without not in (document.doc_id, document.same_as)
    ]
    held = {document.doc_id for document in documents}
    vectors = None
    if resolves and embedder is not None:
        places = [place for place, (doc_id, _) in enumerate(store.aliases) if doc_id in held]
        vectors = [store.aliases[place] for place in places], store.alias_vectors[places]
    return References(
        documents,
        search.filter_confidence,
        search.boost_confidence,
        paragraphs=[item for item in store.paragraphs if item.doc_id in held] if resolves else (),
        embedder=embedder if resolves else None,
        alias_vectors=vectors,
        calibration=calibration,
    )
