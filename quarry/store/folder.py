"""A store in a folder. Each generation is a folder with a Chroma database, the content, and checksums of indices."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from configs.faults import require_regular
from quarry.errors import StoreError
from quarry.store import chroma
from quarry.store.content import Content, load_content, save_content
from quarry.store.generations import DRAFT, Generations
from quarry.terminal import visible

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection

CONTENT_FILE = "content.npz"
"""File with the content of the course."""
CHECKSUMS = "checksums.json"
"""File with the checksums of the files of Chroma's index."""
DATABASE = "chroma.sqlite3"
"""Chroma's own file."""


class Folder(Generations):
    """The generations in a folder, each a folder of its own."""

    def list_identities(self) -> dict[str, Hashable]:
        """Return the names of everything in the folder, each with the identity of its content or None."""
        identities: dict[str, Hashable] = {}
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            for name in os.listdir(self.location):
                identities[name] = self._identity(name)
        return identities

    def write(self, name: str, content: Content) -> None:
        """Write the database, its checksums and the content; return when all files are on the disk."""
        folder = Path(self.location, name)
        folder.mkdir(parents=True)
        with chroma.database_at(folder) as client:
            chroma.write_paragraphs(client, self.collection, content)
        (folder / CHECKSUMS).write_text(json.dumps(_checksums(folder)))
        with (folder / CONTENT_FILE).open("wb") as file:
            save_content(content, file)
        for path in filter(Path.is_file, folder.rglob("*")):
            with path.open("r+b") as file:
                os.fsync(file.fileno())

    def rename(self, name: str, new: str) -> None:
        """Rename a folder; a folder with files is never replaced."""
        os.rename(Path(self.location, name), Path(self.location, new))

    def remove(self, name: str) -> None:
        """Remove a folder."""
        shutil.rmtree(Path(self.location, name))

    def read(self, name: str) -> Content:
        """Return the content of a generation."""
        with Path(self.location, name, CONTENT_FILE).open("rb") as file:
            return load_content(file, self.location)

    @contextlib.contextmanager
    def open_collection(self, number: int) -> Iterator[Collection]:
        """Open a copy of the database: Chroma writes even when it reads, and later ingests remove the folder."""
        self.require_usable(number)
        database = Path(self.location, self.generation_name(number))
        with tempfile.TemporaryDirectory(prefix="quarry-") as work:
            copy = Path(work, database.name)
            shutil.copytree(database, copy, copy_function=shutil.copyfile)
            for path in (copy, *copy.rglob("*")):  # of a read-only folder
                path.chmod(0o700 if path.is_dir() else 0o600)
            with chroma.database_at(copy) as client:
                yield client.get_collection(self.collection, embedding_function=None)

    def require_usable(self, number: int) -> None:
        """Check the database of a generation; for number 0, check that the folder is empty.

        Hidden files are ignored, and other files next to a store.

        Raises:
            StoreDamagedError: the database is damaged.
            StoreError: it cannot be read; or the location is a file, or holds other files and no store.
        """
        if number:
            remedy = f"run: quarry ingest PATH... --store {self.location}"
            with self.reading(number, remedy):
                check_database(Path(self.location, self.generation_name(number)))
            return
        folder = Path(self.location)
        if folder.is_file():
            raise StoreError(
                f"--store {folder} cannot be opened: it is a file; name a folder"
            )

        identities = self.list_identities()
        if any(identities.values()):
            return
        for name in sorted(identities):
            if not name.startswith(".") and DRAFT not in name:
                raise StoreError(
                    f"--store {folder} holds {visible(name)!r} and no store; name a new folder, or one made by ingest"
                )

    def _identity(self, name: str) -> Hashable:
        """Return inode and time of the content of a generation, which no other content of that name has.

        None if there is no content.
        """
        try:
            status = os.stat(os.path.join(self.location, name, CONTENT_FILE))
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns


def check_database(folder: Path) -> None:
    """Check that a database is as the ingest wrote it; a damaged index may abort the process that opens it.

    Raises:
        OSError: a file cannot be read.
        ValueError, sqlite3.Error: a file is missing, damaged, or changed by another program.
    """
    try:
        expected = json.loads((folder / CHECKSUMS).read_bytes())
        if not isinstance(expected, dict):
            raise ValueError(f"{CHECKSUMS} is not a JSON object")
        for name, checksum in expected.items():
            if _checksum(folder / name) != checksum:
                raise ValueError(f"{visible(name)} has changed")
    except FileNotFoundError as error:
        raise ValueError(f"{error.filename} is missing") from error
    uri = (folder / DATABASE).absolute().as_uri()
    # immutable: without a lock, which would need a writable folder
    connection = sqlite3.connect(f"{uri}?mode=ro&immutable=1", uri=True)

    with contextlib.closing(connection) as database:
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("SELECT name FROM collections")  # an empty file has none
        (verdict,) = database.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise ValueError(str(verdict))


def _checksums(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of the indices that have metadata; Chroma rebuilds the others."""
    checksums = {}
    for metadata in folder.glob("*/index_metadata.pickle"):
        for path in metadata.parent.iterdir():
            checksums[path.relative_to(folder).as_posix()] = _checksum(path)
    return checksums


def _checksum(path: Path) -> str:
    require_regular(path)
    return hashlib.sha256(path.read_bytes()).hexdigest()
