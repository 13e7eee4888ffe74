"""Executors that run many tasks: in this process, in processes of this machine, or on a Dask cluster.

A task whose process or worker dies is run again.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import logging
import multiprocessing
import os
import pickle
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from dataclasses import dataclass
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

import pebble
from threadpoolctl import threadpool_limits

from quarry.configs.places import code_digest
from quarry.configs.settings import SettingsError, WorkerError
from quarry.configs.terminal import described

ATTEMPTS = 3
"""A task is given up after so many of its processes have died."""
DEFAULT_PORT = 8786
"""A Dask scheduler listens on this port by default."""
CONNECT_S = 5.0
"""A scheduler must answer within this time."""
N_AHEAD = 200
"""Tasks that wait at most, so that a million tasks do not fill the memory."""
_SCHEDULER_LOST = (
    "the scheduler of --cluster must answer until the work is done, its connection is lost; "
    "what is finished is kept: run the same command again"
)
S = TypeVar("S")
T = TypeVar("T")


class InProcess(Executor):
    """Runs each task at once in this process."""

    n_workers = 1

    def submit(self, fn: Callable[..., T], /, *args: Any, **_limits: Any) -> Future[T]:
        """Run a function, without limits, before this method returns."""
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    def share(self, value: T) -> T:
        """Return the value."""
        return value


class _FreshProcess(SpawnProcess):
    """A spawned process that does not import the main script, which therefore needs no `if __name__ == "__main__"`.

    A forked process would inherit locks of Chroma's and ONNX's threads.
    """

    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Any:  # noqa: N802
        with _starting:
            main = sys.modules["__main__"]
            sys.modules["__main__"] = ModuleType("__main__")
            try:
                return SpawnProcess._Popen(process_obj)
            finally:
                sys.modules["__main__"] = main


_starting = threading.Lock()


class _FreshContext(SpawnContext):
    Process = _FreshProcess


class LocalProcesses(Executor):
    """Runs tasks in processes of this machine.

    Args:
        n_workers: how many processes.
    """

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers
        self._pool = pebble.ProcessPool(n_workers, context=_FreshContext())
        self._threads = ThreadPoolExecutor(n_workers)
        self._files = contextlib.ExitStack()

    def submit(self, fn: Callable[..., T], /, *args: Any, **limits: Any) -> Future[T]:
        """Run a function in one of the processes.

        Args:
            fn: is pickled, with its arguments.
            limits: `timeout_s`: the task fails with TimeoutError after this time, and its process ends; `memory_mb`:
                a task that takes more fails with MemoryError, or dies.
        """
        return self._threads.submit(self._run, (fn, *args), **limits)

    def _run(self, task: tuple[Any, ...], timeout_s: float | None = None, memory_mb: int = 0) -> Any:
        call = (memory_mb, *task)
        for _ in range(ATTEMPTS - 1):
            with contextlib.suppress(pebble.ProcessExpired):
                return self._pool.schedule(_run_here, call, timeout=timeout_s).result()
        return self._pool.schedule(_run_here, call, timeout=timeout_s).result()

    def share(self, value: T) -> T:
        """Return an argument for tasks, in place of a large value that each process then loads once.

        Raises:
            WorkerError: the folder for temporary files is full.
        """
        try:
            with tempfile.NamedTemporaryFile(prefix="quarry-", delete=False) as file:
                self._files.callback(os.unlink, file.name)
                pickle.dump(value, file)
        except OSError as error:
            raise WorkerError(
                f"the folder for temporary files must take what the workers share, got {described(error)}; "
                "free some space, set TMPDIR, or name --workers 1"
            ) from error
        return cast(T, _Shared(file.name))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes; at once if the tasks that are left are cancelled."""
        if cancel_futures:
            self._pool.stop()  # type: ignore[no-untyped-call]
        self._threads.shutdown(wait, cancel_futures=cancel_futures)
        self._pool.close()  # type: ignore[no-untyped-call]
        self._pool.join()
        self._files.close()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End the processes; after an error without the tasks that are left."""
        self.shutdown(cancel_futures=kind is not None)


@dataclass(frozen=True, slots=True)
class _Shared:
    """A value in a file, which a process loads once."""

    path: str


@functools.cache
def _load(shared: _Shared) -> Any:
    with open(shared.path, "rb") as file:
        return pickle.load(file)


class Cluster(Executor):
    """Runs tasks on the workers of a Dask cluster.

    Args:
        address: the address of the scheduler, such as tcp://10.0.0.1:8786.
        notice: gets the address of the dashboard.

    Raises:
        SettingsError: distributed is not installed, or no scheduler answers.
        WorkerError: there are no workers, or one has other code.
    """

    def __init__(self, address: str, notice: Callable[[str], None]) -> None:
        try:
            from distributed import Client
        except ImportError as error:
            install = "pip install -r requirements-cluster.txt"
            raise SettingsError(f"--cluster must have distributed, which is not installed; run: {install}") from error
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are said in one line
        try:
            parts = urlsplit(address if "://" in address else f"tcp://{address}")
            with socket.create_connection((parts.hostname, parts.port or DEFAULT_PORT), CONNECT_S):
                pass  # a Client that cannot connect takes longer to say so, and to end
            self._client = Client(address, timeout=CONNECT_S, set_as_default=False)
        except (OSError, TypeError, ValueError) as error:
            raise SettingsError(
                "--cluster must be the address of a Dask scheduler that answers, "
                f"got {address}: {described(error)}; start one with: dask scheduler"
            ) from error
        self.n_workers = len(self._client.nthreads())
        self._executor = self._client.get_executor(pure=False, retries=3)
        notice(f"dashboard of the cluster: {self._client.dashboard_link}")
        try:
            self._require_code()
        except BaseException:
            self.shutdown()
            raise

    def submit(self, fn: Callable[..., T], /, *args: Any, **limits: Any) -> Future[T]:
        """Run a function on a worker; a function with limits in a process of the worker's own."""
        found: Future[T] = (
            self._executor.submit(_run_guarded, limits, fn, *args, retries=0)
            if limits
            else self._executor.submit(_run_here, 0, fn, *args)
        )
        return found

    def share(self, value: T) -> T:
        """Send a large value to each worker once; return an argument for tasks in its place.

        Raises:
            WorkerError: the scheduler is lost.
        """
        try:
            return cast(T, self._client.scatter([value], broadcast=True, hash=False)[0])
        except OSError as error:
            raise WorkerError(_SCHEDULER_LOST) from error

    def check(self, fn: Callable[..., object], *args: Any) -> None:
        """Run a function on each worker.

        Raises:
            WorkerError: the function fails on a worker.
        """
        workers = list(self._client.nthreads())
        pinned = [self._client.submit(_check_here, fn, *args, workers=[worker], pure=False) for worker in workers]
        for worker, future in zip(workers, pinned, strict=True):
            while worker in self._client.nthreads():  # a worker that is lost meanwhile is not waited for
                with contextlib.suppress(TimeoutError):
                    if error := future.exception(timeout=1):
                        raise WorkerError(f"worker {worker} cannot do the work: {described(error)}")
                    break

    def _require_code(self) -> None:
        """Pass if each worker runs the code of this process.

        Raises:
            WorkerError: there are no workers, or one lacks the package or runs other code.
        """
        if not self.n_workers:
            raise WorkerError("--cluster must have workers, got none; start one with: dask worker ADDRESS")

        def digest() -> str:  # a nested function is sent by value, so that a worker without the package can run it
            from quarry.configs.places import code_digest

            return code_digest()

        wanted = code_digest()
        for worker, found in self._client.run(digest, on_error="return").items():
            if isinstance(found, BaseException):
                raise WorkerError(f"worker {worker} cannot do the work: {described(found)}")
            if found != wanted:
                raise WorkerError(
                    f"worker {worker} cannot do the work: quarry must be the code {wanted}, is {found}; "
                    "install the same version on all"
                )

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster; tasks that are left are cancelled."""
        self._client.close()


def _run_here(memory_mb: int, fn: Callable[..., T], *args: Any) -> T:
    threadpool_limits(1, "blas")  # several would sum in another order on another machine, and tasks share the cores
    if memory_mb:
        limit_memory(memory_mb)
    return fn(*(_load(arg) if isinstance(arg, _Shared) else arg for arg in args))


def _check_here(fn: Callable[..., object], *args: Any) -> None:
    _run_here(0, fn, *args)


def _run_guarded(limits: dict[str, Any], fn: Callable[..., T], *args: Any) -> T:
    return _processes_of_worker().submit(fn, *args, **limits).result()


@functools.cache
def _processes_of_worker() -> LocalProcesses:
    """Return the processes of a Dask worker, one for each of its threads."""
    from distributed import get_worker

    multiprocessing.current_process().daemon = False  # a daemon, which a Dask worker is, may not start processes
    return LocalProcesses(get_worker().state.nthreads)


Workers = int | Cluster
"""A number of processes of this machine, where 1 is this process alone; or a cluster."""
Tasks = InProcess | LocalProcesses | Cluster
"""An executor that has `share` and `n_workers`."""


@contextlib.contextmanager
def workers_of(n_workers: int, cluster: str | None, notice: Callable[[str], None]) -> Iterator[Workers]:
    """Yield `n_workers`, or the cluster at an address; the connection to the cluster is closed at the end."""
    if cluster is None:
        yield n_workers
    else:
        with Cluster(cluster, notice) as executor:
            yield executor


@contextlib.contextmanager
def executor_of(workers: Workers, *, apart: bool = False) -> Iterator[Tasks]:
    """Yield an executor; it is shut down at the end unless it is a cluster.

    Args:
        apart: True if no task may run in this process, even with one worker.
    """
    if isinstance(workers, Cluster):
        yield workers
    else:
        with LocalProcesses(workers) if apart or workers > 1 else InProcess() as executor:
            yield executor


def run_all(executor: Executor, submit: Callable[[S], Future[T]], items: Iterable[S]) -> Iterator[tuple[S, Future[T]]]:
    """Submit a task for each item; yield each item with its future as the tasks are done, in any order.

    Args:
        executor: runs the tasks.
        submit: submits the task of an item to the executor.
    """
    n_ahead = 1 if isinstance(executor, InProcess) else N_AHEAD
    pending: dict[Future[T], S] = {}
    left = iter(items)
    while True:
        pending |= {submit(item): item for item in itertools.islice(left, n_ahead - len(pending))}
        if not pending:
            return
        for future in wait_for(pending, return_when=FIRST_COMPLETED).done:
            yield pending.pop(future), future


def result_of(future: Future[T]) -> T:
    """Return the result of a task, or raise its error.

    Raises:
        WorkerError: the scheduler is lost, the task's processes or workers have died, or they lack a package.
    """
    try:
        return future.result()
    except CancelledError as error:
        raise WorkerError(_SCHEDULER_LOST) from error
    except (pebble.ProcessExpired, BrokenExecutor) as error:
        raise WorkerError(
            f"a worker process must not die, one died {ATTEMPTS} times over one task; "
            "run the same command again, with --workers 1 if memory ran out"
        ) from error
    except Exception as error:
        if isinstance(error, ImportError) or type(error).__name__ == "KilledWorker":
            raise WorkerError(f"each worker must be able to do the work, one is not: {described(error)}") from error
        raise


_made: tuple[str, Any] = ("", None)
_making = threading.Lock()


def made_once(key: str, make: Callable[[], T]) -> T:
    """Return the result of `make`, which this process calls once; the result is kept until another key is asked for."""
    global _made  # noqa: PLW0603
    with _making:
        if _made[0] != key:
            _made = ("", None)  # free its memory first
            _made = (key, make())
        made: T = _made[1]
        return made


def limit_memory(memory_mb: int) -> None:
    """Limit the further memory of this process to so many MB; only Linux enforces the limit."""
    if sys.platform == "linux":
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            held = int(file.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")  # data and stack
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        limit = memory_mb * 2**20 + held
        resource.setrlimit(resource.RLIMIT_DATA, (limit if hard < 0 else min(limit, hard), hard))
