"""What the journal remembers about an opponent: the editions that it held."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import pytest

from evaluate.practice.server import LocalGameServer, PracticeServer
from player.game.fallback import DeadlinePlayer
from player.game.game import Game, Spectator
from player.game.journal import Journal, Ledger
from player.game.loop import play_games
from player.protocol import messages as protocol
from player.protocol.messages import RoundStart
from player.questions.editions import PRINTED
from tests.evaluate.fakes import small_repertoire
from tests.player.fakes import course, dense_player


def test_beliefs_about_an_opponent_add_up_and_survive_the_process(
    tmp_path: Path,
) -> None:
    path = tmp_path / "games.sqlite"
    for share in (0.25, 0.5):
        with contextlib.closing(Journal(path)) as journal:
            shares = {PRINTED: share, "pypdf:page": 1.0 - share}
            Ledger(journal, "server", "me").learn("referee", shares)

    with contextlib.closing(Journal(path)) as journal:
        known = Ledger(journal, "server", "me").editions("referee")
        assert known == pytest.approx({PRINTED: 0.75, "pypdf:page": 1.25})
        assert Ledger(journal, "server", "me").editions("other") == {}
        assert Ledger(journal, "other server", "me").editions("referee") == {}


def test_a_journal_that_cannot_be_read_knows_nothing_and_says_so_once() -> None:
    lines: list[str] = []
    journal = Journal(None, lines.append)
    journal.write(("DROP TABLE opponents", ()))
    ledger = Ledger(journal, "server", "me")
    assert [ledger.editions("R1"), ledger.editions("R2")] == [{}, {}]
    assert len(lines) == 1
    assert "no such table: opponents; games go on" in lines[0]


def test_every_scored_game_is_remembered() -> None:
    ledger = Ledger(Journal(None), "practice", "me")
    server = LocalGameServer(PracticeServer(small_repertoire(), seed=0))
    player = dense_player(course(), questions_pool=60)
    outcomes = play_games(server, player, 3, name="me", timeout_s=60.0, ledger=ledger)
    assert len(list(outcomes)) == 3
    assert sum(ledger.editions("practice-referee").values()) == pytest.approx(3.0)


class Listener(Spectator):
    def __init__(self) -> None:
        self.starts: list[RoundStart] = []

    def started(self, game_id: str, start: RoundStart) -> None:
        self.starts.append(start)


def test_no_message_of_a_referee_sets_what_is_believed_about_it() -> None:
    ledger, listener = Ledger(Journal(None)), Listener()
    game = Game(
        game_id="0101001",
        key=ledger.ask(),
        player=DeadlinePlayer(dense_player(course(), questions_pool=60), print),
        name="me",
        spectator=listener,
        timeouts=None,
        ledger=ledger,
        say=print,
    )
    envelope = {
        "message_type": "Q21ROUNDSTART",
        "game_id": "0101001",
        "sender": {"logical_id": "R1"},
        "payload": {"book_hint": "a hint", "editions": [["pypdf:page", 5.0]]},
    }
    ledger.learn("R1", {PRINTED: 1.0})
    game.receive(protocol.read_message(envelope), envelope, time.monotonic())
    (start,) = listener.starts
    assert start.editions == ((PRINTED, 1.0),)
