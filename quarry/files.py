"""Functions that write a file as a whole or not at all, and make a file private."""

import contextlib
import errno
import os
import stat
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

FileContent = bytes | Callable[[BinaryIO], object]
"""The bytes of a file, or a function that writes them."""


def write_whole(
    path: Path,
    content: FileContent,
    *,
    mode: int | None = None,
) -> None:
    """Write a temporary file next to `path`, then replace `path` by it; a link at `path` is replaced, not followed.

    Args:
        mode: permissions of the file; None takes those of any new file.

    Raises:
        OSError: the file cannot be written; a file at `path` is unchanged.
    """
    work = path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}")
    try:
        first_mode = 0o666 if mode is None else mode
        with open(
            work, "xb", opener=lambda name, flags: os.open(name, flags, first_mode)
        ) as file:
            _write(file, content)
        if mode is not None:
            work.chmod(mode)  # the umask has taken some away
        work.replace(path)
    except BaseException:
        work.unlink(missing_ok=True)
        raise


def write_named(path: Path, content: FileContent) -> None:
    """Write a file that the user has named, as a whole or not at all; follow links, and write into a pipe or a device.

    Raises:
        OSError: the file cannot be written; its content is unchanged.
    """
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    if not target.exists():
        write_whole(target, content)
    elif target.is_file():
        mode = stat.S_IMODE(target.stat().st_mode)
        write_whole(target, content, mode=mode)
    else:
        with target.open("wb") as file:
            _write(file, content)


def _write(file: BinaryIO, content: FileContent) -> None:
    if isinstance(content, bytes):
        file.write(content)
    else:
        content(file)


def append_whole(path: Path, content: bytes) -> None:
    """Append bytes to a file, all or none; a missing file is created.

    Raises:
        OSError: the file cannot be written; its content is unchanged.
    """
    with path.open("ab", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        if file.write(content) < len(content):
            file.truncate(size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


@contextlib.contextmanager
def replace_together(folder: Path) -> Iterator[Path]:
    """Yield a new folder; at the end of the block, move its files into `folder`, or none of them if the block fails."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix=".", dir=folder, ignore_cleanup_errors=True
    ) as name:
        work = Path(name)
        yield work
        for path in sorted(work.iterdir()):
            path.replace(folder / path.name)


def make_private(path: Path) -> None:
    """Create a file, or open an existing one, and let only its owner read it; Windows has no such permissions.

    Raises:
        OSError: the file cannot be opened, or is a link, a pipe or a device.
    """
    flags = os.O_CREAT | os.O_RDWR
    # do not follow a link, and do not wait for the other end of a pipe; Windows lacks these flags
    for name in ("O_NOFOLLOW", "O_NONBLOCK"):
        flags |= getattr(os, name, 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        if hasattr(os, "geteuid") and status.st_uid == os.geteuid():
            os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)
