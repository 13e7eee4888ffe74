"""Journals of games that earlier versions played: the player sends the same messages today."""

import shutil
from pathlib import Path
from unittest.mock import DEFAULT, Mock

import pytest

from player.belief.places import PRINTED
from player.game import messages as protocol
from player.game.game import STRICT, Game, Spectator, Timeouts
from player.game.record import SavedGame
from player.player import Player
from player.round import Json
from tests.fakes import each
from tests.player.fakes import dense_player, opened
from tests.player.game.test_loop import REPLIES, game_of, round_start

JOURNALS = sorted((Path(__file__).parents[2] / "journals").glob("*.sqlite"))


@pytest.fixture(scope="module")
def player() -> Player:
    return dense_player()


@pytest.fixture(params=JOURNALS, ids=lambda path: path.stem)
def games(request: pytest.FixtureRequest, tmp_path: Path) -> list[SavedGame]:
    path = tmp_path / "games.sqlite"
    shutil.copy(request.param, path)
    games = []
    with opened(path) as journal:
        for listed in journal.games():
            game = journal.game(listed.key)
            assert game is not None
            games.append(game)
    assert len(games) == 3
    return games


def replies_to(game: Game, saved: SavedGame) -> list[Json]:
    """Send the stored messages to a game, and return its replies."""
    replies = []
    for message in saved.messages:
        reply = game.receive(protocol.read_message(message.received))
        assert reply is not None
        replies.append(reply)
    return replies


def test_a_game_that_is_played_again_sends_the_same_messages(
    games: list[SavedGame], player: Player
) -> None:
    for saved in games:
        replies = replies_to(game_of(player, saved.game_id, timeouts=STRICT), saved)
        assert each(replies, "message_type") == REPLIES
        for reply, expected in zip(replies, each(saved.messages, "reply"), strict=True):
            changing = {name: reply[name] for name in ("message_id", "timestamp")}
            assert reply == expected | changing


def test_a_game_that_is_continued_sends_the_same_bytes(
    games: list[SavedGame], player: Player
) -> None:
    for saved in games:
        game = game_of(player, saved.game_id, timeouts=STRICT)
        game.restore(saved)
        assert replies_to(game, saved) == each(saved.messages, "reply")
        assert game.score == saved.score
        assert game.journal.editions(game.opponent) == {}, "learned a second time"


def test_after_a_late_search_the_plan_of_the_decision_is_shown(
    games: list[SavedGame], player: Player
) -> None:
    late = Mock(wraps=player)
    late.plan.side_effect = [TimeoutError, DEFAULT]
    shown = Mock(Spectator)
    game = game_of(late, timeouts=Timeouts(), spectator=shown)
    game.restore(games[0])
    for event in (shown.planned, shown.answered):
        plan = event.call_args.args[1]
        assert len(plan.candidate_places) > 0
        assert plan is game.player.plan


def test_the_journal_and_no_message_says_which_editions_a_referee_holds(
    player: Player,
) -> None:
    game = game_of(player, timeouts=STRICT)
    game.journal.learn("referee-7", {PRINTED: 1.0})
    start = round_start(editions=[["pypdf:page", 5.0]])
    game.receive(protocol.read_message(start))
    plan = game.player.plan
    assert plan is not None
    assert plan.start.editions == ((PRINTED, 1.0),)
