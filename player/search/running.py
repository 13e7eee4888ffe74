"""Running strategies: those in memory at once and inline, those that wait in threads with a deadline."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from player.errors import LateStrategyError, SearchError
from player.search.types import Hit, Query, Strategy

MOST_HANGING = 8
"""Calls of one strategy that may be under way at once; more are refused, or a dead server would eat all threads."""

Scope = tuple[int, str]
"""How many hits are wanted, and the doc_id of the only document to search in ("" for the whole course)."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one strategy found, or why it did not.

    Attributes:
        hits: of each scope, in their order; () after a failure.
        embed_ms: milliseconds that its preparation took.
    """

    strategy: str
    hits: tuple[Sequence[Hit], ...] = ()
    failure: SearchError | None = None
    embed_ms: float = 0.0


class Runner:
    """Asks strategies; keeps the count of those that still hang. Safe for many threads.

    Args:
        deadline_s: seconds that a strategy that waits may take.
    """

    def __init__(self, deadline_s: float) -> None:
        self._deadline_s = deadline_s
        self._under_way: Counter[str] = Counter()
        self._lock = threading.Lock()

    def ask(self, strategies: Sequence[Strategy], query: Query, scopes: Sequence[Scope]) -> list[Answer]:
        """The answer of each strategy, in the order of `strategies`, whichever came first.

        Whatever a strategy raises is its failure and not the search's; an answer that comes after the deadline is
        dropped.
        """
        deadline = time.monotonic() + self._deadline_s
        waiting = {row: self._start(item, query, scopes, deadline) for row, item in enumerate(strategies) if item.waits}
        answers = {row: _answer(item, query, scopes, None) for row, item in enumerate(strategies) if row not in waiting}
        for row, call in waiting.items():
            answers[row] = call if isinstance(call, Answer) else call.wait(deadline)
        return [answers[row] for row in range(len(strategies))]

    def _start(self, strategy: Strategy, query: Query, scopes: Sequence[Scope], deadline: float) -> _Call | Answer:
        with self._lock:
            if self._under_way[strategy.name] >= MOST_HANGING:
                reason = f"{MOST_HANGING} earlier calls of it have not returned"
                return Answer(strategy.name, failure=LateStrategyError(strategy.name, reason))
            self._under_way[strategy.name] += 1
        call = _Call(strategy.name)

        def run() -> None:
            try:
                call.answer = _answer(strategy, query, scopes, deadline)
            finally:
                with self._lock:
                    self._under_way[strategy.name] -= 1
                call.done.set()

        # a daemon: however long it hangs, it dies with the process
        threading.Thread(target=run, name=f"strategy {strategy.name}", daemon=True).start()
        return call


class _Call:
    """One strategy, asked in a thread of its own."""

    def __init__(self, strategy: str) -> None:
        self._strategy = strategy
        self.done = threading.Event()
        self.answer: Answer | None = None

    def wait(self, deadline: float) -> Answer:
        """What came by the deadline."""
        if self.done.wait(max(0.0, deadline - time.monotonic())) and self.answer is not None:
            return self.answer
        return Answer(self._strategy, failure=LateStrategyError(self._strategy, "no answer within search.deadline_s"))


def _answer(strategy: Strategy, query: Query, scopes: Sequence[Scope], deadline: float | None) -> Answer:
    try:
        started = time.perf_counter()
        strategy.prepare(query)
        embed_ms = 1000.0 * (time.perf_counter() - started)
        hits = tuple(strategy.search(query, k, doc_id, deadline=deadline) for k, doc_id in scopes)
        return Answer(strategy.name, hits, embed_ms=embed_ms)
    except Exception as error:  # a user's own strategy may raise anything; all is reported
        return Answer(strategy.name, failure=SearchError(strategy.name, described(error)))


def described(error: Exception) -> str:
    """An exception of somebody else's code on one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
