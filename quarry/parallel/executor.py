"""The protocol of executors, and the one that runs tasks in this process."""

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import Any, TypeVar

T = TypeVar("T")
TASK_ATTEMPTS = 3
"""Number of attempts at a task whose process dies."""
RUN_AGAIN = "Finished work is kept: run the same command again."
"""Remedy after an error of workers."""


class TaskExecutor(Executor):
    """An executor for `run_all`.

    Attributes:
        n_workers: number of tasks that run at the same time.
    """

    n_workers = 1

    def share(self, value: T) -> T:
        """Return an argument for tasks in place of a large value, which is then sent once."""
        return value

    def check(self, fn: Callable[..., object], *args: Any) -> None:
        """Call a function before the first task, in this process or on each worker of a cluster.

        Processes of this machine are not asked: they can do what this process can.
        """

    def first_done(self, pending: Iterable[Future[T]]) -> Iterable[Future[T]]:
        """Wait until at least one of the futures is done, and return those that are."""
        return wait(pending, return_when=FIRST_COMPLETED).done


class InProcess(TaskExecutor):
    """Runs each task at once in this process."""

    def submit(
        self,
        fn: Callable[..., T],
        /,
        *args: Any,
        **_limits: Any,
    ) -> Future[T]:
        """Run a function, without limits, before this method returns."""
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    def check(self, fn: Callable[..., object], *args: Any) -> None:
        """Call a function; raise its errors."""
        fn(*args)
