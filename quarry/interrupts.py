"""Ctrl-C, SIGTERM and SIGHUP: one line, exit code 130, 143 or 129, and an end within seconds.

The first signal prints the line and raises KeyboardInterrupt, so that open files and connections are closed. The signal
also wakes up a thread, which ends the process and its children after GRACE_S, or at the second signal. Before that, the
results so far are printed (`printing_at_end`). Worker processes ignore Ctrl-C (`quarry.parallel`). A command may be
killed at any time without loss, so nothing depends on GRACE_S.
"""

import atexit
import contextlib
import functools
import importlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

OUR_PACKAGES = ("configs", "ingest", "player", "evaluate", "quarry")
"""Names of our packages."""
INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 and the number of the signal, as after other signals."""
GRACE_S = 1.0
"""Maximum time in which an interrupted command closes files and connections."""
SIGNALS = [signal.SIGINT, signal.SIGTERM]
"""Signals that end a command in order."""
if hasattr(signal, "SIGHUP"):
    SIGNALS.append(signal.SIGHUP)

_lock = threading.RLock()
_results_lock = threading.Lock()
_deferred_block_lock = threading.RLock()


@dataclass
class _State:
    """State of the interrupts of this process.

    Attributes:
        line: the line that the first signal prints.
        addition: text after the line, such as which results are kept.
        code: exit code after a signal.
        is_announced: whether the line was printed.
        print_results: function of `printing_at_end`, until it is called.
        is_deferring: whether the main thread is in a block of `deferring`.
        deferred_signal: the signal that came in this block; 0 if none came.
    """

    line: str = ""
    addition: str = ""
    code: int = INTERRUPTED
    is_announced: bool = False
    print_results: Callable[[], object] | None = None
    is_deferring: bool = False
    deferred_signal: int = 0


_state = _State()


def run_quietly(module: str, *arguments: Any) -> int:
    """Import a module and return the result of its `main`.

    Returns:
        130 after Ctrl-C, even during the import; 128 and its number after another signal; 2 if a package is missing.
    """
    try:
        return _run_quietly(module, *arguments)
    except ImportError as error:
        missing = error.__cause__ or error  # cyclopts wraps that of a command's module
        package = str(getattr(missing, "name", "")).partition(".")[0]
        if not isinstance(missing, ModuleNotFoundError) or package in OUR_PACKAGES:
            raise
        remedy = "Run `make play` and use .venv/bin/python, or pip install 'quarry-lectures[evaluate]'."
        print(f"{package} is missing from {sys.executable}. {remedy}", file=sys.stderr)
        return 2


def _run_quietly(module: str, *arguments: Any) -> int:
    if not _handled_signals():
        return int(importlib.import_module(module).main(*arguments))

    on_interrupt_print("quarry: interrupted")
    # an interrupted import may end in any error: nothing is open yet, so the process ends at once
    _handle_by(_on_signal_outside_command)
    command = importlib.import_module(module)
    _end_when_grace_is_over()

    try:
        _handle_by(_on_signal_in_command)
        code = int(command.main(*arguments))
    except BaseException:
        if not _state.is_announced:
            raise
        code = _state.code
    finally:  # nothing catches an interrupt while Python ends
        _handle_by(_on_signal_outside_command)
    return _state.code if _state.is_announced else code


def on_interrupt_print(line: str) -> None:
    """Set the line that the next Ctrl-C prints."""
    _state.line, _state.addition, _state.is_announced = line, "", False


def add_to_line(addition: str) -> None:
    """Set the text that the next Ctrl-C prints after its line, such as which results are kept."""
    _state.addition = addition


def announce() -> None:
    """Print the line to standard error unless it was printed before."""
    with _lock:
        if _state.is_announced:
            return
        _state.is_announced = True
        line = f"{_state.line}{_state.addition}\n"
        if sys.stderr is not sys.__stderr__:
            sys.stderr.write(line)
        else:  # not by the stream, in which the signal may have come
            clear = "\r\x1b[K" if os.isatty(2) else ""  # ^C, progress bars
            os.write(2, f"{clear}{line}".encode(errors="replace"))


@contextlib.contextmanager
def printing_at_end(print_results: Callable[[], object]) -> Iterator[None]:
    """Call a function once: at the end of the block, or before a signal ends the process in the block."""
    _state.print_results = print_results
    try:
        yield
    finally:
        _print_results()


def _print_results() -> None:
    """Call the function of `printing_at_end`, or wait a moment for the thread that calls it."""
    if not _results_lock.acquire(timeout=GRACE_S):
        return  # nobody reads what is printed
    try:
        print_results, _state.print_results = _state.print_results, None
        if print_results is not None:
            print_results()
            sys.stdout.flush()
    finally:
        _results_lock.release()


@contextlib.contextmanager
def deferring() -> Iterator[None]:
    """Defer signals to the end of a short block that must not end halfway.

    The child of a half-started process would print a traceback, and the rest of a result would follow the line.
    """
    with _deferred_block_lock:
        is_main = threading.current_thread() is threading.main_thread()
        if is_main:
            _state.deferred_signal, _state.is_deferring = 0, True
        try:
            yield
        finally:
            if is_main:
                _state.is_deferring = False
                if _state.deferred_signal:
                    _on_signal_in_command(_state.deferred_signal, None)


def _end_process() -> None:
    """Print the line unless it was printed, and end this process and its children."""
    announce()
    with contextlib.suppress(Exception):
        _print_results()
    _deferred_block_lock.acquire(timeout=GRACE_S)
    # the processes that multiprocessing has started here, and what these have started
    multiprocessing = sys.modules.get("multiprocessing")
    if multiprocessing is not None:
        for child in multiprocessing.active_children():
            kill_group(child.pid)
    os._exit(_state.code)


def kill_group(pid: int) -> None:
    """Kill a process, and all of its group if it leads one."""
    try:
        if hasattr(os, "killpg") and os.getpgid(pid) == pid:
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    except ProcessLookupError:
        pass


def _handled_signals() -> list[signal.Signals]:
    """Return the signals to handle: none in a thread, and none that the process ignores, as in the background."""
    if threading.current_thread() is not threading.main_thread():
        return []
    return [one for one in SIGNALS if signal.getsignal(one) is not signal.SIG_IGN]


def _handle_by(
    handler: Callable[[int, FrameType | None], object] | signal.Handlers,
) -> None:
    for number in _handled_signals():
        signal.signal(number, handler)


def _on_signal_outside_command(number: int, _frame: FrameType | None) -> None:
    _remember(number)
    _end_process()


def _remember(number: int) -> None:
    """Keep the exit code for the first signal."""
    if not _state.is_announced:
        _state.code = 128 + number


def _on_signal_in_command(number: int, _frame: FrameType | None) -> None:
    if _state.is_announced:
        return  # the thread ends the process
    if _state.is_deferring:
        _state.deferred_signal = number
        return
    _remember(number)
    announce()
    # errors that follow from the interrupt must not print a second line
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    raise KeyboardInterrupt


def _at_exit() -> None:
    """End an interrupted process with its exit code; ignore signals that come after the end of the command.

    Python would die of the signal if KeyboardInterrupt had passed an `exec`, such as that of a dataclass.
    """
    if _state.is_announced:
        _deferred_block_lock.acquire(timeout=GRACE_S)
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        os._exit(_state.code)
    _handle_by(signal.SIG_IGN)


@functools.cache
def _end_when_grace_is_over() -> None:
    """Start the thread that ends the process GRACE_S after a signal; later calls do nothing."""
    # before the command registers anything, so that it runs last
    atexit.register(_at_exit)
    woken, wakes = socket.socketpair()
    wakes.setblocking(False)
    signal.set_wakeup_fd(wakes.detach(), warn_on_full_buffer=False)

    def watch() -> None:
        n_signals = 0
        with contextlib.suppress(TimeoutError):
            while n_signals < 2:
                numbers = [number for number in woken.recv(64) if number in SIGNALS]
                n_signals += len(numbers)
                if numbers:
                    _remember(numbers[0])
                    woken.settimeout(GRACE_S)
        _end_process()

    threading.Thread(target=watch, name="interrupts", daemon=True).start()
