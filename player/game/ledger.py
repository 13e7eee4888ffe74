"""What the journal holds of games: the record of one game, and one player's own games."""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import TypeAdapter
from pydantic_core import to_json

from quarry.player.game.journal import Journal, digest
from quarry.player.protocol.payloads import Guess, Json, RoundStart, Score
from quarry.player.questions.answer import Answer
from quarry.player.questions.question import Question
from quarry.player.words import words

Ending = Literal["running", "over", "given up"]
UNREADABLE = (ValueError, TypeError, KeyError, RecursionError, OverflowError)
"""Errors that an altered column raises."""
_COLUMNS = "game, game_id, server, began, ended, ending, start, questions, answers, guess, score"


@dataclass(frozen=True, slots=True)
class Revealed:
    """What a referee gave away about a round in its feedback; "" where it did not."""

    sentence: str
    word: str


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game as the journal holds it.

    Attributes:
        key: of the game in the journal.
        began, ended: seconds since 1970; None for a game that runs.
        replies: to each message, by what was replied to.
        undelivered: keys of those replies that may not have left.
    """

    key: int
    game_id: str
    server: str
    began: float
    ended: float | None
    ending: str
    start: RoundStart | None
    questions: tuple[Question, ...]
    answers: tuple[Answer, ...] | None
    guess: Guess | None
    score: Score | None
    replies: Mapping[str, Json]
    undelivered: tuple[str, ...]

    @property
    def referee(self) -> str:
        """The referee's name, "" if it never wrote."""
        return next((str(reply.get("recipient_id", "")) for reply in self.replies.values()), "")


def read_history(journal: Journal) -> list[GameRecord]:
    """Read all games of all players, the oldest first; those that cannot be read are left out, and that is said.

    Raises:
        JournalError: the file cannot be read.
    """
    return _records(journal, "ORDER BY began, game")


class Ledger:
    """One player's games in a journal.

    Args:
        journal: None keeps nothing.
        server: where the player plays, e.g. its URL.
        player: what the server knows it by; not its token.
    """

    def __init__(self, journal: Journal | None, server: str = "", player: str = "") -> None:
        self._journal = journal
        self._who = (server, player)

    def cursor(self) -> str:
        """Return how far the inbox has been read and replied to."""
        found = self._rows("SELECT cursor FROM inboxes WHERE server = ? AND player = ?", *self._who)
        return str(found[0][0]) if found else ""

    def move_cursor(self, cursor: str) -> None:
        """Note that all messages before `cursor` have their replies."""
        self._write("INSERT OR REPLACE INTO inboxes VALUES (?, ?, ?)", *self._who, cursor)

    def ask(self) -> int:
        """Begin a game that is about to be asked for, and has no id yet; returns its key."""
        return self._write(
            "INSERT INTO games (server, player, game_id, began) VALUES (?, ?, '', ?)", *self._who, time.time()
        )

    def name(self, key: int, game_id: str) -> None:
        """Note the id that a game was given; a running one of the same id is another server's, and given up."""
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

    def running(self) -> list[GameRecord]:
        """Read the games that are not over, the oldest first; one that was asked for and not named has the id ""."""
        if self._journal is None:
            return []
        return _records(
            self._journal, "WHERE server = ? AND player = ? AND ending = 'running' ORDER BY game", *self._who
        )

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
        """Note that the server has taken the reply."""
        self._write("UPDATE replies SET delivered = 1 WHERE game = ? AND message = ?", key, message)

    def end(self, key: int, ending: Ending, score: Score | None = None) -> None:
        """Note that the game is over."""
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
        """Return what became known when the same round was played: same book, hint and domain, letter case aside."""
        query = "SELECT sentence, word FROM revealed WHERE what = ?"
        found = self._journal.rows_in_game(query, _round(start)) if self._journal is not None else []
        return Revealed(str(found[0][0]), str(found[0][1])) if found else Revealed("", "")

    def _rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        return self._journal.rows(statement, *values) if self._journal is not None else []

    def _write(self, statement: str, *values: object) -> int:
        return self._journal.write((statement, values)) if self._journal is not None else -1


def _records(journal: Journal, which: str, *values: object) -> list[GameRecord]:
    """Read some games; those that cannot be read are left out, and that is said."""
    records = []
    for row in journal.rows(f"SELECT {_COLUMNS} FROM games {which}", *values):
        replies = journal.rows("SELECT message, reply, delivered FROM replies WHERE game = ? ORDER BY rowid", row[0])
        key, game_id, server, began, ended, ending, start, questions, answers, guess, score = row
        try:
            record = GameRecord(
                key=int(key),
                game_id=str(game_id),
                server=str(server),
                began=float(began),
                ended=float(ended) if ended is not None else None,
                ending=str(ending),
                start=_read(RoundStart, start) if start else None,
                questions=_read(tuple[Question, ...], questions) if questions else (),
                answers=_read(tuple[str | None, ...], answers) if answers else None,
                guess=_read(Guess, guess) if guess else None,
                score=_read(Score, score) if score else None,
                replies={str(message): _read(Json, reply) for message, reply, _ in replies},
                undelivered=tuple(str(message) for message, _, delivered in replies if not delivered),
            )
        except UNREADABLE as error:
            journal.warn_once(f"game {game_id} cannot be read and is left: {type(error).__name__}")
        else:
            records.append(record)
    return records


def _read(kind: Any, text: Any) -> Any:
    """Read a column of a type.

    Raises:
        ValueError: it holds something else.
    """
    return _adapter(kind).validate_json(text)


@functools.cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _dumped(fact: Any) -> str:
    """Write a value as JSON, which `_read` reads."""
    return to_json(fact).decode()


def _round(start: RoundStart) -> str:
    """Return what a round is recognised by."""
    return digest(*(" ".join(words(text)) for text in (start.book_name, start.hint, start.association_domain)))
