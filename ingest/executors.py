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
import signal
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    InvalidStateError,
)
from concurrent.futures import wait as wait_for
from dataclasses import dataclass
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

import pebble
from threadpoolctl import threadpool_limits

from configs.directories import code_digest
from configs.settings import SettingsError, WorkerError
from ingest.console.interrupts import kill_group
from ingest.console.terminal import described, pluralize

ATTEMPTS = 3
"""A task is given up after this many of its processes have died."""
DEFAULT_PORT = 8786
"""A Dask scheduler listens on this port by default."""
CONNECT_S = 5.0
"""A scheduler must answer within this time."""
QUIET_S = 10.0
"""After this time without a finished task a line says what the command waits for."""
LIMIT_S = 120.0
"""After this time without a finished task, and without a scheduler or worker that answers, the command ends."""
N_AHEAD = 200
"""Tasks that wait at most, so that a million tasks do not fill the memory."""
RUN_AGAIN = "Finished work is kept: run the same command again."
LOST = "Lost the connection to the Dask scheduler"
_log = logging.getLogger(__name__)
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


_starting = threading.Lock()


class _FreshProcess(SpawnProcess):
    """A spawned process that ignores Ctrl-C, and needs no `if __name__ == "__main__"` in the main script.

    A forked process would inherit locks of Chroma's and ONNX's threads. Blocked signals are inherited from the
    first instruction on; a handler that the process sets itself would come too late.
    """

    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Any:  # noqa: N802
        with _starting, _blocked_interrupts():
            main = sys.modules["__main__"]
            sys.modules["__main__"] = ModuleType("__main__")
            try:
                return SpawnProcess._Popen(process_obj)
            finally:
                sys.modules["__main__"] = main


@contextlib.contextmanager
def _blocked_interrupts() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _FreshContext(SpawnContext):
    """Starts fresh processes and keeps them in `started`."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[BaseProcess] = []

    def Process(self, *args: Any, **keywords: Any) -> BaseProcess:  # type: ignore[override]  # noqa: N802
        process = _FreshProcess(*args, **keywords)
        self.started = [old for old in self.started if old.is_alive()]
        self.started.append(process)
        return process


def _lead_group() -> None:
    """Make this process the leader of a group, so that its children can be killed with it."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)


class LocalProcesses(Executor):
    """Runs tasks in processes of this machine.

    Args:
        n_workers: how many processes.
    """

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers
        self._context = _FreshContext()
        self._pool = pebble.ProcessPool(
            n_workers, initializer=_lead_group, context=self._context
        )
        self._unfinished: set[Future[Any]] = set()
        self._files = contextlib.ExitStack()

    def submit(self, fn: Callable[..., T], /, *args: Any, **limits: Any) -> Future[T]:
        """Run a function in one of the processes.

        Args:
            fn: is pickled, with its arguments.
            limits: `timeout_s`: the task fails with TimeoutError after this time, and its process ends; `memory_mb`:
                a task that takes more fails with MemoryError, or dies.
        """
        outcome: Future[T] = Future()
        self._unfinished.add(outcome)
        outcome.add_done_callback(self._unfinished.discard)
        call = (limits.get("memory_mb", 0), fn, *args)
        self._attempt(outcome, call, limits.get("timeout_s"), ATTEMPTS)
        return outcome

    def _attempt(
        self,
        outcome: Future[Any],
        call: tuple[Any, ...],
        timeout_s: float | None,
        n_attempts: int,
    ) -> None:
        """Schedule a task; schedule it again if its process dies, `n_attempts` times in all."""

        def settle(attempt: Future[Any]) -> None:
            if outcome.done():
                return
            error = attempt.exception()
            if isinstance(error, pebble.ProcessExpired) and n_attempts > 1:
                self._attempt(outcome, call, timeout_s, n_attempts - 1)
            else:
                _settle(outcome, attempt)

        try:
            attempt = self._pool.schedule(_run_here, call, timeout=timeout_s)
        except RuntimeError as error:  # the pool is broken or has stopped
            outcome.set_exception(error)
        else:
            attempt.add_done_callback(settle)

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
                f"Cannot write shared data to {tempfile.gettempdir()}: {described(error)}. "
                "Free some space, set TMPDIR, or use --workers 1."
            ) from error
        return cast(T, _Shared(file.name))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes; kill them at once if the remaining tasks are cancelled."""
        if cancel_futures:
            self._pool.stop()  # type: ignore[no-untyped-call]
            for process in self._context.started:
                if process.pid is not None and process.is_alive():
                    kill_group(process.pid)
            for outcome in [*self._unfinished]:
                outcome.cancel()
        else:
            self._pool.close()  # type: ignore[no-untyped-call]
        self._pool.join()
        self._files.close()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End the processes; after an error without the tasks that are left."""
        self.shutdown(cancel_futures=kind is not None)


def _settle(outcome: Future[Any], attempt: Future[Any]) -> None:
    """Give a future the result or the error of another one that is done, unless it is settled already."""
    with contextlib.suppress(InvalidStateError):
        if attempt.cancelled():
            outcome.set_exception(CancelledError())
        elif error := attempt.exception():
            outcome.set_exception(error)
        else:
            outcome.set_result(attempt.result())


@dataclass(frozen=True, slots=True)
class _Shared:
    """A value in a file, which a process loads once."""

    path: str


@functools.cache
def _load(shared: _Shared) -> Any:
    with open(shared.path, "rb") as file:
        return pickle.load(file)


LARGE_WARNING = "distributed.admin.large-graph-warning-threshold"
"""Dask warns of arguments from this size on."""
MOST_SHARED = "4 GiB"
"""Shared data may be large."""


def _unchanged(value: T) -> T:
    """Return the value."""
    return value


class Cluster(Executor):
    """Runs tasks on the workers of a Dask cluster.

    A thread watches that tasks finish. It logs what is waited for when none did for QUIET_S, and lets all that
    wait fail when the scheduler or all workers are silent for LIMIT_S.

    Args:
        address: the address of the scheduler, such as tcp://10.0.0.1:8786.

    Raises:
        SettingsError: distributed is not installed, or no scheduler answers.
        WorkerError: there are no workers, or one has other code.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._waiting: dict[Future[Any], str] = {}
        self._progress = time.monotonic()
        self._heartbeat = 0.0, 0.0  # the newest one, and when it was first seen
        self._closed = threading.Event()
        self._client = _connected(address)
        threading.Thread(target=self._watch, name="cluster", daemon=True).start()

        try:
            self.n_workers = len(self._client.nthreads())
            self._executor = self._client.get_executor(pure=False, retries=3)
            _log.info("dashboard of the cluster: %s", self._client.dashboard_link)
            self._require_code()
        except BaseException:
            self.shutdown()
            raise

    def submit(self, fn: Callable[..., T], /, *args: Any, **limits: Any) -> Future[T]:
        """Run a function on a worker; a function with limits in a process of the worker's own."""
        outcome: Future[T] = self._waited("task")
        try:
            attempt = (
                self._executor.submit(_run_guarded, limits, fn, *args, retries=0)
                if limits
                else self._executor.submit(_run_here, 0, fn, *args)
            )
        except (OSError, RuntimeError):  # the client is closed
            outcome.set_exception(CancelledError())
        else:
            attempt.add_done_callback(functools.partial(_settle, outcome))
        return outcome

    def share(self, value: T) -> T:
        """Send a large value to the scheduler once; return an argument for tasks in its place.

        The value is the result of a task and not scattered: if all workers that hold it die, the scheduler computes
        it again.

        Raises:
            WorkerError: the scheduler is lost.
        """
        import dask

        def submit() -> T:
            with dask.config.set({LARGE_WARNING: MOST_SHARED}):
                return cast(T, self._client.submit(_unchanged, value, pure=False))

        return self._ask(submit, "the scheduler to take shared data")

    def check(self, fn: Callable[..., object], *args: Any) -> None:
        """Run a function on each worker.

        Raises:
            WorkerError: the function fails on a worker.
        """
        workers = list(self._client.nthreads())
        pinned = [
            self._client.submit(_check_here, fn, *args, workers=[worker], pure=False)
            for worker in workers
        ]

        def wait() -> None:
            for worker, future in zip(workers, pinned, strict=True):
                # a worker that is lost meanwhile is not waited for
                while worker in self._client.nthreads():
                    with contextlib.suppress(TimeoutError):
                        _require_no_error(worker, future.exception(timeout=1))
                        break

        self._ask(wait, "workers to open the course")

    def _require_code(self) -> None:
        """Pass if each worker runs the code of this process.

        Raises:
            WorkerError: there are no workers, or one lacks the package or runs other code.
        """
        if not self.n_workers:
            raise WorkerError(
                f"The cluster at {self._address} has no workers. Start one with: dask worker {self._address}"
            )

        # a nested function is sent by value, so that a worker without the package can run it
        def digest() -> str:
            from configs.directories import code_digest

            return code_digest()

        run = functools.partial(self._client.run, digest, on_error="return")
        expected = code_digest()
        for worker, answer in self._ask(run, "workers to name their code").items():
            _require_no_error(worker, answer)
            if answer != expected:
                raise WorkerError(
                    f"Worker {worker} runs other code ({answer}) than this command ({expected}). "
                    "Install the same version on all machines."
                )

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster; tasks that are left are cancelled."""
        self._closed.set()
        with contextlib.suppress(TimeoutError):
            _in_thread(lambda: self._client.close(timeout=2)).exception(timeout=4)

    def _ask(self, call: Callable[[], T], what: str) -> T:
        """Return the result of a call to the cluster, which the watching thread may end."""
        outcome: Future[T] = self._waited(what)
        _in_thread(call).add_done_callback(functools.partial(_settle, outcome))
        try:
            return outcome.result()
        except (OSError, CancelledError) as error:
            raise WorkerError(f"{LOST} at {self._address}. {RUN_AGAIN}") from error

    def _waited(self, what: str) -> Future[Any]:
        """Return a future that the watching thread looks after until it is done."""
        if not self._waiting:
            self._progress = time.monotonic()
        outcome: Future[Any] = Future()
        self._waiting[outcome] = what
        outcome.add_done_callback(self._finish)
        return outcome

    def _finish(self, outcome: Future[Any]) -> None:
        self._progress = time.monotonic()
        self._waiting.pop(outcome, None)

    def _watch(self) -> None:
        said_at = 0.0
        while not self._closed.wait(1.0):
            if self._quiet_s() < QUIET_S - CONNECT_S:
                continue
            fault = self._fault()  # takes up to CONNECT_S
            quiet_s = self._quiet_s()
            if quiet_s >= QUIET_S and said_at != self._progress:
                said_at = self._progress
                counts = Counter(self._waiting.values())
                n_tasks = counts.pop("task", 0)
                waiting = [pluralize(n_tasks, "task")] if n_tasks else []
                waiting += counts
                why = fault or "the workers are busy"
                _log.info("waiting for %s: %s", ", ".join(waiting), why)

            if fault and quiet_s > LIMIT_S:
                error = WorkerError(
                    f"Nothing was finished for {LIMIT_S:.0f} s: {fault}. {RUN_AGAIN}"
                )
                for outcome in [*self._waiting]:
                    with contextlib.suppress(InvalidStateError):
                        outcome.set_exception(error)

    def _quiet_s(self) -> float:
        """Return the time since something was finished; 0 if nothing is waited for."""
        return time.monotonic() - self._progress if self._waiting else 0.0

    def _fault(self) -> str:
        """Return what is wrong with the cluster; "" if the scheduler and at least one worker answer."""
        try:
            identity = self._client.sync(
                self._client.scheduler.identity, callback_timeout=CONNECT_S
            )
        except Exception:
            return f"the Dask scheduler at {self._address} does not answer"
        if not identity["workers"]:
            return f"the cluster at {self._address} has no workers any more"

        now = time.monotonic()
        newest = max(worker["last_seen"] for worker in identity["workers"].values())
        if self._heartbeat[0] != newest:
            self._heartbeat = newest, now
        is_silent = now - self._heartbeat[1] > QUIET_S
        return f"no worker of {self._address} answers" if is_silent else ""


def _connected(address: str) -> Any:
    """Return a client of the scheduler at an address.

    Raises:
        SettingsError: distributed is not installed, or no scheduler answers.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise SettingsError(
            "--cluster needs distributed, which is not installed. Run `make cluster`, "
            "or `pip install 'quarry-lectures[cluster]'`."
        ) from error
    # its loggers have levels of their own, and print a traceback when the scheduler is lost
    for name in logging.root.manager.loggerDict:
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)

    def connect() -> Any:
        parts = urlsplit(address if "://" in address else f"tcp://{address}")
        place = parts.hostname, parts.port or DEFAULT_PORT
        # a Client that cannot connect takes longer to say so, and leaves its event loop open
        with socket.create_connection(place, CONNECT_S) as connection:
            if parts.scheme == "tcp" and not connection.recv(1):
                raise ConnectionError("it hangs up")
        return Client(address, timeout=CONNECT_S, set_as_default=False)

    try:
        return _in_thread(connect).result(timeout=2 * CONNECT_S)
    except (OSError, TypeError, ValueError) as error:
        reason = described(error) if str(error) else f"silent for {2 * CONNECT_S:g} s"
        raise SettingsError(
            f"No Dask scheduler answers at {address}: {reason}. Start one with: dask scheduler"
        ) from error


def _in_thread(call: Callable[[], T]) -> Future[T]:
    """Run a call in a thread that does not keep the process alive."""
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(call())
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return outcome


def _require_no_error(worker: str, answer: object) -> None:
    if isinstance(answer, BaseException):
        raise WorkerError(f"Worker {worker} cannot do the work: {described(answer)}")


def _run_here(memory_mb: int, fn: Callable[..., T], *args: Any) -> T:
    # several would sum in another order on another machine, and tasks share the cores
    threadpool_limits(1, "blas")
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

    # a daemon, which a Dask worker is, may not start processes
    multiprocessing.current_process().daemon = False
    return LocalProcesses(get_worker().state.nthreads)


Workers = int | Cluster
"""A number of processes of this machine, where 1 is this process alone; or a cluster."""
Tasks = InProcess | LocalProcesses | Cluster
"""An executor that has `share` and `n_workers`."""


@contextlib.contextmanager
def workers_of(n_workers: int, cluster: str | None) -> Iterator[Workers]:
    """Yield `n_workers`, or the cluster at an address; the connection to the cluster is closed at the end."""
    if cluster is None:
        yield n_workers
    else:
        with Cluster(cluster) as executor:
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
        with (
            LocalProcesses(workers) if apart or workers > 1 else InProcess() as executor
        ):
            yield executor


def run_all(
    executor: Executor, submit: Callable[[S], Future[T]], items: Iterable[S]
) -> Iterator[tuple[S, Future[T]]]:
    """Submit a task for each item; yield each item with its future as the tasks are done, in any order.

    Args:
        executor: runs the tasks.
        submit: submits the task of an item to the executor.
    """
    n_ahead = 1 if isinstance(executor, InProcess) else N_AHEAD
    pending: dict[Future[T], S] = {}
    remaining = iter(items)
    while True:
        for item in itertools.islice(remaining, n_ahead - len(pending)):
            pending[submit(item)] = item
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
    except Exception as error:
        if isinstance(error, CancelledError):
            fault = f"{LOST}. {RUN_AGAIN}"
        elif isinstance(error, (pebble.ProcessExpired, BrokenExecutor)):
            fault = (
                f"The worker process died {ATTEMPTS} times on the same task. {RUN_AGAIN} "
                "Use --workers 1 if memory ran out."
            )
        elif isinstance(error, ImportError) or type(error).__name__ == "KilledWorker":
            fault = f"A worker cannot do the work: {described(error)}"
        else:
            raise

        raise WorkerError(fault) from error


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
            n_pages = int(file.read().split()[5])  # data and stack
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        limit = memory_mb * 2**20 + n_pages * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(
            resource.RLIMIT_DATA, (limit if hard < 0 else min(limit, hard), hard)
        )
