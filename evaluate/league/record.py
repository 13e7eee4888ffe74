"""A league on disk, in SQLite: what a player is told is written before it is sent, so that a kill loses nothing."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sqlite3
import threading
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

from quarry.evaluate.errors import EvaluateError

VERSION = 1

_SCHEMA = """
CREATE TABLE IF NOT EXISTS memory (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS players (
    player_id TEXT PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, place INTEGER NOT NULL,
    plays INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS inbox (
    player_id TEXT NOT NULL, place INTEGER NOT NULL, envelope TEXT NOT NULL, PRIMARY KEY (player_id, place)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS taken (
    player_id TEXT NOT NULL, message_id TEXT NOT NULL, PRIMARY KEY (player_id, message_id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS games (
    game_id TEXT PRIMARY KEY, round INTEGER NOT NULL, number INTEGER NOT NULL, players TEXT NOT NULL, setting TEXT
);
CREATE TABLE IF NOT EXISTS matches (
    game_id TEXT NOT NULL, player_id TEXT NOT NULL, state TEXT NOT NULL, play TEXT NOT NULL,
    PRIMARY KEY (game_id, player_id)
) WITHOUT ROWID;
"""


class RecordError(EvaluateError, OSError):
    """A league's record cannot be used."""


class Record:
    """The file. Only its owner may read it. Safe for many threads.

    Args:
        path: made if it is not there; None keeps everything in memory and forgets it.

    Raises:
        RecordError: it cannot be opened, or is no record.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._lock = threading.RLock()
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
                path.chmod(0o600)
            self._database = sqlite3.connect(str(path or ":memory:"), isolation_level=None, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            version = int(self._database.execute("PRAGMA user_version").fetchone()[0])
            if version not in {0, VERSION}:
                raise RecordError(f"--record must be of version {VERSION}, got {path}: {version}; name another")
            self._database.executescript(_SCHEMA)
            self._database.execute(f"PRAGMA user_version = {VERSION}")
            self.key = bytes.fromhex(self.memory.setdefault("key", secrets.token_hex(32)))
        except (OSError, sqlite3.Error, ValueError) as error:
            if isinstance(error, RecordError):
                raise
            reason = getattr(error, "strerror", None) or str(error)
            raise RecordError(
                f"--record must be a league's record or a file that can be made, got {path}: {reason}; name another"
            ) from error

    @property
    def memory(self) -> Memory:
        """Values by name."""
        return Memory(self)

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """What a query finds."""
        with self._lock:
            return self._database.execute(statement, values).fetchall()

    def write(self, statement: str, *values: object) -> None:
        """Do one statement, within the transaction that is under way if there is one."""
        with self._lock:
            self._database.execute(statement, values)

    @contextlib.contextmanager
    def change(self) -> Iterator[None]:
        """All statements within are done, or none."""
        with self._lock:
            if self._database.in_transaction:
                yield
                return
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()


class Memory(MutableMapping[str, str]):
    """Values by name, on disk."""

    def __init__(self, record: Record) -> None:
        self._record = record

    def __getitem__(self, name: str) -> str:
        found = self._record.rows("SELECT value FROM memory WHERE name = ?", name)
        if not found:
            raise KeyError(name)
        return str(found[0][0])

    def __setitem__(self, name: str, value: str) -> None:
        self._record.write("INSERT OR REPLACE INTO memory VALUES (?, ?)", name, value)

    def __delitem__(self, name: str) -> None:
        self._record.write("DELETE FROM memory WHERE name = ?", name)

    def __iter__(self) -> Iterator[str]:
        return iter([str(row[0]) for row in self._record.rows("SELECT name FROM memory")])

    def __len__(self) -> int:
        return int(self._record.rows("SELECT count(*) FROM memory")[0][0])


def dumped(document: object) -> str:
    """A document as it is kept."""
    return json.dumps(document, ensure_ascii=False)
