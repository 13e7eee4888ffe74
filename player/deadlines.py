"""Work that may hang, and how long it is waited for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def started(task: Callable[[], T]) -> Future[T]:
    """The task, under way in a thread of its own; wait for it with `result(budget_s)`.

    The thread is a daemon: however long the task hangs, it dies with the process.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(task())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="budgeted", daemon=True).start()
    return future
