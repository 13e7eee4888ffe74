"""An SMTP server for tests, as a process: `python -m tests.smtp_server FOLDER PORT CERTIFICATE KEY`.

What it takes lands in the Maildirs under FOLDER/mail and, in order, in FOLDER/accepted. It refuses mail to gone@ for
good and to full@ for now, and wants TLS and a login.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import ssl
import sys
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

from tests.mail_servers import DOMAIN, KEY, PASSWORD, b64, deliver

REFUSALS = {"gone": "550 no such \x1b[2Jmailbox", "full": "452 mailbox full"}


class XoauthSMTP(SMTP):
    """With the login that a token needs."""

    async def auth_XOAUTH2(self, server: Any, arguments: list[str]) -> Any:  # noqa: N802 - aiosmtpd calls it so
        user, bearer = base64.b64decode(arguments[1]).decode().rstrip("\1").split("\1")
        signed = bearer.removeprefix("auth=Bearer ").split(".")
        right = hmac.new(KEY, ".".join(signed[:2]).encode(), hashlib.sha256).digest()
        good = user.startswith("user=") and user.endswith(f"@{DOMAIN}") and b64(right) == signed[-1]
        return AuthResult(success=good, handled=False, auth_data=user)


class Handler:
    """Delivers at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._n_accepted = 0
        (folder / "accepted").mkdir(exist_ok=True)

    async def handle_RCPT(  # noqa: N802 - aiosmtpd calls it so
        self, server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        """Whether there is such a mailbox."""
        if refusal := REFUSALS.get(address.split("@", maxsplit=1)[0]):
            return refusal
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        """Deliver."""
        self._n_accepted += 1
        (self._folder / "accepted" / f"{self._n_accepted:06d}.eml").write_bytes(envelope.content)
        for recipient in envelope.rcpt_tos:
            deliver(self._folder / "mail" / recipient / "Maildir", envelope.content)
        return "250 OK"


def authenticate(server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
    """Whether the password is right."""
    good = isinstance(data, LoginPassword) and data.password == PASSWORD.encode()
    return AuthResult(success=good, handled=False)


async def main(folder: str, port: str, certificate: str, key: str) -> None:
    """Serve until terminated."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    handler = Handler(Path(folder))

    def factory() -> SMTP:
        return XoauthSMTP(
            handler,
            tls_context=context,
            require_starttls=True,
            auth_required=True,
            authenticator=authenticate,
            timeout=60,
        )

    server = await asyncio.get_running_loop().create_server(factory, "127.0.0.1", int(port))
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
