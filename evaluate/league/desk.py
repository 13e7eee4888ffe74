"""Desk: what a game server is to those who carry its messages, over HTTP or by mail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from quarry.evaluate.practice.match import Match
from quarry.player.protocol.payloads import Json


class Desk(Protocol):
    """The practice server and the league are desks; see `evaluate.practice.server.PracticeServer` for each method."""

    def register(self, name: str, token: str = "") -> tuple[str, str]:
        """(player_id, token) of a new player, or of the one who has this token."""

    def knows(self, token: str) -> bool:
        """Whether a token was given out."""

    def player_id(self, token: str) -> str:
        """Whose token it is."""

    def start_game(self, token: str) -> str:
        """The game_id of a new game."""

    def messages(self, token: str, after: int) -> tuple[list[Json], int]:
        """The player's messages from a place on, and the place after the last."""

    def receive(self, token: str, envelope: Json) -> str:
        """Take a player's message; its message_id."""

    def match(self, token: str, game_id: str) -> Match | None:
        """A game of the player."""

    def listen(self, listener: Callable[[str], None]) -> None:
        """Call `listener` with the player_id whenever an inbox has grown."""
