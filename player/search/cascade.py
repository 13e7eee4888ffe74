"""The cascade of one live search: run strategies in threads, search their arrays, and make hits of the result."""

import functools
import time
from concurrent.futures import wait
from dataclasses import dataclass

import numpy as np

from configs.settings import SearchSettings
from player.deadlines import Call, Runner
from player.errors import AllStrategiesFailedError, SearchError
from player.search.index import SearchIndex, ask
from player.search.rank import (
    FARTHEST,
    Book,
    Scored,
    Step,
    book_of,
    fuse,
    probability,
    search,
    threshold_log_odds,
)
from player.search.results import (
    NOT_FOUND,
    BookCandidate,
    Hit,
    Query,
    Ranking,
    ScoreArrays,
    SearchResult,
    StepName,
)
from player.search.strategies.strategy import Reranker

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


@dataclass(eq=False)
class Cascade:
    """One search over one state of a store.

    Args:
        query: a query whose `keywords` is not None.
        started: `time.perf_counter()` at the start of the search.
        everything: also rank the paragraphs of the course: first the hits, then those found in the book that filters,
            then the others found, then the rest, up to the query's k; without k the hits alone. No error is raised if
            every strategy fails or the hint is empty.
    """

    index: SearchIndex
    settings: SearchSettings
    runner: Runner
    query: Query
    started: float
    everything: bool = False

    def __post_init__(self) -> None:
        elapsed_s = time.perf_counter() - self.started
        self._deadline = time.monotonic() + self.settings.deadline_s - elapsed_s
        self._calls: dict[str, Call[ScoreArrays]] = {}
        self._embed_ms = [0.0]
        self._failures: dict[str, SearchError] = {}
        self._naming: Call[BookCandidate | None] | None = None

    def result(self) -> SearchResult:
        """Return the result of the step that answers.

        Raises:
            AllStrategiesFailedError: no strategy answered.
        """
        settings, query, index = self.settings, self.query, self.index
        step = None
        if query.hint.strip():
            if settings.book_match != "off":
                resolve = functools.partial(
                    index.book, query.book_name, settings, query.hint
                )
                self._naming = self.runner.start("book name", resolve, self._deadline)
                wait([self._naming], NAME_FIRST_S)
            for name in self._names:
                if not isinstance(index.strategies[name], Reranker):
                    self._start(name, {})
            step = search(
                self._scores_of,
                self._book,
                index.kind_priors,
                index.groups,
                settings,
                index.calibration.fused,
                query.keywords or settings.keywords,
                None if self.everything else query.k,
            )
        if step is None and not self.everything:
            raise AllStrategiesFailedError(tuple(self._failures.values()))

        hits = []
        if step is not None:
            for row, is_book in zip(step.hits.tolist(), step.in_book, strict=True):
                hits.append(self._hit(step, row, is_book=is_book))
        embed_ms = max(self._embed_ms)
        elapsed_ms = 1000.0 * (time.perf_counter() - self.started)
        return SearchResult(
            query=query,
            hits=tuple(hits),
            book=self.book,
            failures=tuple(self._failures.values()),
            answered_by=self._answered_by(step),
            relevant=step is not None and step.level == "relevant",
            boost=self._book.lift,
            threshold=settings.threshold,
            calibrated=index.calibrated,
            ranking=self._ranking(step) if self.everything else None,
            embed_ms=embed_ms,
            search_ms=max(0.0, elapsed_ms - embed_ms),
        )

    def _hit(self, step: Step, row: int, *, is_book: bool) -> Hit:
        """Make the hit of a paragraph, in a slot of the book or of the course."""
        reasons = [
            f"rank {self._rank(item, row, is_book=is_book)} by {name}"
            for name, item in step.scored.items()
            if item.log_odds[row] > NOT_FOUND
        ]
        why = ", ".join([*reasons, IN_BOOK if is_book else IN_COURSE])
        strategy = step.strategy
        ranked = step.scored.get(strategy, step.fused)
        if step.is_fallback and ranked.log_odds[row] == NOT_FOUND:
            # of the first step, in a slot that keywords left
            *_, strategy = step.scored
            ranked = step.scored[strategy]
        elif step.is_fallback:
            why += ALL_FAILED if self._all_failed else AS_FALLBACK

        relevance = float(step.fused.relevance[row])
        return Hit(
            paragraph=self.index.paragraphs[row],
            score=float(step.fused.scores[row]),
            relevance=probability(relevance),
            rank=self._rank(ranked, row, is_book=is_book),
            strategy=strategy,
            slot="book" if is_book else "global",
            why=why,
            relevant=relevance >= threshold_log_odds(self.settings.threshold),
            same_as=self.index.copies(row),
        )

    def _rank(self, item: ScoreArrays, row: int, *, is_book: bool) -> int:
        """Return the rank from 1 of a paragraph, in the named book or in the course, by the scores of a strategy."""
        is_ranked = item.log_odds > NOT_FOUND
        if is_book:
            is_ranked = is_ranked & self._book.inside
        scores = np.where(is_ranked, item.scores, NOT_FOUND)
        n_better = (scores > scores[row]).sum() + (scores[:row] == scores[row]).sum()
        return 1 + int(n_better)

    def _answered_by(self, step: Step | None) -> StepName:
        """Return the name of the step that found the relevant hits; the named book's step goes first."""
        if step is None or not len(step.hits):
            return "course" if self.everything else ""
        if step.level != "relevant":
            return step.level
        if step.is_fallback:
            return "fallback"
        threshold = threshold_log_odds(self.settings.threshold)
        relevant = step.hits[step.fused.relevance[step.hits] >= threshold]
        book = self.book
        if book is None or book.tier == "none" or not self._book.inside[relevant].any():
            return "original"
        return book.tier

    @functools.cached_property
    def book(self) -> BookCandidate | None:
        """The document that the query's book name refers to."""
        if self._naming is None:
            return None
        book = self._naming.value()
        if self._naming.failure is not None:
            self._failures["book name"] = self._naming.failure
        return book

    @functools.cached_property
    def _book(self) -> Book:
        """Effect of the book on the search."""
        book, index, settings = self.book, self.index, self.settings
        evidence = None
        if book and book.tier == "none" and settings.boost:
            evidence = index.name_evidence(self.query.book_name, settings)
        confidence = book.confidence if book else 0.0
        return book_of(confidence, index.inside(book), settings, evidence)

    @property
    def _names(self) -> tuple[str, ...]:
        """Names of the strategies to run for the query, in declared order."""
        names = self.settings.strategies
        is_fused = self.query.keywords == "fused" and KEYWORD in self.index.strategies
        return (*names, KEYWORD) if is_fused and KEYWORD not in names else names

    @property
    def _all_failed(self) -> bool:
        return all(name in self._failures for name in self._names)

    def _scores_of(self, is_fallback: bool) -> Scored:
        """Return the scores of a step's strategies that have not failed, in declared order."""
        names = self._names
        if is_fallback:
            is_asked = KEYWORD in self.index.strategies and not (
                self.everything and self._all_failed
            )
            names = (KEYWORD,) if is_asked else ()

        scored: dict[str, ScoreArrays] = {}
        for name in names:
            if name in self._failures:
                continue
            call = self._calls.get(name) or self._start(name, scored)
            scores = call.value()
            if call.failure is not None:
                self._failures[name] = call.failure
            elif scores is not None:
                scored[name] = scores
        return scored

    def _start(self, name: str, before: Scored) -> Call[ScoreArrays]:
        """Start a strategy in another thread.

        Args:
            before: scores whose best paragraphs a reranker sees.
        """
        index, query = self.index, self.query
        strategy = index.strategies[name]
        rows = None
        if isinstance(strategy, Reranker):
            rows = np.empty(0, dtype=np.int64)
            if before:
                prior = index.kind_priors + self._book.prior
                weights = index.calibration.fused
                _, fused = fuse(before, prior, self.settings, weights)
                best_first = np.argsort(-fused.log_odds, kind="stable")
                rows = best_first[: strategy.n_candidates]
                rows = rows[fused.log_odds[rows] > NOT_FOUND]

        def work() -> ScoreArrays:
            strategy.load()
            started = time.perf_counter()
            strategy.prepare(query)
            self._embed_ms.append(1000.0 * (time.perf_counter() - started))
            book = self.book
            doc_id = book.doc_id if book and book.tier != "none" else ""
            return ask(index, name, query, doc_id, rows)

        deadline = self._deadline
        if name == KEYWORD:  # late strategies do not take the time of the fallback
            deadline = max(deadline, time.monotonic() + KEYWORDS_S)
        self._calls[name] = self.runner.start(name, work, deadline)
        return self._calls[name]

    def _ranking(self, step: Step | None) -> Ranking:
        """Rank the paragraphs of the course; see `everything`."""
        index, k = self.index, self.query.k
        n = len(index.paragraphs)
        hits = np.empty(0, dtype=np.int64) if step is None else step.hits
        log_odds = np.full(n, NOT_FOUND) if step is None else step.fused.log_odds
        is_found = log_odds > NOT_FOUND
        in_book = self._book.inside & self._book.filters

        place = np.full(n, n)
        place[hits] = np.arange(len(hits))
        order = np.lexsort((-log_odds, ~(in_book & is_found), ~is_found, place))
        n_found = int(is_found.sum())
        if k is None and len(hits):
            k = n_found = len(hits)
        rows = order[:k]

        by_hint = log_odds - index.kind_priors
        by_hint -= by_hint.max(initial=-FARTHEST)

        def hit(place: int) -> Hit:
            row = int(rows[place])
            if step is not None and place < n_found:
                return self._hit(step, row, is_book=bool(in_book[row]))
            return Hit(
                paragraph=index.paragraphs[row],
                score=0.0,
                relevance=0.0,
                rank=place - n_found + 1,
                strategy="course",
                slot="global",
                why=NOT_FOUND_BY_SEARCH if n_found else NOTHING_WAS_FOUND,
                relevant=False,
            )

        return Ranking(
            course=index.paragraphs,
            rows=rows,
            log_odds=np.maximum(by_hint[rows], -FARTHEST),
            hit=hit,
            pieces=index.pieces,
        )
