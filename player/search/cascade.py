"""The cascade of one live search: resolve the book, run strategies in threads, rank, and ask keywords if need be."""

import functools
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from configs.settings import SearchSettings
from player.deadlines import Call, Runner, reply_due
from player.errors import AllStrategiesFailedError, SearchError
from player.search.hits import COURSE, HitMaker, course_ranking
from player.search.index import KEYWORD, SearchIndex
from player.search.rank import (
    Book,
    Ranking,
    RankInput,
    Scored,
    best_rows,
    rank,
)
from player.search.results import (
    BookCandidate,
    Query,
    ScoreArrays,
    SearchResult,
    nothing_found,
)
from player.search.strategies.strategy import Reranker
from quarry.arrays import Float64Array, IntArray

KEYWORDS_S = 5.0
"""Timeout of keywords in seconds, if all other strategies were late. The first call of a process loads word lists for a
second."""


@dataclass(eq=False, kw_only=True)
class Cascade:
    """One search over one state of a store.

    Attributes:
        index: the course that is searched.
        settings: settings of the search.
        runner: starts the strategies in threads.
        query: the query; without a mode of keywords they are asked only if no other strategy answers.
        started: `time.perf_counter()` at the start of the search.
        everything: also rank all paragraphs of the course. No error is raised if every strategy fails or the hint is
            empty.
        failures: the failures so far, by strategy.
        book: the document that the query names; None until `resolve_book` has found one.
    """

    index: SearchIndex
    settings: SearchSettings
    runner: Runner
    query: Query
    started: float
    everything: bool = False

    def __post_init__(self) -> None:
        self.failures: dict[str, SearchError] = {}
        self.book: BookCandidate | None = None
        elapsed_s = time.perf_counter() - self.started
        now = time.monotonic()
        self._evidence: Float64Array | None = None
        half_of_reply = (now + reply_due()) / 2.0
        self._deadline = min(now + self.settings.deadline_s - elapsed_s, half_of_reply)
        self._calls: dict[str, Call[ScoreArrays]] = {}
        self._embed_ms = [0.0]

    def result(self) -> SearchResult:
        """Return the result of the step that answers.

        Raises:
            AllStrategiesFailedError: no strategy answered.
        """
        settings, query, index = self.settings, self.query, self.index
        if query.hint.strip():
            self.resolve_book()
        ranking = self._rank()
        if ranking is None:
            raise AllStrategiesFailedError(tuple(self.failures.values()))

        maker = HitMaker(ranking, index, settings)
        hits = maker.hits()
        answered_by = maker.answered_by(self.book.tier if self.book else "none")
        if self.everything and not hits:
            answered_by = "course"

        embed_ms = max(self._embed_ms)
        elapsed_ms = 1000.0 * (time.perf_counter() - self.started)
        return SearchResult(
            query=query,
            hits=hits,
            book=self.book,
            failures=tuple(self.failures.values()),
            answered_by=answered_by,
            relevant=ranking.level == "relevant",
            boost=ranking.lift,
            threshold=settings.threshold,
            calibrated=index.calibrated,
            ranking=course_ranking(maker) if self.everything else None,
            embed_ms=embed_ms,
            search_ms=max(0.0, elapsed_ms - embed_ms),
        )

    def resolve_book(self) -> None:
        """Find the document that the query names, within half of the time that is left."""
        work = functools.partial(self.index.resolve_book, self.query, self.settings)
        half_way = (time.monotonic() + self._deadline) / 2.0
        call = self.runner.start("book name", work, half_way)
        resolved = call.value()
        if call.failure is not None:
            self.failures[call.name] = call.failure
        elif resolved is not None:
            self.book, self._evidence = resolved

    def _rank(self) -> Ranking | None:
        """Rank by the scores of all strategies, and by keywords too if these are needed.

        If none has answered, rank a course in which nothing was found, but only if `everything` is ranked.
        """
        settings, index = self.settings, self.index
        inputs = self.first_step()
        ranking = rank(inputs, settings, functools.partial(self.ask_keywords, inputs))
        if ranking is None and self.everything:
            nothing = {COURSE: nothing_found(len(index.paragraphs))}
            return rank(replace(inputs, scores=nothing), settings)
        return ranking

    def first_step(self) -> RankInput:
        """Return the input of a ranking, with the scores of all strategies that have answered."""
        index, query, book = self.index, self.query, self.book
        confidence = book.confidence if book else 0.0
        inputs = RankInput(
            book=Book(index.inside(book), confidence, self._evidence),
            kind_log_odds=index.kind_log_odds,
            groups=index.groups,
            weights=index.calibration.fused,
            keywords=query.keywords,
            k=None if self.everything else query.k,
        )
        if not query.hint.strip():
            return inputs

        names = self.settings.strategies
        if query.keywords == "fused" and KEYWORD in index.strategies:
            names = tuple(dict.fromkeys((*names, KEYWORD)))
        return replace(inputs, scores=self._scores(names, inputs))

    def ask_keywords(self, inputs: RankInput) -> Scored:
        """Return the scores of the fallback; {} without a hint, or if they cannot be had."""
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
            if not isinstance(strategies[name], Reranker):
                self._start(name)

        scores: dict[str, ScoreArrays] = {}
        for name in names:
            strategy = strategies[name]
            if isinstance(strategy, Reranker):
                before = replace(inputs, scores=scores)
                rows = best_rows(before, self.settings, strategy.n_compared)
                self._start(name, rows)
            call = self._calls[name]
            scored = call.value()
            if call.failure is not None:
                self.failures[name] = call.failure
            elif scored is not None:
                scores[name] = scored
        return scores

    def _start(self, name: str, rows: IntArray | None = None) -> None:
        """Start a strategy in another thread, unless it was started before.

        It fails if it returns something else than arrays of numbers for the course.

        Args:
            name: name of the strategy.
            rows: rows of the paragraphs that a reranker compares.
        """
        if name in self._calls:
            return
        query = self.query
        strategy, n = self.index.strategies[name], len(self.index.paragraphs)
        doc_id = self.book.doc_id if self.book else ""

        def work() -> ScoreArrays:
            strategy.load()
            started = time.perf_counter()
            strategy.prepare(query)
            self._embed_ms.append(1000.0 * (time.perf_counter() - started))

            if isinstance(strategy, Reranker) and rows is not None:
                arrays = strategy.rerank(query, rows)
            else:
                arrays = strategy.score(query, doc_id)
            if not isinstance(arrays, ScoreArrays) or not arrays.are_of(n):
                raise SearchError(
                    name,
                    "it must return ScoreArrays with a finite score, and log-odds or -inf, "
                    f"for each of the {n} paragraphs",
                )
            return arrays

        self._calls[name] = self.runner.start(name, work, self._deadline)
