"""GameServer by mail: IMAP in, SMTP out, the same protocol as over HTTP."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from cachetools import LRUCache

from quarry.configs.mail import ADDRESS, MailSettings
from quarry.configs.terminal import visible
from quarry.player.errors import MessageError, RefusedError, ServerError
from quarry.player.mail.letter import read_letter, write_letter
from quarry.player.mail.mailbox import Mailbox, Place, read_place
from quarry.player.mail.outgoing import Outgoing
from quarry.player.protocol import payloads as protocol
from quarry.player.protocol.client import GameState
from quarry.player.protocol.payloads import ROUTE, Json

GAME_REQUEST = "Q21GAMEREQUEST"
"""Asks a practice server for a game; the league's games come unasked."""
ASKING_S = 60.0
"""Seconds in which a practice server must begin a game that it was asked for."""
MOST_GAMES = 10_000
"""Games whose referee is remembered."""


class MailGameServer:
    """The league, or a practice server, at the other end of a mailbox. Safe for many threads.

    A game's messages are taken from whoever began it and from nobody else.

    Args:
        settings: of the mailbox.
        timeout_s: for one step of the mail.

    Attributes:
        url: names the mailbox; holds no secret.
        player_id: the mailbox's address.
    """

    def __init__(self, settings: MailSettings, timeout_s: float = 20.0) -> None:
        self.url = f"imap://{settings.imap.host}:{settings.imap.port}/{settings.folder}"
        self.player_id = settings.address
        self._settings = settings
        self._mailbox = Mailbox(settings, timeout_s)
        self._outgoing = Outgoing(settings, timeout_s)
        self._referees: LRUCache[str, str] = LRUCache(MOST_GAMES)
        self._states: LRUCache[str, GameState] = LRUCache(MOST_GAMES)
        self._lock = threading.Lock()

    def request_game(self) -> str:
        """The game_id of a new game that a practice server was asked for; its messages follow in the inbox.

        Raises:
            ServerError: there is nobody to ask, or no game begins in time.
        """
        if not self._settings.league:
            raise ServerError(
                "--mail must name a league to ask for games, got none; add league: ADDRESS, or play a --season, whose "
                "games come unasked"
            )
        _, place = self._letters(None, 0.0)
        request = protocol.write_message(
            GAME_REQUEST, {}, sender=self.player_id, recipient=self._settings.league, game_id=""
        )
        self.send(request)
        deadline = time.monotonic() + ASKING_S
        while (left_s := deadline - time.monotonic()) > 0:
            envelopes, place = self._letters(place, min(left_s, 5.0))
            for envelope in envelopes:
                payload = envelope.get("payload")
                if isinstance(payload, dict) and payload.get("request_id") == request["message_id"]:
                    return protocol.read_message(envelope).game_id
        raise ServerError(
            f"{self._settings.league}: must begin a game within {ASKING_S:g} s, nothing came; is it a practice server?"
        )

    def inbox(self, cursor: str, wait_s: float) -> tuple[Sequence[Json], str]:
        """The messages after `cursor` ("" for those of the last hours) and the new cursor; waits for the first.

        A mail that cannot be read is left out, and the others come.

        Raises:
            ServerError: the mail server is not there, or refuses.
        """
        envelopes, place = self._letters(read_place(cursor), wait_s)
        return envelopes, str(place)

    def send(self, envelope: Mapping[str, Any]) -> None:
        """Mail a message: to whom it replies to, else to the league.

        Raises:
            RefusedError: there is nobody to send it to, or the mail server will not take it.
            ServerError: the mail server is not there, or refuses.
        """
        route = envelope.get(ROUTE)
        route = route if isinstance(route, Mapping) else {}
        recipient = str(route.get("from") or self._settings.league)
        if not recipient:
            raise RefusedError("--mail must say to whom a message goes that replies to none; add league: ADDRESS", 550)
        if not re.fullmatch(ADDRESS, recipient):
            raise RefusedError(f"a mail must go to one address, got {visible(recipient)[:80]!r}", 550)
        answers, thread = str(route.get("message_id", "")), str(route.get("references", ""))
        self._outgoing.send(write_letter(envelope, self._settings.address, recipient, answers, thread))

    def game(self, game_id: str) -> GameState:
        """What has become of a game, as far as mails have told.

        Raises:
            ServerError: no mail told of this game.
        """
        with self._lock:
            state = self._states.get(game_id.lstrip("0"))
        if state is None:
            raise ServerError(f"game_id must be of a game of this player, no mail told of {game_id!r}")
        return state

    def close(self) -> None:
        """Log out."""
        self._mailbox.close()
        self._outgoing.close()

    def _letters(self, after: Place | None, wait_s: float) -> tuple[list[Json], Place]:
        raw, place = self._mailbox.letters(after, max(0.0, wait_s))
        envelopes: list[Json] = []
        for letter in raw:
            try:
                envelope = read_letter(letter)
                message = protocol.read_message(envelope)
            except MessageError:
                continue
            if self._is_referees(message, envelope):
                envelopes.append(envelope)
                self._note(message)
        return envelopes, place

    def _is_referees(self, message: protocol.Message, envelope: Json) -> bool:
        """Whether a message comes from whoever began its game."""
        if not message.game_id or not message.message_type.startswith("Q21"):
            return True
        sender = str(envelope[ROUTE]["from"]).lower()
        with self._lock:
            return bool(self._referees.setdefault(message.game_id.lstrip("0"), sender) == sender)

    def _note(self, message: protocol.Message) -> None:
        if not message.game_id:
            return
        key = message.game_id.lstrip("0")
        with self._lock:
            if message.message_type == protocol.SCORE_FEEDBACK:
                score = protocol.read_score(message)
                self._states[key] = GameState(message.game_id, "over", score.private_score, score.league_points)
            else:
                self._states.setdefault(key, GameState(message.game_id, "running", None, None))
