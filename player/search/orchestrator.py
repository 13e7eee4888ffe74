"""SearchOrchestrator: the one way in to search."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from configs.settings import SearchSettings, Settings, SettingsError
from ingest.embed import Embedder, load_embedder
from ingest.store import ParagraphStore, models_dir_of
from player.errors import AllStrategiesFailedError, QueryError, SearchError
from player.search.fusion import reciprocal_rank_fusion
from player.search.references import References
from player.search.slots import merge_slots
from player.search.strategies.dense import Dense
from player.search.strategies.keyword import Keyword
from player.search.types import BookCandidate, Hit, Query, SearchResult, Strategy

STRATEGY_NAMES = ("dense", "keyword")


class SearchOrchestrator:
    """Resolves the book, runs the strategies, merges their hits into slots.

    Args:
        strategies: by name; those that `settings.strategies` names are used, in its order.
        references: resolves book names.
        settings: what a search does.
    """

    def __init__(self, strategies: Mapping[str, Strategy], references: References, settings: SearchSettings) -> None:
        unknown = [name for name in settings.strategies if name not in strategies]
        if unknown:
            raise SettingsError(f"search.strategies must be of {', '.join(strategies)}, got {unknown[0]!r}")
        self._strategies = [strategies[name] for name in settings.strategies]
        self._references = references
        self.settings = settings

    def search(self, query: Query) -> SearchResult:
        """What is found for a query; no hits is an empty result, a failed strategy is named in `failures`.

        Raises:
            QueryError: the hint is empty, or k is below 1.
            AllStrategiesFailedError: no strategy answered.
        """
        if not query.hint.strip():
            raise QueryError("hint must hold at least one word, got an empty one; say what the paragraph is about")
        if query.k is not None and query.k < 1:
            raise QueryError(f"k must be at least 1, got {query.k}")
        started = time.perf_counter()
        settings = _scaled(self.settings, query.k)
        book = self._book(query.book_name, settings)
        failures: list[SearchError] = []
        answers: list[tuple[Sequence[Hit], Sequence[Hit]]] = []
        embed_ms = 0.0
        for strategy in self._strategies:
            try:
                embedding = time.perf_counter()
                strategy.prepare(query)
                embed_ms += 1000.0 * (time.perf_counter() - embedding)
                answers.append(self._ask(strategy, query, book, settings))
            except Exception as error:  # a user's own strategy may raise anything; all is reported
                failures.append(SearchError(strategy.name, f"{type(error).__name__}: {' '.join(str(error).split())}"))
        if not answers:
            raise AllStrategiesFailedError(failures)
        book_hits, global_hits = self._fuse(answers, settings)
        spill_over = settings.spill_over == "always" or (settings.spill_over == "no-book" and not book_hits)
        hits = merge_slots(book_hits, global_hits, settings.pdf_k, settings.global_k, spill_over=spill_over)
        filtered = book is not None and book.tier == "filter" and bool(book_hits)
        return SearchResult(
            query=query,
            hits=hits,
            book=book,
            failures=tuple(failures),
            answered_by="filter" if filtered else "boost" if book is not None and book.tier == "boost" else "original",
            relevant=bool(hits),
            embed_ms=embed_ms,
            search_ms=1000.0 * (time.perf_counter() - started) - embed_ms,
        )

    def _book(self, book_name: str, settings: SearchSettings) -> BookCandidate | None:
        if settings.book_match == "off" or not book_name.strip():
            return None
        if settings.book_match == "stem":
            return self._references.by_stem(book_name)
        return next(iter(self._references.resolve(book_name)), None)

    def _ask(
        self, strategy: Strategy, query: Query, book: BookCandidate | None, settings: SearchSettings
    ) -> tuple[Sequence[Hit], Sequence[Hit]]:
        """The strategy's hits within the book, and over the whole course with a boosted book's brought forward."""
        depth = max(settings.k, settings.global_pool)
        if book is None or book.tier == "none":
            return [], strategy.search(query, depth)
        if book.tier == "filter":
            return strategy.search(query, settings.k, book.doc_id), strategy.search(query, depth)
        found = {hit.paragraph.paragraph_id: hit for hit in strategy.search(query, depth)}
        for hit in strategy.search(query, depth, book.doc_id):
            found[hit.paragraph.paragraph_id] = replace(
                hit,
                relevance=min(1.0, hit.relevance + settings.boost),
                why=f"rank {hit.rank} in {book.doc_id} by {strategy.name}, boosted",
            )
        boosted = sorted(found.values(), key=lambda hit: (-hit.relevance, hit.paragraph.paragraph_id))
        return [], [replace(hit, rank=rank) for rank, hit in enumerate(boosted[:depth], 1)]

    @staticmethod
    def _fuse(
        answers: Sequence[tuple[Sequence[Hit], Sequence[Hit]]], settings: SearchSettings
    ) -> tuple[Sequence[Hit], Sequence[Hit]]:
        if settings.fusion == "rrf":
            return (
                reciprocal_rank_fusion([book for book, _ in answers], settings.rrf_k),
                reciprocal_rank_fusion([course for _, course in answers], settings.rrf_k),
            )
        return next((answer for answer in answers if answer[0] or answer[1]), ([], []))


def build_orchestrator(
    store: ParagraphStore, settings: Settings, embedder: Embedder | None = None
) -> SearchOrchestrator:
    """The orchestrator over a store, with the strategies that the settings name and no others.

    Args:
        embedder: the store's, if it is loaded already; otherwise it is loaded if a strategy needs it.

    Raises:
        EmbedderError: the store's embedder cannot be loaded.
        SettingsError: a strategy is unknown.
    """
    strategies: dict[str, Strategy] = {}
    for name in settings.search.strategies:
        if name == "dense":
            strategies[name] = Dense(store.paragraphs, store.vectors, embedder or store_embedder(store, settings))
        elif name == "keyword":
            strategies[name] = Keyword(store.paragraphs)
        else:
            raise SettingsError(f"search.strategies must be of {', '.join(STRATEGY_NAMES)}, got {name!r}")
    references = References(store.documents, settings.search.filter_confidence, settings.search.boost_confidence)
    return SearchOrchestrator(strategies, references, settings.search)


def store_embedder(store: ParagraphStore, settings: Settings) -> Embedder:
    """The embedder that a store was made with.

    Raises:
        EmbedderError: it cannot be loaded.
    """
    return load_embedder(store.embedder_spec, models_dir_of(store, settings.embed), settings.embed)


def _scaled(settings: SearchSettings, k: int | None) -> SearchSettings:
    """The settings for k hits in place of `settings.k`: the slots keep their proportion."""
    if k is None or k == settings.k:
        return settings
    slots = settings.pdf_k + settings.global_k
    pdf_k = round(k * settings.pdf_k / slots) if slots else 0
    return replace(settings, k=k, pdf_k=pdf_k, global_k=k - pdf_k, global_pool=max(k, settings.global_pool))
