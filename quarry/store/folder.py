"""A store's folder: an ingest changes a copy of the Chroma database, and one rename replaces the old database.

Chroma writes its index files in place, so that a process killed at the wrong moment leaves them damaged, and it has no
locks between processes. STORE/current names the one valid database, in which only readers' locks are ever written.
"""

import contextlib
import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

from quarry.errors import StoreDamagedError, StoreError
from quarry.files import read_own, write_whole
from quarry.store.damage import DATABASE, require_sound, write_checksums
from quarry.terminal import visible

CURRENT = "current"
PREFIX = "chroma-"
_NAME = re.compile(rf"{PREFIX}[A-Za-z0-9._-]{{1,100}}")

WAIT_S = 60.0
"""Seconds that a writer waits for the lock of another one."""


def current_generation(folder: Path) -> Path | None:
    """Return the folder of the valid database, None if there is none yet.

    Raises:
        StoreError: STORE/current names something else.
    """
    pointer = folder / CURRENT
    try:
        name = read_own(pointer)[0].decode().strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(
            f"{pointer} cannot be read: {visible(error)}; ingest into a new folder"
        ) from error

    remedy = "remove it and ingest again, or name another --store"
    if not name:
        raise StoreError(f"{pointer} is empty; {remedy}")
    if not _NAME.fullmatch(name) or (folder / name).is_symlink():
        raise StoreError(
            f"{pointer} names {visible(name)[:60]!r}, which is no folder {PREFIX}... of the store; {remedy}"
        )
    return folder / name


def require_usable(folder: Path) -> None:
    """Pass if a folder is a store or may become one; other files next to a store, and hidden files, do not matter.

    Raises:
        StoreError: it is a file, or holds other files and no store.
    """
    if folder.exists() and not folder.is_dir():
        raise StoreError(
            f"--store {folder} cannot be opened: it is a file; name a folder"
        )
    if current_generation(folder) is not None or not folder.is_dir():
        return
    for name in sorted(os.listdir(folder)):
        if not name.startswith((".", PREFIX, CURRENT)):
            raise StoreError(
                f"--store {folder} holds {visible(name)!r} and no store; name a new folder, or one made by ingest"
            )


@contextlib.contextmanager
def readable(path: Path) -> Iterator[Path]:
    """Yield a database folder, or a copy if it cannot be written, since Chroma writes even when it reads.

    Raises:
        StoreDamagedError: the database is damaged.
    """
    if _is_writable(path):
        require_sound(path)
        yield path
        return

    with tempfile.TemporaryDirectory(prefix="quarry-read-") as work:
        copy = Path(work, path.name)
        shutil.copytree(path, copy, copy_function=shutil.copyfile)
        # copies of read-only folders are read-only
        for copied in (copy, *copy.rglob("*")):
            copied.chmod(0o700 if copied.is_dir() else 0o600)
        try:
            require_sound(copy)
        except StoreDamagedError as error:
            message = str(error).replace(work, str(path.parent))
            raise StoreDamagedError(message) from None
        yield copy


def _is_writable(path: Path) -> bool:
    """Return whether a database can be written, on a disk that is not full."""
    try:
        with tempfile.TemporaryFile(dir=path) as probe:
            probe.write(b"0")
    except OSError:
        return False
    return os.access(path, os.W_OK) and os.access(path / DATABASE, os.W_OK)


@contextlib.contextmanager
def next_generation(folder: Path, damaged: Path | None = None) -> Iterator[Path]:
    """Yield a copy of the valid database; the copy becomes valid when the block ends, and is removed if that raises.

    Other writers wait meanwhile.

    Args:
        damaged: a database that is replaced by an empty one.

    Raises:
        StoreError: another writer takes too long, or the valid database is damaged.
        OSError: the disk is full or the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        old = current_generation(folder)
        _remove_others(folder, old)
        new = folder / f"{PREFIX}{uuid.uuid4().hex[:12]}"
        try:
            if old is not None and old != damaged and old.is_dir():
                require_sound(old)
                shutil.copytree(old, new)
            else:
                new.mkdir()
            yield new
            write_checksums(new)
            # a power cut must not leave half a database
            for path in filter(Path.is_file, new.rglob("*")):
                with path.open("r+b") as file:
                    os.fsync(file.fileno())
            pointer = f"{new.name}\n".encode()
            write_whole(folder / CURRENT, pointer, durable=True)
        except BaseException:
            if current_generation(folder) != new:
                shutil.rmtree(new, ignore_errors=True)
            raise
        _remove_others(folder, new)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a store's folder; every path to the folder has the same lock."""
    import filelock

    folder = folder.resolve()
    lock = filelock.FileLock(folder.with_name(f".{folder.name}.lock"), timeout=WAIT_S)
    try:
        with lock:
            yield
    except filelock.Timeout as error:
        raise StoreError(
            "another ingest is writing to it; wait until it ends"
        ) from error


def _remove_others(folder: Path, current: Path | None) -> None:
    """Remove all databases but one, and pointers of killed ingests."""
    for path in folder.glob(f"{PREFIX}*"):
        if path != current:
            shutil.rmtree(path, ignore_errors=True)
    for path in folder.glob(f".{CURRENT}.*"):
        path.unlink(missing_ok=True)
