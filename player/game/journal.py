"""What a game needs, on disk before a reply leaves: SQLite in WAL mode.

A process that is killed at any moment finds here, when it starts again, which games are running, what was told about
them, what it asked and answered, byte for byte. The file holds tokens, so only its owner may read it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import queue
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from filelock import FileLock, Timeout

from quarry.configs.terminal import visible
from quarry.player.errors import JournalError, UnauthorizedError
from quarry.player.protocol.payloads import Guess, Json, RoundStart, Score
from quarry.player.questions.answer import Answer
from quarry.player.questions.question import Question
from quarry.player.words import words

T = TypeVar("T")

WRITE_BUDGET_S = 3.0
"""Seconds that a game waits for the disk; then it goes on, and what was to be written follows when it can."""
LATE_BUDGET_S = 0.2
"""The same once the disk has been late, until it answers again."""
OPEN_BUDGET_S = 20.0
"""Seconds that opening and reading may take before any game is played."""
VERSION = 1
UNREADABLE = (ValueError, TypeError, KeyError, RecursionError, OverflowError)
"""What an altered column raises."""

Ending = Literal["running", "over", "given up"]

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


@dataclass(frozen=True, slots=True)
class Revealed:
    """What a referee gave away about a round in its feedback; "" where it did not."""

    sentence: str
    word: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A game as the journal holds it.

    Attributes:
        key: of the game in the journal.
        replies: to each message, by what was replied to.
        undelivered: keys of those replies that may not have left.
    """

    key: int
    game_id: str
    began: float
    start: RoundStart | None
    questions: tuple[Question, ...]
    answers: tuple[Answer, ...] | None
    guess: Guess | None
    score: Score | None
    replies: Mapping[str, Json]
    undelivered: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Past:
    """A game of any player, as history shows it.

    Attributes:
        server: where it was played.
        against: the referee's name, "" if it never wrote.
        ended: seconds since 1970, None while it runs.
    """

    kept: Kept
    server: str
    against: str
    ended: float | None
    ending: str


class Journal:
    """A file of games. Safe for many threads, each of which waits at most `budget_s` for the disk.

    Args:
        path: of the file, made if it is not there; None keeps everything in memory and forgets it.
        budget_s: seconds that a game waits for a write.
        say: is told in a line what could not be written.

    Raises:
        JournalError: it cannot be opened, or is no journal.
    """

    def __init__(
        self, path: Path | None = None, budget_s: float = WRITE_BUDGET_S, say: Callable[[str], None] | None = None
    ) -> None:
        self._path = path
        self._budget_s = budget_s
        self._say = say or (lambda line: print(line, file=sys.stderr))
        self._faults: set[str] = set()
        self._late = False
        self._locks: dict[str, FileLock] = {}
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        # a daemon: however long a disk hangs, the thread dies with the process
        threading.Thread(target=self._write_on, name="journal", daemon=True).start()
        try:
            self._read(self._open)
        except JournalError:
            self._work.put(None)
            raise

    def close(self) -> None:
        """Write what is left and close the file."""
        with contextlib.suppress(JournalError):
            self._read(self._database.close)
        self._work.put(None)
        for lock in self._locks.values():
            lock.release()

    # players

    def token(self, server: str, name: str) -> str:
        """The token that a server gave a player of this name, "" if none is known."""
        found = self.rows("SELECT token FROM players WHERE server = ? AND name = ?", server, name)
        return str(found[0][0]) if found else ""

    def remember_player(self, server: str, name: str, token: str, player_id: str) -> None:
        """Keep a token, to be the same player after a restart."""
        self.write(("INSERT OR REPLACE INTO players VALUES (?, ?, ?, ?)", (server, name, token, player_id)))

    def claim(self, server: str, player: str) -> bool:
        """Whether this process may play as this player with the journal: no other one does so now."""
        who = _digest(server, player)[:16]
        if self._path is None or who in self._locks:
            return True
        lock = FileLock(f"{self._path}.{who}.lock", timeout=0)
        try:
            lock.acquire()
        except Timeout:
            return False
        except OSError as error:
            self.fault(f"{error}; games go on, and a restart would not know of them")
        self._locks[who] = lock
        return True

    def forget(self) -> int:
        """Forget all that referees revealed; how many rounds that were."""
        n_rounds = len(self.rows("SELECT what FROM revealed"))
        self.write(("DELETE FROM revealed", ()))
        return n_rounds

    def history(self) -> list[Past]:
        """All games, the oldest first; those that cannot be read are left out, and that is said.

        Raises:
            JournalError: the file cannot be read.
        """
        games = []
        for row in self.rows(
            "SELECT game, game_id, began, start, questions, answers, guess, score, server, ended, ending FROM games "
            "ORDER BY began, game"
        ):
            replies = self.rows("SELECT message, reply, delivered FROM replies WHERE game = ? ORDER BY rowid", row[0])
            try:
                kept = _kept(row[:8], replies)
                against = next((str(reply.get("recipient_id", "")) for reply in kept.replies.values()), "")
                ended = float(row[9]) if row[9] is not None else None
                games.append(Past(kept, str(row[8]), against, ended, str(row[10])))
            except UNREADABLE as error:
                self.fault(f"game {row[1]} cannot be read and is left: {type(error).__name__}")
        return games

    def rows(self, statement: str, *values: object, hurried: bool = False) -> list[tuple[Any, ...]]:
        """What a query finds.

        Args:
            hurried: a game waits: nothing is found where the disk fails or is late. Otherwise that is an error.

        Raises:
            JournalError: the disk failed or is late.
        """

        def find() -> list[tuple[Any, ...]]:
            return self._database.execute(statement, values).fetchall()

        return self._do(find, []) if hurried else self._read(find)

    def write(self, *statements: tuple[str, tuple[object, ...]]) -> int:
        """Do all of the statements or none; the last row id.

        Where the disk fails or is late that is said, and the game goes on: then -1.
        """
        return self._do(lambda: self._transact(statements), -1)

    def fault(self, reason: str) -> None:
        """Say a thing that went wrong, once."""
        if reason not in self._faults:
            self._faults.add(reason)
            self._say(visible(f"journal {self._path}: {reason}"))

    # the file

    def _open(self) -> None:
        try:
            if self._path is not None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
                self._path.chmod(0o600)
            self._database = sqlite3.connect(
                str(self._path or ":memory:"), isolation_level=None, check_same_thread=False, timeout=5.0
            )
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = FULL")
            version = int(self._database.execute("PRAGMA user_version").fetchone()[0])
            if version not in {0, VERSION}:
                raise JournalError(f"--journal must be of version {VERSION}, got {self._path}: {version}; name another")
            self._database.executescript(_SCHEMA)
            self._database.execute(f"PRAGMA user_version = {VERSION}")
        except (OSError, sqlite3.Error) as error:
            if isinstance(error, JournalError):
                raise
            reason = getattr(error, "strerror", None) or str(error)
            raise JournalError(
                f"--journal must be a journal or a file that can be made, got {self._path}: {reason}; name another"
            ) from error

    def _write_on(self) -> None:
        """The life of the thread that alone touches the database."""
        while (task := self._work.get()) is not None:
            task()

    def _start(self, task: Callable[[], T]) -> Future[T]:
        future: Future[T] = Future()

        def run() -> None:
            try:
                future.set_result(task())
            except BaseException as error:
                future.set_exception(error)

        self._work.put(run)
        return future

    def _read(self, task: Callable[[], T]) -> T:
        """The result of a task before or between games.

        Raises:
            JournalError: it failed or took too long.
        """
        try:
            return self._start(task).result(OPEN_BUDGET_S)
        except TimeoutError as error:
            raise JournalError(
                f"--journal must be on a disk that answers, got {self._path}: nothing for {OPEN_BUDGET_S:g} s; "
                "name a file elsewhere"
            ) from error
        except sqlite3.Error as error:
            raise JournalError(f"--journal must be readable, got {self._path}: {error}; name another") from error

    def _do(self, task: Callable[[], T], otherwise: T) -> T:
        """The result of a task during a game; `otherwise` where the disk fails or is late: the game goes on."""
        call = self._start(task)
        try:
            found = call.result(LATE_BUDGET_S if self._late else self._budget_s)
            self._late = False
            return found
        except TimeoutError:
            self._late = True
            self.fault(f"did not answer within {self._budget_s:g} s; games go on, and the journal follows when it can")
        except (sqlite3.Error, OSError) as error:
            self.fault(f"{error}; games go on, and a restart would not know of them")
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


class Ledger:
    """One player's pages of a journal.

    Args:
        journal: None keeps nothing.
        server: where the player plays, e.g. its URL.
        player: what the server knows it by; not its token.
    """

    def __init__(self, journal: Journal | None, server: str = "", player: str = "") -> None:
        self._journal = journal
        self._who = (server, player)

    def cursor(self) -> str:
        """How far the inbox has been read and replied to."""
        found = self._rows("SELECT cursor FROM inboxes WHERE server = ? AND player = ?", *self._who)
        return str(found[0][0]) if found else ""

    def move_cursor(self, cursor: str) -> None:
        """All messages before `cursor` have their replies."""
        self._write("INSERT OR REPLACE INTO inboxes VALUES (?, ?, ?)", *self._who, cursor)

    def ask(self) -> int:
        """The key of a game that is about to be asked for; it has no id yet."""
        return self._write(
            "INSERT INTO games (server, player, game_id, began) VALUES (?, ?, '', ?)", *self._who, time.time()
        )

    def name(self, key: int, game_id: str) -> None:
        """The id that a game was given; a running one of the same id is another server's, and given up."""
        self._write(
            "UPDATE games SET ending = 'given up' WHERE server = ? AND player = ? AND game_id = ? "
            "AND ending = 'running'",
            *self._who,
            game_id,
        )
        self._write("UPDATE games SET game_id = ? WHERE game = ?", game_id, key)

    def knows(self, game_id: str) -> bool:
        """Whether a game of this id is or was played."""
        played = "SELECT 1 FROM games WHERE server = ? AND player = ? AND game_id = ?"
        return bool(self._rows(played, *self._who, game_id))

    def running(self) -> list[Kept]:
        """The games that are not over, the oldest first; one that was asked for and not named has the id ""."""
        games = []
        for row in self._rows(
            "SELECT game, game_id, began, start, questions, answers, guess, score FROM games "
            "WHERE server = ? AND player = ? AND ending = 'running' ORDER BY game",
            *self._who,
        ):
            try:
                games.append(self._kept(row))
            except UNREADABLE as error:
                assert self._journal is not None
                self._journal.fault(f"game {row[1]} cannot be read and is left: {type(error).__name__}")
        return games

    def replied(self, key: int, message: str, reply: Json, **facts: object) -> None:
        """Keep a reply before it leaves, with what the game has learnt.

        Args:
            message: what is replied to.
            facts: of the columns start, questions, answers and guess.
        """
        if self._journal is None:
            return
        assert facts.keys() <= {"start", "questions", "answers", "guess"}
        self._journal.write(
            ("INSERT OR IGNORE INTO replies (game, message, reply) VALUES (?, ?, ?)", (key, message, _dumped(reply))),
            *((f"UPDATE games SET {name} = ? WHERE game = ?", (_dumped(fact), key)) for name, fact in facts.items()),
        )

    def delivered(self, key: int, message: str) -> None:
        """The server has taken the reply."""
        self._write("UPDATE replies SET delivered = 1 WHERE game = ? AND message = ?", key, message)

    def end(self, key: int, ending: Ending, score: Score | None = None) -> None:
        """The game is over."""
        told = _dumped(score) if score is not None else None
        self._write("UPDATE games SET ending = ?, ended = ?, score = ? WHERE game = ?", ending, time.time(), told, key)

    def reveal(self, start: RoundStart, revealed: Revealed) -> None:
        """Remember what became known about a round; what was known and is not contradicted stays."""
        known = self.recall(start)
        sentence, word = revealed.sentence or known.sentence, revealed.word or known.word
        if sentence or word:
            self._write(
                "INSERT OR REPLACE INTO revealed VALUES (?, ?, ?, ?)", _round(start), sentence, word, time.time()
            )

    def recall(self, start: RoundStart) -> Revealed:
        """What became known when the same round was played before: same book, hint and domain, letter case aside."""
        found = self._rows("SELECT sentence, word FROM revealed WHERE what = ?", _round(start), hurried=True)
        return Revealed(str(found[0][0]), str(found[0][1])) if found else Revealed("", "")

    def _kept(self, row: tuple[Any, ...]) -> Kept:
        return _kept(row, self._rows("SELECT message, reply, delivered FROM replies WHERE game = ?", row[0]))

    def _rows(self, statement: str, *values: object, hurried: bool = False) -> list[tuple[Any, ...]]:
        return self._journal.rows(statement, *values, hurried=hurried) if self._journal is not None else []

    def _write(self, statement: str, *values: object) -> int:
        return self._journal.write((statement, values)) if self._journal is not None else -1


class Registered(Protocol):
    """A game server as far as being known to it goes; `HttpGameServer` is one."""

    url: str
    player_id: str

    @property
    def token(self) -> str:
        """What the player is known by; "" until there is one."""

    def use(self, token: str) -> None:
        """Play as the player of this token."""

    def register(self, name: str) -> None:
        """Become a player."""

    def inbox(self, cursor: str, wait_s: float) -> object:
        """The messages."""


def sit_down(server: Registered, name: str, journal: Journal | None, say: Callable[[str], None]) -> Ledger:
    """Be known to the server, as the same player as before where the journal has its token; its pages.

    Args:
        name: to register under, where there is no token.
        say: is told in a line what the journal cannot be used for.
    """
    is_anothers = False
    if not server.token and journal is not None and (saved := journal.token(server.url, name)):
        ledger = Ledger(journal, server.url, _digest(saved))
        is_anothers = not journal.claim(server.url, _digest(saved))
        if not is_anothers:
            server.use(saved)
            try:
                server.inbox(ledger.cursor(), 0.0)
                return ledger
            except UnauthorizedError:
                if ledger.running():
                    say("the server no longer knows the player whose games were not over; they are given up")
                for kept in ledger.running():
                    ledger.end(kept.key, "given up")
                server.use("")
    if not server.token:
        server.register(name)
        if journal is not None and not is_anothers:  # the other process comes back as who it is
            journal.remember_player(server.url, name, server.token, server.player_id)
    return open_ledger(server.url, _digest(server.token), journal, say)


def open_ledger(server: str, player: str, journal: Journal | None, say: Callable[[str], None]) -> Ledger:
    """A player's pages of a journal; of none where another process writes on them.

    Args:
        server: where the player plays.
        player: what the server knows it by; not its token.
        say: is told in a line what the journal cannot be used for.
    """
    if journal is not None and not journal.claim(server, player):
        say("the journal serves another process that plays as this player; these games are played without it")
        journal = None
    return Ledger(journal, server, player)


def _kept(row: tuple[Any, ...], replies: Sequence[tuple[Any, ...]]) -> Kept:
    """A game from its row and the replies to it; whatever was altered raises one of `UNREADABLE`."""
    key, game_id, began, start, questions, answers, guess, score = row
    return Kept(
        key=int(key),
        game_id=str(game_id),
        began=float(began),
        start=_read(RoundStart, start) if start else None,
        questions=_read(tuple[Question, ...], questions) if questions else (),
        answers=_read(tuple[str | None, ...], answers) if answers else None,
        guess=_read(Guess, guess) if guess else None,
        score=_read(Score, score) if score else None,
        replies={str(message): _read(dict[str, Any], reply) for message, reply, _ in replies},
        undelivered=tuple(str(message) for message, _, delivered in replies if not delivered),
    )


def _read(kind: Any, text: Any) -> Any:
    """What a column holds, of its type.

    Raises:
        ValueError: it holds something else.
    """
    return _adapter(kind).validate_json(text)


@functools.cache
def _adapter(kind: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _dumped(fact: Any) -> str:
    """A fact as JSON, which `_read` reads."""
    from pydantic_core import to_json

    return to_json(fact).decode()


def _round(start: RoundStart) -> str:
    """What a round is recognised by."""
    return _digest(*(" ".join(words(text)) for text in (start.book_name, start.hint, start.association_domain)))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
