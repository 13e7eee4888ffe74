"""A store's folder: an ingest changes a copy of the Chroma database, and one rename replaces the old database.

Chroma writes its index files in place, so that a process killed at the wrong moment leaves them damaged, and it has no
locks between processes. STORE/current names the one valid database, which is never written to.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
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
OURS = (CURRENT, f"{CURRENT}.new")
"""Names of files in a store's folder, apart from databases."""

CHECKSUMS = "checksums.json"
"""File with the checksums of a database's index files; a database of an earlier version has none."""

WAIT_S = 60.0
"""Seconds that a writer waits for the lock of another one."""


def current_generation(folder: Path) -> Path | None:
    """Return the folder of the valid database, None if there is none yet.

    Raises:
        StoreError: STORE/current names something else.
    """
    try:
        name = (folder / CURRENT).read_text(encoding="utf-8").strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{folder / CURRENT}: must be readable, {error}; ingest into a new folder") from error
    if not _NAME.fullmatch(name) or (folder / name).is_symlink():
        raise StoreError(
            f"{folder / CURRENT}: must name a folder {PREFIX}... of the store, got {visible(name)[:60]!r}; "
            "ingest into a new folder"
        )
    return folder / name


def require_usable(folder: Path) -> None:
    """Pass if a folder is a store or may become one.

    Raises:
        StoreError: it is a file, or holds other files than a store's.
    """
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"--store {folder} cannot be opened: it is a file; name a folder")
    if folder.is_dir() and any(e.name not in OURS and not e.name.startswith(PREFIX) for e in folder.iterdir()):
        raise StoreError(f"--store must be a new folder or one made by ingest, got {folder}: it holds other files")


@contextlib.contextmanager
def readable(path: Path) -> Iterator[Path]:
    """Yield a database folder, or a copy if it cannot be written, since Chroma writes even when it reads.

    Raises:
        StoreError: the index is damaged.
    """
    require_sound(path)
    if _is_writable(path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="quarry-read-") as folder:
        copy = Path(shutil.copytree(path, folder, dirs_exist_ok=True, copy_function=shutil.copyfile))
        for copied in (copy, *copy.rglob("*")):  # copies of read-only folders are read-only
            copied.chmod(0o700 if copied.is_dir() else 0o600)
        yield copy


def _is_writable(path: Path) -> bool:
    """Return whether a database can be written, on a disk that is not full."""
    try:
        with tempfile.TemporaryFile(dir=path) as probe:
            probe.write(b"0")
    except OSError:
        return False
    return os.access(path, os.W_OK) and os.access(path / "chroma.sqlite3", os.W_OK)


def require_sound(path: Path) -> None:
    """Pass if the index files of a database are as the ingest left them; a damaged index would crash the process.

    Raises:
        StoreError: a file has another checksum.
    """
    try:
        expected = json.loads((path / CHECKSUMS).read_bytes())
    except FileNotFoundError:
        return
    except (OSError, ValueError):
        expected = None
    if expected != _checksums(path):
        raise StoreError(f"{path}: must hold the index that ingest wrote, it is damaged; ingest anew")


def _checksums(path: Path) -> dict[str, str]:
    """Return the SHA-256 of each index file of a database, by its path; Chroma rebuilds indexes without metadata."""
    found = {}
    for index in path.glob("*/index_metadata.pickle"):
        for file in sorted(index.parent.iterdir()):
            with file.open("rb") as content:
                found[file.relative_to(path).as_posix()] = hashlib.file_digest(content, "sha256").hexdigest()
    return found


@contextlib.contextmanager
def next_generation(folder: Path) -> Iterator[Path]:
    """Yield a copy of the valid database; the copy becomes valid when the block ends, and is removed if that raises.

    Other writers wait meanwhile.

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
            if old is not None and old.is_dir():
                require_sound(old)
                shutil.copytree(old, new)
            else:
                new.mkdir()
            yield new
            (new / CHECKSUMS).write_text(json.dumps(_checksums(new)), encoding="utf-8")
            pointer = folder / f"{CURRENT}.new"
            pointer.write_text(f"{new.name}\n", encoding="utf-8")
            for path in (*new.rglob("*"), pointer):
                if path.is_file():  # after a power cut the new database must be on the disk as a whole
                    with path.open("r+b") as file:
                        os.fsync(file.fileno())
            pointer.replace(folder / CURRENT)
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
    try:
        with filelock.FileLock(folder.with_name(f".{folder.name}.lock"), timeout=WAIT_S):
            yield
    except filelock.Timeout as error:
        raise StoreError("another ingest is writing to it; wait until it ends") from error


def _remove_others(folder: Path, kept: Path | None) -> None:
    """Remove all databases but one: copies of killed ingests, and replaced ones."""
    for path in folder.glob(f"{PREFIX}*"):
        if path != kept:
            shutil.rmtree(path, ignore_errors=True)
