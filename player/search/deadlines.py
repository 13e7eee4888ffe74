"""Running what may take long, side by side and under one deadline: strategies, the embedding, names, the rewriter."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from quarry.player.errors import LateStrategyError, SearchError

MOST_HANGING = 8
"""Calls of one name that may be under way late at once; more are refused, or a dead server would eat all threads."""

T = TypeVar("T")


class Call(Generic[T]):
    """One thing under way in a thread of its own.

    Attributes:
        name: of what was called.
        partial: what it has found so far, for the case that the rest is late; None for nothing.
        failure: why there is no value, None where there is one.
    """

    def __init__(self, name: str, deadline: float) -> None:
        self.name = name
        self.deadline = deadline
        self.partial: T | None = None
        self.failure: SearchError | None = None
        self._value: T | None = None
        self._under_way = threading.Lock()  # an event is made of three of these, and made for every search
        self._under_way.acquire()

    def run(self, work: Callable[[Call[T]], T]) -> None:
        """Do the work; whatever it raises is its failure."""
        try:
            self._value = work(self)
        except SearchError as error:
            self.failure = error
        except Exception as error:  # a user's own code may raise anything; all is reported
            self.failure = SearchError(self.name, described(error))
        finally:
            self._under_way.release()

    def refuse(self, reason: str) -> None:
        """End it before it has begun."""
        self.failure = LateStrategyError(self.name, reason)
        self._under_way.release()

    def value(self) -> T | None:
        """What came by the deadline, whole or in part; None where nothing did, and then `failure` says why."""
        left = min(max(0.0, self.deadline - time.monotonic()), threading.TIMEOUT_MAX)
        if not self._under_way.acquire(timeout=left):
            # a late value that comes while we look is not taken: its failure is told
            self.failure = LateStrategyError(self.name, "no answer within search.deadline_s")
            return self.partial
        self._under_way.release()
        return self.partial if self.failure is not None else self._value


class Runner:
    """Starts calls in threads that are kept for the next one. Safe for many threads.

    The threads are daemons: however long one hangs, it dies with the process.
    """

    def __init__(self) -> None:
        self._idle: deque[SimpleQueue[Callable[[], None]]] = deque()
        self._under_way: dict[str, list[Call[Any]]] = {}
        self._lock = threading.Lock()

    def start(self, name: str, work: Callable[[Call[T]], T], deadline: float = math.inf) -> Call[T]:
        """Make a call and begin it.

        Args:
            name: of what is called, for failures and for the count of those that hang.
            work: is given its own call, to leave `partial` results there.
            deadline: of `time.monotonic()`, until which `Call.value` waits.
        """
        call: Call[T] = Call(name, deadline)
        self.begin(call, work)
        return call

    def begin(self, call: Call[T], work: Callable[[Call[T]], T]) -> None:
        """Begin a call that was made before, so that others could wait for it."""
        with self._lock:
            under_way = self._under_way.setdefault(call.name, [])
            now = time.monotonic()
            n_late = sum(other.deadline < now for other in under_way)
            if n_late < MOST_HANGING:
                under_way.append(call)
        if n_late >= MOST_HANGING:
            call.refuse(f"{n_late} earlier calls of it have not returned")
            return
        self._in_thread(lambda: self._run(call, work))

    def _run(self, call: Call[T], work: Callable[[Call[T]], T]) -> None:
        try:
            call.run(work)
        finally:
            with self._lock:
                self._under_way[call.name].remove(call)

    def _in_thread(self, task: Callable[[], None]) -> None:
        try:
            tasks = self._idle.pop()
        except IndexError:
            tasks = SimpleQueue()
            threading.Thread(target=self._serve, args=(tasks,), name="quarry search", daemon=True).start()
        tasks.put(task)

    def _serve(self, tasks: SimpleQueue[Callable[[], None]]) -> None:
        while True:
            tasks.get()()
            self._idle.append(tasks)


def described(error: Exception) -> str:
    """An exception of somebody else's code on one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
