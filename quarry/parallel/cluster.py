"""Executor of the workers of a Dask cluster."""

import contextlib
import functools
import logging
import multiprocessing
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from typing import Any, TypeVar

from configs.errors import SettingsError, WorkerError
from quarry.parallel.executor import RUN_AGAIN, TASK_ATTEMPTS, TaskExecutor
from quarry.parallel.processes import LocalProcesses, run_here
from quarry.terminal import describe_error, pluralize
from quarry.threads import start_in_thread
from quarry.version import code_digest

CONNECT_S = 5.0
"""Maximum number of seconds until a scheduler answers."""
QUIET_S = 10.0
"""Number of seconds without a finished task after which a line says what the command waits for."""
LIMIT_S = 120.0
"""Number of seconds without a finished task or an answer of scheduler or workers after which the command ends."""
CONNECTION_LOST = f"Lost the connection to the Dask scheduler. {RUN_AGAIN}"
"""Error after the connection to a cluster was lost."""
_DONE = "memory"
"""State of a task of Dask whose result a worker holds."""
_log = logging.getLogger(__name__)
T = TypeVar("T")


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
        self._client = _open_client(address)
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
        run, retries = (_run_guarded, 0) if limits else (run_here, TASK_ATTEMPTS)
        with self._lost_connection_as_error():
            future: Future[T] = self._executor.submit(
                run, limits, fn, *args, retries=retries
            )
        return future

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
            shared: T = self._client.submit(_unchanged, value, pure=False)
        return shared

    def first_done(self, pending: Iterable[Future[T]]) -> Iterable[Future[T]]:
        """Wait until at least one of the futures is done, and return those that are; log the reason after QUIET_S.

        Raises:
            WorkerError: the scheduler or all workers have been silent, or without a task, for LIMIT_S.
        """
        waiting = list(pending)
        started, logged = time.monotonic(), None
        while not (done := wait(waiting, QUIET_S, FIRST_COMPLETED).done):
            fault = self._fault()
            if not fault:
                started = time.monotonic()
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
        """Describe the fault of the cluster; return "" if the scheduler and at least one worker with a task answer."""
        try:
            answer = self._client.sync(
                self._client.scheduler.identity, callback_timeout=CONNECT_S
            )
        except Exception:
            return f"the Dask scheduler at {self._address} does not answer"
        workers = answer["workers"].values()
        if not workers:
            return f"the cluster at {self._address} has no workers any more"

        now = time.monotonic()
        newest = max(worker["last_seen"] for worker in workers)
        if self._heartbeat[0] != newest:
            self._heartbeat = newest, now
        if now - self._heartbeat[1] > QUIET_S:
            return f"no worker of {self._address} answers"
        is_idle = all(
            worker["metrics"]["task_counts"].keys() <= {_DONE} for worker in workers
        )
        return f"no worker of {self._address} has a task" if is_idle else ""


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
            f"It runs other code ({actual}) than this command ({expected}), or has other fits. "
            "Install the same version on all machines, with the same fits."
        )


def _open_client(address: str) -> Any:
    """Connect to the scheduler at an address, and return its client.

    Raises:
        SettingsError: distributed is not installed, or no scheduler answers.
    """
    try:
        from distributed import Client
        from distributed.comm.addressing import parse_address, parse_host_port
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
        scheme, location = parse_address(address)
        # a Client that cannot connect takes longer to say so, and leaves its event loop open
        host_and_port = parse_host_port(location)
        with socket.create_connection(host_and_port, CONNECT_S) as connection:
            if scheme == "tcp" and not connection.recv(1):
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


def _check_here(fn: Callable[..., object], *args: Any) -> None:
    """Run a function; its result, such as a player, is not sent."""
    run_here({}, fn, *args)


def _run_guarded(limits: dict[str, Any], fn: Callable[..., T], *args: Any) -> T:
    return _processes_of_worker().submit(fn, *args, **limits).result()


@functools.cache
def _processes_of_worker() -> LocalProcesses:
    """Return the processes of a Dask worker, one for each of its threads."""
    from distributed import get_worker

    # a daemon, which a Dask worker is, may not start processes
    multiprocessing.current_process().daemon = False
    return LocalProcesses(get_worker().state.nthreads)
