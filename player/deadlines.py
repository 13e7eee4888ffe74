"""Calls in daemon threads with a deadline, for a search or a player that may hang."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from quarry.configs.terminal import described
from quarry.player.errors import LateStrategyError, SearchError

MOST_HANGING = 8
"""The most late calls of one name; more are refused, so that a dead server does not use up all threads."""

T = TypeVar("T")


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
        """Do the work, and keep its result or its exception."""
        try:
            self.set_result(work())
        except BaseException as error:  # a user's own code may raise anything
            self.set_exception(error)

    def value(self) -> T | None:
        """Return the result by the deadline, or set `failure` and return None."""
        try:
            error = self.exception(min(max(0.0, self.deadline - time.monotonic()), threading.TIMEOUT_MAX))
        except TimeoutError:
            error = LateStrategyError(self.name, "no answer within search.deadline_s")
        if error is None:
            return self.result()
        self.failure = error if isinstance(error, SearchError) else SearchError(self.name, described(error))
        return None


def start_in_thread(work: Callable[[], T]) -> Call[T]:
    """Do some work in a new thread."""
    call: Call[T] = Call()
    threading.Thread(target=call.run, args=(work,), name="deadline", daemon=True).start()
    return call


class Runner:
    """Starts calls in threads, and refuses more calls of a name of which many are late. Safe for many threads."""

    def __init__(self) -> None:
        self._running: dict[str, list[Call[Any]]] = {}
        self._lock = threading.Lock()

    def start(self, name: str, work: Callable[[], T], deadline: float = math.inf) -> Call[T]:
        """Start a call; see `Call` for the arguments."""
        call: Call[T] = Call(name, deadline)
        with self._lock:
            running = self._running.setdefault(name, [])
            now = time.monotonic()
            n_late = sum(other.deadline < now for other in running)
            if n_late < MOST_HANGING:
                running.append(call)
        if n_late < MOST_HANGING:
            threading.Thread(target=self._run, args=(call, work), name="quarry search", daemon=True).start()
        else:
            call.set_exception(LateStrategyError(name, f"{n_late} earlier calls of it have not returned"))
        return call

    def _run(self, call: Call[T], work: Callable[[], T]) -> None:
        call.run(work)
        with self._lock:
            self._running[call.name].remove(call)
