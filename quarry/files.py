"""Files that the program makes: written as a whole or not at all, and its own never through a link."""

import contextlib
import errno
import os
import shutil
import stat
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

Content = bytes | Callable[[BinaryIO], object]
"""The bytes of a file, or a function that writes them."""


def write_whole(
    path: Path,
    content: Content,
    *,
    mode: int = 0o666,
) -> None:
    """Write a temporary file next to `path`, then replace `path` by it; a link at `path` is replaced, not followed.

    Args:
        mode: permissions of the file, from which the umask is taken.

    Raises:
        OSError: the file cannot be written; what was at `path` is unchanged.
    """
    work = path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}")
    try:
        with open(
            work, "xb", opener=lambda name, flags: os.open(name, flags, mode)
        ) as file:
            _write(file, content)
        work.replace(path)
    except BaseException:
        work.unlink(missing_ok=True)
        raise


def write_named(path: Path, content: Content) -> None:
    """Write a file that the user named as a whole or not at all; write into a pipe or a device, and follow links.

    Raises:
        OSError: the file cannot be written; what was in it is unchanged.
    """
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    is_there = target.exists()
    if not is_there or target.is_file():
        mode = stat.S_IMODE(target.stat().st_mode) if is_there else 0o666
        write_whole(target, content, mode=mode)
        return
    with target.open("wb") as file:
        _write(file, content)


def _write(file: BinaryIO, content: Content) -> None:
    if isinstance(content, bytes):
        file.write(content)
    else:
        content(file)


def append_whole(path: Path, content: bytes) -> None:
    """Add bytes to the end of a file, as a whole or not at all; the file is made if need be.

    Raises:
        OSError: the file cannot be written; what was in it is unchanged.
    """
    with path.open("ab", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        if file.write(content) < len(content):
            file.truncate(size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


@contextlib.contextmanager
def written_together(folder: Path) -> Iterator[Path]:
    """Yield a new folder whose files replace those of `folder` when the block ends, and none of them if it fails."""
    folder.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".", dir=folder))
    try:
        yield work
        for path in sorted(work.iterdir()):
            path.replace(folder / path.name)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def read_own(path: Path) -> bytes:
    """Return the content of a file that the program has made.

    Raises:
        OSError: the file cannot be read, or is a link, a pipe or a device.
    """
    # without following a link, and without waiting for the writer of a pipe
    more = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with open(
        path, "rb", opener=lambda name, flags: os.open(name, flags | more)
    ) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return file.read()
