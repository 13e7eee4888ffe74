"""Locks of files that several processes may write."""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

WAIT_S = 10.0
"""Maximum number of seconds that a short change of a file waits for those of other processes."""


def acquire_lock(path: Path, *, timeout_s: float = 0.0) -> FileLock:
    """Acquire and return the lock of a file, PATH.lock, until `remove_lock`; this process may acquire it again.

    Raises:
        OSError: another process has the lock, or the lock cannot be written.
    """
    lock = FileLock(f"{os.path.realpath(path)}.lock", is_singleton=True)
    try:
        lock.acquire(timeout=timeout_s)
    except Timeout as error:
        raise OSError(errno.EBUSY, "another process writes it", str(path)) from error
    return lock


@contextlib.contextmanager
def locked(path: Path, *, timeout_s: float = 0.0) -> Iterator[None]:
    """Hold the lock of a file in the block, and remove it afterwards; raise as `acquire_lock` does."""
    lock = acquire_lock(path, timeout_s=timeout_s)
    try:
        yield
    finally:
        remove_lock(lock)


def remove_lock(lock: FileLock) -> None:
    """Release a lock and remove its file, if this process holds it."""
    if lock.is_locked:
        with contextlib.suppress(OSError):  # Windows keeps open files
            Path(lock.lock_file).unlink()
        lock.release(force=True)
