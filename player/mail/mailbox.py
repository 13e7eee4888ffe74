"""A mailbox, read over IMAP and left exactly as it is: the folder is opened for reading alone, no mail is flagged."""

from __future__ import annotations

import contextlib
import functools
import imaplib
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.parser import BytesParser
from email.utils import parseaddr
from typing import TYPE_CHECKING, Any, TypeVar

from quarry.configs.mail import Host, MailSettings
from quarry.configs.settings import SettingsError
from quarry.configs.terminal import visible
from quarry.player.deadlines import started
from quarry.player.errors import ServerError, UnauthorizedError
from quarry.player.mail.letter import MAX_BYTES, is_of_league, read_subject

if TYPE_CHECKING:
    from imapclient import IMAPClient

T = TypeVar("T")

N_HEADERS = 200
"""Mails whose subject and sender are asked for at once."""
MOST_HEADERS = 2_000
MOST_LETTERS = 50
"""Mails that one look goes through, and letters that it brings; the rest come with the next."""
HEADERS = b"BODY[HEADER.FIELDS (SUBJECT FROM)]"


@dataclass(frozen=True, slots=True)
class Place:
    """How far a folder has been read.

    Attributes:
        validity: of the folder's numbers; when it changes, they mean other mails.
        uid: of the last mail that was looked at.
    """

    validity: int
    uid: int

    def __str__(self) -> str:
        return f"{self.validity}:{self.uid}"


def read_place(text: str) -> Place | None:
    """A place as it was written; None where it is none."""
    validity, _, uid = text.partition(":")
    if validity.isascii() and validity.isdecimal() and uid.isascii() and uid.isdecimal() and len(text) <= 40:
        return Place(int(validity), int(uid))
    return None


class Mailbox:
    """The league's mails in a folder. Safe for many threads, one of which is served at a time.

    Args:
        settings: of the mailbox.
        timeout_s: for one step, from the first byte to the last.
    """

    def __init__(self, settings: MailSettings, timeout_s: float = 20.0) -> None:
        self._settings = settings
        self._timeout_s = timeout_s
        self._client: IMAPClient | None = None
        self._validity = 0
        self._secret = ""
        self._n_dropped = 0
        self._closed = False
        self._lock = threading.Lock()

    def letters(self, after: Place | None, wait_s: float) -> tuple[list[bytes], Place]:
        """The league's mails after a place, whole, and the place after the last mail; waits for the first.

        Args:
            after: None begins `lookback_h` before now.
            wait_s: seconds; told by the server (IDLE) where it can, else looked for every `poll_s`.

        Raises:
            UnauthorizedError: the server does not let us in.
            ServerError: it is not there, or fails.
        """
        deadline = time.monotonic() + wait_s
        with self._lock:
            while True:
                found, place = self._within(self._timeout_s, functools.partial(self._look, after))
                left_s = deadline - time.monotonic()
                if found or left_s <= 0 or (after is not None and place != after):
                    return found, place
                after = place
                self._await(min(left_s, self._settings.poll_s))

    def close(self) -> None:
        """Log out."""
        with self._lock:
            self._closed = True
            client, self._client = self._client, None
            if client is not None:
                with contextlib.suppress(Exception):
                    started(client.logout).result(2.0)
                with contextlib.suppress(Exception):
                    client.shutdown()

    def _look(self, after: Place | None) -> tuple[list[bytes], Place]:
        client = self._client or self._connect()
        client.noop()
        if after is None or after.validity != self._validity:
            return self._fetch(client, self._recent(client), Place(self._validity, self._newest(client)))
        uids = [uid for uid in client.search(["UID", f"{after.uid + 1}:*"]) if uid > after.uid]
        return self._fetch(client, uids, after)

    def _recent(self, client: IMAPClient) -> list[int]:
        """Mails that arrived within `lookback_h`; IMAP itself counts by days."""
        since = datetime.now(UTC) - timedelta(hours=self._settings.lookback_h)
        uids = client.search(["SINCE", (since - timedelta(days=1)).date()])[-MOST_HEADERS:]
        arrived = client.fetch(uids, ["INTERNALDATE"]) if uids else {}
        return [uid for uid in uids if uid in arrived and _moment(arrived[uid].get(b"INTERNALDATE")) >= since]

    def _newest(self, client: IMAPClient) -> int:
        status = client.folder_status(self._settings.folder, ["UIDNEXT"])
        return max(0, int(status[b"UIDNEXT"]) - 1)

    def _fetch(self, client: IMAPClient, uids: Sequence[int], place: Place) -> tuple[list[bytes], Place]:
        """Those of the mails that are the league's; no other is read beyond its subject and sender."""
        found: list[bytes] = []
        uids = sorted(uids)[:MOST_HEADERS]
        newest = place.uid
        for begin in range(0, len(uids), N_HEADERS):
            chunk = uids[begin : begin + N_HEADERS]
            heads = client.fetch(chunk, ["RFC822.SIZE", HEADERS.replace(b"BODY[", b"BODY.PEEK[").decode()])
            for uid in chunk:
                if len(found) == MOST_LETTERS:
                    return found, Place(self._validity, newest)
                newest = uid
                if uid in heads and self._is_wanted(heads[uid]):
                    body = client.fetch([uid], ["BODY.PEEK[]"]).get(uid, {}).get(b"BODY[]")
                    if isinstance(body, bytes):
                        found.append(body)
        return found, Place(self._validity, max(newest, place.uid))

    def _is_wanted(self, head: dict[bytes, Any]) -> bool:
        raw = next((value for name, value in head.items() if name.startswith(b"BODY[HEADER")), b"")
        if not isinstance(raw, bytes) or int(head.get(b"RFC822.SIZE", 0)) > MAX_BYTES:
            return False
        fields = BytesParser().parsebytes(raw[:20_000], headersonly=True)
        sender = parseaddr(str(fields.get("From", "")))[1].lower()
        allowed = [name.lower() for name in self._settings.senders]
        if sender == self._settings.address.lower():
            return False
        if allowed and not any(sender == name or (name[:1] == "@" and sender.endswith(name)) for name in allowed):
            return False
        return is_of_league(read_subject(str(fields.get("Subject", ""))))

    def _await(self, seconds: float) -> None:
        """Until there is something new, or for so long."""
        client = self._client
        if client is None:
            return
        if not client.has_capability("IDLE"):
            time.sleep(seconds)
            return

        def idle() -> None:
            client.idle()
            client.idle_check(timeout=max(seconds, 0.01))
            client.idle_done()

        self._within(self._timeout_s + seconds, idle)

    def _connect(self) -> IMAPClient:
        from imapclient import IMAPClient, SocketTimeout

        host, n_dropped = self._settings.imap, self._n_dropped
        context = tls(host)
        client = IMAPClient(
            host.host,
            host.port,
            ssl=host.security == "tls",
            ssl_context=context,
            timeout=SocketTimeout(self._timeout_s, self._timeout_s),
        )
        try:
            if host.security == "starttls":
                client.starttls(context)
            self._secret = self._settings.secret()
            self._log_in(client)
            selected = client.select_folder(self._settings.folder, readonly=True)
            self._validity = int(selected[b"UIDVALIDITY"])
            if self._closed or self._n_dropped != n_dropped:
                raise OSError("it was no longer waited for")
        except BaseException:
            with contextlib.suppress(Exception):
                client.shutdown()
            raise
        self._client = client
        return client

    def _log_in(self, client: IMAPClient) -> None:
        from imapclient.exceptions import LoginError

        try:
            if self._settings.auth == "xoauth2":
                client.oauth2_login(self._settings.login, self._secret)
            else:
                client.login(self._settings.login, self._secret)
        except (LoginError, imaplib.IMAP4.error) as error:
            if isinstance(error, imaplib.IMAP4.abort):
                raise
            raise UnauthorizedError(
                f"{self._settings.imap.host}: must let {self._settings.login} read mail, it refused the login; check "
                "the app password or token"
            ) from None

    def _within(self, seconds: float, task: Callable[[], T]) -> T:
        """The result of a step, however slowly its bytes drip; a connection that failed is given up."""
        call: Future[T] = started(task)
        try:
            return call.result(seconds)
        except ServerError:
            self._drop()
            raise
        except SettingsError as error:
            self._drop()
            raise UnauthorizedError(str(error)) from None
        except (OSError, imaplib.IMAP4.error, ValueError, KeyError) as error:
            self._drop()
            reason = "timed out" if isinstance(error, TimeoutError) else str(error) or type(error).__name__
            host = self._settings.imap
            raise ServerError(
                f"{host.host}:{host.port}: must answer as a mail server (IMAP), failed: "
                f"{without_secret(reason, self._secret)}; check --mail"
            ) from None

    def _drop(self) -> None:
        self._n_dropped += 1
        client, self._client = self._client, None
        if client is not None:
            with contextlib.suppress(Exception):
                client.shutdown()


def without_secret(reason: str, secret: str) -> str:
    """What a mail server said, short and fit for a terminal, the password or token covered."""
    return visible(reason.replace(secret, "***") if secret else reason)[:200]


def tls(host: Host) -> ssl.SSLContext:
    """What checks a mail server's certificate.

    Raises:
        ServerError: `ca_file` is none.
    """
    try:
        return ssl.create_default_context(cafile=host.ca_file or None)
    except OSError as error:
        raise ServerError(
            f"ca_file must hold certificates, got {host.ca_file}: {error.strerror}; check --mail"
        ) from None


def _moment(value: object) -> datetime:
    """An INTERNALDATE, which imapclient gives in local time without its offset."""
    return value.astimezone(UTC) if isinstance(value, datetime) else datetime.min.replace(tzinfo=UTC)
