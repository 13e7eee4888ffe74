"""Journals of games that earlier versions played: the player sends the same messages today."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from player.game.fallback import DeadlinePlayer
from player.game.game import Game, Spectator
from player.game.journal import Journal, Ledger, SavedGame
from player.player import Player
from player.protocol import messages as protocol
from player.protocol.messages import Json
from tests.player.fakes import course, dense_player

JOURNALS = sorted((Path(__file__).parents[2] / "journals").glob("*.sqlite"))
CHANGING = {"message_id", "timestamp"}


@pytest.fixture(scope="module")
def player() -> Player:
    return dense_player(course(), questions_pool=60)


@pytest.fixture(params=JOURNALS, ids=lambda path: path.stem)
def games(request: pytest.FixtureRequest, tmp_path: Path) -> list[SavedGame]:
    path = tmp_path / "games.sqlite"
    shutil.copy(request.param, path)
    journal = Journal(path)
    found = [journal.game(game.key) for game in journal.games()]
    journal.close()
    return [game for game in found if game is not None]


def game_of(saved: SavedGame, player: Player) -> Game:
    ledger = Ledger(Journal(None))
    return Game(
        game_id=saved.game_id,
        key=ledger.ask(),
        player=DeadlinePlayer(player, print),
        name="me",
        spectator=Spectator(),
        timeouts=None,
        ledger=ledger,
        say=print,
    )


def replies_to(game: Game, saved: SavedGame) -> list[Json]:
    """Send the stored messages to a game, and return its replies."""
    replies = []
    for message in saved.messages:
        assert message.received is not None
        reply = game.receive(
            protocol.read_message(message.received), message.received, time.monotonic()
        )
        assert reply is not None
        replies.append(reply)
    return replies


def test_a_game_that_is_played_again_sends_the_same_messages(
    games: list[SavedGame], player: Player
) -> None:
    assert len(games) == 3
    for saved in games:
        replies = replies_to(game_of(saved, player), saved)
        assert [message["message_type"] for message in replies] == [
            "Q21WARMUPRESPONSE",
            "Q21QUESTIONSBATCH",
            "Q21GUESSSUBMISSION",
        ]
        for reply, message in zip(replies, saved.messages, strict=True):
            for name in reply.keys() - CHANGING:
                assert reply[name] == message.reply[name]


def test_a_game_that_is_continued_sends_the_same_bytes(
    games: list[SavedGame], player: Player
) -> None:
    for saved in games:
        game = game_of(saved, player)
        game.restore(saved)
        assert replies_to(game, saved) == [message.reply for message in saved.messages]
        assert game.score == saved.score
        assert game.ledger.editions(game.opponent) == {}, "learned a second time"
