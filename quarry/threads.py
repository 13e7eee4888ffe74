"""Calls in daemon threads, which do not keep the process alive."""

import functools
import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class _Threads:
    """A pool of daemon threads, as many as there are calls at the same time; idle threads are used again."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = (
            queue.SimpleQueue()
        )
        self._n_idle = threading.Semaphore(0)

    def start(self, call: Future[T], work: Callable[[], T]) -> None:
        """Run a call at once."""
        self._calls.put((call, work))
        if not self._n_idle.acquire(blocking=False):
            threading.Thread(target=self._serve, name="quarry", daemon=True).start()

    def _serve(self) -> None:
        while True:
            call, work = self._calls.get()
            _run(call, work)
            del call, work  # so that an idle thread keeps no result
            self._n_idle.release()


def _run(call: Future[T], work: Callable[[], T]) -> None:
    """Do the work unless the call was cancelled, and keep its result or its exception."""
    if not call.set_running_or_notify_cancel():
        return
    try:
        call.set_result(work())
    except BaseException as error:  # a user's own code may raise anything
        call.set_exception(error)


@functools.cache
def _threads(_pid: int) -> _Threads:
    """Return the threads of this process; a forked process does not inherit those of its parent."""
    return _Threads()


def start_in_thread(work: Callable[[], T], call: Future[T] | None = None) -> Future[T]:
    """Start a call in another thread at once, and return it.

    Args:
        work: the function that is called.
        call: the future to return; None makes one.
    """
    if call is None:
        call = Future()
    _threads(os.getpid()).start(call, work)
    return call
