"""What all command lines share: errors of one line, and a standard output that never ends in a traceback."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable
from typing import NoReturn, TextIO


class OneLineParser(argparse.ArgumentParser):
    """An ArgumentParser that says what is wrong in one line on standard error, without the usage, and exits with 2."""

    def error(self, message: str) -> NoReturn:
        """Exit with 2 and one line that names the command and where its help is."""
        self.exit(2, f"{self.prog.removeprefix('python -m ')}: {' '.join(message.split())}; see {self.prog} --help\n")


def run_command(command: Callable[[], int]) -> int:
    """The exit code of `command`, run so that its output suits whatever reads it.

    Characters that the output's encoding lacks become question marks, and a reader that has had enough (head, for one)
    ends the command with 0.
    """
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)  # a stream put in its place may have none
        if reconfigure is not None:
            reconfigure(errors="replace")
    try:
        code = command()
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _silence(sys.stdout)
        return 0


def _silence(stream: TextIO) -> None:
    """Send what a closed stream still holds nowhere, so that the interpreter does not stumble over it at its end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
