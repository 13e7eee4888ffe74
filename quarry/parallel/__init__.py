"""Runs a function on many items: in this process, in processes of this machine, or on a Dask cluster.

A task whose process or worker dies is run again.
"""

import contextlib
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future
from typing import Any, TypeVar

import pebble

from configs.errors import WorkerError
from quarry.parallel.cluster import CONNECTION_LOST, Cluster
from quarry.parallel.executor import RUN_AGAIN, TASK_ATTEMPTS, InProcess, TaskExecutor
from quarry.parallel.processes import LocalProcesses, PerProcess
from quarry.terminal import describe_error

__all__ = [
    "Cluster",
    "InProcess",
    "LocalProcesses",
    "PerProcess",
    "TaskExecutor",
    "Workers",
    "open_executor",
    "run_all",
    "run_one",
    "task_result",
]

N_AHEAD = 200
"""Maximum number of tasks that wait, so that a million tasks do not fill the memory."""
T = TypeVar("T")
Workers = int | Cluster
"""A number of processes of this machine, where 0 and 1 are this process alone; or a cluster.

Ingest and replays replace 0 by a number of processes that suits the work.
"""


def open_executor(
    workers: Workers, *, apart: bool = False
) -> contextlib.AbstractContextManager[TaskExecutor]:
    """Return a context with an executor; it is shut down at the end unless it is a cluster.

    Args:
        apart: run no task in this process, even with one worker.
    """
    if isinstance(workers, Cluster):
        return contextlib.nullcontext(workers)
    return LocalProcesses(workers) if apart or workers > 1 else InProcess()


def run_all(
    executor: TaskExecutor,
    fn: Callable[..., T],
    calls: Iterable[tuple[Any, ...]],
    **limits: Any,
) -> Iterator[tuple[int, Future[T]]]:
    """Call a function many times; yield the number of each call and its future in the order in which they are done.

    Args:
        executor: runs the tasks.
        fn: the function.
        calls: the arguments of each call, numbered from 0; at most N_AHEAD are taken before they run.
        limits: as in `LocalProcesses.submit`.
    """
    n_ahead = 1 if isinstance(executor, InProcess) else N_AHEAD
    remaining = enumerate(calls)
    pending: dict[Future[T], tuple[int, tuple[Any, ...]]] = {}
    n_deaths: Counter[int] = Counter()
    while True:
        for number, call in itertools.islice(remaining, n_ahead - len(pending)):
            pending[executor.submit(fn, *call, **limits)] = number, call
        if not pending:
            return

        for future in executor.first_done(pending):
            number, call = pending.pop(future)
            has_died = not future.cancelled() and isinstance(
                future.exception(), pebble.ProcessExpired
            )
            n_deaths[number] += has_died
            if has_died and n_deaths[number] < TASK_ATTEMPTS:
                pending[executor.submit(fn, *call, **limits)] = number, call
            else:
                yield number, future


def task_result(future: Future[T]) -> T:
    """Return the result of a task, or raise its error.

    Raises:
        WorkerError: the scheduler is lost, the task's processes or workers have died, or they lack a package.
    """
    try:
        return future.result()
    except Exception as error:
        if isinstance(error, CancelledError):
            fault = CONNECTION_LOST
        elif isinstance(error, (pebble.ProcessExpired, BrokenExecutor)):
            fault = (
                f"The worker process died {TASK_ATTEMPTS} times on the same task. {RUN_AGAIN} "
                "Use --workers 1 if memory ran out."
            )
        elif isinstance(error, ImportError) or type(error).__name__ == "KilledWorker":
            fault = f"A worker cannot do the work: {describe_error(error)}"
        else:
            raise

        raise WorkerError(fault) from error


def run_one(executor: TaskExecutor, fn: Callable[..., T], *args: Any) -> T:
    """Run one call, and return its result; raise the errors of `task_result`."""
    ((_, future),) = run_all(executor, fn, [args])
    return task_result(future)
