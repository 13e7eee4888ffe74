"""The history of games: as JSON and in the terminal; nothing in it is interpreted, no token is in it."""

from __future__ import annotations

import io
import json
import sqlite3
from pathlib import Path

import pytest

from quarry import play as run_game
from quarry.player.game.fallback import generic_questions
from quarry.player.game.journal import Journal, Ledger
from quarry.player.game.json_output import history_json
from quarry.player.game.terminal import games_table, summary
from quarry.player.protocol.messages import Guess, RoundStart, Score
from tests.evaluate.fakes import run_main

HOSTILE = "<img src=x onerror=window.hacked=1>\x1b[2J\u202e</script>&amp;"
TOKEN = "s3cret-of-the-round"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal of a game that is scored, one that is given up, and one that runs."""
    journal = Journal(tmp_path / "games.sqlite")
    ledger = Ledger(journal, "http://one.test", "me")
    start = RoundStart("M1", "a book", HOSTILE, "color", TOKEN)
    questions = generic_questions(start)
    for number, score in enumerate(
        (Score(88.5, 3, {"opening_sentence_score": 100.0}, {"opening_sentence": HOSTILE}), None)
    ):
        key = ledger.ask()
        ledger.name(key, f"010100{number + 1}")
        reply = {"message_type": "Q21QUESTIONSBATCH", "recipient_id": "referee-7", "payload": {"auth_token": TOKEN}}
        ledger.replied(key, "Q21ROUNDSTART", reply, start=start, questions=questions)
        guess = Guess("It begins.", "since", "green", "as", 0.5)
        ledger.replied(key, "Q21ANSWERSBATCH", reply, answers=["A", None, *["Not Relevant"] * 18], guess=guess)
        ledger.end(key, "over" if score else "given up", score)
    ledger.name(ledger.ask(), "0101003")
    journal.close()
    return tmp_path / "games.sqlite"


def test_every_game_is_there_with_all_that_was_said(path: Path) -> None:
    journal = Journal(path)
    games = journal.records("ORDER BY game")
    journal.close()
    first, second, third = history_json(games)["history"]
    assert (first["game_id"], first["against"], first["private_score"], first["league_points"]) == (
        "0101001",
        "referee-7",
        88.5,
        3,
    )
    assert (len(first["questions"]), first["answers"][:3]) == (20, ["A", None, "Not Relevant"])
    assert first["guess"]["associative_word"] == "green"
    assert (second["ending"], second["private_score"]) == ("given up", None)
    assert (third["ending"], third["questions"], third["guess"]) == ("running", [], None)
    assert summary([game.score for game in games]) == "3 games, 1 scored, mean private score 88.5, 3 league points"


def test_no_token_leaves_the_journal(path: Path) -> None:
    journal = Journal(path)
    games = journal.records("ORDER BY game")
    journal.close()
    assert TOKEN not in json.dumps(history_json(games))


def test_the_terminal_shows_what_it_would_act_on(path: Path) -> None:
    from rich.console import Console

    journal = Journal(path)
    out = io.StringIO()
    Console(file=out, width=200, force_terminal=False).print(games_table(journal.records("ORDER BY game")))
    journal.close()
    assert "\x1b" not in out.getvalue()
    assert "\\x1b[2J" in out.getvalue()


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("start", '{"match_id": [], "book_name": 1, "hint": {}, "association_domain": 2, "auth_token": 3}'),
        ("questions", "[" * 5_000),
        ("answers", '"ABCD"'),
        ("began", "yesterday"),
    ],
)
def test_an_altered_game_is_left_and_said_in_one_line(
    path: Path, column: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with sqlite3.connect(path) as database:
        database.execute(f"UPDATE games SET {column} = ? WHERE game_id = '0101001'", (value,))
    database.close()
    assert run_main(run_game.main, "--history", "--journal", str(path), "--json") == 0
    said = capsys.readouterr()
    assert [game["game_id"] for game in json.loads(said.out)["history"]] == ["0101002"]
    assert len(said.err.splitlines()) == 1
    assert "game 0101001 cannot be read and is left" in said.err


def test_a_journal_that_is_none_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "other").write_text("not a database, and long enough to be one of some kind" * 50)
    for name in ("other", "missing"):
        assert run_main(run_game.main, "--history", "--journal", str(tmp_path / name)) == 2
        said = capsys.readouterr()
        assert len(said.err.splitlines()) == 1
        assert "--journal must" in said.err


def test_the_command_shows_a_table(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_main(run_game.main, "--history", "--journal", str(path)) == 0
    shown = capsys.readouterr().out
    assert "2 games, 1 scored, mean private score 88.5, 3 league points" in shown
    assert "0101003" not in shown, "it never began"


@pytest.mark.parametrize("options", [["--history", "--server", "http://x"], ["--history", "--journal", "none"]])
def test_options_that_make_no_sense_together_are_refused(options: list[str]) -> None:
    assert run_main(run_game.main, *options) == 2
