"""A Chroma server of our own on a free loopback port, which can be killed and started again."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

START_S = 120.0


class ChromaServer:
    """Started at once; what it holds stays in a folder.

    Attributes:
        url: where it answers.
        process: that runs it.
    """

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        folder.mkdir(exist_ok=True)
        self._folder = folder
        self.url = f"http://127.0.0.1:{self._port}"
        self.start()

    def start(self) -> None:
        """Run it, and wait until it answers."""
        chroma = str(Path(sys.executable).with_name("chroma"))
        options = f"run --path data --host 127.0.0.1 --port {self._port}"
        with (self._folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [chroma, *options.split()], stdout=log, stderr=log, cwd=self._folder
            )
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline and self.process.poll() is None:
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"{self.url}/api/v2/heartbeat", timeout=1).is_success:
                    return
            time.sleep(0.05)
        log_text = (self._folder / "log").read_text()

        pytest.fail(
            f"the Chroma server must answer within {START_S:g} s; its log:\n{log_text}"
        )

    def pause(self) -> None:
        """Stop it as SIGSTOP does, and wait until the last of its threads stands still."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitpid(self.process.pid, os.WUNTRACED)

    def resume(self) -> None:
        """Let it go on after `pause`."""
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """Kill it and wait until it is gone."""
        self.process.kill()
        self.process.wait(timeout=120)
