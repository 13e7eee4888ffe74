"""The journal: a SQLite file with games, tokens and inbox cursors.

A process may be killed at any moment. The next process reads the running games from the journal, with their hints,
questions, answers and replies, byte for byte. The file holds tokens, so only its owner may read it.
"""

import contextlib
import hashlib
import logging
import sqlite3
import threading
import time
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic import TypeAdapter
from pydantic_core import from_json, to_json
from tenacity import (
    Retrying,
    retry_if_exception_message,
    stop_after_delay,
    wait_fixed,
)

from configs.directories import default_journal
from player.errors import JournalError
from player.game.record import GameRecord, Label, SavedGame
from player.round import Json
from quarry.files import make_private
from quarry.locks import WAIT_S, remove_lock

_log = logging.getLogger(__name__)
VERSION = 1
"""Version of the tables; a journal of another version is refused."""
SqlStatement = tuple[str, tuple[object, ...]]
"""SQL, and the values of its question marks."""
NOT_RECORDED = "games go on, and a restart would not know of them"
"""End of a warning that a write failed."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS players (
    server TEXT NOT NULL, name TEXT NOT NULL, token TEXT NOT NULL, player_id TEXT NOT NULL,
    PRIMARY KEY (server, name)
);
CREATE TABLE IF NOT EXISTS inboxes (
    server TEXT NOT NULL, player TEXT NOT NULL, cursor TEXT NOT NULL,
    PRIMARY KEY (server, player)
);
CREATE TABLE IF NOT EXISTS games (
    game INTEGER PRIMARY KEY, server TEXT NOT NULL, player TEXT NOT NULL, game_id TEXT NOT NULL,
    began REAL NOT NULL, ending TEXT NOT NULL DEFAULT 'running',
    start TEXT, questions TEXT, answers TEXT, guess TEXT, score TEXT, label TEXT
);
CREATE TABLE IF NOT EXISTS replies (
    game INTEGER NOT NULL REFERENCES games, message TEXT NOT NULL, reply TEXT NOT NULL, received TEXT, at REAL,
    PRIMARY KEY (game, message)
);
CREATE TABLE IF NOT EXISTS opponents (
    server TEXT NOT NULL, player TEXT NOT NULL, opponent TEXT NOT NULL, edition TEXT NOT NULL, games REAL NOT NULL,
    PRIMARY KEY (server, player, opponent, edition)
);
CREATE INDEX IF NOT EXISTS games_by_player ON games (server, player, game_id, game);
"""
"""Tables, and the index for the games of a player."""
_OURS = "server = ? AND player = ?"
"""Condition for the rows of the player."""
_GIVE_UP = f"UPDATE games SET ending = 'given up' WHERE {_OURS} AND ending = 'running'"
"""Statement that ends the player's running games."""
_FACTS = ("start", "questions", "answers", "guess", "score", "label")
"""Columns of a game that hold its facts."""
_JSON = {*_FACTS, "reply", "received"}
"""Columns that hold JSON."""
_GAMES = (
    "SELECT game AS key, server, game_id, began, ending, start, questions, answers, guess, score, "
    "CASE ending WHEN 'running' THEN NULL ELSE label END AS label FROM games"
)
"""Query of games. A running game is read without its label, since a player may continue it."""
_EDITIONS = f"""
SELECT edition, sum(games / CASE opponent WHEN ? THEN 1.0 ELSE max(1.0, n_games) END)
FROM (SELECT *, sum(games) OVER (PARTITION BY opponent) AS n_games FROM opponents WHERE {_OURS})
GROUP BY edition
"""
"""Query of editions: games with this opponent count fully, each other opponent counts as one game."""
_MESSAGES = "SELECT message AS key, reply, received, at FROM replies WHERE game = ? ORDER BY rowid"
"""Query of the messages of a game."""


class Journal:
    """A file of games, used as one of its players. It is safe for many threads, which use it one after another.

    A failed write is logged once; a failed read raises `JournalError`.

    Args:
        path: path of the file, which is created if it does not exist; None keeps the games in memory.
        server: server on which the player plays, such as its URL.
        player: name of the player, unique on the server; not its token.
        is_copy: copy the file into memory, and change nothing in the file itself.

    Raises:
        JournalError: the file cannot be opened, or is not a journal.
    """

    def __init__(
        self,
        path: Path | None,
        server: str = "",
        player: str = "",
        *,
        is_copy: bool = False,
    ) -> None:
        self._path = path
        self._owner = (server, player)
        self._warnings: set[str] = set()
        self._player_lock: FileLock | None = None
        self._thread_lock = threading.Lock()

        try:
            if path is not None:
                _check_file(path)
                if not is_copy:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    make_private(path)
            self._database = sqlite3.connect(
                ":memory:" if is_copy or path is None else path,
                isolation_level=None,
                check_same_thread=False,
            )
            # Python 3.13 warns of a connection that is not closed
            weakref.finalize(self, self._database.close)
            if path is not None and is_copy:
                with _open_existing(path) as file:
                    file.backup(self._database)
            self._make_tables()
        except (OSError, sqlite3.Error) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise JournalError(
                f"Cannot use the journal {path}: {reason}; name another file with --journal."
            ) from error

    def _make_tables(self) -> None:
        execute = self._database.execute

        # SQLite itself does not wait here for other processes
        retrying = Retrying(
            retry=retry_if_exception_message("database is locked"),
            wait=wait_fixed(0.02),
            stop=stop_after_delay(WAIT_S),
            reraise=True,
        )
        retrying(execute, "PRAGMA journal_mode = WAL")
        execute("PRAGMA synchronous = FULL")
        # a process that is killed, or another one, never sees some of the tables
        self._database.executescript(
            f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {VERSION}; COMMIT"
        )
        self._database.row_factory = sqlite3.Row

    def close(self) -> None:
        """Close the file, and release the player for other processes."""
        with self._thread_lock:
            self._database.close()
        if self._player_lock is not None:
            remove_lock(self._player_lock)

    def play_as(self, server: str, token: str) -> bool:
        """Use the games of the player with this token from now on; return False if another process uses them."""
        owner = (server, _digest(token))
        if self._path is not None:
            player_lock = self._player_lock_of(owner)
            try:
                player_lock.acquire()
            except Timeout:
                return False
            except OSError as error:
                self._warn_once(f"{error}; {NOT_RECORDED}")
            if self._player_lock is not None:
                remove_lock(self._player_lock)
            self._player_lock = player_lock
        self._owner = owner
        return True

    def _player_lock_of(self, owner: tuple[str, str]) -> FileLock:
        """Return the lock of a player, which its process holds."""
        return FileLock(f"{self._path}.{_digest(*owner)[:16]}.lock", timeout=0)

    def token(self, server: str, name: str) -> str:
        """Return the token that a server gave to the player with this name; "" if there is none."""
        query = "SELECT token FROM players WHERE server = ? AND name = ?"
        return self._text(query, server, name)

    def store_token(self, server: str, name: str, token: str) -> None:
        """Store the token of a player."""
        statement = "INSERT OR REPLACE INTO players VALUES (?, ?, ?, '')"
        self.write((statement, (server, name, token)))

    def games(self) -> list[SavedGame]:
        """Read the games of all players without their messages, the latest first; log and leave out unreadable ones."""
        return self._select_games("ORDER BY game DESC", with_messages=False)

    def game(self, key: int) -> SavedGame | None:
        """Read a game with its messages; None if the journal does not hold it."""
        # as text, since SQLite raises an error for integers of more than 64 bits
        games = self._select_games("WHERE game = ?", str(key))
        return games[0] if games else None

    def running(self) -> list[SavedGame]:
        """Read the player's games that are not over, the oldest first; log and leave out unreadable ones.

        A requested game has the id "" until the server has named it.
        """
        condition = f"WHERE {_OURS} AND ending = 'running' ORDER BY game"
        return self._select_games(condition, *self._owner)

    def _select_games(
        self, condition: str, *values: object, with_messages: bool = True
    ) -> list[SavedGame]:
        """Read the games that a condition selects; log and leave out unreadable ones."""
        games = []
        for row in self.rows(f"{_GAMES} {condition}", *values):
            messages = self.rows(_MESSAGES, row["key"]) if with_messages else []

            try:
                fields = _read_row(row)
                fields["messages"] = [*map(_read_row, messages)]
                games.append(_SAVED_GAME.validate_python(fields))
            except (ValueError, TypeError) as error:
                reason = type(error).__name__
                self._warn_once(
                    f"game {row['game_id']} cannot be read and is skipped: {reason}"
                )
        return games

    def cursor(self) -> str:
        """Return the cursor of the inbox; all messages before this cursor have their replies."""
        return self._text(f"SELECT cursor FROM inboxes WHERE {_OURS}", *self._owner)

    def move_cursor(self, cursor: str) -> None:
        """Store the cursor of the inbox; all messages before this cursor have their replies."""
        statement = "INSERT OR REPLACE INTO inboxes VALUES (?, ?, ?)"
        self.write((statement, (*self._owner, cursor)))

    def add_game(self, game_id: str = "") -> int:
        """Add a game, and return its key; a game that is about to be requested has no id yet."""
        statement = (
            "INSERT INTO games (server, player, game_id, began) VALUES (?, ?, ?, ?)"
        )
        return self.write((statement, (*self._owner, game_id, time.time())))

    def assign_id(self, key: int, game_id: str) -> None:
        """Store the id of a game; give up a running game with the same id, which a restarted server has forgotten."""
        self.write(
            (f"{_GIVE_UP} AND game_id = ?", (*self._owner, game_id)),
            ("UPDATE games SET game_id = ? WHERE game = ?", (game_id, key)),
        )

    def holds(self, game_id: str) -> bool:
        """Return whether the journal holds a game with this id, running or over."""
        query = f"SELECT 1 FROM games WHERE {_OURS} AND game_id = ?"
        return bool(self.rows(query, *self._owner, game_id))

    def store_reply(
        self, key: int, message: str, reply: Json, received: Json, **facts: object
    ) -> None:
        """Store a reply before it is sent, and facts of its game.

        Args:
            key: key of the game.
            message: key of the message that is answered; see `SavedMessage`.
            reply: the reply.
            received: the message itself.
            facts: values of columns of the game.
        """
        statement = "INSERT OR IGNORE INTO replies (game, message, reply, received, at) VALUES (?, ?, ?, ?, ?)"
        row = (key, message, _to_json(reply), _to_json(received), time.time())
        self.write((statement, row), *_updates(key, facts))

    def update(self, key: int, **facts: object) -> None:
        """Store values of the columns of a game."""
        self.write(*_updates(key, facts))

    def store_label(self, key: int, label: Label) -> None:
        """Store the label of a game if the game has a guess; before that, the label must stay with the referee."""
        statement = "UPDATE games SET label = ? WHERE game = ? AND guess IS NOT NULL"
        self.write((statement, (_to_json(label), key)))

    def store_game(self, game: GameRecord, key: int = 0) -> int:
        """Store all facts of a finished game, and return its key; a game without an id gets one.

        Args:
            game: the game.
            key: its key, if an earlier version of it was stored; 0 adds it.
        """
        key = key or self.add_game()
        facts = {name: getattr(game, name) for name in _FACTS}
        game_id = game.game_id or f"{self._owner[0]}-{key}"
        self.update(key, game_id=game_id, ending="over", **facts)
        return key

    def editions(self, opponent: str) -> dict[str, float]:
        """Count earlier games by the edition that the referee held; log and return {} if the disk fails.

        Games with this opponent count fully. Each other opponent counts as one game, which is divided among its
        editions, since opponents use few programs. A game is divided among editions by the belief in them.
        """
        try:
            return dict(map(tuple, self.rows(_EDITIONS, opponent, *self._owner)))
        except JournalError as error:
            self._warn_once(
                f"{error.__cause__}; games go on without the editions of earlier games"
            )
            return {}

    def learn(self, opponent: str, shares: Mapping[str, float]) -> None:
        """Add a game with an opponent, and the belief over the edition that it held.

        Args:
            opponent: name of the referee.
            shares: probability of each edition, summing to 1.
        """
        statement = (
            "INSERT INTO opponents VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT DO UPDATE SET games = games + excluded.games"
        )
        statements: list[SqlStatement] = []
        for edition, share in shares.items():
            statements.append((statement, (*self._owner, opponent, edition, share)))
        self.write(*statements)

    def give_up(self) -> int:
        """End the running games of the player, and return their number."""
        n_games = len(self.running())
        self.write((_GIVE_UP, self._owner))
        return n_games

    def give_up_killed(self, server: str) -> None:
        """End the running games on a server whose processes were killed; use it for servers that ended with them."""
        query = "SELECT DISTINCT server, player FROM games WHERE server = ? AND ending = 'running'"
        for owner in map(tuple, self.rows(query, server)):
            # the process of a locked player still plays
            lock = self._player_lock_of(owner)
            with contextlib.suppress(OSError), lock:
                self.write((_GIVE_UP, owner))
                remove_lock(lock)

    def _text(self, query: str, *values: object) -> str:
        """Return the first column of the first row of a query; "" if there are no rows."""
        rows = self.rows(query, *values)
        return str(rows[0][0]) if rows else ""

    def rows(self, statement: str, *values: object) -> list[sqlite3.Row]:
        """Return the rows of a query.

        Raises:
            JournalError: the disk failed.
        """
        try:
            with self._thread_lock:
                return self._database.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise JournalError(
                f"Cannot read the journal {self._path}: {error}; name another file with --journal."
            ) from error

    def write(self, *statements: SqlStatement) -> int:
        """Run statements in one transaction, and return the last row id; log and return -1 if the disk fails."""
        last = -1
        try:
            # commits, or rolls back after an error or an interrupt
            with self._thread_lock, self._database:
                self._database.execute("BEGIN IMMEDIATE")
                for statement, values in statements:
                    last = int(self._database.execute(statement, values).lastrowid or 0)
        except (sqlite3.Error, OSError) as error:
            self._warn_once(f"{error}; {NOT_RECORDED}")
            return -1
        return last

    def _warn_once(self, reason: str) -> None:
        if reason not in self._warnings:
            self._warnings.add(reason)
            _log.warning("journal %s: %s", self._path, reason)


def _open_existing(path: Path) -> contextlib.closing[sqlite3.Connection]:
    """Open an existing SQLite file, in which only the caller's statements change anything."""
    uri = f"{path.absolute().as_uri()}?mode=rw"
    return contextlib.closing(sqlite3.connect(uri, uri=True))


def _check_file(path: Path) -> None:
    """Check that a file is a journal, or new or empty, before anything in it changes.

    Raises:
        OSError: the file is a link, or holds a database of another program or version.
        sqlite3.Error: the file is no database.
    """
    for name in (path, f"{path}-wal", f"{path}-shm"):
        if Path(name).is_symlink():
            raise OSError(0, f"{name} is a link")
    if not path.is_file():
        return

    with _open_existing(path) as file:
        # the version last, since another process may make the tables right now
        (n_tables,) = file.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (version,) = file.execute("PRAGMA user_version").fetchone()
        if version != VERSION and (version or n_tables):
            raise OSError(0, f"it is no journal of version {VERSION}")
        if version:
            file.execute(f"{_GAMES} LIMIT 0")


def open_journal(name: str | None = None) -> Journal:
    """Open a journal by its path; None opens the default one, and "none" one in memory.

    If the default one is unusable, log this and open one in memory.

    Raises:
        JournalError: the named journal is unusable.
    """
    path = None if name == "none" else Path(name or default_journal())
    try:
        return Journal(path)
    except JournalError as error:
        if name:
            raise
        _log.warning("%s The games are played without it.", error)
        return Journal(None)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _updates(key: int, facts: Json) -> list[SqlStatement]:
    """Return the statements that store facts of a game."""
    statements: list[SqlStatement] = []
    for name, fact in facts.items():
        value = _to_json(fact) if name in _JSON else fact
        statements.append((f"UPDATE games SET {name} = ? WHERE game = ?", (value, key)))
    return statements


def _to_json(fact: Any) -> str:
    return to_json(fact).decode()


def _read_row(row: sqlite3.Row) -> Json:
    """Read the fields of a row that are not NULL."""
    fields = {}
    for name, value in dict(row).items():
        if value is not None:
            fields[name] = from_json(value) if name in _JSON else value
    return fields


_SAVED_GAME = TypeAdapter(SavedGame)
