"""Ctrl-C: one line, exit code 130, and an end within seconds, whatever the command is doing.

The first Ctrl-C prints the line and raises KeyboardInterrupt, so that what is open can be closed. A thread that
the signal wakes up ends the process and its children if this takes longer than GRACE_S. Worker processes ignore
Ctrl-C (`ingest.executors`). A command may be killed at any time without loss, so that nothing depends on the grace.
"""

import atexit
import contextlib
import importlib
import os
import signal
import socket
import sys
import threading
import time
from types import FrameType
from typing import Any

OURS = ("configs", "ingest", "player", "evaluate", "quarry")
INTERRUPTED = 130
"""Exit code after Ctrl-C."""
GRACE_S = 1.0
"""Time in which an interrupted command may close what is open."""

_lock = threading.RLock()
_line = ""
_is_announced = False


def run_quietly(module: str, function: str = "main", *arguments: Any) -> int:
    """Import a module and return the result of its function.

    Returns 130 after Ctrl-C, also while the module is imported, and 2 if a package is not installed.
    """
    try:
        return _run_quietly(module, function, *arguments)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in OURS:
            raise
        remedy = "Run `make play` once, and use .venv/bin/python."
        print(f"{package} is missing from {sys.executable}. {remedy}", file=sys.stderr)
        return 2


def _run_quietly(module: str, function: str, *arguments: Any) -> int:
    if not _takes_interrupts():
        return int(getattr(importlib.import_module(module), function)(*arguments))

    on_interrupt_print("quarry: interrupted")
    # an interrupted import may end in any error: nothing is open yet, so the process ends at once
    signal.signal(signal.SIGINT, lambda *_: end_now())
    command = importlib.import_module(module)
    if not _keep_open:
        _end_when_grace_is_over()
        atexit.register(_leave)  # first, so that it runs last

    try:
        signal.signal(signal.SIGINT, _interrupt)
        code = int(getattr(command, function)(*arguments))
    except BaseException:
        if not _is_announced:
            raise
        code = INTERRUPTED
    finally:  # nothing catches an interrupt while Python ends
        signal.signal(signal.SIGINT, lambda *_: end_now())
    return INTERRUPTED if _is_announced else code


def on_interrupt_print(line: str) -> None:
    """Set the line that the next Ctrl-C prints."""
    global _line, _is_announced
    _line, _is_announced = line, False


def announce() -> None:
    """Print the line to standard error, once."""
    global _is_announced  # noqa: PLW0603
    with _lock:
        if _is_announced:
            return
        _is_announced = True
        if sys.stderr is not sys.__stderr__:
            print(_line, file=sys.stderr)
        else:  # not by the stream, in which the signal may have come
            clear = "\r\x1b[K" if os.isatty(2) else ""  # ^C, progress bars
            os.write(2, f"{clear}{_line}\n".encode(errors="replace"))


def end_now() -> None:
    """Print the line unless it was printed, and end this process and its children."""
    announce()
    # the processes that multiprocessing has started here, and what these have started
    multiprocessing = sys.modules.get("multiprocessing")
    if multiprocessing is not None:
        for child in multiprocessing.active_children():
            kill_group(child.pid)
    os._exit(INTERRUPTED)


def kill_group(pid: int) -> None:
    """Kill a process, and all of its group if it leads one."""
    try:
        if hasattr(os, "killpg") and os.getpgid(pid) == pid:
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    except ProcessLookupError:
        pass


def _takes_interrupts() -> bool:
    """Return whether Ctrl-C is handled here: not in a thread, and not where it is ignored, as in the background."""
    is_ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    return not is_ignored and threading.current_thread() is threading.main_thread()


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    if _is_announced:
        end_now()
    announce()
    # whatever fails because of the interrupt has nothing to say: no second line
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    raise KeyboardInterrupt


def _leave() -> None:
    """End an interrupted process with its code; let no late signal change that of another one.

    Python would die of the signal if KeyboardInterrupt had passed an `exec`, such as that of a dataclass.
    """
    if _is_announced:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        os._exit(INTERRUPTED)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end_when_grace_is_over() -> None:
    """Start the thread that ends the process GRACE_S after the signal, even while the main thread is in a library."""
    woken, wakes = socket.socketpair()
    wakes.setblocking(False)
    signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)

    def watch() -> None:
        while signal.SIGINT not in woken.recv(64):
            pass
        time.sleep(GRACE_S)
        end_now()

    _keep_open.append(wakes)
    threading.Thread(target=watch, name="interrupts", daemon=True).start()


_keep_open: list[socket.socket] = []
"""The end of the pair that the signal writes to; the other end belongs to the thread."""
