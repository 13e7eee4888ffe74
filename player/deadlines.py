"""Calls in daemon threads with a deadline, for a search or a player that may hang."""

from __future__ import annotations

import contextlib
import functools
import heapq
import itertools
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any, TypeVar

from ingest.console.terminal import described
from player.errors import LateStrategyError, SearchError

MOST_HANGING = 8
"""The most late calls of one name for which more threads start: a dead server does not use up all."""
IDLE_S = 60.0
"""Seconds after which a thread without a call ends."""

T = TypeVar("T")

_reply_due: ContextVar[float] = ContextVar("_reply_due", default=math.inf)


def reply_due() -> float:
    """Return the time, by `time.monotonic()`, at which the work of this thread is due; infinity if nobody waits."""
    return _reply_due.get()


def due_at(due: float, work: Callable[[], T]) -> T:
    """Do work that is due at a time, which `reply_due` then returns."""
    token = _reply_due.set(due)
    try:
        return work()
    finally:
        _reply_due.reset(token)


class Call(Future[T]):
    """A call that runs in another thread; `result` waits for it.

    Attributes:
        name: name of the called part, for failures.
        deadline: time until which `value` waits, by `time.monotonic()`.
        failure: the reason why `value` returned None, else None.
    """

    def __init__(self, name: str = "", deadline: float = math.inf) -> None:
        super().__init__()
        self.name = name
        self.deadline = deadline
        self.failure: SearchError | None = None

    def run(self, work: Callable[[], T]) -> None:
        """Do the work unless the call was cancelled, and keep its result or its exception."""
        if not self.set_running_or_notify_cancel():
            return
        try:
            self.set_result(work())
        except BaseException as error:  # a user's own code may raise anything
            self.set_exception(error)

    def value(self) -> T | None:
        """Return the result by the deadline, or set `failure` and return None."""
        remaining_s = max(0.0, self.deadline - time.monotonic())
        try:
            error = self.exception(min(remaining_s, threading.TIMEOUT_MAX))
        except TimeoutError:
            error = LateStrategyError(self.name, "no answer within search.deadline_s")

        if error is None:
            return self.result()
        if not isinstance(error, SearchError):
            error = SearchError(self.name, described(error))
        self.failure = error
        return None


class Pool:
    """Daemon threads that run calls, the one with the earliest deadline first. Safe for many threads.

    Threads wait for further calls and end when none comes.

    Args:
        most: the most threads; the other calls wait. All calls run at once unless given.
    """

    def __init__(self, most: int = sys.maxsize) -> None:
        self._most = most
        self._queue: list[tuple[float, int, Call[Any], Callable[[], Any]]] = []
        self._numbers = itertools.count()
        self._n_threads = self._n_idle = 0
        self._changed = threading.Condition()

    def start(
        self, work: Callable[[], T], name: str = "", deadline: float = math.inf
    ) -> Call[T]:
        """Add a call to the queue; see `Call` for the arguments."""
        call: Call[T] = Call(name, deadline)
        with self._changed:
            heapq.heappush(self._queue, (deadline, next(self._numbers), call, work))
            self._wake()
        return call

    def _wake(self) -> None:
        if len(self._queue) <= self._n_idle:
            self._changed.notify()
        elif self._n_threads < self._most:
            self._n_threads += 1
            threading.Thread(target=self._serve, name="quarry", daemon=True).start()

    def _serve(self) -> None:
        """Run calls until none has come for a while."""
        while (task := self._next()) is not None:
            call, work = task
            call.run(work)
            del call, work, task  # an idle thread holds no result

    def _next(self) -> tuple[Call[Any], Callable[[], Any]] | None:
        with self._changed:
            while not self._queue:
                self._n_idle += 1
                is_woken = self._changed.wait(IDLE_S)
                self._n_idle -= 1
                if not is_woken and not self._queue:
                    self._n_threads -= 1
                    return None
            *_, call, work = heapq.heappop(self._queue)
            return call, work


class Turns:
    """So many turns at once; of those that wait, the one with the earliest deadline is next. Safe for many threads."""

    def __init__(self, n: int) -> None:
        self._n_free = n
        self._waiting: list[tuple[float, int]] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()

    @contextlib.contextmanager
    def turn(self, deadline: float) -> Iterator[None]:
        """Wait for a turn, and end it with the context."""
        with self._changed:
            ticket = deadline, next(self._numbers)
            heapq.heappush(self._waiting, ticket)
            self._changed.wait_for(
                lambda: self._n_free > 0 and self._waiting[0] == ticket
            )
            heapq.heappop(self._waiting)
            self._n_free -= 1
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._n_free += 1
                self._changed.notify_all()


@functools.cache
def _unlimited(_pid: int) -> Pool:
    """Return the pool of this process, in which no call waits; a forked process has none of its parent's threads."""
    return Pool()


def start_in_thread(
    work: Callable[[], T], name: str = "", deadline: float = math.inf
) -> Call[T]:
    """Start a call at once in another thread; see `Call` for the arguments."""
    return _unlimited(os.getpid()).start(work, name, deadline)


class Runner:
    """Starts calls in threads, and refuses more calls of a name of which many are late. Safe for many threads.

    Args:
        pool: has the threads; those of this process unless given. Calls that need much memory get few threads of
            their own, since each thread keeps memory for its next call.
    """

    def __init__(self, pool: Pool | None = None) -> None:
        self._pool = pool
        self._running: dict[str, set[Call[Any]]] = {}
        self._lock = threading.Lock()

    def start(
        self, name: str, work: Callable[[], T], deadline: float = math.inf
    ) -> Call[T]:
        """Start a call; see `Call` for the arguments."""
        now = time.monotonic()
        with self._lock:
            running = self._running.setdefault(name, set())
            running -= {other for other in running if other.done()}
            n_late = sum(other.deadline < now for other in running)
            if n_late < MOST_HANGING:
                pool = self._pool or _unlimited(os.getpid())
                call = pool.start(work, name, deadline)
                running.add(call)
                return call
        call = Call(name, deadline)
        reason = f"{n_late} earlier calls of it have not returned"
        call.set_exception(LateStrategyError(name, reason))
        return call
