"""Calls in daemon threads with a deadline, for searches and players that may hang."""

import functools
import math
import os
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any, TypeVar

from player.errors import LateStrategyError, SearchError
from quarry.terminal import describe_error

MAX_HANGING = 8
"""Maximum number of late calls with one name; further ones fail at once, so that a dead server cannot take all
threads."""
T = TypeVar("T")

_reply_due: ContextVar[float] = ContextVar("_reply_due", default=math.inf)


def reply_due() -> float:
    """Return the deadline of the work of this thread, by `time.monotonic()`; infinity if it has none."""
    return _reply_due.get()


def due_at(due: float, work: Callable[[], T]) -> T:
    """Do work that has a deadline, which `reply_due` returns meanwhile."""
    token = _reply_due.set(due)
    try:
        return work()
    finally:
        _reply_due.reset(token)


class Call(Future[T]):
    """A call that runs in another thread; `result` waits for it.

    Attributes:
        name: name of the work, for failures.
        deadline: time until which `value` waits, by `time.monotonic()`.
        failure: the error of `value`, which then returned None; None if there was none.
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
            error = SearchError(self.name, describe_error(error))
        self.failure = error
        return None


class _Threads:
    """A pool of daemon threads, as many as there are calls at the same time; idle threads are used again."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[tuple[Call[Any], Callable[[], Any]]] = (
            queue.SimpleQueue()
        )
        self._n_idle = threading.Semaphore(0)

    def start(self, call: Call[T], work: Callable[[], T]) -> None:
        """Run a call at once."""
        self._calls.put((call, work))
        if not self._n_idle.acquire(blocking=False):
            threading.Thread(target=self._serve, name="quarry", daemon=True).start()

    def _serve(self) -> None:
        while True:
            call, work = self._calls.get()
            call.run(work)
            del call, work  # so that an idle thread keeps no result
            self._n_idle.release()


@functools.cache
def _threads(_pid: int) -> _Threads:
    """Return the threads of this process; a forked process does not inherit those of its parent."""
    return _Threads()


def start_in_thread(
    work: Callable[[], T], name: str = "", deadline: float = math.inf
) -> Call[T]:
    """Start a call in another thread at once; see `Call` for the arguments."""
    call: Call[T] = Call(name, deadline)
    _threads(os.getpid()).start(call, work)
    return call


class Runner:
    """Starts calls in threads; refuses a call if MAX_HANGING calls with its name are late. Safe for many threads."""

    def __init__(self) -> None:
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
            if n_late < MAX_HANGING:
                call = start_in_thread(work, name, deadline)
                running.add(call)
                return call

        call = Call(name, deadline)
        reason = f"{n_late} earlier calls of it have not returned"
        call.set_exception(LateStrategyError(name, reason))
        return call
