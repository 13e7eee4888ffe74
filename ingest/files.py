"""Files that the program makes: written as a whole or not at all, and never through a link."""

import errno
import os
import stat
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO


def write_whole(
    path: Path,
    content: bytes | Callable[[BinaryIO], object],
    *,
    mode: int = 0o666,
    durable: bool = False,
) -> None:
    """Write a temporary file next to `path`, then replace `path` by it; a link at `path` is replaced, not followed.

    Args:
        content: the bytes, or a function that writes them.
        mode: permissions of the file, from which the umask is taken.
        durable: wait until the file is on the disk.

    Raises:
        OSError: the file cannot be written; what was at `path` is unchanged.
    """
    work = path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}")
    try:
        with open(
            work, "xb", opener=lambda name, flags: os.open(name, flags, mode)
        ) as file:
            if isinstance(content, bytes):
                file.write(content)
            else:
                content(file)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        work.replace(path)
    except BaseException:
        work.unlink(missing_ok=True)
        raise


def read_own(path: Path) -> tuple[bytes, os.stat_result]:
    """Return the content and the status of a file that the program has made.

    Raises:
        OSError: the file cannot be read, or is a link, a pipe or a device.
    """
    # without following a link, and without waiting for the writer of a pipe
    more = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with open(
        path, "rb", opener=lambda name, flags: os.open(name, flags | more)
    ) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return file.read(), status
