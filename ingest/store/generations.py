"""Generations of a store's folder: a change is made in a copy, and one rename puts the copy in force.

Chroma writes its index files in place, so that a process killed at the wrong moment leaves them torn. Nothing that is
in force is therefore ever written to: STORE/current names the one folder that counts.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

from quarry.configs.terminal import visible
from quarry.ingest.errors import StoreError

if os.name == "posix":
    import fcntl

CURRENT = "current"
PREFIX = "chroma-"
UNCHANGING = "-words"
"""End of the names of folders whose files are never written to again."""
_NAME = re.compile(rf"{PREFIX}[A-Za-z0-9._-]{{1,100}}")
OURS = (CURRENT, f"{CURRENT}.new", "models", "staged")


def current_generation(folder: Path) -> Path | None:
    """The Chroma folder in force, None if there is none yet.

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


def stamp_of(folder: Path) -> tuple[int, int] | None:
    """What changes whenever another generation is in force; None if there is none."""
    try:
        found = os.stat(os.path.join(folder, CURRENT))  # asked by every search; a Path takes longer than the system
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


class Hold:
    """The Chroma folder in force, which stays as long as somebody holds it, in whatever process.

    The system lets go for a process that dies. Without flock, as on Windows, only open files stay.

    Attributes:
        path: the Chroma folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None
        if os.name == "posix":
            self._handle = os.open(path, os.O_RDONLY)
            fcntl.flock(self._handle, fcntl.LOCK_SH)

    def release(self) -> None:
        """Let go; once is enough."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def __del__(self) -> None:
        if hasattr(self, "_handle"):
            self.release()


def hold_current(folder: Path) -> Hold | None:
    """A hold on the Chroma folder in force, None if there is none yet."""
    while (path := current_generation(folder)) is not None:
        try:
            hold = Hold(path)
        except FileNotFoundError:
            if path == current_generation(folder):
                raise
            continue  # replaced and removed since the pointer was read
        if path == current_generation(folder):
            return hold
        hold.release()
    return None


def holds_other_files(folder: Path) -> bool:
    """Whether a folder holds anything that is not a store's."""
    return folder.exists() and any(
        entry.name not in OURS and not entry.name.startswith(PREFIX) for entry in folder.iterdir()
    )


@contextlib.contextmanager
def next_generation(folder: Path) -> Iterator[Path]:
    """A copy of the Chroma folder in force, to be changed; in force when the block ends, gone when it raises.

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
        shutil.copytree(old, new, copy_function=_linked_or_copied)
    except shutil.Error as error:  # tells of every file that could not be copied; the first one will do
        raise OSError(error.args[0][0][-1]) from error


def _linked_or_copied(source: str, target: str) -> None:
    """A copy of a file, or a second name for one that is never written to again."""
    if Path(source).parent.name.endswith(UNCHANGING):
        try:
            os.link(source, target)
        except OSError:  # the file system knows no links
            pass
        else:
            return
    shutil.copy2(source, target)


def remove_others(folder: Path, kept: Path | None) -> None:
    """Remove the generations that nobody holds: copies of killed ingests, and what was replaced."""
    for path in folder.glob(f"{PREFIX}*"):
        if path != kept and not _is_held(path):
            shutil.rmtree(path, ignore_errors=True)


def _is_held(path: Path) -> bool:
    if os.name != "posix":
        return False
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _to_disk(path: Path) -> None:
    """Wait until the disk has it, so that a power cut cannot put a half-written copy in force."""
    if os.name != "posix" and path.is_dir():
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
