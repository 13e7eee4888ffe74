"""A Dask scheduler and two workers of our own on loopback, which can be killed."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from distributed import Client

from tests.fakes import ROOT

START_S = 120.0


class DaskCluster:
    """Started at once.

    Attributes:
        address: of the scheduler.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "scheduler.json"
        scheduler = self._start("scheduler", "--port", "0", "--no-show")
        deadline = time.monotonic() + START_S
        while not self._file.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        one_thread = ("--nworkers", "1", "--nthreads", "1")
        workers = [self._start("worker", *one_thread) for _ in range(2)]
        self._processes = [scheduler, *workers]
        self._client = Client(scheduler_file=str(self._file), set_as_default=False)
        self.address = self._client.scheduler_info()["address"]
        self._client.wait_for_workers(2, timeout=START_S)

    def kill_worker(self) -> None:
        """Kill the process of a worker, as the system does if memory runs out."""
        pids = self._client.run(os.getpid)
        pid = next(iter(pids.values()))  # pyright: ignore[reportAttributeAccessIssue] - this client is synchronous
        os.kill(pid, signal.SIGKILL)

    def kill_scheduler(self) -> None:
        """Kill the scheduler."""
        self._processes[0].kill()
        self._processes[0].wait(START_S)

    @contextlib.contextmanager
    def frozen_scheduler(self) -> Iterator[None]:
        """Let the scheduler accept connections and say nothing."""
        self._processes[0].send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._processes[0].send_signal(signal.SIGCONT)

    def close(self) -> None:
        """End all processes at once: a worker that lost its scheduler may not end by itself."""
        self._client.close()
        for process in reversed(self._processes):
            process.kill()
            process.wait()

    def _start(self, kind: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *options]
        command += ["--scheduler-file", str(self._file), "--host", "127.0.0.1"]
        with (self._folder / f"{kind}.log").open("ab") as log:
            return subprocess.Popen(
                [*command, "--dashboard-address", "127.0.0.1:0"],
                stdout=log,
                stderr=log,
                cwd=self._folder,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
