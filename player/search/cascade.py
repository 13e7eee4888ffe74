"""The cascade of one search: run strategies in parallel and fuse their scores, step by step until a step answers."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from quarry.configs.settings import SearchSettings
from quarry.ingest.arrays import AnyFloatArray, BoolArray, IntArray
from quarry.player.deadlines import Call, Runner
from quarry.player.errors import AllStrategiesFailedError, SearchError
from quarry.player.search.core import (
    NOT_FOUND,
    Named,
    Scored,
    answering,
    book_log_odds,
    merge_duplicates,
    name_evidence,
    probabilities,
    score_step,
    threshold_log_odds,
)
from quarry.player.search.index import SearchIndex, ask
from quarry.player.search.references import confidence_of
from quarry.player.search.slots import slots_of, slotted
from quarry.player.search.strategies.keyword import Keyword
from quarry.player.search.strategies.ranking import Ranked
from quarry.player.search.types import BookCandidate, Hit, Query, Ranking, SearchResult, Step

TAIL = 5
"""One slot in so many is reserved for rare words that no hit holds, if keywords are the fallback."""
KEYWORDS_S = 1.0
"""Keyword search has this timeout in seconds after all other strategies were late; it takes a millisecond."""
FUSED_POOL = 200
"""A fusion asks each strategy that makes hits for at least so many."""
LEAST_MORE = 1e-6
"""A paragraph gets so many log-odds more than the paragraph that it replaces."""
AS_FALLBACK = ", as a fallback"
IN_BOOK, IN_COURSE = "in the resolved book", "over the whole course"
NOT_FOUND_BY_SEARCH = "not found by the search, kept in the belief"
NOTHING_WAS_FOUND = "nothing was found, so every paragraph may be it"
"""These are reasons of hits that a game gets because it asks for every paragraph."""


@dataclass(frozen=True, eq=False)
class CascadeStep:
    """Result of one step of the cascade.

    Attributes:
        index: the index that was searched.
        hint: the hint that was searched for.
        log_odds: (n_columns,) final log-odds, with duplicates merged.
        chosen: (n_chosen,) columns that are returned, in order.
        of_book: (n_chosen,) whether each takes a book's slot.
        inside: (n_columns,) whether each paragraph is in a named book.
        filters: whether a named book filters.
        fused: scores of all strategies, fused.
        scored: scores of each strategy.
        lift: log-odds that were added to the named books' paragraphs.
        why: end of the reason of every hit.
    """

    name: Step
    index: SearchIndex
    hint: str
    log_odds: AnyFloatArray
    chosen: IntArray
    of_book: BoolArray
    inside: BoolArray
    filters: bool
    fused: Scored
    scored: Sequence[Scored]
    lift: float
    why: str = ""

    @property
    def best(self) -> float:
        """Log-odds of the best returned paragraph."""
        return float(self.log_odds[self.chosen].max(initial=NOT_FOUND))

    @property
    def rows(self) -> IntArray:
        """(n_chosen,) rows of the returned paragraphs in the course."""
        rows: IntArray = self.index.columns.rows[self.chosen]
        return rows

    def hits(self, level: float, places: range | None = None) -> tuple[Hit, ...]:
        """Make the hits at some places of `chosen`, or at all of them.

        Args:
            level: log-odds from which a hit is relevant.
        """
        chosen = slice(None) if places is None else np.array(places, dtype=np.int64)
        columns, of_book = self.chosen[chosen], self.of_book[chosen]
        log_odds = self.log_odds[columns]
        found = [
            [f"rank {rank} by {item.strategy}" if there else "" for rank, there in zip(ranks, known, strict=True)]
            for item, (in_course, in_book) in zip(self.scored, self._ranks, strict=True)
            for ranks in [np.where(of_book, in_book[columns], in_course[columns]).tolist()]
            for known in [(item.log_odds[0, columns] > NOT_FOUND).tolist()]
        ]
        course, book = self._ranks[0] if len(self.scored) == 1 else self._ranks_of(self.fused)
        return tuple(
            Hit(
                self.index.paragraphs[row],
                score,
                relevance,
                rank,
                self.fused.strategy,
                "book" if is_book else "global",
                ", ".join([*filter(None, who), IN_BOOK if is_book else IN_COURSE]) + self.why,
                relevant,
                self.index.copies.get(column, ()),
            )
            for column, row, score, relevance, rank, is_book, relevant, *who in zip(
                columns.tolist(),
                self.index.columns.rows[columns].tolist(),
                self.fused.scores[0, columns].tolist(),
                probabilities(log_odds).tolist(),
                np.where(of_book, book[columns], course[columns]).tolist(),
                of_book.tolist(),
                (log_odds >= level).tolist(),
                *found,
                strict=True,
            )
        )

    @functools.cached_property
    def _ranks(self) -> list[tuple[IntArray, IntArray]]:
        return [self._ranks_of(item) for item in self.scored]

    def _ranks_of(self, item: Scored) -> tuple[IntArray, IntArray]:
        """Return (n_columns,) a strategy's ranks from 1, in the course and in the named books."""
        order = np.argsort(np.where(item.log_odds[0] > NOT_FOUND, -item.scores[0], np.inf), kind="stable")
        course, book = np.empty((2, len(order)), dtype=np.int64)
        course[order] = np.arange(1, len(order) + 1)
        book[order] = np.cumsum(self.inside[order])
        return course, book


class Cascade:
    """One search over one state of a store.

    Args:
        query: a query whose `keywords` is not None.
        started: `time.perf_counter()` at the start of the search.
        everything: return every paragraph of the course, up to the query's k: first those found in the book, then the
            others found, by relevance, then the rest. No error is raised if every strategy fails or the hint is empty.
    """

    def __init__(
        self,
        index: SearchIndex,
        settings: SearchSettings,
        runner: Runner,
        query: Query,
        started: float,
        *,
        everything: bool = False,
    ) -> None:
        self._index = index
        self._settings = settings
        self._slots = slots_of(settings, query.k if not everything else None)
        self._everything = everything
        self._runner = runner
        self._query = query
        self._started = started
        self._deadline = time.monotonic() + settings.deadline_s - (time.perf_counter() - started)
        self._calls: dict[tuple[str, str], Call[Scored]] = {}
        self._scored: dict[tuple[str, str], Scored] = {}
        self._embed_ms: list[float] = [0.0]
        self._failures: dict[str, SearchError] = {}
        self._naming: Call[tuple[BookCandidate, ...]] | None = None

    def result(self) -> SearchResult:
        """Return the result of the step that answers, or of the first step if no step answers.

        Raises:
            AllStrategiesFailedError: no strategy answered.
        """
        settings = self._settings
        lowered = settings.lowered_threshold if settings.cascade else settings.threshold
        steps = self._steps() if self._query.hint.strip() else []
        if not steps:
            failures = tuple(self._failures.values())
            if not self._everything:
                raise AllStrategiesFailedError(failures)
            nothing = SearchResult(self._query, self._all(None, 0.0), self.books, failures, "course", relevant=False)
            return replace(nothing, search_ms=self._elapsed_ms)
        answer = int(answering([np.array([step.best]) for step in steps], settings.threshold, lowered)[0])
        step = steps[max(answer, 0)]
        passed = answer >= 0 and step.best >= threshold_log_odds(settings.threshold)
        threshold = settings.threshold if passed else lowered
        level = threshold_log_odds(threshold)
        answered_by: Step = "" if answer < 0 else step.name if passed else "lowered"
        if self._everything and not len(step.chosen):
            answered_by = "course"
        hits: Sequence[Hit]
        if self._everything:
            hits = self._all(step, level)
        elif settings.cascade and self._query.keywords in ("fallback", "fused"):
            hits = self._with_rare_words(step, level)
            if any(hit.relevant for hit in hits) and (answer < 0 or hits[0].why.endswith(AS_FALLBACK)):
                answered_by = "fallback"
        else:
            hits = step.hits(level)
        embed_ms = max(self._embed_ms)
        return SearchResult(
            query=replace(self._query, beside=""),
            hits=hits,
            books=self.books,
            failures=tuple(self._failures.values()),
            answered_by=answered_by,
            relevant=bool(answered_by not in ("", "course")),
            rewritten=step.hint if step.hint != self._query.hint else "",
            boost=step.lift,
            threshold=threshold,
            calibrated=self._index.calibrated,
            kind_weight=self._index.kind_weight,
            embed_ms=embed_ms,
            search_ms=max(0.0, self._elapsed_ms - embed_ms),
        )

    @property
    def _elapsed_ms(self) -> float:
        return 1000.0 * (time.perf_counter() - self._started)

    @functools.cached_property
    def books(self) -> tuple[BookCandidate, ...]:
        """Documents that the query's book name refers to."""
        if self._naming is None:
            return ()
        found = self._naming.value()
        if self._naming.failure is not None:
            self._failures["book name"] = self._naming.failure
        return found or ()

    def _steps(self) -> list[CascadeStep]:
        """Run steps until one passes the threshold."""
        settings = self._settings
        if settings.book_match != "off":
            self._name_books()
        first = self._step("original", self._query, self._names)
        if first is None and not self._everything:
            return [step] if (step := self._instead()) else []
        steps = [first] if first is not None else []
        for further in (self._rewritten, self._fallback) if settings.cascade else ():
            if steps and steps[-1].best >= threshold_log_odds(settings.threshold):
                break
            found = further(first)
            if found is not None:
                steps.append(found)
        return steps

    def _name_books(self) -> None:
        """Resolve the book's name in parallel with the strategies; these start first because they take longest."""
        query, settings, index = self._query, self._settings, self._index
        self._load(self._names)
        if settings.book_match == "resolved" and index.references.needs_meaning(query.book_name):
            self._query = query = replace(query, beside=query.book_name)
        self._naming = Call("book name", self._deadline)
        for name in self._names:
            self._start(name, query)
        self._runner.begin(self._naming, lambda: index.books(query.book_name, settings, query.hint))

    @property
    def _names(self) -> tuple[str, ...]:
        """Names of the strategies to run for the query, in declared order."""
        names = self._settings.strategies
        if self._query.keywords == "fused" and "keyword" in self._index.strategies and "keyword" not in names:
            return (*names, "keyword")
        return names

    def _rewritten(self, first: CascadeStep | None) -> CascadeStep | None:
        """Run the step with the rewritten hint; return None without a rewriter, or if it changes nothing."""
        rewriter, query = self._index.rewriter, self._query
        if rewriter is None or first is None:
            return None
        hits = first.hits(0.0)
        call = self._runner.start("rewriter", lambda: _rewriting(rewriter.rewrite(query, hits)), self._deadline)
        hint = call.value()
        if call.failure is not None:
            self._failures["rewriter"] = call.failure
        if not hint or hint == query.hint:
            return None
        return self._step("rewritten", replace(query, hint=hint, said=query.hint, beside=""), self._names)

    def _named(self) -> list[str]:
        return [book.doc_id for book in self._taken]

    def _instead(self) -> CascadeStep | None:
        """Search by keywords because every strategy has failed; return None if keyword search was one of them."""
        if "keyword" not in self._index.strategies or "keyword" in self._failures:
            return None
        self._deadline = max(self._deadline, time.monotonic() + KEYWORDS_S)
        return self._step("fallback", self._query, ("keyword",), why=", since all other strategies failed")

    def _fallback(self, first: CascadeStep | None) -> CascadeStep | None:
        """Search by keywords because no other step found anything; return None in the other modes."""
        if self._query.keywords != "fallback" or "keyword" not in self._index.strategies:
            return None
        return self._step("fallback", self._query, ("keyword",), why=AS_FALLBACK)

    def _with_rare_words(self, step: CascadeStep, level: float) -> tuple[Hit, ...]:
        """Return the hits of a step, and add paragraphs with rare words of the hint that no hit holds.

        Embeddings represent rare words poorly. The added paragraphs replace the least relevant hits of their slots: all
        paragraphs that hold a name, for other words at most a fifth of the slots.
        """
        keyword, columns, hint = self._index.strategies.get("keyword"), self._index.columns, self._query.hint
        if not isinstance(keyword, Keyword):
            return step.hits(level)
        held, is_fallback = frozenset(step.rows.tolist()), self._query.keywords == "fallback"
        missing = {word: rows for word, rows in keyword.rare(hint, parts=is_fallback).items() if not rows & held}
        names = [word for word, rows in missing.items() if is_fallback and keyword.is_name(word, rows)]
        query = replace(self._query, hint=" ".join(names) or hint, said=hint)
        found = self._step("fallback", query, ("keyword",), why=AS_FALLBACK) if missing else None
        if found is None:
            return step.hits(level)
        rows = frozenset().union(*(missing[word] for word in names or missing))
        fresh = np.flatnonzero(np.isin(columns.rows, list(rows)) & (found.log_odds > NOT_FOUND))
        fresh = fresh[np.argsort(-found.log_odds[fresh], kind="stable")][
            : None if names else max(1, self._slots.k // TAIL)
        ]
        log_odds = step.log_odds.astype(np.float64)
        book = step.inside & step.filters
        for is_book in (True, False):
            mine, there = fresh[book[fresh] == is_book], log_odds[step.chosen[step.of_book == is_book]]
            if len(mine):
                least = there[-min(len(mine), len(there))] + LEAST_MORE if len(there) else NOT_FOUND
                log_odds[mine] = np.maximum(log_odds[mine], np.maximum(found.log_odds[mine], least))
        log_odds = merge_duplicates(log_odds[None], columns, book[None])[0]
        chosen, of_book = slotted(log_odds, step.inside if step.filters else None, self._slots, step.lift)
        merged = replace(step, log_odds=log_odds, chosen=chosen, of_book=of_book)
        others = replace(found, log_odds=log_odds, chosen=chosen, of_book=of_book)
        return tuple(
            added if column in fresh else hit
            for column, hit, added in zip(chosen, merged.hits(level), others.hits(level), strict=True)
        )

    @property
    def _taken(self) -> tuple[BookCandidate, ...]:
        """Books that filter or are boosted."""
        return tuple(book for book in self.books if book.tier != "none")

    def _step(self, name: Step, query: Query, strategies: Sequence[str], *, why: str = "") -> CascadeStep | None:
        """Run the strategies, fuse scores, add the priors of documents and kinds, merge duplicates, and fill the slots.

        Return None if all strategies fail.

        Args:
            name: name of the step; "original" becomes the tier of the book if a hit is in the book.
        """
        scored = self._asked(query, strategies)
        if not scored:
            return None
        settings, index = self._settings, self._index
        if settings.fusion == "first":
            scored = [item for item in scored if (item.log_odds > NOT_FOUND).any()][:1] or scored[:1]
        books = self._taken
        inside = index.columns.inside([book.doc_id for book in books])
        lift = settings.boost * self._lift(books)
        named = Named(inside[None, :], np.array([lift]), np.array([self._evidence]))
        filters = any(book.tier == "filter" for book in books)
        weights = index.calibration.fused.weights
        fused, merged = score_step(
            scored, named, index.column_priors, index.columns, np.array([filters]), settings, weights
        )
        chosen, of_book = slotted(merged[0], inside if filters else None, self._slots, lift)
        if name == "original" and books and inside[chosen].any():
            name = "filter" if filters else "boost"
        return CascadeStep(
            name, index, query.hint, merged[0], chosen, of_book, inside, filters, fused, scored, lift, why
        )

    @property
    def _evidence(self) -> float:
        """Log-odds that the course holds the paragraph, from whether the book's name was resolved."""
        if self._settings.book_match != "resolved":
            return 0.0
        calibration = self._index.calibration
        confidence, taken = np.array([confidence_of(self._taken)]), np.array([bool(self._taken)])
        has_name = np.array([bool(self._query.book_name.strip())])
        return float(name_evidence(confidence, taken, has_name, calibration.named, calibration.unnamed)[0])

    def _lift(self, books: Sequence[BookCandidate]) -> float:
        sizes = self._index.n_paragraphs
        n_inside = sum(sizes.get(book.doc_id, 0) for book in books)
        return book_log_odds(confidence_of(books), n_inside, sum(sizes.values())) if books else 0.0

    def _asked(self, query: Query, names: Sequence[str]) -> list[Scored]:
        """Return the scores of each strategy that has not failed, in order; run each once for the same hint."""
        missing = [name for name in names if name not in self._failures and (name, query.hint) not in self._scored]
        self._load(missing)
        for name in missing:
            self._start(name, query)
        for name in missing:
            call = self._calls[name, query.hint]
            scored = call.value()
            if call.failure is not None:
                self._failures[name] = call.failure
            if scored is not None:
                self._scored[name, query.hint] = scored
        return [self._scored[name, query.hint] for name in names if (name, query.hint) in self._scored]

    def _load(self, names: Sequence[str]) -> None:
        """Load the indexes of strategies, and move the deadline by the time that this takes."""
        started = time.monotonic()
        for name in names:
            strategy = self._index.strategies[name]
            if isinstance(strategy, Ranked):
                strategy.load()
        self._deadline += time.monotonic() - started

    def _start(self, name: str, query: Query) -> None:
        """Start a strategy, unless it has run for this hint."""
        if (name, query.hint) not in self._calls:
            self._calls[name, query.hint] = self._runner.start(name, self._work(name, query), self._deadline)

    def _work(self, name: str, query: Query) -> Callable[[], Scored]:
        """Return a function that runs one strategy, to be called in a new thread."""
        strategy = self._index.strategies[name]
        pool = max(self._query.k or 0, self._slots.k, FUSED_POOL if len(self._names) > 1 else 0)

        def work() -> Scored:
            started = time.perf_counter()
            strategy.prepare(query)
            self._embed_ms.append(1000.0 * (time.perf_counter() - started))
            return ask(self._index, name, query, pool, self._named, deadline=self._deadline, runner=self._runner)

        return work

    def _all(self, step: CascadeStep | None, level: float) -> Ranking:
        """Return every paragraph, up to the query's k: those found in the book that filters, others found, the rest."""
        course = self._index.paragraphs
        whole = step
        if step is not None:
            of_book = step.inside & step.filters
            order = np.lexsort((-step.log_odds, ~of_book))
            order = order[step.log_odds[order] > NOT_FOUND]
            whole = replace(step, chosen=order, of_book=of_book[order])
        found = whole.rows if whole is not None else np.empty(0, dtype=np.int64)
        left = np.ones(len(course), dtype=np.bool_)
        left[found] = False
        rows = np.concatenate([found, np.flatnonzero(left)])[: self._query.k]
        log_odds = np.full(len(course), NOT_FOUND)
        if whole is not None:
            log_odds[: len(found)] = whole.log_odds[whole.chosen]
        why = NOT_FOUND_BY_SEARCH if len(found) else NOTHING_WAS_FOUND

        def hits(places: range) -> Sequence[Hit]:
            n_found = sum(place < len(found) for place in places)
            known = () if whole is None else whole.hits(level, places[:n_found])
            rest = ((course[rows[place]], place - len(found) + 1) for place in places[n_found:])
            return *known, *(
                Hit(paragraph, 0.0, 0.0, rank, "course", "global", why, relevant=False) for paragraph, rank in rest
            )

        return Ranking(course, rows, log_odds[: len(rows)], hits, lambda: step.hits(level) if step is not None else ())


def _rewriting(hint: object) -> str:
    if not isinstance(hint, str):
        raise SearchError("rewriter", f"it must return text, got {hint!r}")
    return hint.strip()
