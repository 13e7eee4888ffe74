"""The command `quarry`, and `run_quietly`, which runs any command without a traceback on Ctrl-C."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

SINGLE = {
    "play": ("quarry.play", "play a whole game, against a practice server or --server URL"),
    "ingest": ("quarry.ingest.__main__", "read PDFs into a store, and show what a store holds"),
}
"""Module and summary of the modules that hold a single command."""
SEARCH = {"search": "find the paragraphs that a hint describes"}
INTERRUPTED = 130
"""Exit code after Ctrl-C."""


def main(arguments: list[str] | None = None) -> int:
    """Run the named command and return its exit code, 2 for an unknown name."""
    with _exit_on_interrupt():
        from quarry.configs.arguments import choose
        from quarry.evaluate.commands import SUMMARIES
        from quarry.version import __version__

    given = sys.argv[1:] if arguments is None else arguments
    if given[:1] in (["-V"], ["--version"]):
        print(f"quarry {__version__}")
        return 0
    summaries = {name: says for name, (_, says) in SINGLE.items()} | SEARCH | SUMMARIES
    about = "Finds one paragraph in a course of lecture PDFs, and proves how well it does."
    name, rest = choose(summaries, given or ["--help"], "quarry", about)
    if name in SINGLE:
        return run_quietly(SINGLE[name][0], rest, f"quarry {name}")
    module = "quarry.player.__main__" if name in SEARCH else "quarry.evaluate.__main__"
    return run_quietly(module, [*name.split(), *rest], "quarry")


def run_quietly(module: str, *arguments: Any) -> int:
    """Import a module and return the result of its `main`; 130 after Ctrl-C, also while the module is imported."""
    with _exit_on_interrupt():
        found = importlib.import_module(module)
    try:
        return int(found.main(*arguments))
    except KeyboardInterrupt:
        print("quarry: interrupted", file=sys.stderr)
        return INTERRUPTED


@contextlib.contextmanager
def _exit_on_interrupt() -> Iterator[None]:
    """Let Ctrl-C end the process without a traceback, unless it is ignored, as in the background of a shell."""
    python_handles = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not python_handles or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
