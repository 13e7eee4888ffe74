"""A game server by mail: each address is a player, and what stands in a player's inbox is mailed there."""

from __future__ import annotations

import hashlib
import hmac
import re
import threading
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field
from email.message import EmailMessage

from cachetools import LRUCache

from quarry.configs.mail import ADDRESS, MailSettings
from quarry.configs.terminal import visible
from quarry.evaluate.errors import EvaluateError
from quarry.evaluate.league.desk import Desk
from quarry.player.errors import MessageError, RefusedError, ServerError
from quarry.player.mail.letter import read_letter, write_letter
from quarry.player.mail.mailbox import Mailbox, read_place
from quarry.player.mail.outgoing import Outgoing
from quarry.player.mail.server import GAME_REQUEST
from quarry.player.protocol import payloads as protocol
from quarry.player.protocol.payloads import ROUTE, Json

REFUSED = "Q21REFUSED"
"""Tells a player why its message was not taken."""
OF_PLAYERS = frozenset(
    {protocol.WARMUP_RESPONSE, protocol.QUESTIONS_BATCH, protocol.GUESS_SUBMISSION, "Q21GAMEREQUEST"}
)
"""Types whose refusal is told: an answer to a holiday notice would be answered by the next one."""
MOST_THREADS = 10_000
POLL_S = 1.0
LONGEST_PAUSE_S = 10.0
PAUSE_S = 0.2
CLOSING_S = 10.0


@dataclass(slots=True)
class _Correspondent:
    token: str
    player_id: str
    lock: threading.Lock = field(default_factory=threading.Lock)


class PostOffice:
    """Carries messages between a desk and mailboxes, in two threads of its own, until it is closed.

    Args:
        desk: the game server.
        settings: of its own mailbox.
        key: secret, of which each address's token is made: with the same key an address is the same player again.
        memory: what a restart must know: how far mail was read, and how many messages were mailed to whom.
        say: is told in a line what went wrong and was survived.
    """

    def __init__(
        self,
        desk: Desk,
        settings: MailSettings,
        key: bytes,
        memory: MutableMapping[str, str],
        say: Callable[[str], None],
    ) -> None:
        self._desk = desk
        self._settings = settings
        self._key = key
        self._memory = memory
        self._say = say
        self._mailbox = Mailbox(settings)
        self._outgoing = Outgoing(settings)
        self._addresses: dict[str, str] = {}
        self._correspondents: dict[str, _Correspondent] = {}
        self._threads: LRUCache[tuple[str, str], tuple[str, str]] = LRUCache(MOST_THREADS)
        self._requests: LRUCache[str, str] = LRUCache(MOST_THREADS)
        self._asked: LRUCache[tuple[str, str], bool] = LRUCache(MOST_THREADS)
        self._replies: list[EmailMessage] = []
        self._arrived = threading.Event()
        self._closed = threading.Event()
        for name in list(memory):
            if name.startswith("mailed "):
                self._correspondent(name.removeprefix("mailed "))
        desk.listen(self._announce)
        self._runners = [
            threading.Thread(target=run, name="post-office", daemon=True) for run in (self._read_on, self._mail_on)
        ]
        for runner in self._runners:
            runner.start()

    def close(self) -> None:
        """Mail what is left, and stop."""
        self._closed.set()
        self._arrived.set()
        for runner in self._runners:
            runner.join(CLOSING_S)
        self._mailbox.close()
        self._outgoing.close()

    def _read_on(self) -> None:
        pause_s = PAUSE_S
        while not self._closed.is_set():
            try:
                letters, place = self._mailbox.letters(read_place(self._memory.get("mail", "")), POLL_S)
                pause_s = PAUSE_S
            except ServerError as error:
                self._say(f"mail cannot be read and is tried again: {visible(error)}")
                self._closed.wait(pause_s)
                pause_s = min(LONGEST_PAUSE_S, 2.0 * pause_s)
                continue
            for raw in letters:
                self._take(raw)
            if self._memory.get("mail") != str(place):
                self._memory["mail"] = str(place)

    def _take(self, raw: bytes) -> None:
        try:
            envelope = read_letter(raw)
            message = protocol.read_message(envelope)
            address = str(envelope[ROUTE]["from"]).lower()
        except MessageError as error:
            self._say(f"a mail is left unread: {visible(error)}")
            return
        if not re.fullmatch(ADDRESS, address):
            return
        route = envelope.pop(ROUTE)
        try:
            correspondent = self._correspondent(address)
            self._threads[correspondent.player_id, message.game_id] = (route["message_id"], route["references"])
            if message.message_type == GAME_REQUEST:
                self._start(correspondent, message.message_id)
            else:
                envelope["message_id"] = message.message_id
                envelope["game_id"] = message.game_id
                self._desk.receive(correspondent.token, envelope)
        except EvaluateError as error:
            if message.message_type in OF_PLAYERS:
                self._refuse(address, message, route, str(error))

    def _start(self, correspondent: _Correspondent, request_id: str) -> None:
        """A game, one for each request however often it comes."""
        key = correspondent.player_id, request_id
        if key in self._asked:
            return
        self._asked[key] = True
        with correspondent.lock:  # nothing is mailed before the request is known to be the game's
            self._requests[self._desk.start_game(correspondent.token)] = request_id
        self._arrived.set()

    def _refuse(self, address: str, message: protocol.Message, route: Json, reason: str) -> None:
        told = protocol.write_message(
            REFUSED,
            {"detail": visible(reason)[:500], "refused": message.message_id},
            sender=self._settings.address,
            recipient=address,
            game_id=message.game_id,
            role="referee",
        )
        letter = write_letter(told, self._settings.address, address, route["message_id"], route["references"])
        self._replies.append(letter)
        self._arrived.set()

    def _mail_on(self) -> None:
        while True:
            self._arrived.clear()
            pause_s = 0.0
            try:
                while self._replies:
                    self._send(self._replies[0])
                    self._replies.pop(0)
                for address in list(self._addresses.values()):
                    self._mail(address)
            except ServerError as error:
                self._say(f"mail cannot be sent and is tried again: {visible(error)}")
                pause_s = LONGEST_PAUSE_S / 5.0
            if self._closed.is_set():
                return
            if pause_s:
                self._closed.wait(pause_s)
            else:
                self._arrived.wait()

    def _mail(self, address: str) -> None:
        """Mail what is new in a player's inbox."""
        correspondent = self._correspondents[address]
        with correspondent.lock:
            place = int(self._memory.get(f"mailed {address}", "0"))
            messages, _ = self._desk.messages(correspondent.token, place)
        for number, envelope in enumerate(messages, place + 1):
            game_id = str(envelope.get("game_id", ""))
            answers, thread = self._threads.get((correspondent.player_id, game_id), ("", ""))
            if envelope["message_type"] == protocol.WARMUP_CALL and game_id in self._requests:
                envelope = {**envelope, "payload": {**envelope["payload"], "request_id": self._requests[game_id]}}
            self._send(write_letter(envelope, self._settings.address, address, answers, thread))
            self._memory[f"mailed {address}"] = str(number)

    def _send(self, letter: EmailMessage) -> None:
        try:
            self._outgoing.send(letter)
        except RefusedError as error:  # nor would it be taken later
            self._say(f"a mail is given up: {visible(error)}")

    def _announce(self, player_id: str) -> None:
        if player_id in self._addresses:
            self._arrived.set()

    def _correspondent(self, address: str) -> _Correspondent:
        """Who writes from an address; a player from the first mail on.

        Raises:
            TooManyError: there are as many players as there may be.
        """
        found = self._correspondents.get(address)
        if found is None:
            token = hmac.new(self._key, f"mail {address}".encode(), hashlib.sha256).hexdigest()
            player_id, _ = self._desk.register(address[:100], token)
            found = self._correspondents[address] = _Correspondent(token, player_id)
            self._addresses[player_id] = address
            self._memory.setdefault(f"mailed {address}", "0")
        return found
