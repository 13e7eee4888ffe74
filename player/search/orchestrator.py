"""SearchOrchestrator: the one way in to search."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from configs.settings import SearchSettings, SettingsError
from ingest.paragraph import Paragraph
from player.errors import AllStrategiesFailedError, QueryError, SearchError
from player.search.cache import ResultCache, key_of
from player.search.fusion import linear_fusion, reciprocal_rank_fusion
from player.search.references import References
from player.search.running import Runner, Scope, described
from player.search.slots import merge_by_relevance, merge_slots
from player.search.statistics import SearchStatistics
from player.search.threshold import DEFAULT_EMBEDDER, Calibration, calibration_of
from player.search.types import BookCandidate, Hit, Query, Rewriter, SearchResult, Step, Strategy
from player.search.weighing import book_log_odds, weigh

FITTED = frozenset({"dense", "keyword"})
"""Strategies that linear fusion has fitted weights for."""
FUSED_POOL = 200
"""Hits of each strategy, at least, that go into a fusion."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Request:
    """What the steps of one search share.

    Attributes:
        query: with its mode settled.
        settings: scaled to the query's k.
        book: the resolved book, None where it neither filters nor is boosted.
        evidence: log-odds that the course holds the paragraph, from the book's name.
        failures: the first of each strategy; one that failed is not asked again.
        embed_ms: spent so far.
        memo: hits by strategies, query and scope, so that no step asks what another has asked.
    """

    query: Query
    settings: SearchSettings
    book: BookCandidate | None
    evidence: float
    failures: dict[str, SearchError] = field(default_factory=dict)
    embed_ms: float = 0.0
    memo: dict[tuple[str, Query, Scope], Sequence[Hit]] = field(default_factory=dict)


class SearchOrchestrator:
    """Resolves the book, runs the strategies, merges their hits into slots, step by step until something is relevant.

    Safe for many threads at once; from asyncio, use `search_async`.

    Args:
        strategies: by name; those that `settings.strategies` names are used, in its order, and "keyword" where the mode
            of a query asks for it.
        references: resolves book names.
        settings: what a search does.
        calibration: of the embedder.
        n_paragraphs: of each document, by doc_id.
        priors: log-odds of each document's paragraphs before any hint, by doc_id; those of others are 0.
        rewriter: says a hint in other words; None skips that step.
        cache: of results; None keeps none.
        fingerprint: of the store, so that what another store or an older ingest answered is never served.
    """

    def __init__(
        self,
        strategies: Mapping[str, Strategy],
        references: References,
        settings: SearchSettings,
        *,
        calibration: Calibration | None = None,
        n_paragraphs: Mapping[str, int] | None = None,
        priors: Mapping[str, float] | None = None,
        rewriter: Rewriter | None = None,
        cache: ResultCache | None = None,
        fingerprint: str = "",
    ) -> None:
        unknown = [name for name in settings.strategies if name not in strategies]
        if unknown:
            raise SettingsError(f"search.strategies must be of {', '.join(strategies)}, got {unknown[0]!r}")
        self._strategies = dict(strategies)
        self._references = references
        self._calibration = calibration or calibration_of(DEFAULT_EMBEDDER)
        self._n_paragraphs = dict(n_paragraphs or {})
        self._priors = {doc_id: prior for doc_id, prior in (priors or {}).items() if prior}
        self._rewriter = rewriter
        self._cache = cache
        self._fingerprint = fingerprint
        self._runner = Runner(settings.deadline_s)
        self._statistics = SearchStatistics()
        self.settings = settings
        if settings.fusion == "linear" and len(settings.strategies) > 1 and not {*settings.strategies} <= FITTED:
            raise SettingsError(
                f"search.fusion must be rrf or first for strategies other than {', '.join(sorted(FITTED))}, "
                f"got linear for {', '.join(settings.strategies)}"
            )

    def search(self, query: Query) -> SearchResult:
        """What is found for a query; no hits is an empty result, a failed strategy is named in `failures`.

        The steps, until one finds something at least as relevant as the threshold: the book's (filter or boost); the
        rewritten hint; the original hint without the book; keywords, in the mode "fallback"; and all of them again at
        the lowered threshold. Where none does, `relevant` is False and the hits are the first step's.

        Raises:
            QueryError: the hint is empty, k is below 1, or `within` is no document.
            AllStrategiesFailedError: no strategy answered.
        """
        query = self._checked(query)
        started = time.perf_counter()
        key = key_of(query, self.settings, self._fingerprint)
        kept = self._cache.get(key) if self._cache is not None else None
        if kept is not None:
            result = replace(kept, cached=True, embed_ms=0.0, search_ms=1000.0 * (time.perf_counter() - started))
        else:
            result = self._found(query, started)
            if self._cache is not None and not result.failures:
                self._cache.put(key, result)
        self._statistics.count(result)
        _record(result)
        return result

    async def search_async(self, query: Query) -> SearchResult:
        """`search`, in a thread, so that an event loop goes on meanwhile."""
        return await asyncio.to_thread(self.search, query)

    def search_within(self, hint: str, book_name: str, k: int | None = None) -> SearchResult:
        """What is found in one book alone.

        Raises:
            QueryError: the name resolves to no document with at least `search.boost_confidence`.
        """
        book = self._resolve(book_name)
        if book is None or book.tier == "none":
            nearest = (
                f"the nearest is {book.doc_id!r} at confidence {book.confidence:.2f}" if book else "none is like it"
            )
            raise QueryError(f"book_name must name a document of the store, got {book_name!r}; {nearest}")
        return self.search(Query(hint, k=k, within=book.doc_id))

    def paragraphs_for_prompt(self, hint: str, k: int) -> tuple[Paragraph, ...]:
        """At most k paragraphs about the hint, most relevant first, none that is below the threshold."""
        result = self.search(Query(hint, k=k, keywords="fused"))
        if not result.relevant:
            return ()
        best_first = sorted(result.hits, key=lambda hit: (-hit.relevance, hit.paragraph.paragraph_id))
        return tuple(hit.paragraph for hit in best_first)

    def stats(self) -> dict[str, Any]:
        """Searches, cache hits and misses, failures, answers by step and latencies since this was made."""
        return self._statistics.as_dict()

    def _checked(self, query: Query) -> Query:
        """The query with its mode settled."""
        if not query.hint.strip():
            raise QueryError("hint must hold at least one word, got an empty one; say what the paragraph is about")
        if query.k is not None and query.k < 1:
            raise QueryError(f"k must be at least 1, got {query.k}")
        if query.within and self._n_paragraphs and query.within not in self._n_paragraphs:
            raise QueryError(f"within must be a doc_id of the store, got {query.within!r}; see python -m ingest --list")
        return replace(query, keywords=query.keywords or self.settings.keywords)

    def _resolve(self, book_name: str) -> BookCandidate | None:
        if self.settings.book_match == "off" or not book_name.strip():
            return None
        if self.settings.book_match == "stem":
            return self._references.by_stem(book_name)
        return next(iter(self._references.resolve(book_name)), None)

    def _found(self, query: Query, started: float) -> SearchResult:
        """The result of a search that is not in the cache."""
        book = None if query.within else self._resolve(query.book_name)
        taken = book if book is not None and book.tier != "none" else None
        request = _Request(query, _scaled(self.settings, query.k), taken, self._name_evidence(query, taken))
        hits, answered_by = self._cascade(request)
        if not request.memo:
            self._statistics.count_failures(list(request.failures))
            raise AllStrategiesFailedError(list(request.failures.values()))
        return SearchResult(
            query=query,
            hits=hits,
            book=book,
            failures=tuple(request.failures.values()),
            answered_by=answered_by,
            relevant=answered_by != "",
            embed_ms=request.embed_ms,
            search_ms=1000.0 * (time.perf_counter() - started) - request.embed_ms,
        )

    def _name_evidence(self, query: Query, book: BookCandidate | None) -> float:
        """Log-odds that the course holds the paragraph, for a book's name that was, or was not, resolved."""
        if query.within or not query.book_name.strip() or self.settings.book_match != "resolved":
            return 0.0
        return self._calibration.unnamed if book is None else self._calibration.named * book.confidence

    def _cascade(self, request: _Request) -> tuple[tuple[Hit, ...], Step]:
        """The hits of the step that answered, and its name; of the first step, and "", where none did."""
        settings = request.settings
        first = self._step(request, request.query, request.book)
        steps = [(_first_step(first, request.book), first)]
        if _passes(first, settings.threshold):
            return first, steps[0][0]
        if settings.cascade:
            for further in (self._rewritten, self._original, self._fallback):
                found = further(request, first)
                if found is not None:
                    steps.append(found)
                    if _passes(found[1], settings.threshold):
                        return found[1], found[0]
            for _, hits in steps:
                if _passes(hits, settings.lowered_threshold):
                    return hits, "lowered"
        return first, ""

    def _rewritten(self, request: _Request, first: Sequence[Hit]) -> tuple[Step, tuple[Hit, ...]] | None:
        """The step that says the hint in other words; None without a rewriter, or where it has nothing to say."""
        if self._rewriter is None:
            return None
        try:
            hint = self._rewriter.rewrite(request.query, first).strip()
        except Exception as error:  # a user's own rewriter may raise anything; all is reported
            request.failures.setdefault("rewriter", SearchError("rewriter", described(error)))
            return None
        if not hint or hint == request.query.hint:
            return None
        query = replace(request.query, hint=hint, said=request.query.hint)
        return "rewritten", self._step(request, query, request.book)

    def _original(self, request: _Request, first: Sequence[Hit]) -> tuple[Step, tuple[Hit, ...]] | None:
        """The step that searches the whole course as if no book had been named; None if the first step did so."""
        return ("original", self._step(request, request.query, None)) if request.book is not None else None

    def _fallback(self, request: _Request, first: Sequence[Hit]) -> tuple[Step, tuple[Hit, ...]] | None:
        """The step that takes keywords, since nothing else was found; None in the other modes."""
        if request.query.keywords != "fallback" or "keyword" not in self._strategies:
            return None
        hits = self._step(request, request.query, request.book, ("keyword",))
        return "fallback", tuple(replace(hit, why=f"{hit.why}, as a fallback") for hit in hits)

    def _step(
        self, request: _Request, query: Query, book: BookCandidate | None, names: tuple[str, ...] = ()
    ) -> tuple[Hit, ...]:
        """One pass: ask the strategies, fuse what they found, weigh the documents, merge into slots."""
        settings = request.settings
        names = names or self._names(query)
        pool = max(settings.k, settings.global_pool, FUSED_POOL if len(names) > 1 else 0)
        doc_id = query.within or (book.doc_id if book is not None else "")
        scopes: list[Scope] = [(pool, doc_id)] if doc_id else []
        if not query.within:
            scopes.append((pool, ""))
        runs = self._asked(request, query, names, scopes)
        in_book = [run[0] for run in runs] if doc_id else []
        in_course = [] if query.within else [run[-1] for run in runs]
        if book is not None and book.tier == "boost":
            in_course = [_union(*both) for both in zip(in_course, in_book, strict=True)]
            in_book = []
        book_hits, course_hits = weigh(
            [self._fused(in_book), self._fused(in_course)],
            doc_id=book.doc_id if book is not None else "",
            lift=settings.boost * self._book_log_odds(book),
            priors=self._priors,
            evidence=request.evidence if book is request.book else 0.0,
        )
        if query.within:
            return merge_slots(book_hits, (), settings.k, 0, spill_over=False)
        if settings.merge == "relevance":
            return merge_by_relevance(book_hits, course_hits, settings.k)
        spill_over = settings.spill_over == "always" or (settings.spill_over == "no-book" and not book_hits)
        return merge_slots(book_hits, course_hits, settings.pdf_k, settings.global_k, spill_over=spill_over)

    def _names(self, query: Query) -> tuple[str, ...]:
        """The strategies that a query asks, in declared order."""
        names = self.settings.strategies
        if query.keywords == "fused" and "keyword" in self._strategies and "keyword" not in names:
            return (*names, "keyword")
        return names

    def _asked(
        self, request: _Request, query: Query, names: Sequence[str], scopes: Sequence[Scope]
    ) -> list[list[Sequence[Hit]]]:
        """The hits of each strategy that has not failed, by scope; what this request has asked is not asked again."""
        missing = [
            name
            for name in names
            if name not in request.failures and any((name, query, scope) not in request.memo for scope in scopes)
        ]
        for answer in self._runner.ask([self._strategies[name] for name in missing], query, scopes):
            request.embed_ms += answer.embed_ms
            if answer.failure is not None:
                request.failures[answer.strategy] = answer.failure
                continue
            request.memo |= {
                (answer.strategy, query, scope): hits for scope, hits in zip(scopes, answer.hits, strict=True)
            }
        return [
            [request.memo[name, query, scope] for scope in scopes] for name in names if name not in request.failures
        ]

    def _fused(self, runs: Sequence[Sequence[Hit]]) -> Sequence[Hit]:
        """The runs of several strategies as one."""
        found = [run for run in runs if run]
        if len(found) <= 1 or self.settings.fusion == "first":
            return found[0] if found else []
        if self.settings.fusion == "rrf":
            return reciprocal_rank_fusion(found, self.settings.rrf_k)
        fused = self._calibration.fused
        return linear_fusion(found, {"dense": fused.dense, "keyword": fused.keyword})

    def _book_log_odds(self, book: BookCandidate | None) -> float:
        if book is None:
            return 0.0
        return book_log_odds(book.confidence, self._n_paragraphs.get(book.doc_id, 0), sum(self._n_paragraphs.values()))


def _passes(hits: Sequence[Hit], threshold: float) -> bool:
    return any(hit.relevance >= threshold for hit in hits)


def _first_step(hits: Sequence[Hit], book: BookCandidate | None) -> Step:
    """How the first step is called: by the book's tier where the book had hits."""
    if book is None or not any(hit.paragraph.doc_id == book.doc_id for hit in hits):
        return "original"
    return "filter" if book.tier == "filter" else "boost"


def _union(course: Sequence[Hit], in_book: Sequence[Hit]) -> list[Hit]:
    """Both runs of one strategy as one, by its score; ties go to the smaller paragraph_id."""
    found = {hit.paragraph.paragraph_id: hit for hit in (*in_book, *course)}
    best_first = sorted(found.values(), key=lambda hit: (-hit.score, hit.paragraph.paragraph_id))
    return [hit if hit.rank == rank else replace(hit, rank=rank) for rank, hit in enumerate(best_first, 1)]


def _scaled(settings: SearchSettings, k: int | None) -> SearchSettings:
    """The settings for k hits in place of `settings.k`: the slots keep their proportion."""
    if k is None or k == settings.k:
        return settings
    slots = settings.pdf_k + settings.global_k
    pdf_k = round(k * settings.pdf_k / slots) if slots else 0
    return replace(settings, k=k, pdf_k=pdf_k, global_k=k - pdf_k, global_pool=max(k, settings.global_pool))


def _record(result: SearchResult) -> None:
    """One structured line of what a search did, for whoever listens to the log."""
    if _log.isEnabledFor(logging.DEBUG):
        fields = {
            "book": result.book.doc_id if result.book else None,
            "tier": result.book.tier if result.book else None,
            "answered_by": result.answered_by,
            "hits": len(result.hits),
            "best": round(max((hit.relevance for hit in result.hits), default=0.0), 4),
            "cached": result.cached,
            "failures": [failure.strategy for failure in result.failures],
            "embed_ms": round(result.embed_ms, 3),
            "search_ms": round(result.search_ms, 3),
        }
        _log.debug("search %s", json.dumps(fields), extra={"search": fields})
