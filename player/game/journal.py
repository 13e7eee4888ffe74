"""The journal: a SQLite file of games, tokens and inbox cursors, and the ledger of one player in it.

A process can be killed at any moment. The next process reads from the journal which games are running, with their
hints, questions, answers and replies, byte for byte. The file holds tokens, so only its owner may read it.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic_core import to_json

from ingest.console.terminal import notice
from player.errors import JournalError, UnauthorizedError
from player.protocol.client import HttpGameServer
from player.protocol.messages import Guess, Json, RoundStart, Score, adapter
from player.questions.answer import Answer
from player.questions.question import Question

VERSION = 1

_TABLES = {
    "players": "server TEXT NOT NULL, name TEXT NOT NULL, token TEXT NOT NULL, player_id TEXT NOT NULL, "
    "PRIMARY KEY (server, name)",
    "inboxes": "server TEXT NOT NULL, player TEXT NOT NULL, cursor TEXT NOT NULL, PRIMARY KEY (server, player)",
    "games": "game INTEGER PRIMARY KEY, server TEXT NOT NULL, player TEXT NOT NULL, game_id TEXT NOT NULL, "
    "began REAL NOT NULL, ending TEXT NOT NULL DEFAULT 'running', start TEXT, questions TEXT, answers TEXT, guess TEXT",
    "replies": "game INTEGER NOT NULL REFERENCES games, message TEXT NOT NULL, reply TEXT NOT NULL, "
    "PRIMARY KEY (game, message)",
    "opponents": "server TEXT NOT NULL, player TEXT NOT NULL, opponent TEXT NOT NULL, edition TEXT NOT NULL, "
    "games REAL NOT NULL, PRIMARY KEY (server, player, opponent, edition)",
}
_ADDED_COLUMNS = (
    ("games", "belief", "TEXT"),
    ("games", "score", "TEXT"),
    ("replies", "received", "TEXT"),
    ("replies", "at", "REAL"),
)
"""Columns that journals of earlier versions lack; they are added when such a journal is opened."""
_INDEX = "CREATE INDEX IF NOT EXISTS games_by_player ON games (server, player, game_id, game)"
_READ_GAME = "SELECT game, server, game_id, began, ending, start, questions, answers, guess, belief, score FROM games"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate of a game with the belief in it before and after the answers, 0..1."""

    paragraph_id: str
    opening_sentence: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class SavedMessage:
    """A message of the referee and the reply to it.

    Attributes:
        key: type of the message; of a warm-up call, the question too.
        received: the message as it came; None in journals of earlier versions.
        at: seconds since the epoch at which the reply was ready; None in journals of earlier versions.
    """

    key: str
    reply: Json
    received: Json | None = None
    at: float | None = None


@dataclass(frozen=True, slots=True)
class SavedGame:
    """A game as the journal holds it; what has not happened yet is None or empty.

    Attributes:
        key: key of the game in the journal.
        began: seconds since the epoch.
        ending: "running", "over" or "given up".
        belief: the likeliest candidates, the best first.
        messages: in the order of the replies; empty where games are listed.
    """

    key: int
    server: str
    game_id: str
    began: float
    ending: str
    start: RoundStart | None = None
    questions: tuple[Question, ...] = ()
    answers: tuple[Answer, ...] | None = None
    guess: Guess | None = None
    belief: tuple[Candidate, ...] = ()
    score: Score | None = None
    messages: tuple[SavedMessage, ...] = ()


_FACTS: dict[str, Any] = {
    "start": RoundStart,
    "questions": tuple[Question, ...],
    "answers": tuple[str | None, ...],
    "guess": Guess,
    "belief": tuple[Candidate, ...],
    "score": Score,
}
"""Types of the columns that hold JSON."""


class Journal:
    """A file of games. Safe for many threads, which use it one after another.

    Args:
        path: path of the file, which is made if it does not exist; None keeps the games in memory.
        say: is called with a line about each write that failed; prints to standard error unless given.

    Raises:
        JournalError: the file cannot be opened, or is not a journal.
    """

    def __init__(self, path: Path | None, say: Callable[[str], None] = notice) -> None:
        self._path = path
        self._say = say
        self._warnings: set[str] = set()
        self._locks: dict[str, FileLock] = {}
        self._lock = threading.Lock()
        try:
            if path is not None:
                _make_private(path)
            self._database = sqlite3.connect(
                str(path or ":memory:"),
                isolation_level=None,
                check_same_thread=False,
                timeout=5.0,
            )
            # Python 3.13 warns of a connection that is not closed
            weakref.finalize(self, self._database.close)
            self._make_tables()
        except (OSError, sqlite3.Error) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise JournalError(
                f"Cannot use the journal {path}: {reason}; name another file with --journal."
            ) from error

    def _make_tables(self) -> None:
        execute = self._database.execute
        execute("PRAGMA journal_mode = WAL")
        execute("PRAGMA synchronous = FULL")
        version = int(execute("PRAGMA user_version").fetchone()[0])
        if version not in {0, VERSION}:
            raise OSError(0, f"it is of version {version}, and {VERSION} is read")

        for table, columns in _TABLES.items():
            execute(f"CREATE TABLE IF NOT EXISTS {table} ({columns})")
        for table, column, kind in _ADDED_COLUMNS:
            existing = [row[1] for row in execute(f"PRAGMA table_info({table})")]
            if column not in existing:
                execute(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")
        execute(_INDEX)
        execute(f"PRAGMA user_version = {VERSION}")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()
        for lock in self._locks.values():
            lock.release()

    def claim(self, server: str, player: str) -> bool:
        """Lock a player of the journal for this process; return False if another process has the lock."""
        who = digest(server, player)[:16]
        if self._path is None or who in self._locks:
            return True
        lock = FileLock(f"{self._path}.{who}.lock", timeout=0)
        try:
            lock.acquire()
        except Timeout:
            return False
        except OSError as error:
            self.warn_once(
                f"{error}; games go on, and a restart would not know of them"
            )
        self._locks[who] = lock
        return True

    def token(self, server: str, name: str) -> str:
        """Return the token that a server gave to a player of this name, "" if there is none."""
        query = "SELECT token FROM players WHERE server = ? AND name = ?"
        return self.text(query, server, name)

    def keep_token(self, server: str, name: str, token: str, player_id: str) -> None:
        """Store the token of a player."""
        statement = "INSERT OR REPLACE INTO players VALUES (?, ?, ?, ?)"
        self.write((statement, (server, name, token, player_id)))

    def games(self) -> list[SavedGame]:
        """Read all games without their messages, the latest first; leave out unreadable ones with a warning.

        Raises:
            JournalError: the disk failed.
        """
        return self.read_games("ORDER BY game DESC", with_messages=False)

    def game(self, key: int) -> SavedGame | None:
        """Read a game with its messages; None if the journal does not hold it.

        Raises:
            JournalError: the disk failed.
        """
        games = self.read_games("WHERE game = ?", key)
        return games[0] if games else None

    def read_games(
        self, condition: str, *values: object, with_messages: bool = True
    ) -> list[SavedGame]:
        """Read the games of an SQL condition; leave out unreadable ones with a warning.

        Raises:
            JournalError: the disk failed.
        """
        games = []
        for key, server, game_id, *fields in self.rows(
            f"{_READ_GAME} {condition}", *values
        ):
            try:
                began, ending, *facts = fields
                columns = {}
                for (name, kind), fact in zip(_FACTS.items(), facts, strict=True):
                    if fact is not None:
                        columns[name] = _loaded(kind, fact)
                if with_messages:
                    columns["messages"] = self._messages(key)
                game = SavedGame(key, server, game_id, float(began), ending, **columns)
            except _UNREADABLE as error:
                self.warn_once(
                    f"game {game_id} cannot be read and is skipped: {type(error).__name__}"
                )
            else:
                games.append(game)
        return games

    def _messages(self, key: int) -> tuple[SavedMessage, ...]:
        query = "SELECT message, reply, received, at FROM replies WHERE game = ? ORDER BY rowid"
        messages = []
        for message, reply, received, at in self.rows(query, key):
            envelope = None if received is None else _loaded(Json, received)
            messages.append(SavedMessage(message, _loaded(Json, reply), envelope, at))
        return tuple(messages)

    def text(self, query: str, *values: object) -> str:
        """Return the first column of the first row of a query, "" without rows.

        Raises:
            JournalError: the disk failed.
        """
        rows = self.rows(query, *values)
        return str(rows[0][0]) if rows else ""

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query.

        Raises:
            JournalError: the disk failed.
        """
        try:
            with self._lock:
                return self._database.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise JournalError(
                f"Cannot read the journal {self._path}: {error}; name another file with --journal."
            ) from error

    def write(self, *statements: tuple[str, tuple[object, ...]]) -> int:
        """Run statements in one transaction, and return the last row id; warn and return -1 if the disk fails."""
        last = -1
        try:
            with (
                self._lock,
                self._database,
            ):  # commits, or rolls back after an error or an interrupt
                self._database.execute("BEGIN IMMEDIATE")
                for statement, values in statements:
                    last = int(self._database.execute(statement, values).lastrowid or 0)
        except (sqlite3.Error, OSError) as error:
            self.warn_once(
                f"{error}; games go on, and a restart would not know of them"
            )
            return -1
        return last

    def warn_once(self, reason: str) -> None:
        """Print a warning unless it was printed before."""
        if reason not in self._warnings:
            self._warnings.add(reason)
            self._say(f"journal {self._path}: {reason}")


class Ledger:
    """The games of one player in a journal.

    Args:
        server: on which the player plays, such as its URL.
        player: name of the player that is unique on the server; not its token.
    """

    def __init__(self, journal: Journal, server: str = "", player: str = "") -> None:
        self._journal = journal
        self._who = (server, player)

    def cursor(self) -> str:
        """Return the cursor of the inbox; all messages before this cursor have their replies."""
        query = "SELECT cursor FROM inboxes WHERE server = ? AND player = ?"
        return self._journal.text(query, *self._who)

    def move_cursor(self, cursor: str) -> None:
        """Store the cursor of the inbox; all messages before this cursor have their replies."""
        statement = "INSERT OR REPLACE INTO inboxes VALUES (?, ?, ?)"
        self._write(statement, *self._who, cursor)

    def ask(self) -> int:
        """Add a game that is about to be requested and has no id yet, and return its key."""
        statement = (
            "INSERT INTO games (server, player, game_id, began) VALUES (?, ?, '', ?)"
        )
        return self._write(statement, *self._who, time.time())

    def name(self, key: int, game_id: str) -> None:
        """Store the id of a game, and give up a running game of the same id, which a restarted server has forgotten."""
        self._journal.write(
            (
                "UPDATE games SET ending = 'given up' "
                "WHERE server = ? AND player = ? AND game_id = ? AND ending = 'running'",
                (*self._who, game_id),
            ),
            ("UPDATE games SET game_id = ? WHERE game = ?", (game_id, key)),
        )

    def knows(self, game_id: str) -> bool:
        """Return whether the ledger holds a game of this id, running or over."""
        query = "SELECT 1 FROM games WHERE server = ? AND player = ? AND game_id = ?"
        return bool(self._journal.rows(query, *self._who, game_id))

    def running(self) -> list[SavedGame]:
        """Read the games that are not over, the oldest first; leave out unreadable ones with a warning.

        A requested game without an id yet has the id "".

        Raises:
            JournalError: the disk failed.
        """
        condition = (
            "WHERE server = ? AND player = ? AND ending = 'running' ORDER BY game"
        )
        return self._journal.read_games(condition, *self._who)

    def replied(
        self,
        key: int,
        message: str,
        reply: Json,
        received: Json | None = None,
        **facts: object,
    ) -> None:
        """Store a reply before it is sent, and facts of its game.

        Args:
            message: key of the message that it replies to; see `SavedMessage`.
            received: the message itself.
            facts: values of the columns start, questions, answers, guess and belief.
        """
        envelope = None if received is None else _dumped(received)
        row = (key, message, _dumped(reply), envelope, time.time())
        statements: list[tuple[str, tuple[object, ...]]] = [
            (
                "INSERT OR IGNORE INTO replies (game, message, reply, received, at) VALUES (?, ?, ?, ?, ?)",
                row,
            )
        ]
        for name, fact in facts.items():
            assert name in _FACTS
            statement = f"UPDATE games SET {name} = ? WHERE game = ?"
            statements.append((statement, (_dumped(fact), key)))
        self._journal.write(*statements)

    def scored(self, key: int, score: Score) -> None:
        """Store the score of a game."""
        self._write("UPDATE games SET score = ? WHERE game = ?", _dumped(score), key)

    def editions(self, opponent: str) -> dict[str, float]:
        """Return the number of games in which an opponent held each edition; warn and return {} if the disk fails.

        Beliefs are added up.
        """
        query = (
            "SELECT edition, games FROM opponents "
            "WHERE server = ? AND player = ? AND opponent = ?"
        )
        try:
            return dict(self._journal.rows(query, *self._who, opponent))
        except JournalError as error:
            self._journal.warn_once(
                f"{error.__cause__}; games go on without the editions of earlier games"
            )
            return {}

    def learn(self, opponent: str, shares: Mapping[str, float]) -> None:
        """Add the belief over the editions of a game that an opponent has refereed.

        Args:
            shares: probability by edition, summing to 1.
        """
        statement = (
            "INSERT INTO opponents VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT DO UPDATE SET games = games + excluded.games"
        )
        rows = ((*self._who, opponent, name, share) for name, share in shares.items())
        self._journal.write(*((statement, row) for row in rows))

    def end(self, key: int, ending: str) -> None:
        """Store that a game has ended, as "over" or "given up"."""
        self._write("UPDATE games SET ending = ? WHERE game = ?", ending, key)

    def _write(self, statement: str, *values: object) -> int:
        return self._journal.write((statement, values))


def authenticate(
    server: HttpGameServer, name: str, journal: Journal, say: Callable[[str], None]
) -> Ledger:
    """Log in by the client's token, else by the journal's, else by registering; return the player's ledger.

    Args:
        name: to register under, if there is no token.
        say: is called with a line if the journal cannot be used.
    """
    saved = "" if server.token else journal.token(server.url, name)
    is_in_use = bool(saved) and not journal.claim(server.url, digest(saved))
    if saved and not is_in_use:
        server.use(saved)
        ledger = Ledger(journal, server.url, digest(saved))
        try:
            server.inbox(ledger.cursor(), 0.0)
            return ledger
        except UnauthorizedError:
            if running := ledger.running():
                say(
                    "the server no longer knows the player of unfinished games; they are given up"
                )
            for record in running:
                ledger.end(record.key, "given up")
            server.use("")
    if not server.token:
        server.register(name)
        if not is_in_use:  # the other process must find its own token after a restart
            journal.keep_token(server.url, name, server.token, server.player_id)
    if not journal.claim(server.url, digest(server.token)):
        say(
            "another process plays as this player with the journal; these games are played without it"
        )
        journal = Journal(None)
    return Ledger(journal, server.url, digest(server.token))


def digest(*parts: str) -> str:
    """Return a hash of texts."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


_UNREADABLE = (ValueError, TypeError, KeyError, RecursionError, OverflowError)
"""Errors of a column that was altered."""


def _make_private(path: Path) -> None:
    """Make the file of a journal, or check an existing one; only its owner may read it.

    Raises:
        OSError: the path is a link, a device or a folder, or the file cannot be opened.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    for name in (f"{path}-wal", f"{path}-shm"):
        if Path(name).is_symlink():
            raise OSError(0, f"{name} is a link")
    if path.is_symlink():
        raise OSError(0, "it is a link")

    flags = os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(path, flags, 0o600)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(0, "it is not a regular file")
        if status.st_uid == os.geteuid():
            os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)


def _dumped(fact: Any) -> str:
    """Write a value as JSON for `_loaded` to read."""
    return to_json(fact).decode()


def _loaded(kind: Any, text: str) -> Any:
    return adapter(kind).validate_json(text)
