"""Calls that may hang, run in daemon threads and waited for until a deadline: the search, the journal, a slow player.

However long a call hangs, its thread dies with the process.
"""

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
"""Late calls of one name that may run at once; more are refused, or a dead server would use up all threads."""

T = TypeVar("T")


class Call(Generic[T]):
    """One call that runs in another thread.

    Attributes:
        name: of what was called, for failures.
        deadline: of `time.monotonic()`, until which `value` waits.
        partial: what it has found so far, for the case that the rest is late; None for nothing.
        failure: why `value` gave no whole value, None where it did.
    """

    def __init__(self, name: str = "", deadline: float = math.inf) -> None:
        self.name = name
        self.deadline = deadline
        self.partial: T | None = None
        self.failure: SearchError | None = None
        self._value: T | None = None
        self._error: BaseException | None = None
        self._running = threading.Lock()  # an event is made of three locks, and every search makes several calls
        self._running.acquire()

    def run(self, work: Callable[[Call[T]], T]) -> None:
        """Do the work, which gets the call to leave partial results there; whatever it raises is kept."""
        try:
            self._value = work(self)
        except BaseException as error:  # a user's own code may raise anything; all is reported
            self._error = error
        finally:
            self._running.release()

    def refuse(self, reason: str) -> None:
        """End the call before it has begun."""
        self._error = LateStrategyError(self.name, reason)
        self._running.release()

    def result(self, timeout_s: float) -> T:
        """Return what the work returned.

        Raises:
            TimeoutError: it has not ended within `timeout_s`. Whatever the work raised is raised as well.
        """
        if not self._ends_within(timeout_s):
            raise TimeoutError(f"no answer within {timeout_s:g} s")
        if self._error is not None:
            raise self._error
        return self._value  # type: ignore[return-value]  # the work returned it

    def value(self) -> T | None:
        """Return what came by the deadline, whole or in part; None where nothing did, and then `failure` says why."""
        if not self._ends_within(self.deadline - time.monotonic()):
            # a late value that comes right now is not taken: its failure is reported
            self.failure = LateStrategyError(self.name, "no answer within search.deadline_s")
        elif isinstance(self._error, SearchError):
            self.failure = self._error
        elif self._error is not None:
            self.failure = SearchError(self.name, described(self._error))
        return self._value if self.failure is None else self.partial

    def _ends_within(self, timeout_s: float) -> bool:
        if not self._running.acquire(timeout=min(max(0.0, timeout_s), threading.TIMEOUT_MAX)):
            return False
        self._running.release()
        return True


class Worker:
    """A daemon thread that does one task after another."""

    def __init__(self, name: str) -> None:
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        threading.Thread(target=self._serve, name=name, daemon=True).start()

    def submit(self, task: Callable[[], None]) -> None:
        """Do a task, which raises nothing, after those that were given before."""
        self._tasks.put(task)

    def start(self, work: Callable[[], T]) -> Call[T]:
        """Do some work after what was given before; wait for it with `result`."""
        call: Call[T] = Call()
        self.submit(lambda: call.run(lambda _: work()))
        return call

    def stop(self) -> None:
        """End the thread once everything that was given is done."""
        self._tasks.put(None)

    def _serve(self) -> None:
        while (task := self._tasks.get()) is not None:
            task()


def start_in_thread(work: Callable[[], T]) -> Call[T]:
    """Do some work in a thread of its own; wait for it with `result`."""
    worker = Worker("deadline")
    call = worker.start(work)
    worker.stop()
    return call


class Runner:
    """Starts calls in threads that are kept for the next one. Safe for many threads."""

    def __init__(self) -> None:
        self._idle: deque[Worker] = deque()
        self._running: dict[str, list[Call[Any]]] = {}
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
            running = self._running.setdefault(call.name, [])
            now = time.monotonic()
            n_late = sum(other.deadline < now for other in running)
            if n_late < MOST_HANGING:
                running.append(call)
        if n_late >= MOST_HANGING:
            call.refuse(f"{n_late} earlier calls of it have not returned")
            return
        try:
            worker = self._idle.pop()
        except IndexError:
            worker = Worker("quarry search")
        worker.submit(lambda: self._run(worker, call, work))

    def _run(self, worker: Worker, call: Call[T], work: Callable[[Call[T]], T]) -> None:
        call.run(work)
        with self._lock:
            self._running[call.name].remove(call)
        self._idle.append(worker)


def described(error: BaseException) -> str:
    """Describe an exception of somebody else's code on one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
