"""The journal: what a game needs is there after the process is gone, and a bad disk stops no game."""

import contextlib
import json
import os
import re
import sqlite3
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from player.belief.places import PRINTED
from player.errors import JournalError
from player.game.journal import (
    VERSION,
    Journal,
    open_journal,
)
from player.game.record import Label, SavedGame, SavedMessage
from player.question import Question
from player.round import Guess, RoundStart, Score
from tests.fakes import each
from tests.player.fakes import opened

START = RoundStart("M1", "Lecture 3", "what climbs, towards light", "color", "token")
QUESTIONS = (Question("Which?", ("a", "b", "c", "ד"), "opening", (("a",),)),)
SCORE = Score(88.0, 3, {"opening_sentence_score": 100.0}, {})
LABEL = Label("a:1:1", "Another sentence.", "", won=False, explanation=("lost",))
GUESS = Guess("S.", "Because.", "green", "Therefore.", 0.5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "games.sqlite"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    with opened(path) as journal:
        yield journal


def test_a_game_is_read_as_it_was_written(path: Path) -> None:
    call = {"a": "שלום"}
    reply = {"b": 0.1, "a": {"d": 1, "c": "שלום"}}
    with opened(path) as journal:
        key = journal.add_game()
        journal.assign_id(key, "0101001")
        facts = {"start": START, "questions": QUESTIONS}
        journal.store_reply(key, "ROUND", reply, call, **facts)
        journal.update(key, answers=["A", None], guess=GUESS)
        journal.update(key, score=SCORE)
        journal.move_cursor("7")

    with opened(path) as journal:
        (game,) = journal.running()
        assert journal.cursor() == "7"
        assert journal.game(key) == game
        assert journal.game(99) is None
    (message,) = game.messages
    assert message == SavedMessage("ROUND", reply, call, message.at)
    assert json.dumps(message.reply) == json.dumps(reply), "its keys are in order"
    assert game == SavedGame(
        key=key,
        server="",
        game_id="0101001",
        began=game.began,
        ending="running",
        start=START,
        questions=QUESTIONS,
        answers=("A", None),
        guess=GUESS,
        score=SCORE,
        messages=(message,),
    )


def test_a_game_whose_id_came_again_or_that_is_over_or_given_up_is_not_running(
    journal: Journal,
) -> None:
    over, old, new, unnamed = (journal.add_game() for _ in range(4))
    journal.assign_id(old, "0101001")
    journal.assign_id(new, "0101001")
    journal.update(over, ending="over")
    assert each(journal.running(), "key") == [new, unnamed]
    assert journal.holds("0101001")
    assert not journal.holds("0101002")
    assert journal.give_up() == 2
    assert each(journal.games(), "ending") == ["given up"] * 3 + ["over"]


def test_a_label_is_stored_after_the_guess_and_read_after_the_game(
    journal: Journal,
) -> None:
    key = journal.add_game()
    journal.store_label(key, LABEL)
    journal.update(key, ending="over")
    assert each(journal.games(), "label") == [None], "the game has no guess"
    journal.update(key, ending="running", guess=GUESS)
    journal.store_label(key, LABEL)
    assert each(journal.running(), "label") == [None], "a player may continue it"
    journal.update(key, ending="over")
    assert each(journal.games(), "label") == [LABEL]
    assert each(journal.games(), "outcome") == ["LOST"]


def test_an_altered_game_is_left_and_logged(
    journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    altered = {
        "start": '{"match_id": []}',
        "questions": "[" * 5_000,
        "answers": '"ABCD"',
    }

    for column, value in altered.items():
        key = journal.add_game()
        journal.assign_id(key, f"of altered {column}")
        alter = f"UPDATE games SET {column} = ? WHERE game = ?"
        journal.write((alter, (value, key)))
    whole = journal.add_game()
    for _ in range(2):
        assert each(journal.running(), "key") == [whole]
    for column, said in zip(altered, caplog.messages, strict=True):
        assert f"game of altered {column} cannot be read and is skipped" in said


def test_only_the_owner_may_read_a_file_even_one_that_was_open(path: Path) -> None:
    path.parent.mkdir(mode=0o700)
    path.touch()
    path.chmod(0o644)
    Journal(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with contextlib.closing(sqlite3.connect(path)) as file:
        assert file.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert file.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_file_is_usable_after_a_kill_while_its_tables_were_made(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("player.game.journal._SCHEMA", "CREATE TABLE games (game); kill;")
        with pytest.raises(JournalError):
            Journal(path)
    with opened(path) as journal:
        assert journal.add_game() == 1


def test_many_open_a_new_file_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        for n in range(20):
            for journal in pool.map(Journal, [tmp_path / f"{n}.sqlite"] * 4):
                journal.close()


def test_a_link_or_a_pipe_is_refused_and_keeps_its_permissions(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.sqlite"
    theirs.touch()
    link = tmp_path / "link"
    pipe = tmp_path / "pipe"
    new = tmp_path / "new"
    link.symlink_to(theirs)
    Path(f"{new}-wal").symlink_to(theirs)
    os.mkfifo(pipe)
    theirs.chmod(0o644)
    pipe.chmod(0o644)

    for path, says in (
        (link, "is a link"),
        (new, "is a link"),
        (pipe, "not a regular file"),
        (Path("/dev/null"), "not a regular file"),
    ):
        with pytest.raises(JournalError, match=says):
            Journal(path)
    for path in (theirs, pipe):
        assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_games_are_played_without_a_default_journal_that_cannot_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("player.game.journal.default_journal", lambda: tmp_path)
    open_journal().close()
    says = r"Cannot use .* with --journal\. The games are played without it\."
    (line,) = caplog.messages
    assert re.fullmatch(says, line)


FOREIGN = {
    "of another program": "CREATE TABLE trials (id INTEGER)",
    "with games of its own": "CREATE TABLE games (id INTEGER); PRAGMA user_version = 1",
    "newer": "PRAGMA user_version = 99",
    "of an early release": "CREATE TABLE games (game INTEGER PRIMARY KEY, server, game_id, began, ending, start, "
    "questions, answers, guess); PRAGMA user_version = 1",
    "text": "",
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_foreign_file_is_refused_and_left_as_it_is(tmp_path: Path, kind: str) -> None:
    path = tmp_path / kind
    if kind == "text":
        path.write_text("not a database, but long enough" * 80)
    else:
        with contextlib.closing(sqlite3.connect(path)) as file:
            file.executescript(FOREIGN[kind])
    path.chmod(0o644)
    content = path.read_bytes()

    for is_copy in (True, False):
        with pytest.raises(JournalError, match=r"^Cannot use the journal .*--journal"):
            Journal(path, is_copy=is_copy)
        assert path.read_bytes() == content, is_copy
        assert stat.S_IMODE(path.stat().st_mode) == 0o644, is_copy
        assert list(tmp_path.iterdir()) == [path], is_copy


def test_a_copy_has_the_games_of_the_file_and_changes_nothing_in_it(path: Path) -> None:
    with opened(path) as journal:
        journal.add_game()
    path.chmod(0o400)
    content = path.read_bytes()
    with contextlib.closing(Journal(path, is_copy=True)) as copy:
        assert each(copy.games(), "ending") == ["running"]
        assert copy.add_game() == 2
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


class Interrupting:
    """A statement in the middle of which the user presses Ctrl-C."""

    def __iter__(self) -> Iterator[str]:
        raise KeyboardInterrupt


def test_a_disk_that_fails_is_told_once_and_the_game_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    journal = Journal(None, "server", "me")
    drop = ("DROP TABLE replies", ())
    begin = ("INSERT INTO inboxes VALUES ('server', 'me', '7')", ())
    journal.write(drop, ("DROP TABLE opponents", ()))

    for _ in range(3):
        assert journal.write(begin, drop) == -1
        assert journal.cursor() == "", "a write that fails in its middle stores nothing"
        assert journal.editions("R1") == {}
    with pytest.raises(KeyboardInterrupt):
        journal.write(begin, Interrupting())  # type: ignore[arg-type]
    assert journal.cursor() == "", "an interrupted write leaves no open transaction"
    assert journal.add_game() > 0
    write, read = caplog.messages
    assert "no such table: replies; games go on" in write
    assert "no such table: opponents; games go on" in read


def test_each_other_opponent_of_a_season_counts_as_one_game_at_most(path: Path) -> None:
    with opened(path) as journal:
        for _ in range(3):
            journal.learn("first", {"x:page": 1.0})
        journal.learn("second", {"x:page": 0.25, PRINTED: 0.75})
        journal.learn("third", {PRINTED: 0.5})
        new = {"x:page": 1.25, PRINTED: 1.25}
        assert journal.editions("fourth") == pytest.approx(new)
        own = {"x:page": 3.25, PRINTED: 1.25}
    with opened(path) as journal:
        assert journal.editions("first") == pytest.approx(own), "also afterwards"
    with opened(path, "http://other") as journal:
        assert journal.editions("first") == {}


def test_games_whose_process_was_killed_are_given_up_and_those_of_a_living_one_go_on(
    path: Path,
) -> None:
    with opened(path) as journal:  # it ends without a word, as a kill does
        journal.play_as("practice", "killed")
        journal.add_game()
        journal.play_as("elsewhere", "killed")
        journal.add_game()

    with opened(path) as living, opened(path) as journal:
        living.play_as("practice", "living")
        living.add_game()
        journal.give_up_killed("practice")
        endings = [(game.server, game.ending) for game in journal.games()]
        assert endings == [
            ("practice", "running"),
            ("elsewhere", "running"),
            ("practice", "given up"),
        ]
    assert list(path.parent.iterdir()) == [path], "no lock is left"
