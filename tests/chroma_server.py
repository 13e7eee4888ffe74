"""A Chroma server of our own on a free loopback port, which can be killed and started again, and a TCP proxy."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

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
        where = [
            "--path",
            str(self._folder / "data"),
            "--host",
            "127.0.0.1",
            "--port",
            str(self._port),
        ]
        with (self._folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [chroma, "run", *where], stdout=log, stderr=log, cwd=self._folder
            )
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/api/v2/heartbeat", timeout=1):
                    return
            except (urllib.error.URLError, TimeoutError, ConnectionError):
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


class Proxy:
    """A TCP proxy on a free loopback port, which can be cut like a network and restored.

    Attributes:
        url: where it forwards to the server.
    """

    def __init__(self, target: str) -> None:
        self._target = ("127.0.0.1", int(target.rpartition(":")[2]))
        self._sockets = [socket.create_server(("127.0.0.1", 0))]
        self._threads: list[threading.Thread] = []
        self._is_cut = False
        self.url = f"http://127.0.0.1:{self._sockets[0].getsockname()[1]}"
        self._start(self._accept)

    def cut(self) -> None:
        """Close all connections, and accept no more."""
        self._is_cut = True
        self._shut_down(self._sockets[1:])

    def restore(self) -> None:
        """Accept connections again."""
        self._is_cut = False

    def close(self) -> None:
        """Cut for good."""
        self._shut_down(self._sockets)
        for thread in self._threads:
            thread.join()
        for end in self._sockets:
            end.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                client, _ = self._sockets[0].accept()
                try:
                    if self._is_cut:
                        raise ConnectionResetError
                    server = socket.create_connection(self._target)
                except ConnectionError:  # the server is down
                    client.close()
                    continue
                self._sockets += [client, server]
                self._start(self._forward, client, server)
                self._start(self._forward, server, client)

    def _start(self, run: Callable[..., None], *ends: socket.socket) -> None:
        self._threads.append(threading.Thread(target=run, args=ends, daemon=True))
        self._threads[-1].start()

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while content := source.recv(1 << 16):
                target.sendall(content)
        self._shut_down([source, target])

    @staticmethod
    def _shut_down(ends: Sequence[socket.socket]) -> None:
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
