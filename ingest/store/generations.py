"""A store's folder: a change is made in a copy of the database, and one rename puts the copy in its place.

Chroma writes its index files where they are, so that a process killed at the wrong moment leaves them torn, and it
knows no locks between processes. STORE/current names the one folder that counts, which is never written to.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

from quarry.configs.terminal import visible
from quarry.ingest.errors import StoreError

CURRENT = "current"
PREFIX = "chroma-"
_NAME = re.compile(rf"{PREFIX}[A-Za-z0-9._-]{{1,100}}")
OURS = (CURRENT, f"{CURRENT}.new", "models", "staged")


def current_generation(folder: Path) -> Path | None:
    """Return the Chroma folder that counts, None if there is none yet.

    Raises:
        StoreError: what names it names something else, or leads out of the store.
    """
    try:
        name = (folder / CURRENT).read_text(encoding="utf-8").strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{folder / CURRENT}: must be readable, {error}; ingest into a new folder") from error
    if not _NAME.fullmatch(name):
        raise StoreError(
            f"{folder / CURRENT}: must name a folder {PREFIX}... of the store, got {visible(name)[:60]!r}; "
            "ingest into a new folder"
        )
    require_within(folder, name)
    return folder / name


def require_within(folder: Path, name: str) -> None:
    """Pass if what a store has under a name is in the store, and no link that leads out of it.

    Raises:
        StoreError: it is such a link; it would be written through.
    """
    path = folder / name
    if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
        raise StoreError(f"{path}: must be in the store, it leads out of it; put a folder there, or ingest anew")


def holds_other_files(folder: Path) -> bool:
    """Return whether a folder holds anything that is not a store's."""
    return folder.exists() and any(
        entry.name not in OURS and not entry.name.startswith(PREFIX) for entry in folder.iterdir()
    )


@contextlib.contextmanager
def locked(location: str) -> Iterator[None]:
    """Hold a store's folder for writing.

    Raises:
        StoreError: another ingest holds it, or it cannot be written.
    """
    import filelock

    folder = Path(location).resolve()  # one lock whatever way the folder is spelt; "." has no name of its own
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"--store must be a folder that can be written, got {location}: {error.strerror}") from error
    try:
        lock = filelock.FileLock(folder.with_name(f".{folder.name}.lock"))
        lock.acquire(timeout=0)
    except filelock.Timeout as error:
        raise StoreError(f"{location}: another ingest is at work on it; wait until it ends") from error
    except OSError as error:
        raise StoreError(
            f"--store must be in a folder that can be written, got {location}: {error.strerror}"
        ) from error
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def readable(path: Path) -> Iterator[Path]:
    """Yield a Chroma folder, or a copy of one that cannot be written, as Chroma wants to write even to read."""
    try:
        if not os.access(path, os.W_OK) or not os.access(path / "chroma.sqlite3", os.W_OK):
            raise PermissionError(path)
        with tempfile.TemporaryFile(dir=path) as probe:  # neither a full disk nor a read-only one tells before
            probe.write(b"0")
    except OSError:
        with tempfile.TemporaryDirectory(prefix="quarry-read-") as folder:
            shutil.copytree(path, folder, dirs_exist_ok=True, copy_function=shutil.copyfile)
            for copied in (Path(folder), *Path(folder).rglob("*")):  # a folder's copy may be read only as well
                copied.chmod(0o700 if copied.is_dir() else 0o600)
            yield Path(folder)
    else:
        yield path


@contextlib.contextmanager
def next_generation(folder: Path) -> Iterator[Path]:
    """Yield a copy of the Chroma folder that counts; it counts itself when the block ends, and is gone if that raises.

    Raises:
        OSError: the disk is full or the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    old = current_generation(folder)
    remove_others(folder, old)
    new = folder / f"{PREFIX}{uuid.uuid4().hex[:12]}"
    try:
        if old is not None and old.is_dir():
            _copy(old, new)
        else:
            new.mkdir()
        yield new
        for path in (*new.rglob("*"), new, folder):
            _to_disk(path)
        pointer = folder / f"{CURRENT}.new"
        pointer.write_text(f"{new.name}\n", encoding="utf-8")
        _to_disk(pointer)
        pointer.replace(folder / CURRENT)
        _to_disk(folder)
    except BaseException:
        if current_generation(folder) != new:
            shutil.rmtree(new, ignore_errors=True)
        raise


def _copy(old: Path, new: Path) -> None:
    try:
        shutil.copytree(old, new)
    except shutil.Error as error:  # tells of every file that could not be copied; the first one will do
        raise OSError(error.args[0][0][-1]) from error


def remove_others(folder: Path, kept: Path | None) -> None:
    """Remove all databases but one: copies of killed ingests, and what was replaced."""
    for path in folder.glob(f"{PREFIX}*"):
        if path != kept:
            shutil.rmtree(path, ignore_errors=True)


def _to_disk(path: Path) -> None:
    """Wait until the disk has it, so that a power cut cannot put a half-written copy in place."""
    if os.name != "posix" and path.is_dir():
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
