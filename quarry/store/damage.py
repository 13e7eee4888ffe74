"""Checks of a database folder before Chroma opens it, since a damaged file may abort the process."""

import contextlib
import hashlib
import json
import os
import sqlite3
import stat
from itertools import chain
from pathlib import Path

from quarry.errors import StoreDamagedError
from quarry.files import read_own, write_whole

DATABASE = "chroma.sqlite3"

CHECKSUMS = "checksums.json"
"""Name of the file with a database's checksums; a database of an early version has none."""

MIGRATIONS = "migrations"
"""Key of the number of migrations that Chroma had applied to the tables."""

_ROWS = (
    "SELECT * FROM collections WHERE id = :id",
    "SELECT * FROM collection_metadata WHERE collection_id = :id ORDER BY key",
    "SELECT * FROM segments WHERE collection = :id ORDER BY id",
    "SELECT * FROM segments s JOIN embeddings e ON e.segment_id = s.id "
    "LEFT JOIN embedding_metadata m ON m.id = e.id WHERE s.collection = :id ORDER BY e.id, m.key",
    "SELECT * FROM embeddings_queue WHERE topic LIKE '%/' || :id ORDER BY seq_id",
)
"""Queries for all that Chroma holds of a collection, apart from its index files."""


def require_sound(path: Path) -> None:
    """Pass if a database folder holds what the ingest wrote.

    Raises:
        StoreDamagedError: a file is missing, damaged, or was changed by another program.
    """
    try:
        actual = _checksums(path)
        if not (path / CHECKSUMS).exists():
            return
        expected = dict(json.loads(read_own(path / CHECKSUMS)[0]))
    except (OSError, ValueError, TypeError, sqlite3.Error) as error:
        raise _damaged(path, f" ({' '.join(str(error).split())})") from error

    if actual[MIGRATIONS] != expected.get(MIGRATIONS):
        # written by an earlier version of this program, or migrated by a newer Chroma
        expected = {name: item for name, item in expected.items() if "/" in name}
    if any(actual.get(name) != checksum for name, checksum in expected.items()):
        raise _damaged(path)


def write_checksums(path: Path) -> None:
    """Write the checksums of a database folder that no client has open."""
    write_whole(path / CHECKSUMS, json.dumps(_checksums(path)).encode())


def _damaged(path: Path, reason: str = "") -> StoreDamagedError:
    return StoreDamagedError(
        f"{path} is damaged{reason}; run: quarry ingest PATH... --store {path.parent}"
    )


def _checksums(path: Path) -> dict[str, str]:
    """Return the SHA-256 of each index file of a database, by its path, and of the rows of each collection, by its id.

    Chroma rebuilds an index that has no metadata, so that its files do not count.

    Raises:
        OSError: a file cannot be read, or is a link or a pipe.
        sqlite3.Error: the database is damaged.
    """
    if not stat.S_ISREG(os.lstat(path / DATABASE).st_mode):
        raise OSError(f"{DATABASE} is not a regular file")

    uri = (path / DATABASE).absolute().as_uri()
    connection = sqlite3.connect(f"{uri}?mode=rw", uri=True)
    with contextlib.closing(connection) as database:
        database.text_factory = bytes
        database.execute("PRAGMA trusted_schema = OFF")
        verdict = database.execute("PRAGMA quick_check(1)").fetchone()[0]
        if verdict != b"ok":
            raise sqlite3.DatabaseError(verdict.decode(errors="replace"))
        (n_migrations,) = database.execute("SELECT count(*) FROM migrations").fetchone()
        checksums = {MIGRATIONS: str(n_migrations)}
        for (collection,) in database.execute("SELECT id FROM collections").fetchall():
            name = collection.decode()
            digest = hashlib.sha256()
            for query in _ROWS:
                for value in chain.from_iterable(database.execute(query, {"id": name})):
                    is_bytes = type(value) is bytes
                    digest.update(value if is_bytes else repr(value).encode())
                    digest.update(b"\0")
            checksums[name] = digest.hexdigest()

    for metadata in path.glob("*/index_metadata.pickle"):
        for file in sorted(metadata.parent.iterdir()):
            name = file.relative_to(path).as_posix()
            checksums[name] = hashlib.sha256(read_own(file)[0]).hexdigest()
    return checksums
