"""LiveSearch: one search of a query, which resolves the book, runs the strategies in threads and ranks their scores."""

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from configs.settings import SearchSettings
from player.deadlines import Call, Runner, due_after_share
from player.errors import AllStrategiesFailedError, LateStrategyError, SearchError
from player.search.hits import HitMaker, order_course
from player.search.index import SearchIndex
from player.search.rank import Book, RankInput, Scored, best_rows, rank
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


class LiveSearch:
    """One search over one state of a store; its calls of strategies run once, and their failures are kept.

    Args:
        index: the course that is searched.
        settings: settings of the search.
        query: the query; if its `keywords` is None, keywords run only if no strategy answers.
        runner: starts the strategies in threads.
        started: `time.perf_counter()` at the start of the search; None takes the present.

    Attributes:
        failures: the failures so far, by strategy.
    """

    def __init__(
        self,
        index: SearchIndex,
        settings: SearchSettings,
        query: Query,
        *,
        runner: Runner | None = None,
        started: float | None = None,
    ) -> None:
        self.failures: dict[str, SearchError] = {}
        self._index = index
        self._settings = settings
        self._query = query
        self._runner = runner or Runner()
        self._started = time.perf_counter() if started is None else started
        self._calls: dict[str, Call[tuple[ScoreArrays, float]]] = {}
        self._embed_ms = 0.0

        elapsed_s = time.perf_counter() - self._started
        longest_s = settings.deadline_s - elapsed_s
        self._deadline = due_after_share(SEARCH_TIME_SHARE, longest_s)

    def result(self) -> SearchResult:
        """Return the result of the step that answers.

        Raises:
            AllStrategiesFailedError: no strategy answered.
        """
        inputs = self.score()
        fallback = functools.partial(self.score_keywords, inputs)
        ranking = rank(inputs, self._settings, fallback)
        if ranking is None:
            raise AllStrategiesFailedError(*self.failures.values())
        maker = HitMaker(ranking, self._index, self._settings)
        return self._result_of(maker, inputs.book)

    def course_result(self) -> SearchResult:
        """Return the result with the order of the whole course; if no strategy answers, no paragraph is found."""
        # the query's k does not change the slots of the hits
        inputs = replace(self.score(), k=None)
        nothing = {COURSE: nothing_found(len(self._index.paragraphs))}
        ranking = rank(
            inputs, self._settings, lambda: self.score_keywords(inputs) or nothing
        )
        assert ranking is not None, "a step has scores"
        maker = HitMaker(ranking, self._index, self._settings)
        result = self._result_of(maker, inputs.book)
        return replace(
            result,
            answered_by=result.answered_by if result.hits else COURSE,
            course_order=order_course(maker),
        )

    def score(self) -> RankInput:
        """Resolve the book, and return the input of the ranking with the scores of all strategies that answer."""
        index, query = self._index, self._query
        inputs = RankInput(
            book=self._resolve_book(),
            kind_log_odds=index.kind_log_odds,
            groups=index.groups,
            weights=index.calibration.fused,
            keywords=query.keywords,
            k=query.k,
        )
        if not query.hint.strip():
            return inputs

        names = self._settings.strategies
        if query.keywords == "fused" and KEYWORD in index.strategies:
            names = tuple(dict.fromkeys((*names, KEYWORD)))
        return replace(inputs, scores=self._scores(names, inputs, self._deadline))

    def score_keywords(self, inputs: RankInput) -> Scored:
        """Return the scores of keywords, after those of all strategies; {} without a hint, or if they fail."""
        if KEYWORD not in self._index.strategies or not self._query.hint.strip():
            return {}
        # late strategies do not take the time of the fallback
        deadline = max(self._deadline, time.monotonic() + KEYWORDS_S)
        return self._scores((KEYWORD,), inputs, deadline)

    def _resolve_book(self) -> Book:
        """Return the document that the query names, resolved within half of the time left."""
        no_book = Book(self._index.inside(""))
        if not self._query.hint.strip():
            return no_book
        work = functools.partial(self._index.resolve_book, self._query, self._settings)
        half_way = (time.monotonic() + self._deadline) / 2.0
        call = self._runner.start("book name", work, half_way)
        return self._value(call) or no_book

    def _scores(
        self, names: Sequence[str], inputs: RankInput, deadline: float
    ) -> Scored:
        """Return the scores of the strategies that have not failed, in declared order.

        Args:
            names: names of the strategies.
            inputs: the input of the ranking, without scores; rerankers compare the best paragraphs by it.
            deadline: deadline of the strategies that have not been started before, by `time.monotonic()`.
        """
        strategies = self._index.strategies
        for name in names:
            strategy = strategies[name]
            if not isinstance(strategy, Reranker):
                doc_id = inputs.book.doc_id
                score = functools.partial(strategy.score, self._query, doc_id)
                self._start(name, score, deadline)

        scores: dict[str, ScoreArrays] = {}
        for name in names:
            strategy = strategies[name]
            if isinstance(strategy, Reranker):
                before = replace(inputs, scores=scores)
                rows = best_rows(before, self._settings, strategy.n_compared)
                score = functools.partial(strategy.rerank, self._query, rows)
                self._start(name, score, deadline)
            answer = self._value(self._calls[name])
            if answer is not None:
                scores[name], embed_ms = answer
                self._embed_ms = max(self._embed_ms, embed_ms)
        return scores

    def _start(
        self, name: str, score: Callable[[], ScoreArrays], deadline: float
    ) -> None:
        """Start a strategy in another thread, unless it was started before; it returns its scores and `embed_ms`.

        It fails if its scores are something else than arrays of numbers for the course.

        Args:
            name: name of the strategy.
            score: computes its scores.
            deadline: deadline of the call, by `time.monotonic()`.
        """
        if name in self._calls:
            return
        strategy, n = self._index.strategies[name], len(self._index.paragraphs)

        def work() -> tuple[ScoreArrays, float]:
            strategy.load()
            started = time.perf_counter()
            strategy.prepare(self._query)
            embed_ms = 1000.0 * (time.perf_counter() - started)

            arrays = score()
            if not isinstance(arrays, ScoreArrays) or not arrays.are_of(n):
                raise SearchError(
                    name,
                    f"it must return ScoreArrays with a finite score for each of the {n} paragraphs, and two log-odds "
                    "that are both numbers or both -inf",
                )
            return arrays, embed_ms

        self._calls[name] = self._runner.start(name, work, deadline)

    def _value(self, call: Call[T]) -> T | None:
        """Return the value of a call; None if it has failed, which is recorded."""
        value = call.value()
        if call.failure:
            kind = LateStrategyError if call.is_late else SearchError
            self.failures[call.name] = kind(call.name, call.failure)
        return value

    def _result_of(self, maker: HitMaker, book: Book) -> SearchResult:
        """Return the result with the hits of a ranking.

        Args:
            maker: makes the hits.
            book: the document that the query names.
        """
        ranking, hits = maker.ranking, maker.hits()
        candidate = None
        if book.doc_id:
            candidate = BookCandidate(book.doc_id, book.confidence, ranking.tier)
        elapsed_ms = 1000.0 * (time.perf_counter() - self._started)

        return SearchResult(
            query=self._query,
            hits=hits,
            book=candidate,
            failures=tuple(self.failures.values()),
            answered_by=ranking.answered_by,
            relevant=ranking.is_relevant,
            lift=ranking.lift,
            threshold=self._settings.threshold,
            calibrated=self._index.calibrated,
            embed_ms=self._embed_ms,
            search_ms=max(0.0, elapsed_ms - self._embed_ms),
        )
