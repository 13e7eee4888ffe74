"""A cap on what a worker process may hold in memory: a PDF of a few kB may unfold to many GB."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

OVER_CAP = 77
"""Exit code of a process that held more than it may."""

LOOKS_EVERY_S = 0.05
"""Seconds between two looks at what a process holds."""

BACKSTOP = 2
"""Times the cap that a process cannot get at all, where the system knows such limits: between two looks it may grow."""


def keep_below(memory_mb: int) -> None:
    """Have this process end with `OVER_CAP` once it holds more than so many MB; runs beside its work from now on."""
    if sys.platform == "linux":
        import resource

        # what was mapped before counts too
        limit = (BACKSTOP * memory_mb + held_mb()) * 2**20
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (limit if hard < 0 else min(limit, hard), hard))
    threading.Thread(target=_watch, args=(memory_mb,), daemon=True, name="memory cap").start()


def held_mb() -> int:
    """MB that this process holds in memory; the most it ever held where the system does not tell."""
    try:
        n_pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        if sys.platform == "win32":
            return 0
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most // (2**20 if sys.platform == "darwin" else 2**10)
    return n_pages * os.sysconf("SC_PAGE_SIZE") // 2**20


def _watch(memory_mb: int) -> None:
    while held_mb() <= memory_mb:
        time.sleep(LOOKS_EVERY_S)
    os._exit(OVER_CAP)
