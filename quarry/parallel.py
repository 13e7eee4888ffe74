"""Executors that run a function on many items: in this process, in processes of this machine, or on a Dask cluster.

A task whose process or worker dies is run again.
"""

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
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from dataclasses import dataclass, field
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any, Generic, TypeVar, cast
from urllib.parse import urlsplit
from uuid import uuid4

import pebble
from threadpoolctl import threadpool_limits

from configs.errors import SettingsError, WorkerError
from quarry.interrupts import kill_group, starting
from quarry.terminal import describe_error, pluralize
from quarry.threads import start_in_thread
from quarry.version import code_digest

ATTEMPTS = 3
"""Number of attempts at a task whose process dies."""
DEFAULT_PORT = 8786
"""Port of a Dask scheduler whose address has none."""
CONNECT_S = 5.0
"""Maximum number of seconds until a scheduler answers."""
QUIET_S = 10.0
"""Number of seconds without a finished task after which a line says what the command waits for."""
LIMIT_S = 120.0
"""Number of seconds without a finished task or an answer of scheduler or workers after which the command ends."""
N_AHEAD = 200
"""Maximum number of tasks that wait, so that a million tasks do not fill the memory."""
RUN_AGAIN = "Finished work is kept: run the same command again."
"""Remedy after an error of workers."""
CONNECTION_LOST = f"Lost the connection to the Dask scheduler. {RUN_AGAIN}"
"""Error after the connection to a cluster was lost."""
_log = logging.getLogger(__name__)
T = TypeVar("T")


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


class _FreshProcess(SpawnProcess):
    """A spawned process that ignores Ctrl-C, and needs no `if __name__ == "__main__"` in the main script.

    A forked process would inherit locks of Chroma's and ONNX's threads. Blocked signals are inherited from the
    first instruction on; a handler that the process sets itself would come too late.
    """

    def start(self) -> None:
        """Start the process."""
        with starting(), _blocked_interrupts():
            main = sys.modules["__main__"]
            sys.modules["__main__"] = ModuleType("__main__")
            try:
                super().start()
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
    """Starts fresh processes, and knows those that it has started."""

    def __init__(self) -> None:
        self.processes: weakref.WeakSet[SpawnProcess] = weakref.WeakSet()

    def Process(self, *args: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802 - its name in multiprocessing
        """Return a process that is not started yet."""
        process = _FreshProcess(*args, **options)
        self.processes.add(process)
        return process


def _lead_group() -> None:
    """Make this process the leader of a group, so that its children can be killed with it."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)


class LocalProcesses(TaskExecutor):
    """Runs tasks in processes of this machine.

    Args:
        n_workers: number of processes.
    """

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers
        self._context = _FreshContext()
        self._pool = pebble.ProcessPool(
            n_workers,
            initializer=_lead_group,
            context=self._context,  # pyright: ignore[reportArgumentType] - pebble's type forgets the pipes of Windows
        )
        self._unfinished: set[Future[Any]] = set()
        self._files = contextlib.ExitStack()

    def submit(
        self,
        fn: Callable[..., T],
        /,
        *args: Any,
        **limits: Any,
    ) -> Future[T]:
        """Run a function in one of the processes.

        Args:
            fn: function that can be pickled, like its arguments.
            limits: `timeout_s`: a task that takes longer fails with TimeoutError, and its process ends. `memory_mb`: a
                task that takes more memory fails with MemoryError, or its process dies.
        """
        call = limits, fn, *args
        future = self._pool.schedule(_run_here, call, timeout=limits.get("timeout_s"))
        self._unfinished.add(future)
        future.add_done_callback(self._unfinished.discard)
        return cast("Future[T]", future)

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
                f"Cannot write shared data to {tempfile.gettempdir()}: {describe_error(error)}. "
                "Free some space, set TMPDIR, or use --workers 1."
            ) from error
        return cast(T, _Shared(file.name))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes; kill them at once if the remaining tasks are cancelled."""
        if cancel_futures:
            self._pool.stop()  # type: ignore[no-untyped-call]
            for process in multiprocessing.active_children():
                if process in self._context.processes and process.pid is not None:
                    kill_group(process.pid)
            for future in [*self._unfinished]:
                future.cancel()
        else:
            self._pool.close()  # type: ignore[no-untyped-call]
        self._pool.join()
        self._files.close()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """End the processes; cancel the remaining tasks after an error."""
        self.shutdown(cancel_futures=kind is not None)


@dataclass(frozen=True, slots=True)
class _Shared:
    """A value in a file, which a process loads once."""

    path: str


@functools.cache
def _load(shared: _Shared) -> Any:
    with open(shared.path, "rb") as file:
        return pickle.load(file)


class Cluster(TaskExecutor):
    """Runs tasks on the workers of a Dask cluster.

    Args:
        address: the address of the scheduler, such as tcp://10.0.0.1:8786.

    Raises:
        SettingsError: distributed is not installed, or no scheduler answers.
        WorkerError: there are no workers, or one has other code.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._heartbeat = 0.0, 0.0  # the newest one, and when it was first seen
        self._client = _connected(address)
        try:
            self.n_workers = len(self._client.nthreads())
            if not self.n_workers:
                raise WorkerError(
                    f"The cluster at {address} has no workers. Start one with: dask worker {address}"
                )

            self._executor = self._client.get_executor(pure=False)
            _log.info("dashboard of the cluster: %s", self._client.dashboard_link)
            self.check(_require_code, code_digest())
        except BaseException:
            self.shutdown()
            raise

    def submit(
        self,
        fn: Callable[..., T],
        /,
        *args: Any,
        **limits: Any,
    ) -> Future[T]:
        """Run a function on a worker; with limits, in a process that the worker starts."""
        run, retries = (_run_guarded, 0) if limits else (_run_here, ATTEMPTS)
        with self._lost_connection_as_error():
            future = self._executor.submit(run, limits, fn, *args, retries=retries)
        return cast("Future[T]", future)

    def share(self, value: T) -> T:
        """Send a large value to the scheduler once; return an argument for tasks in its place.

        The value is the result of a task and not scattered: if all workers that hold it die, the scheduler computes
        it again.

        Raises:
            WorkerError: the scheduler is lost.
        """
        import dask.config

        large = {"distributed.admin.large-graph-warning-threshold": "4 GiB"}
        with self._lost_connection_as_error(), dask.config.set(large):
            return cast(T, self._client.submit(_unchanged, value, pure=False))

    def first_done(self, pending: Iterable[Future[T]]) -> Iterable[Future[T]]:
        """Wait until at least one of the futures is done, and return those that are; log the reason after QUIET_S.

        Raises:
            WorkerError: the scheduler or all workers have been silent for LIMIT_S.
        """
        waiting = list(pending)
        started, logged = time.monotonic(), None
        while not (done := wait(waiting, QUIET_S, FIRST_COMPLETED).done):
            fault = self._fault()
            if fault != logged:
                n_tasks = pluralize(len(waiting), "task")
                _log.info(
                    "waiting for %s: %s", n_tasks, fault or "the workers are busy"
                )
                logged = fault

            if fault and time.monotonic() - started > LIMIT_S:
                raise WorkerError(
                    f"Nothing was finished for {LIMIT_S:.0f} s: {fault}. {RUN_AGAIN}"
                )
        return done

    def check(self, fn: Callable[..., object], *args: Any) -> None:
        """Run a function on each worker.

        Raises:
            WorkerError: the function fails on a worker, or the scheduler is lost.
        """
        futures = {}
        with self._lost_connection_as_error():
            for worker in self._client.nthreads():
                # another worker runs the task if this one is lost meanwhile
                where = {"workers": [worker], "allow_other_workers": True}
                futures[worker] = self._executor.submit(_check_here, fn, *args, **where)

            for worker, future in futures.items():
                self.first_done([future])
                if error := future.exception():
                    raise WorkerError(
                        f"Worker {worker} cannot do the work: {describe_error(error)}"
                    ) from error

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster; the remaining tasks are cancelled."""
        with contextlib.suppress(TimeoutError):
            start_in_thread(lambda: self._client.close(timeout=2)).exception(timeout=4)

    @contextlib.contextmanager
    def _lost_connection_as_error(self) -> Iterator[None]:
        """Turn the errors of a lost connection into a WorkerError."""
        try:
            yield
        except WorkerError:
            raise
        except (OSError, RuntimeError, CancelledError) as error:
            raise WorkerError(CONNECTION_LOST) from error

    def _fault(self) -> str:
        """Describe the fault of the cluster; return "" if the scheduler and at least one worker answer."""
        try:
            answer = self._client.sync(
                self._client.scheduler.identity, callback_timeout=CONNECT_S
            )
        except Exception:
            return f"the Dask scheduler at {self._address} does not answer"
        if not answer["workers"]:
            return f"the cluster at {self._address} has no workers any more"

        now = time.monotonic()
        newest = max(worker["last_seen"] for worker in answer["workers"].values())
        if self._heartbeat[0] != newest:
            self._heartbeat = newest, now
        is_silent = now - self._heartbeat[1] > QUIET_S
        return f"no worker of {self._address} answers" if is_silent else ""


def _unchanged(value: T) -> T:
    """Return the value."""
    return value


def _require_code(expected: str) -> None:
    """Check that this worker runs the code of the command.

    Raises:
        WorkerError: it runs other code.
    """
    if (actual := code_digest()) != expected:
        raise WorkerError(
            f"It runs other code ({actual}) than this command ({expected}). "
            "Install the same version on all machines."
        )


def _connected(address: str) -> Any:
    """Connect to the scheduler at an address, and return its client.

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
        host_and_port = parts.hostname, parts.port or DEFAULT_PORT
        # a Client that cannot connect takes longer to say so, and leaves its event loop open
        with socket.create_connection(host_and_port, CONNECT_S) as connection:
            if parts.scheme == "tcp" and not connection.recv(1):
                raise ConnectionError("it hangs up")
        return Client(address, timeout=CONNECT_S, set_as_default=False)

    try:
        return start_in_thread(connect).result(timeout=2 * CONNECT_S)
    except (OSError, TypeError, ValueError) as error:
        reason = (
            describe_error(error) if str(error) else f"silent for {2 * CONNECT_S:g} s"
        )
        raise SettingsError(
            f"No Dask scheduler answers at {address}: {reason}. Start one with: dask scheduler"
        ) from error


def _run_here(limits: dict[str, Any], fn: Callable[..., T], *args: Any) -> T:
    # one thread: several would sum in another order on another machine, and tasks share the cores
    threadpool_limits(1, "blas")
    if memory_mb := limits.get("memory_mb"):
        limit_memory(memory_mb)
    return fn(*(_load(arg) if isinstance(arg, _Shared) else arg for arg in args))


def _check_here(fn: Callable[..., object], *args: Any) -> None:
    """Run a function; its result, such as a player, is not sent."""
    _run_here({}, fn, *args)


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


@contextlib.contextmanager
def open_workers(n_workers: int, cluster: str | None) -> Iterator[Workers]:
    """Yield `n_workers`, or the cluster at an address; the connection to the cluster is closed at the end."""
    if cluster is None:
        yield n_workers
    else:
        with Cluster(cluster) as executor:
            yield executor


@contextlib.contextmanager
def open_executor(workers: Workers, *, apart: bool = False) -> Iterator[TaskExecutor]:
    """Yield an executor; it is shut down at the end unless it is a cluster.

    Args:
        apart: run no task in this process, even with one worker.
    """
    if isinstance(workers, Cluster):
        yield workers
    else:
        with (
            LocalProcesses(workers) if apart or workers > 1 else InProcess() as executor
        ):
            yield executor


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
            if has_died and n_deaths[number] < ATTEMPTS:
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
                f"The worker process died {ATTEMPTS} times on the same task. {RUN_AGAIN} "
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


_cached: tuple[str, Any] = ("", None)
_cache_lock = threading.Lock()


def cached_in_process(key: str, make: Callable[[], T]) -> T:
    """Return the result of `make`, and cache it in this process until the next call with another key."""
    global _cached  # noqa: PLW0603
    with _cache_lock:
        if _cached[0] != key:
            _cached = ("", None)  # free its memory first
            _cached = (key, make())
        value: T = _cached[1]
        return value


@dataclass(frozen=True, slots=True)
class PerProcess(Generic[T]):
    """A value that each process makes when a task first needs it.

    Attributes:
        make: makes the value; it can be pickled.
    """

    make: Callable[[], T]
    _key: str = field(default_factory=lambda: uuid4().hex)

    def get(self) -> T:
        """Return the value of this process."""
        return cached_in_process(self._key, self.make)


def limit_memory(memory_mb: int) -> None:
    """Limit the memory that this process takes from now on to `memory_mb`; only Linux enforces the limit."""
    if sys.platform == "linux":
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            n_pages = int(file.read().split()[5])  # data and stack
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        limit = memory_mb * 2**20 + n_pages * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(
            resource.RLIMIT_DATA, (limit if hard < 0 else min(limit, hard), hard)
        )
