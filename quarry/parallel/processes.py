"""Executor of processes of this machine, and values that each process makes once."""

import contextlib
import functools
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass, field
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any, Generic, TypeVar, cast
from uuid import uuid4

import pebble
from threadpoolctl import threadpool_limits

from configs.errors import WorkerError
from quarry.interrupts import deferring, kill_group
from quarry.parallel.executor import TaskExecutor
from quarry.terminal import describe_error

T = TypeVar("T")


class _FreshProcess(SpawnProcess):
    """A spawned process that ignores Ctrl-C, and needs no `if __name__ == "__main__"` in the main script.

    A forked process would inherit locks of Chroma's and ONNX's threads. Blocked signals are inherited from the
    first instruction on; a handler that the process sets itself would come too late.
    """

    def start(self) -> None:
        """Start the process."""
        with deferring(), _blocked_interrupts():
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

        Raises:
            WorkerError: no process can be started, as in a folder that was deleted.
        """
        call = limits, fn, *args
        try:
            future: Future[T] = self._pool.schedule(
                run_here, call, timeout=limits.get("timeout_s")
            )
        except BrokenExecutor as error:
            raise WorkerError(
                f"Cannot start a process: {describe_error(error.__cause__ or error)}. "
                "Run it again, from a folder that exists."
            ) from error
        self._unfinished.add(future)
        future.add_done_callback(self._unfinished.discard)
        return future

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


def run_here(limits: dict[str, Any], fn: Callable[..., T], *args: Any) -> T:
    """Call a function in this process, within limits."""
    # one thread: several would sum in another order on another machine, and tasks share the cores
    threadpool_limits(1, "blas")
    if memory_mb := limits.get("memory_mb"):
        limit_memory(memory_mb)
    return fn(*(_load(arg) if isinstance(arg, _Shared) else arg for arg in args))


_cached: dict[str, Any] = {}
_cache_lock = threading.Lock()


def cached_in_process(key: str, make: Callable[[], T]) -> T:
    """Return the result of `make`, and cache it in this process until the next call with another key."""
    with _cache_lock:
        if key not in _cached:
            _cached.clear()  # free its memory first
            _cached[key] = make()
        value: T = _cached[key]
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
