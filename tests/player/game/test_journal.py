"""The journal: what a game needs is there after the process is gone, and a bad disk stops no game."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import stat
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from player.errors import JournalError, UnauthorizedError
from player.game.journal import VERSION, Candidate, Journal, Ledger, authenticate
from player.protocol.client import HttpGameServer
from player.protocol.messages import Guess, Json, RoundStart, Score
from player.questions.question import Question

START = RoundStart(
    "M1", "Lecture 3", "what climbs, towards light", "color", "round-token"
)
QUESTIONS = (
    Question(
        "Which?",
        ("a", "b", "c", "ד"),
        "opening",
        frozenset({"x", "y"}),
        (("a",), ("b", "c")),
    ),
)
BELIEF = (Candidate("alpha:1:1", "S.", 0.25, 0.5),)
SCORE = Score(88.0, 3, {"opening_sentence_score": 100.0}, {})
GUESS = Guess("S.", "Because.", "green", "Therefore.", 0.5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "games.sqlite"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    journal = Journal(path)
    yield journal
    journal.close()


def reply(kind: str) -> Json:
    return {
        "message_type": kind,
        "message_id": "m-1",
        "payload": {"b": 0.1, "a": "שלום"},
    }


def interrupt_after(seconds: float) -> None:
    time.sleep(seconds)
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)


def test_a_game_is_found_again_as_it_was_left(path: Path) -> None:
    first = Journal(path)
    ledger = Ledger(first, "http://one", "me")
    key = ledger.ask()
    ledger.name(key, "0101001")
    ledger.replied(
        key,
        "Q21ROUNDSTART",
        reply("Q21QUESTIONSBATCH"),
        reply("Q21ROUNDSTART"),
        start=START,
        questions=QUESTIONS,
    )
    ledger.replied(
        key,
        "Q21ANSWERSBATCH",
        reply("Q21GUESSSUBMISSION"),
        reply("Q21ANSWERSBATCH"),
        answers=["A", None],
        guess=GUESS,
        belief=BELIEF,
    )
    ledger.scored(key, SCORE)
    ledger.move_cursor("7")
    first.close()

    second = Journal(path)
    ledger = Ledger(second, "http://one", "me")
    (kept,) = ledger.running()
    assert (kept.key, kept.game_id, kept.start, kept.questions) == (
        key,
        "0101001",
        START,
        QUESTIONS,
    )
    assert (kept.answers, kept.guess) == (("A", None), GUESS)
    assert (kept.belief, kept.score) == (BELIEF, SCORE)
    message = kept.messages[0]
    assert (message.key, message.received) == ("Q21ROUNDSTART", reply("Q21ROUNDSTART"))
    assert message.reply == reply("Q21QUESTIONSBATCH")
    assert list(message.reply["payload"]) == ["b", "a"]
    assert ledger.cursor() == "7"
    second.close()


def test_a_game_that_is_over_or_given_up_is_not_running(journal: Journal) -> None:
    ledger = Ledger(journal, "http://one", "me")
    over, given_up, running = ledger.ask(), ledger.ask(), ledger.ask()
    ledger.end(over, "over")
    ledger.end(given_up, "given up")
    assert [kept.key for kept in ledger.running()] == [running]


def test_an_interrupt_at_any_moment_of_a_write_leaves_no_open_transaction(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moments = random.Random(0)
    ledger = Ledger(Journal(path))
    before = signal.signal(signal.SIGUSR1, signal.default_int_handler)
    try:
        for _ in range(300):
            with contextlib.suppress(KeyboardInterrupt):
                threading.Thread(
                    target=interrupt_after, args=(moments.uniform(0.0, 0.002),)
                ).start()
                for _ in range(20):
                    ledger.ask()
                    time.sleep(0.0001)
                time.sleep(5.0)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert capsys.readouterr().err == ""


def test_an_id_that_comes_again_is_a_new_game(journal: Journal) -> None:
    ledger = Ledger(journal, "http://one", "me")
    old, new = ledger.ask(), ledger.ask()
    ledger.name(old, "0101001")
    ledger.name(new, "0101001")
    assert [kept.key for kept in ledger.running()] == [new]
    assert ledger.knows("0101001")
    assert not ledger.knows("0101002")


@pytest.mark.parametrize(
    ("column", "value"),
    [("start", '{"match_id": []}'), ("questions", "[" * 5_000), ("answers", '"ABCD"')],
)
def test_an_altered_game_is_left_and_said_in_one_line(
    path: Path, column: str, value: str
) -> None:
    told: list[str] = []
    journal = Journal(path, say=told.append)
    ledger = Ledger(journal, "http://one", "me")
    for game_id in ("0101001", "0101002"):
        ledger.name(ledger.ask(), game_id)
    journal.write(
        (f"UPDATE games SET {column} = ? WHERE game_id = '0101001'", (value,))
    )
    assert [kept.game_id for kept in ledger.running()] == ["0101002"]
    assert len(told) == 1
    assert "game 0101001 cannot be read and is skipped" in told[0]
    journal.close()


def test_only_the_owner_may_read_it(path: Path, journal: Journal) -> None:
    journal.keep_token("http://one", "me", "secret", "p-1")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_open_file_of_the_owner_becomes_private(path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    path.touch()
    path.chmod(0o644)
    Journal(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_new_file_has_a_version_and_no_writer_that_waits(tmp_path: Path) -> None:
    Journal(tmp_path / "deep" / "down" / "games.sqlite").close()
    file = sqlite3.connect(tmp_path / "deep" / "down" / "games.sqlite")
    assert file.execute("PRAGMA user_version").fetchone() == (VERSION,)
    assert file.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    file.close()


def test_a_write_that_fails_in_its_middle_stores_nothing(journal: Journal) -> None:
    begin = "INSERT INTO inboxes VALUES ('http://one', 'me', '7')"
    assert journal.write((begin, ()), ("INSERT INTO nowhere VALUES (1)", ())) == -1
    assert Ledger(journal, "http://one", "me").cursor() == ""


def test_a_closed_journal_leaves_the_player_to_another_process(path: Path) -> None:
    first, second = Journal(path), Journal(path)
    assert first.claim("http://one", "me")
    assert first.claim("http://one", "me"), "it has the lock already"
    assert second.claim("http://one", "me") is False
    first.close()
    assert second.claim("http://one", "me")
    second.close()


def test_many_threads_write_one_after_another(journal: Journal) -> None:
    ledger = Ledger(journal, "http://one", "me")
    with ThreadPoolExecutor(8) as pool:
        keys = list(pool.map(lambda _: ledger.ask(), range(40)))
    assert sorted(keys) == list(range(1, 41))


def test_a_file_of_others_keeps_its_permissions_and_is_refused(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.sqlite"
    sqlite3.connect(theirs).close()
    theirs.touch(mode=0o644)
    theirs.chmod(0o644)
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(theirs)
    os.mkfifo(pipe, 0o644)
    (tmp_path / "new-wal").symlink_to(theirs)
    for path, reason in (
        (link, "is a link"),
        (pipe, "not a regular file"),
        (tmp_path / "new", "is a link"),
    ):
        with pytest.raises(JournalError, match=reason):
            Journal(path)
    assert stat.S_IMODE(theirs.stat().st_mode) == 0o644
    assert stat.S_IMODE(pipe.stat().st_mode) == 0o644


def test_a_device_is_refused_and_keeps_its_permissions() -> None:
    before = Path("/dev/null").stat().st_mode
    with pytest.raises(JournalError, match="not a regular file"):
        Journal(Path("/dev/null"))
    assert Path("/dev/null").stat().st_mode == before


def test_a_journal_of_an_earlier_version_is_read_and_written(path: Path) -> None:
    path.parent.mkdir()
    old = sqlite3.connect(path)
    old.executescript(
        "CREATE TABLE games (game INTEGER PRIMARY KEY, server TEXT NOT NULL, player TEXT NOT NULL, "
        "game_id TEXT NOT NULL, began REAL NOT NULL, ending TEXT NOT NULL DEFAULT 'running', "
        "start TEXT, questions TEXT, answers TEXT, guess TEXT);"
        "CREATE TABLE replies (game INTEGER NOT NULL, message TEXT NOT NULL, reply TEXT NOT NULL, "
        "PRIMARY KEY (game, message));"
        "INSERT INTO games (server, player, game_id, began) VALUES ('http://one', 'me', '7', 1.0);"
        "INSERT INTO replies VALUES (1, 'Q21WARMUPCALL a', '{}'); PRAGMA user_version = 1"
    )
    old.close()
    journal = Journal(path)
    ledger = Ledger(journal, "http://one", "me")
    ledger.scored(1, SCORE)
    (game,) = ledger.running()
    assert (game.game_id, game.score, len(game.messages)) == ("7", SCORE, 1)
    assert game.messages[0].received is None
    journal.close()


def test_stored_games_are_listed_the_latest_first_and_read_one_by_one(
    journal: Journal,
) -> None:
    for server in ("http://one", "http://two"):
        ledger = Ledger(journal, server, "me")
        ledger.replied(
            ledger.ask(), "Q21ROUNDSTART", reply("b"), reply("a"), start=START
        )
    assert [game.server for game in journal.games()] == ["http://two", "http://one"]
    assert [game.messages for game in journal.games()] == [(), ()]
    game = journal.game(1)
    assert game is not None
    assert (game.start, game.messages[0].reply) == (START, reply("b"))
    assert journal.game(99) is None


def test_a_journal_without_a_file_keeps_games_in_memory() -> None:
    ledger = Ledger(Journal(None))
    ledger.replied(ledger.ask(), "m", reply("x"), reply("y"), start=START)
    assert [record.start for record in ledger.running()] == [START]
    assert Ledger(Journal(None)).running() == []


def test_a_file_that_is_no_journal_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text(
        "not a database, but long enough to be mistaken for one" * 40
    )
    (tmp_path / "folder").mkdir()
    newer = sqlite3.connect(tmp_path / "newer")
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    for name in ("notes.txt", "folder", "notes.txt/below", "newer"):
        with pytest.raises(
            JournalError, match=r"^Cannot use the journal .*--journal"
        ) as caught:
            Journal(tmp_path / name)
        assert "\n" not in str(caught.value)


def test_a_disk_that_fails_is_told_once_and_the_game_goes_on(path: Path) -> None:
    told: list[str] = []
    journal = Journal(path, say=told.append)
    journal.write(("DROP TABLE replies", ()))
    ledger = Ledger(journal, "http://one", "me")
    for _ in range(3):
        ledger.replied(1, "m", reply("x"), reply("y"))
    assert len(told) == 1
    assert "games go on" in told[0]
    journal.close()


class Registry(HttpGameServer):
    """A game server as far as being known to it goes."""

    def __init__(self, *tokens: str) -> None:
        super().__init__("http://one")
        self._known = set(tokens)

    def register(self, name: str) -> None:
        self.use(f"token-{len(self._known)}")
        self._known.add(self.token)

    def inbox(self, cursor: str, wait_s: float) -> tuple[list[Json], str]:
        if self.token not in self._known:
            raise UnauthorizedError("401")
        return [], ""


def test_after_a_crash_the_same_player_sits_down_again(journal: Journal) -> None:
    server = Registry()
    ledger = authenticate(server, "me", journal, print)
    key = ledger.ask()
    again = Registry(server.token)
    assert [
        kept.key for kept in authenticate(again, "me", journal, print).running()
    ] == [key]
    assert again.token == server.token
    ledger.end(key, "over")
    for name, server_name in (("me", server.token), ("another", "token-1")):
        other = Registry(server.token)
        authenticate(other, name, journal, print)
        assert other.token == server_name, (
            "the same player as in the games before, by its name"
        )


def test_a_server_that_forgot_the_player_gets_a_new_one(journal: Journal) -> None:
    told: list[str] = []
    server = Registry()
    authenticate(server, "me", journal, told.append).ask()
    anew = Registry("of-somebody")
    assert authenticate(anew, "me", journal, told.append).running() == []
    assert anew.token == "token-1"
    assert "no longer knows the player" in told[0]
    assert [game.ending for game in journal.games()] == ["given up"]


def test_two_processes_do_not_play_as_one_player(path: Path, journal: Journal) -> None:
    told: list[str] = []
    server = Registry()
    authenticate(server, "me", journal, told.append).ask()
    other = Journal(path)
    assert authenticate(server, "me", other, told.append).running() == []
    assert "another process plays as this player" in told[0]
    other.close()
