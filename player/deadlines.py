"""Calls in other threads with a deadline, for searches and players that may hang."""

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any, TypeVar

from player.errors import HangingError, SearchError
from quarry.terminal import describe_error
from quarry.threads import start_in_thread

MAX_HANGING = 8
"""Maximum number of late calls with one name; further ones fail at once, so that a dead server cannot take all
threads."""
T = TypeVar("T")

_reply_due: ContextVar[float] = ContextVar("_reply_due", default=math.inf)


def reply_due() -> float:
    """Return the deadline of the work of this thread, by `time.monotonic()`; infinity if it has none."""
    return _reply_due.get()


def due_after_share(share: float, longest_s: float = math.inf) -> float:
    """Return the deadline of work that may take a share of the time until `reply_due`, and at most `longest_s`."""
    now = time.monotonic()
    return now + min(longest_s, share * (reply_due() - now))


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
        name: name of the work.
        deadline: time until which `value` waits, by `time.monotonic()`.
        failure: the reason why `value` returned None; "" if it did not.
        is_late: whether the reason is that this call, or earlier ones, did not return in time.
    """

    def __init__(self, name: str, deadline: float) -> None:
        super().__init__()
        self.name = name
        self.deadline = deadline
        self.failure = ""
        self.is_late = False

    @property
    def remaining_s(self) -> float:
        """Seconds until the deadline, as a timeout."""
        remaining_s = max(0.0, self.deadline - time.monotonic())
        return min(remaining_s, threading.TIMEOUT_MAX)

    def value(self) -> T | None:
        """Return the result by the deadline, or set `failure` and `is_late`, and return None."""
        try:
            error = self.exception(self.remaining_s)
        except TimeoutError:
            error = HangingError("no answer by its deadline")

        if error is None:
            return self.result()
        self.is_late = isinstance(error, HangingError)
        if self.is_late:
            self.failure = str(error)
        elif isinstance(error, SearchError):
            self.failure = error.reason
        else:
            self.failure = describe_error(error)
        return None


class Runner:
    """Starts calls in threads; refuses a call if MAX_HANGING calls with its name are late. Safe for many threads."""

    def __init__(self) -> None:
        self._running: dict[str, set[Call[Any]]] = {}
        self._lock = threading.Lock()

    def start(
        self, name: str, work: Callable[[], T], deadline: float = math.inf
    ) -> Call[T]:
        """Start a call; see `Call` for the arguments."""
        call: Call[T] = Call(name, deadline)
        now = time.monotonic()
        with self._lock:
            running = self._running.setdefault(name, set())
            running -= {other for other in running if other.done()}
            n_late = sum(other.deadline < now for other in running)
            if n_late < MAX_HANGING:
                start_in_thread(work, call)
                running.add(call)
                return call

        reason = f"{n_late} earlier calls of it have not returned"
        call.set_exception(HangingError(reason))
        return call
