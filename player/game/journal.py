"""The journal: a SQLite file of games, tokens and inbox cursors, and the ledger of one player in it.

A process can be killed at any moment. The next process reads from the journal which games are running, with their
hints, questions, answers and replies, byte for byte. The file holds tokens, so only its owner may read it.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sqlite3
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic_core import to_json

from quarry.configs.terminal import visible
from quarry.player.errors import JournalError, UnauthorizedError
from quarry.player.protocol.client import HttpGameServer
from quarry.player.protocol.messages import Guess, Json, RoundStart, adapter
from quarry.player.questions.answer import Answer
from quarry.player.questions.question import Question

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
    began REAL NOT NULL, ending TEXT NOT NULL DEFAULT 'running',
    start TEXT, questions TEXT, answers TEXT, guess TEXT
);
CREATE INDEX IF NOT EXISTS games_by_player ON games (server, player, game_id, game);
CREATE TABLE IF NOT EXISTS replies (
    game INTEGER NOT NULL REFERENCES games, message TEXT NOT NULL, reply TEXT NOT NULL,
    PRIMARY KEY (game, message)
);
"""


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A running game, as an earlier process left it.

    Attributes:
        key: key of the game in the journal.
        replies: the replies, by the message that they answer.
    """

    key: int
    game_id: str
    start: RoundStart | None
    questions: tuple[Question, ...]
    answers: tuple[Answer, ...] | None
    guess: Guess | None
    replies: Mapping[str, Json]


class Journal:
    """A file of games. Safe for many threads, which use it one after another.

    Args:
        path: path of the file, which is made if it does not exist; None keeps the games in memory.
        say: is called with a line about each write that failed; prints to standard error unless given.

    Raises:
        JournalError: the file cannot be opened, or is not a journal.
    """

    def __init__(self, path: Path | None, say: Callable[[str], None] | None = None) -> None:
        self._path = path
        self._say = say or functools.partial(print, file=sys.stderr)
        self._warnings: set[str] = set()
        self._locks: dict[str, FileLock] = {}
        self._lock = threading.Lock()
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
                path.chmod(0o600)
            named = str(path or ":memory:")
            self._database = sqlite3.connect(named, isolation_level=None, check_same_thread=False, timeout=5.0)
            weakref.finalize(self, self._database.close)  # Python 3.13 warns of a connection that is not closed
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = FULL")
            version = int(self._database.execute("PRAGMA user_version").fetchone()[0])
            if version not in {0, VERSION}:
                raise OSError(0, f"it is of version {version}, and {VERSION} is read")
            self._database.executescript(_SCHEMA)
            self._database.execute(f"PRAGMA user_version = {VERSION}")
        except (OSError, sqlite3.Error) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise JournalError(
                f"--journal must be a journal or a file that can be made, got {path}: {reason}; name another"
            ) from error

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
            self.warn_once(f"{error}; games go on, and a restart would not know of them")
        self._locks[who] = lock
        return True

    def token(self, server: str, name: str) -> str:
        """Return the token that a server gave to a player of this name, "" if there is none."""
        found = self.rows("SELECT token FROM players WHERE server = ? AND name = ?", server, name)
        return str(found[0][0]) if found else ""

    def keep_token(self, server: str, name: str, token: str, player_id: str) -> None:
        """Store the token of a player."""
        self.write(("INSERT OR REPLACE INTO players VALUES (?, ?, ?, ?)", (server, name, token, player_id)))

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query.

        Raises:
            JournalError: the disk failed.
        """
        try:
            with self._lock:
                return self._database.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise JournalError(f"--journal must be readable, got {self._path}: {error}; name another") from error

    def write(self, *statements: tuple[str, tuple[object, ...]]) -> int:
        """Run statements in one transaction, and return the last row id; warn and return -1 if the disk fails."""
        last = -1
        try:
            with self._lock, self._database:  # commits, or rolls back after an error or an interrupt
                self._database.execute("BEGIN IMMEDIATE")
                for statement, values in statements:
                    last = int(self._database.execute(statement, values).lastrowid or 0)
        except (sqlite3.Error, OSError) as error:
            self.warn_once(f"{error}; games go on, and a restart would not know of them")
            return -1
        return last

    def warn_once(self, reason: str) -> None:
        """Print a warning unless it was printed before."""
        if reason not in self._warnings:
            self._warnings.add(reason)
            self._say(visible(f"journal {self._path}: {reason}"))


_RUNNING = (
    "SELECT game, game_id, start, questions, answers, guess FROM games "
    "WHERE server = ? AND player = ? AND ending = 'running' ORDER BY game"
)


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
        found = self._journal.rows("SELECT cursor FROM inboxes WHERE server = ? AND player = ?", *self._who)
        return str(found[0][0]) if found else ""

    def move_cursor(self, cursor: str) -> None:
        """Store the cursor of the inbox; all messages before this cursor have their replies."""
        self._write("INSERT OR REPLACE INTO inboxes VALUES (?, ?, ?)", *self._who, cursor)

    def ask(self) -> int:
        """Add a game that is about to be requested and has no id yet, and return its key."""
        return self._write(
            "INSERT INTO games (server, player, game_id, began) VALUES (?, ?, '', ?)", *self._who, time.time()
        )

    def name(self, key: int, game_id: str) -> None:
        """Store the id of a game, and give up a running game of the same id, which a restarted server has forgotten."""
        self._write(
            "UPDATE games SET ending = 'given up' WHERE server = ? AND player = ? AND game_id = ? "
            "AND ending = 'running'",
            *self._who,
            game_id,
        )
        self._write("UPDATE games SET game_id = ? WHERE game = ?", game_id, key)

    def knows(self, game_id: str) -> bool:
        """Return whether the ledger holds a game of this id, running or over."""
        played = "SELECT 1 FROM games WHERE server = ? AND player = ? AND game_id = ?"
        return bool(self._journal.rows(played, *self._who, game_id))

    def running(self) -> list[GameRecord]:
        """Read the games that are not over, the oldest first; leave out unreadable ones with a warning.

        A requested game without an id yet has the id "".

        Raises:
            JournalError: the disk failed.
        """
        records = []
        for key, game_id, start, questions, answers, guess in self._journal.rows(_RUNNING, *self._who):
            replies = self._journal.rows("SELECT message, reply FROM replies WHERE game = ? ORDER BY rowid", key)
            try:
                record = GameRecord(
                    int(key),
                    str(game_id),
                    adapter(RoundStart).validate_json(start) if start else None,
                    adapter(tuple[Question, ...]).validate_json(questions) if questions else (),
                    adapter(tuple[str | None, ...]).validate_json(answers) if answers else None,
                    adapter(Guess).validate_json(guess) if guess else None,
                    {str(message): adapter(Json).validate_json(reply) for message, reply in replies},
                )
            except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as error:  # an altered column
                self._journal.warn_once(f"game {game_id} cannot be read and is left out: {type(error).__name__}")
            else:
                records.append(record)
        return records

    def replied(self, key: int, message: str, reply: Json, **facts: object) -> None:
        """Store a reply before it is sent, and columns of its game.

        Args:
            message: type of the message that it replies to.
            facts: values of the columns start, questions, answers and guess.
        """
        assert facts.keys() <= {"start", "questions", "answers", "guess"}
        self._journal.write(
            ("INSERT OR IGNORE INTO replies (game, message, reply) VALUES (?, ?, ?)", (key, message, _dumped(reply))),
            *((f"UPDATE games SET {name} = ? WHERE game = ?", (_dumped(fact), key)) for name, fact in facts.items()),
        )

    def end(self, key: int, ending: str) -> None:
        """Store that a game has ended, as "over" or "given up"."""
        self._write("UPDATE games SET ending = ? WHERE game = ?", ending, key)

    def _write(self, statement: str, *values: object) -> int:
        return self._journal.write((statement, values))


def authenticate(server: HttpGameServer, name: str, journal: Journal, say: Callable[[str], None]) -> Ledger:
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
                say("the server no longer knows the player of unfinished games; they are given up")
            for record in running:
                ledger.end(record.key, "given up")
            server.use("")
    if not server.token:
        server.register(name)
        if not is_in_use:  # the other process must find its own token after a restart
            journal.keep_token(server.url, name, server.token, server.player_id)
    if not journal.claim(server.url, digest(server.token)):
        say("another process plays as this player with the journal; these games are played without it")
        journal = Journal(None)
    return Ledger(journal, server.url, digest(server.token))


def digest(*parts: str) -> str:
    """Return a hash of texts."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _dumped(fact: Any) -> str:
    """Write a value as JSON for `adapter` to read."""
    return to_json(fact).decode()
