"""Logging in: a known player plays on, an unknown one is registered, and no two processes play as one player."""

from pathlib import Path

import pytest

from player.errors import UnauthorizedError
from player.game.authentication import authenticate
from player.game.client import HttpGameServer
from player.round import Json
from tests.fakes import each
from tests.player.fakes import opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "games.sqlite"


class Registry(HttpGameServer):
    """A game server that knows some tokens."""

    def __init__(self, *tokens: str) -> None:
        super().__init__("http://one")
        self._tokens = set(tokens)

    def register(self, name: str) -> None:
        self.use(f"token-{len(self._tokens)}")
        self._tokens.add(self.token)

    def inbox(
        self,
        cursor: str,
        wait_s: float,
    ) -> tuple[list[Json], str]:
        if self.token not in self._tokens:
            raise UnauthorizedError("401")
        return [], ""


def test_after_a_crash_the_same_player_plays_on(path: Path) -> None:
    server = Registry()
    with opened(path) as journal:
        key = authenticate(server, "me", journal).add_game()

    for name, token, keys in (
        ("me", server.token, [key]),
        ("another", "token-1", []),
    ):
        again = Registry(server.token)
        with opened(path) as journal:
            games = authenticate(again, name, journal).running()
            assert each(games, "key") == keys
        assert again.token == token


def test_a_server_that_forgot_the_player_gets_a_new_one(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(path) as journal:
        authenticate(Registry(), "me", journal).add_game()
    server = Registry("of-somebody")
    with opened(path) as journal:
        assert authenticate(server, "me", journal).running() == []
        assert each(journal.games(), "ending") == ["given up"]
    assert server.token == "token-1"
    assert "no longer knows the player" in caplog.text


def test_two_processes_do_not_play_as_one_player(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server = Registry()
    with opened(path) as journal, opened(path) as other:
        authenticate(server, "me", journal).add_game()
        assert authenticate(server, "me", other).running() == []
        assert "another process plays as this player" in caplog.text

        newcomer = Registry(server.token)
        authenticate(newcomer, "me", other)
        assert newcomer.token == "token-1"
        assert other.token("http://one", "me") == server.token
