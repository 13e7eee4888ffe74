"""The cascade of one live search: run strategies in threads, search their arrays, and make hits of the result."""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from concurrent.futures import wait
from dataclasses import dataclass

import numpy as np

from configs.settings import SearchSettings
from ingest.arrays import BoolArray, IntArray
from player.deadlines import Call, Runner
from player.errors import AllStrategiesFailedError, SearchError
from player.search.core import (
    FARTHEST,
    Books,
    Scored,
    Step,
    books_of,
    fuse,
    probability,
    search,
    threshold_log_odds,
)
from player.search.index import SearchIndex, ask
from player.search.slots import NOT_FOUND, TAIL, n_slots, with_rare_words
from player.search.strategies.keyword import Keyword
from player.search.strategies.strategy import Reranker
from player.search.types import BookCandidate, Hit, Query, Ranking, SearchResult
from player.search.types import Step as StepName

NAME_FIRST_S = 0.01
"""Strategies wait so long for the book's name: two threads of Python code at once slow both down."""
KEYWORDS_S = 1.0
"""The fallback has this timeout in seconds after all other strategies were late; it takes a millisecond."""
KEYWORD = "keyword"
AS_FALLBACK = ", as a fallback"
ALL_FAILED = ", since all other strategies failed"
IN_BOOK, IN_COURSE = "in the resolved book", "over the whole course"
NOT_FOUND_BY_SEARCH = "not found by the search, kept in the belief"
NOTHING_WAS_FOUND = "nothing was found, so every paragraph may be it"
"""These are reasons of hits that a game gets because it asks for every paragraph."""


@dataclass(frozen=True, eq=False)
class HitMaker:
    """Makes hits of the columns of one step.

    Attributes:
        fused: scores of all strategies, fused.
        scored: scores of each strategy.
        inside: (n_columns,) whether each paragraph is in the named book.
        level: log-odds from which a hit is relevant.
        why: end of the reason of every hit.
    """

    index: SearchIndex
    fused: Scored
    scored: Sequence[Scored]
    inside: BoolArray
    level: float
    why: str = ""

    def hits(self, columns: IntArray, in_book: BoolArray) -> tuple[Hit, ...]:
        """Make the hits of columns, each in a slot of the book or of the course."""
        pairs = zip(columns.tolist(), in_book.tolist(), strict=True)
        return tuple(self.hit(column, is_book=is_book) for column, is_book in pairs)

    def hit(self, column: int, *, is_book: bool) -> Hit:
        """Make the hit of one column."""
        side = int(is_book)
        reasons = [
            f"rank {ranks[side, column]} by {item.strategy}"
            for item, ranks in zip(self.scored, self._ranks, strict=False)
            if item.log_odds[0, column] > NOT_FOUND
        ]
        relevance = float(self.fused.relevance[0, column])
        return Hit(
            paragraph=self.index.paragraphs[self.index.columns.rows[column]],
            score=float(self.fused.scores[0, column]),
            relevance=probability(relevance),
            rank=int(self._ranks[-1][side, column]),
            strategy=self.fused.strategy,
            slot="book" if is_book else "global",
            why=", ".join([*reasons, IN_BOOK if is_book else IN_COURSE]) + self.why,
            relevant=relevance >= self.level,
            same_as=self.index.copies.get(column, ()),
        )

    @functools.cached_property
    def _ranks(self) -> list[IntArray]:
        """(2, n_columns) ranks from 1 in the course and in the named book, by strategy; the fused ones last."""
        fused = [self.fused] if len(self.scored) > 1 else []
        return [self._ranks_of(item) for item in (*self.scored, *fused)]

    def _ranks_of(self, item: Scored) -> IntArray:
        scores = np.where(item.log_odds[0] > NOT_FOUND, item.scores[0], NOT_FOUND)
        order = np.argsort(-scores, kind="stable")
        ranks = np.empty((2, len(order)), dtype=np.int64)
        ranks[0, order] = np.arange(1, len(order) + 1)
        ranks[1, order] = np.cumsum(self.inside[order])
        return ranks


class Cascade:
    """One search over one state of a store.

    Args:
        query: a query whose `keywords` is not None.
        started: `time.perf_counter()` at the start of the search.
        everything: also rank the paragraphs of the course: first the hits, then those found in the book that filters,
            then the others found, then the rest, up to the query's k; without k the hits alone. No error is raised if
            every strategy fails or the hint is empty.
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
        self._k = n_slots(settings, None if everything else query.k)
        self._everything = everything
        self._runner = runner
        self._query = query
        self._started = started
        elapsed_s = time.perf_counter() - started
        self._deadline = time.monotonic() + settings.deadline_s - elapsed_s
        self._calls: dict[str, Call[Scored]] = {}
        self._embed_ms: list[float] = [0.0]
        self._failures: dict[str, SearchError] = {}
        self._naming: Call[BookCandidate | None] | None = None
        self._scored: list[tuple[str, list[Scored]]] = []

    def result(self) -> SearchResult:
        """Return the result of the step that answers, or of the first step if no step answers.

        Raises:
            AllStrategiesFailedError: no strategy answered.
        """
        settings, index, query = self._settings, self._index, self._query
        found = None
        if query.hint.strip():
            self._start_all()
            found = search(
                self._scores_of,
                self._books,
                index.kind_priors,
                index.columns,
                settings,
                index.calibration.fused,
                query.keywords or settings.keywords,
                self._k,
            )
        if found is None and not self._everything:
            raise AllStrategiesFailedError(tuple(self._failures.values()))

        hits: tuple[Hit, ...] = ()
        step, maker, lowered = None, None, False
        if found is not None:
            answer, lowered = int(found.answer[0]), bool(found.lowered[0])
            step, (why, scored) = found.steps[answer], self._scored[answer]
            maker = self._maker(step.scored, scored, why)
            is_hit = step.chosen[0] >= 0
            hits = maker.hits(step.chosen[0][is_hit], step.in_book[0][is_hit])
            if settings.cascade and query.keywords == "fused":
                hits = self._with_rare_words(hits, step)

        answered_by = self._answered_by(hits, lowered=lowered)
        embed_ms = max(self._embed_ms)
        elapsed_ms = 1000.0 * (time.perf_counter() - self._started)
        return SearchResult(
            query=query,
            hits=hits,
            book=self.book,
            failures=tuple(self._failures.values()),
            answered_by=answered_by,
            relevant=answered_by not in ("", "lowered", "course"),
            boost=float(self._books.lift[0]),
            threshold=settings.threshold,
            calibrated=index.calibrated,
            ranking=self._ranking(step, maker) if self._everything else None,
            embed_ms=embed_ms,
            search_ms=max(0.0, elapsed_ms - embed_ms),
        )

    def _maker(self, fused: Scored, scored: Sequence[Scored], why: str) -> HitMaker:
        level = threshold_log_odds(self._settings.threshold)
        return HitMaker(self._index, fused, scored, self._books.inside[0], level, why)

    def _answered_by(self, hits: Sequence[Hit], *, lowered: bool) -> StepName:
        """Return the name of the step that found the relevant hits; the named book's step goes first."""
        relevant = [hit for hit in hits if hit.relevant]
        if not relevant:
            if self._everything and not hits:
                return "course"
            return "lowered" if lowered else ""
        if all(hit.why.endswith((AS_FALLBACK, ALL_FAILED)) for hit in relevant):
            return "fallback"
        doc_id = self._doc_id
        if not any(hit.paragraph.doc_id == doc_id for hit in relevant):
            return "original"
        return "filter" if self.book and self.book.tier == "filter" else "boost"

    @functools.cached_property
    def book(self) -> BookCandidate | None:
        """The document that the query's book name refers to."""
        if self._naming is None:
            return None
        book = self._naming.value()
        if self._naming.failure is not None:
            self._failures["book name"] = self._naming.failure
        return book

    @property
    def _doc_id(self) -> str:
        """The document of the book, if it filters or is boosted; else ""."""
        book = self.book
        return "" if book is None or book.tier == "none" else book.doc_id

    @functools.cached_property
    def _books(self) -> Books:
        doc_id = self._doc_id
        confidence = self.book.confidence if self.book and doc_id else 0.0
        index, settings = self._index, self._settings
        inside = index.columns.inside(doc_id)[None, :]
        evidence = None
        if self.book and not doc_id and settings.boost:  # the name is in doubt
            evidence = index.name_evidence(self._query.book_name, settings)
        return books_of(
            np.array([confidence]),
            inside,
            settings,
            None if evidence is None else evidence[None, :],
        )

    def _start_all(self) -> None:
        """Start to resolve the book's name; the strategies start when it is resolved, or after a moment."""
        query, settings = self._query, self._settings
        if settings.book_match != "off":
            resolve = functools.partial(
                self._index.book, query.book_name, settings, query.hint
            )
            self._naming = self._runner.start("book name", resolve, self._deadline)
            wait([self._naming], NAME_FIRST_S)
        for name in self._names:
            if not isinstance(self._index.strategies[name], Reranker):
                self._start(name)

    @property
    def _names(self) -> tuple[str, ...]:
        """Names of the strategies to run for the query, in declared order."""
        names = self._settings.strategies
        is_fused = self._query.keywords == "fused" and KEYWORD in self._index.strategies
        return (*names, KEYWORD) if is_fused and KEYWORD not in names else names

    def _scores_of(self, is_fallback: bool) -> list[Scored]:
        """Return the scores of a step's strategies that have not failed, in declared order."""
        names, why = self._names, ""
        if is_fallback:
            all_failed = not self._scored
            can_answer = KEYWORD in self._index.strategies and not (
                all_failed and self._everything
            )
            names = (KEYWORD,) if can_answer else ()
            why = ALL_FAILED if all_failed else AS_FALLBACK
        scored: list[Scored] = []
        for name in names:
            item = self._score(name, scored)
            if item is not None:
                scored.append(item)
        if scored:
            self._scored.append((why, scored))
        return scored

    def _score(self, name: str, before: Sequence[Scored] = ()) -> Scored | None:
        """Return the scores of a strategy, which runs once; note its failure.

        Args:
            before: scores whose best paragraphs a reranker sees.
        """
        if name in self._failures:
            return None
        call = self._calls.get(name) or self._start(name, before)
        scored = call.value()
        if call.failure is not None:
            self._failures[name] = call.failure
        return scored

    def _start(self, name: str, before: Sequence[Scored] = ()) -> Call[Scored]:
        """Start a strategy in another thread."""
        index, query = self._index, self._query
        strategy = index.strategies[name]
        rows = None
        if isinstance(strategy, Reranker):
            rows = self._best_rows(before, strategy.n_candidates)

        def work() -> Scored:
            strategy.load()
            started = time.perf_counter()
            strategy.prepare(query)
            self._embed_ms.append(1000.0 * (time.perf_counter() - started))
            return ask(index, name, query, self._doc_id, rows)

        deadline = self._deadline
        if name == KEYWORD:  # late strategies do not take the time of the fallback
            deadline = max(deadline, time.monotonic() + KEYWORDS_S)
        self._calls[name] = self._runner.start(name, work, deadline)
        return self._calls[name]

    def _best_rows(self, scored: Sequence[Scored], n: int) -> IntArray:
        """Return the rows of the n best paragraphs by several strategies, the best first."""
        index = self._index
        if not scored:
            return np.empty(0, dtype=np.int64)
        weights = index.calibration.fused
        fused = fuse(scored, self._books, index.kind_priors, self._settings, weights)
        log_odds = fused.log_odds[0]
        best = np.argsort(-log_odds, kind="stable")[:n]
        rows: IntArray = index.columns.rows[best[log_odds[best] > NOT_FOUND]]
        return rows

    def _with_rare_words(self, hits: tuple[Hit, ...], step: Step) -> tuple[Hit, ...]:
        """Return the hits, at most one in `TAIL` replaced by a paragraph with a rare word that no hit holds."""
        index = self._index
        keyword = index.strategies.get(KEYWORD)
        if not isinstance(keyword, Keyword):
            return hits
        is_hit = step.chosen[0] >= 0
        chosen, in_book = step.chosen[0][is_hit], step.in_book[0][is_hit]
        rows = frozenset(index.columns.rows[chosen].tolist())
        rare = keyword.rare(self._query.hint)
        missing = frozenset().union(*(word for word in rare if not word & rows))
        scored = self._score(KEYWORD) if missing else None
        if scored is None:
            return hits

        columns = np.flatnonzero(np.isin(index.columns.rows, list(missing)))
        by_score = np.argsort(-scored.log_odds[0, columns], kind="stable")
        fresh = columns[by_score][: max(1, self._k // TAIL)]
        inside = self._books.inside[0] & self._books.filters[0]
        columns, slots = with_rare_words(chosen, in_book, fresh, inside, self._k)
        maker = self._maker(scored, [scored], AS_FALLBACK)
        hit_of = dict(zip(chosen.tolist(), hits, strict=True))
        return tuple(
            hit_of.get(column) or maker.hit(column, is_book=is_book)
            for column, is_book in zip(columns.tolist(), slots.tolist(), strict=True)
        )

    def _ranking(self, step: Step | None, maker: HitMaker | None) -> Ranking:
        """Rank the paragraphs of the course; see `everything`."""
        index, n = self._index, len(self._index.paragraphs)
        order = np.empty(0, dtype=np.int64)
        in_book = self._books.inside[0] & self._books.filters[0]
        best_first = np.empty(0)
        if step is not None:
            log_odds = step.scored.log_odds[0]
            place = np.full(n, n)
            hits = step.chosen[0][step.chosen[0] >= 0]
            place[hits] = np.arange(len(hits))
            order = np.lexsort((-log_odds, ~in_book, place))
            order = order[log_odds[order] > NOT_FOUND]
            priors = index.kind_priors
            by_hint = log_odds if priors is None else log_odds - priors
            best_first = by_hint[order] - by_hint.max(initial=-FARTHEST)
            if self._query.k is None:
                order, best_first = order[: len(hits)], best_first[: len(hits)]

        rows = index.columns.rows[order]
        if self._query.k is not None or not len(rows):
            rows = np.concatenate([rows, np.setdiff1d(np.arange(n), rows)])
        rows = rows[: self._query.k]
        log_odds = np.full(max(len(rows), len(order)), -FARTHEST)
        log_odds[: len(order)] = np.maximum(best_first, -FARTHEST)

        def hit(place: int) -> Hit:
            if maker is not None and place < len(order):
                column = int(order[place])
                return maker.hit(column, is_book=bool(in_book[column]))
            return Hit(
                paragraph=index.paragraphs[rows[place]],
                score=0.0,
                relevance=0.0,
                rank=place - len(order) + 1,
                strategy="course",
                slot="global",
                why=NOT_FOUND_BY_SEARCH if len(order) else NOTHING_WAS_FOUND,
                relevant=False,
            )

        return Ranking(
            course=index.paragraphs,
            rows=rows,
            log_odds=log_odds[: len(rows)],
            hit=hit,
            pieces=index.pieces,
        )
