"""LiveSearch: one search of a query, which resolves the book, runs the strategies in threads and ranks their scores."""

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from configs.settings import SearchSettings
from player.deadlines import Call, Runner, due_after_share
from player.errors import AllStrategiesFailedError, LateStrategyError, SearchError
from player.search.hits import HitMaker, order_course
from player.search.index import SearchIndex
from player.search.rank import (
    Book,
    RankInput,
    Scored,
    best_rows,
    rank,
)
from player.search.results import (
    COURSE,
    KEYWORD,
    BookCandidate,
    Query,
    ScoreArrays,
    SearchResult,
    nothing_found,
)
from player.search.strategies.strategy import Reranker

T = TypeVar("T")
SEARCH_TIME_SHARE = 0.5
"""Maximum share of the time until a reply is due that a search may take."""
KEYWORDS_S = 5.0
"""Timeout of keywords in seconds, if all other strategies were late. The first call of a process loads word lists for a
second."""


@dataclass(eq=False, kw_only=True)
class LiveSearch:
    """One search over one state of a store. Each step is done once, after those that it needs.

    Attributes:
        index: the course that is searched.
        settings: settings of the search.
        query: the query; if its `keywords` is None, keywords run only if no strategy answers.
        runner: starts the strategies in threads.
        started: `time.perf_counter()` at the start of the search.
        failures: the failures so far, by strategy.
    """

    index: SearchIndex
    settings: SearchSettings
    query: Query
    runner: Runner = field(default_factory=Runner)
    started: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        self.failures: dict[str, SearchError] = {}
        elapsed_s = time.perf_counter() - self.started
        longest_s = self.settings.deadline_s - elapsed_s
        self._deadline = due_after_share(SEARCH_TIME_SHARE, longest_s)
        self._calls: dict[str, Call[ScoreArrays]] = {}
        self._embed_ms = [0.0]

    def result(self) -> SearchResult:
        """Return the result of the step that answers.

        Raises:
            AllStrategiesFailedError: no strategy answered.
        """
        ranking = rank(self.inputs, self.settings, lambda: self.fallback)
        if ranking is None:
            raise AllStrategiesFailedError(*self.failures.values())
        return self._result_of(HitMaker(ranking, self.index, self.settings))

    def course_result(self) -> SearchResult:
        """Return the result with the order of the whole course; if no strategy answers, no paragraph is found."""
        inputs = replace(self.inputs, k=None)
        nothing = {COURSE: nothing_found(len(self.index.paragraphs))}
        ranking = rank(inputs, self.settings, lambda: self.fallback or nothing)
        assert ranking is not None, "a step has scores"
        maker = HitMaker(ranking, self.index, self.settings)
        result = self._result_of(maker)
        return replace(
            result,
            answered_by=result.answered_by if result.hits else COURSE,
            course_order=order_course(maker),
        )

    def _result_of(self, maker: HitMaker) -> SearchResult:
        """Return the result with the hits of a ranking."""
        ranking, hits = maker.ranking, maker.hits()
        book = None
        if doc_id := self.book.doc_id:
            book = BookCandidate(doc_id, self.book.confidence, ranking.tier)
        embed_ms = max(self._embed_ms)
        elapsed_ms = 1000.0 * (time.perf_counter() - self.started)

        return SearchResult(
            query=self.query,
            hits=hits,
            book=book,
            failures=tuple(self.failures.values()),
            answered_by=maker.answered_by(),
            relevant=ranking.level == "relevant",
            lift=ranking.lift,
            threshold=self.settings.threshold,
            calibrated=self.index.calibrated,
            embed_ms=embed_ms,
            search_ms=max(0.0, elapsed_ms - embed_ms),
        )

    @functools.cached_property
    def book(self) -> Book:
        """The document that the query names, resolved within half of the time left."""
        no_book = Book(self.index.inside(""))
        if not self.query.hint.strip():
            return no_book
        work = functools.partial(self.index.resolve_book, self.query, self.settings)
        half_way = (time.monotonic() + self._deadline) / 2.0
        call = self.runner.start("book name", work, half_way)
        return self._value(call) or no_book

    @functools.cached_property
    def inputs(self) -> RankInput:
        """The input of the ranking, with the scores of all strategies that have answered."""
        index, query = self.index, self.query
        inputs = RankInput(
            book=self.book,
            kind_log_odds=index.kind_log_odds,
            groups=index.groups,
            weights=index.calibration.fused,
            keywords=query.keywords,
            k=query.k,
        )
        if not query.hint.strip():
            return inputs

        names = self.settings.strategies
        if query.keywords == "fused" and KEYWORD in index.strategies:
            names = tuple(dict.fromkeys((*names, KEYWORD)))
        return replace(inputs, scores=self._scores(names, inputs))

    @functools.cached_property
    def fallback(self) -> Scored:
        """The scores of keywords, after those of the other strategies; {} without a hint, or if they failed."""
        inputs = self.inputs
        if KEYWORD not in self.index.strategies or not self.query.hint.strip():
            return {}
        # late strategies do not take the time of the fallback
        self._deadline = max(self._deadline, time.monotonic() + KEYWORDS_S)
        return self._scores((KEYWORD,), inputs)

    def _scores(self, names: Sequence[str], inputs: RankInput) -> Scored:
        """Return the scores of the strategies that have not failed, in declared order.

        Args:
            inputs: the input of the ranking, without scores; rerankers compare the best paragraphs by it.
        """
        strategies = self.index.strategies
        for name in names:
            strategy = strategies[name]
            if not isinstance(strategy, Reranker):
                score = functools.partial(strategy.score, self.query, self.book.doc_id)
                self._start(name, score)

        scores: dict[str, ScoreArrays] = {}
        for name in names:
            strategy = strategies[name]
            if isinstance(strategy, Reranker):
                before = replace(inputs, scores=scores)
                rows = best_rows(before, self.settings, strategy.n_compared)
                score = functools.partial(strategy.rerank, self.query, rows)
                self._start(name, score)
            scored = self._value(self._calls[name])
            if scored is not None:
                scores[name] = scored
        return scores

    def _value(self, call: Call[T]) -> T | None:
        """Return the value of a call; None if it has failed, which is recorded."""
        value = call.value()
        if call.failure:
            kind = LateStrategyError if call.is_late else SearchError
            self.failures[call.name] = kind(call.name, call.failure)
        return value

    def _start(self, name: str, score: Callable[[], ScoreArrays]) -> None:
        """Start a strategy in another thread, unless it was started before.

        It fails if it returns something else than arrays of numbers for the course.

        Args:
            name: name of the strategy.
            score: computes its scores.
        """
        if name in self._calls:
            return
        strategy, n = self.index.strategies[name], len(self.index.paragraphs)

        def work() -> ScoreArrays:
            strategy.load()
            started = time.perf_counter()
            strategy.prepare(self.query)
            self._embed_ms.append(1000.0 * (time.perf_counter() - started))

            arrays = score()
            if not isinstance(arrays, ScoreArrays) or not arrays.are_of(n):
                raise SearchError(
                    name,
                    f"it must return ScoreArrays with a finite score for each of the {n} paragraphs, and two log-odds "
                    "that are both numbers or both -inf",
                )
            return arrays

        self._calls[name] = self.runner.start(name, work, self._deadline)
