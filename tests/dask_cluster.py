"""A Dask scheduler and two workers of our own on loopback, which can be killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from distributed import Client

ROOT = Path(__file__).resolve().parents[1]
START_S = 120.0
HIDING = """
import sys


class Hidden:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "configs":
            raise ModuleNotFoundError("No module named 'configs'", name=name)


sys.meta_path.insert(0, Hidden)
"""
"""Hides our packages from a process, also where they are installed."""


class DaskCluster:
    """Started at once.

    Attributes:
        address: of the scheduler.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "scheduler.json"
        self._processes = [
            self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-show")
        ]
        self._wait_for(self._file.exists)
        for _ in range(2):
            self.start_worker()
        self._client = Client(scheduler_file=str(self._file), set_as_default=False)
        self.address = self._client.scheduler.address
        self._client.wait_for_workers(2, timeout=START_S)

    def start_worker(self, *, with_package: bool = True) -> subprocess.Popen[bytes]:
        """Start a worker with one thread."""
        options = (
            "--nworkers",
            "1",
            "--nthreads",
            "1",
            "--host",
            "127.0.0.1",
            "--local-directory",
            str(self._folder),
        )
        self._processes.append(
            self._start("worker", *options, with_package=with_package)
        )
        return self._processes[-1]

    def wait_for_workers(self, n: int) -> None:
        """Wait until there are `n` workers or more."""
        self._client.wait_for_workers(n, timeout=START_S)

    def kill_worker(self) -> None:
        """Kill the process of a worker, as the system does if memory runs out."""
        os.kill(next(iter(self._client.run(os.getpid).values())), signal.SIGKILL)

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
        """End all processes."""
        self._client.close()
        for process in reversed(self._processes):
            process.terminate()
        for process in self._processes:
            process.wait(START_S)

    def _start(
        self, kind: str, *options: str, with_package: bool = True
    ) -> subprocess.Popen[bytes]:
        path = ROOT if with_package else self._folder
        (self._folder / "sitecustomize.py").write_text(HIDING)
        environment = {**os.environ, "PYTHONPATH": str(path)}
        command = [
            sys.executable,
            "-m",
            f"distributed.cli.dask_{kind}",
            "--scheduler-file",
            str(self._file),
        ]
        with (self._folder / f"{kind}.log").open("ab") as log:
            return subprocess.Popen(
                [*command, "--dashboard-address", "127.0.0.1:0", *options],
                stdout=log,
                stderr=log,
                cwd=self._folder,
                env=environment,
            )

    def _wait_for(self, is_done: object) -> None:
        deadline = time.monotonic() + START_S
        while not is_done():  # type: ignore[operator]
            assert time.monotonic() < deadline, (
                self._folder / "scheduler.log"
            ).read_text()
            time.sleep(0.05)
