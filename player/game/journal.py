"""The journal: a SQLite file of games that one thread asks, so that a hanging disk delays no game.

A process that is killed at any moment finds in it, when it starts again, which games are running, what was told about
them, what it asked and answered, byte for byte. The file holds tokens, so only its owner may read it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import sqlite3
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout

from quarry.configs.terminal import visible
from quarry.player.deadlines import Worker
from quarry.player.errors import JournalError

T = TypeVar("T")

WRITE_BUDGET_S = 3.0
"""Seconds that a game waits for the disk; then it goes on, and what was to be written follows when it can."""
LATE_BUDGET_S = 0.2
"""The same once the disk has been late, until it answers again."""
OPEN_BUDGET_S = 20.0
"""Seconds that opening and reading may take before any game is played."""
VERSION = 1

_SCHEMA = """
CREATE TABLE IF NOT EXISTS players (
    server TEXT NOT NULL, name TEXT NOT NULL, token TEXT NOT NULL, player_id TEXT NOT NULL,
    PRIMARY KEY (server, name)
);
CREATE TABLE IF NOT EXISTS inboxes (
    server TEXT NOT NULL, player TEXT NOT NULL, cursor TEXT NOT NULL, PRIMARY KEY (server, player)
);
CREATE TABLE IF NOT EXISTS games (
    game INTEGER PRIMARY KEY, server TEXT NOT NULL, player TEXT NOT NULL, game_id TEXT NOT NULL,
    began REAL NOT NULL, ended REAL, ending TEXT NOT NULL DEFAULT 'running',
    start TEXT, questions TEXT, answers TEXT, guess TEXT, score TEXT
);
CREATE INDEX IF NOT EXISTS games_by_player ON games (server, player, game_id, game);
CREATE TABLE IF NOT EXISTS replies (
    game INTEGER NOT NULL REFERENCES games, message TEXT NOT NULL, reply TEXT NOT NULL, delivered INTEGER NOT NULL
        DEFAULT 0,
    PRIMARY KEY (game, message)
);
CREATE TABLE IF NOT EXISTS revealed (
    what TEXT NOT NULL PRIMARY KEY, sentence TEXT NOT NULL, word TEXT NOT NULL, told REAL NOT NULL
);
"""


class Journal:
    """A file of games. Safe for many threads, each of which waits at most `budget_s` for the disk.

    Args:
        path: of the file, made if it is not there.
        budget_s: seconds that a game waits for a write.
        say: is told in a line what could not be written; standard error unless given.

    Raises:
        JournalError: it cannot be opened, or is no journal.
    """

    def __init__(self, path: Path, budget_s: float = WRITE_BUDGET_S, say: Callable[[str], None] | None = None) -> None:
        self._path = path
        self._budget_s = budget_s
        self._say = say or functools.partial(print, file=sys.stderr)
        self._warnings: set[str] = set()
        self._late = False
        self._locks: dict[str, FileLock] = {}
        self._worker = Worker("journal")
        try:
            self._patiently(self._open)
        except JournalError:
            self._worker.stop()
            raise

    def close(self) -> None:
        """Write what is left and close the file."""
        with contextlib.suppress(JournalError):
            self._patiently(self._database.close)
        self._worker.stop()
        for lock in self._locks.values():
            lock.release()

    def claim(self, server: str, player: str) -> bool:
        """Whether this process may play as this player with the journal: no other one does so now."""
        who = digest(server, player)[:16]
        if who in self._locks:
            return True
        lock = FileLock(f"{self._path}.{who}.lock", timeout=0)
        try:
            lock.acquire()
        except Timeout:
            return False
        except OSError as error:
            self.warn_once(f"{error}; games go on, and a restart would not know of them")
        self._locks[who] = lock
        return True

    def forget(self) -> int:
        """Forget all that referees revealed; returns how many rounds that were."""
        n_rounds = len(self.rows("SELECT what FROM revealed"))
        self.write(("DELETE FROM revealed", ()))
        return n_rounds

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return what a query finds, before or after games.

        Raises:
            JournalError: the disk failed or is late.
        """
        return self._patiently(lambda: self._database.execute(statement, values).fetchall())

    def rows_in_game(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return what a query finds while a game waits: nothing where the disk fails or is late."""
        return self._in_game(lambda: self._database.execute(statement, values).fetchall(), [])

    def write(self, *statements: tuple[str, tuple[object, ...]]) -> int:
        """Do all of the statements or none; returns the last row id.

        Where the disk fails or is late that is said, and the game goes on: then -1.
        """
        return self._in_game(lambda: self._transact(statements), -1)

    def warn_once(self, reason: str) -> None:
        """Say a thing that went wrong, once."""
        if reason not in self._warnings:
            self._warnings.add(reason)
            self._say(visible(f"journal {self._path}: {reason}"))

    def _open(self) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
            self._path.chmod(0o600)
            self._database = sqlite3.connect(
                str(self._path), isolation_level=None, check_same_thread=False, timeout=5.0
            )
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = FULL")
            version = int(self._database.execute("PRAGMA user_version").fetchone()[0])
            if version not in {0, VERSION}:
                raise JournalError(f"--journal must be of version {VERSION}, got {self._path}: {version}; name another")
            self._database.executescript(_SCHEMA)
            self._database.execute(f"PRAGMA user_version = {VERSION}")
        except JournalError:
            raise
        except (OSError, sqlite3.Error) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise JournalError(
                f"--journal must be a journal or a file that can be made, got {self._path}: {reason}; name another"
            ) from error

    def _patiently(self, task: Callable[[], T]) -> T:
        """Return the result of a task before or after games.

        Raises:
            JournalError: it failed or took too long.
        """
        try:
            return self._worker.start(task).result(OPEN_BUDGET_S)
        except TimeoutError as error:
            raise JournalError(
                f"--journal must be on a disk that answers, got {self._path}: nothing for {OPEN_BUDGET_S:g} s; "
                "name a file elsewhere"
            ) from error
        except sqlite3.Error as error:
            raise JournalError(f"--journal must be readable, got {self._path}: {error}; name another") from error

    def _in_game(self, task: Callable[[], T], otherwise: T) -> T:
        """Return the result of a task during a game; `otherwise` where the disk fails or is late: the game goes on."""
        try:
            found = self._worker.start(task).result(LATE_BUDGET_S if self._late else self._budget_s)
            self._late = False
            return found
        except TimeoutError:
            self._late = True
            late = f"did not answer within {self._budget_s:g} s"
            self.warn_once(f"{late}; games go on, and the journal follows when it can")
        except (sqlite3.Error, OSError) as error:
            self.warn_once(f"{error}; games go on, and a restart would not know of them")
        return otherwise

    def _transact(self, statements: Sequence[tuple[str, tuple[object, ...]]]) -> int:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            rows = [self._database.execute(statement, values) for statement, values in statements]
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")
        return int(rows[-1].lastrowid or 0)


def digest(*parts: str) -> str:
    """Return a hash of texts."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
