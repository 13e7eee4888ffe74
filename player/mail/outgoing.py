"""Mails out, over SMTP."""

from __future__ import annotations

import contextlib
import smtplib
import threading
from email.message import EmailMessage

from quarry.configs.mail import MailSettings
from quarry.configs.settings import SettingsError
from quarry.player.deadlines import started
from quarry.player.errors import RefusedError, ServerError, UnauthorizedError
from quarry.player.mail.mailbox import tls, without_secret

PERMANENT = 500
"""Replies from this number on would come again."""


class Outgoing:
    """Sends mails, one after another over one connection. Safe for many threads.

    Args:
        settings: of the mailbox.
        timeout_s: for one mail, all in all.
    """

    def __init__(self, settings: MailSettings, timeout_s: float = 20.0) -> None:
        self._settings = settings
        self._timeout_s = timeout_s
        self._client: smtplib.SMTP | None = None
        self._secret = ""
        self._n_dropped = 0
        self._closed = False
        self._lock = threading.Lock()

    def send(self, letter: EmailMessage) -> None:
        """Hand a mail over to the server; sending it again is safe, its Message-ID makes it one.

        Raises:
            UnauthorizedError: the server does not let us in.
            RefusedError: it will not take this mail.
            ServerError: it is not there, or cannot take it now.
        """
        with self._lock:
            try:
                started(lambda: self._send(letter)).result(self._timeout_s)
            except smtplib.SMTPAuthenticationError:
                self._drop()
                raise UnauthorizedError(
                    f"{self._settings.smtp.host}: must let {self._settings.login} send mail, it refused the login; "
                    "check the app password or token"
                ) from None
            except (smtplib.SMTPException, OSError) as error:
                self._drop()
                status, reason = _told(error)
                host = self._settings.smtp
                told = without_secret(reason, self._secret)
                if status >= PERMANENT:
                    raise RefusedError(
                        f"{host.host}:{host.port}: refused a mail with {status}: {told}", status
                    ) from None
                raise ServerError(
                    f"{host.host}:{host.port}: must take mail (SMTP), failed: {told}; check --mail"
                ) from None
            except ServerError:
                self._drop()
                raise
            except SettingsError as error:
                self._drop()
                raise UnauthorizedError(str(error)) from None

    def close(self) -> None:
        """Hang up."""
        with self._lock:
            self._closed = True
            client = self._client
            if client is not None:
                with contextlib.suppress(Exception):
                    started(client.quit).result(2.0)
            self._drop()

    def _send(self, letter: EmailMessage) -> None:
        fresh = self._client is None
        client = self._client or self._connect()
        try:
            client.send_message(letter)
        except smtplib.SMTPServerDisconnected:
            if fresh:
                raise
            self._drop()  # it hung up meanwhile
            self._connect().send_message(letter)

    def _connect(self) -> smtplib.SMTP:
        host, n_dropped = self._settings.smtp, self._n_dropped
        name = "localhost"
        client = (
            smtplib.SMTP_SSL(host.host, host.port, name, timeout=self._timeout_s, context=tls(host))
            if host.security == "tls"
            else smtplib.SMTP(host.host, host.port, name, timeout=self._timeout_s)
        )
        try:
            if host.security == "starttls":
                client.starttls(context=tls(host))
            self._secret = self._settings.secret()
            client.ehlo_or_helo_if_needed()
            if self._settings.auth == "xoauth2":
                told = f"user={self._settings.login}\1auth=Bearer {self._secret}\1\1"
                client.auth("XOAUTH2", lambda challenge=None: told if challenge is None else "")
            else:
                client.login(self._settings.login, self._secret)
            if self._closed or self._n_dropped != n_dropped:
                raise OSError("it was no longer waited for")
        except BaseException:
            client.close()
            raise
        self._client = client
        return client

    def _drop(self) -> None:
        self._n_dropped += 1
        client, self._client = self._client, None
        if client is not None:
            with contextlib.suppress(Exception):
                client.close()


def _told(error: Exception) -> tuple[int, str]:
    """The server's status, 0 if there is none, and what it said."""
    if isinstance(error, smtplib.SMTPRecipientsRefused) and error.recipients:
        status, said = next(iter(error.recipients.values()))
        return int(status), _text(said)
    if isinstance(error, smtplib.SMTPResponseException):
        return int(error.smtp_code), _text(error.smtp_error)
    if isinstance(error, TimeoutError):
        return 0, "timed out"
    return 0, str(error) or type(error).__name__


def _text(said: object) -> str:
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
