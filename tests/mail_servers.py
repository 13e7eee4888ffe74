"""A real IMAP server (Dovecot) and a real SMTP server (aiosmtpd) on the loopback, with a certificate of their own."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import json
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

NO_DOVECOT = "no Dovecot is installed: letters and mailboxes are tested without a mail server as well"
PASSWORD = 'app "pass\\w0rd'
KEY = b"the key that signs tokens of the tests"
DOMAIN = "quarry.test"
ROOT = Path(__file__).resolve().parents[1]


@dataclass
class MailServers:
    """Where they listen, and what they hold."""

    folder: Path
    imap_port: int
    imap_plain_port: int
    smtp_port: int
    ca_file: Path

    @property
    def accepted(self) -> list[bytes]:
        """The mails that the SMTP server took, in order."""
        return [path.read_bytes() for path in sorted((self.folder / "accepted").glob("*.eml"))]

    def settings(self, name: str, **changes: Any) -> dict[str, Any]:
        """The settings of a mailbox, as a YAML file holds them."""
        make_maildir(self.maildir(name))  # before Dovecot might
        host = {"host": "localhost", "ca_file": str(self.ca_file)}
        return {
            "address": f"{name}@{DOMAIN}",
            "imap": {**host, "port": self.imap_port, "security": "tls"},
            "smtp": {**host, "port": self.smtp_port, "security": "starttls"},
            "poll_s": 0.2,
        } | changes

    def maildir(self, name: str) -> Path:
        """Where the mails of a mailbox lie."""
        return self.folder / "mail" / f"{name}@{DOMAIN}" / "Maildir"

    def deliver(self, name: str, raw: bytes) -> None:
        """Put a mail into a mailbox, as an MTA does: written whole, then moved."""
        deliver(self.maildir(name), raw)

    def files(self, name: str) -> dict[str, bytes]:
        """The mails of a mailbox by the names of their files, which hold the flags."""
        return {
            str(path.relative_to(self.maildir(name))): path.read_bytes()
            for part in ("new", "cur")
            for path in sorted((self.maildir(name) / part).glob("*"))
        }


def deliver(maildir: Path, raw: bytes) -> None:
    """Put a mail into a Maildir."""
    make_maildir(maildir)
    unique = f"{time.time_ns()}.{os.getpid()}.{hashlib.sha256(os.urandom(8)).hexdigest()[:12]}.test"
    (maildir / "tmp" / unique).write_bytes(raw)
    _give(maildir / "tmp" / unique)
    (maildir / "tmp" / unique).rename(maildir / "new" / unique)


def make_maildir(maildir: Path) -> None:
    """Make a Maildir that Dovecot may write to, if it is not there."""
    for path in (maildir.parent, maildir, *(maildir / part for part in ("tmp", "new", "cur"))):
        if not path.is_dir():
            path.mkdir(exist_ok=True)
            _give(path)


def token(name: str, lives_s: float = 600.0) -> str:
    """An access token that Dovecot takes for a mailbox: a JWT signed with HS256."""
    now = int(time.time())
    claims = {"sub": name, "email": f"{name}@{DOMAIN}", "iat": now - 10, "nbf": now - 10, "exp": now + int(lives_s)}
    parts = [b64(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims)]
    signed = hmac.new(KEY, ".".join(parts).encode(), hashlib.sha256).digest()
    return ".".join([*parts, b64(signed)])


@contextlib.contextmanager
def mail_servers() -> Iterator[MailServers]:
    """Both servers, for as long as the context lasts; skips the test where there is no Dovecot."""
    with tempfile.TemporaryDirectory(prefix="quarry-mail-") as folder:  # pytest's own is closed to Dovecot's users
        Path(folder).chmod(0o755)
        yield from _serving(Path(folder))


def _serving(folder: Path) -> Iterator[MailServers]:
    dovecot = shutil.which("dovecot") or shutil.which("dovecot", path="/usr/sbin")
    if dovecot is None:
        pytest.skip(NO_DOVECOT)
    imap_port, imap_plain_port, smtp_port = _free_ports(3)
    ca_file, key_file = _certificate(folder)
    servers = MailServers(folder, imap_port, imap_plain_port, smtp_port, ca_file)
    config = _dovecot_config(folder, imap_port, imap_plain_port, ca_file, key_file)
    log = (folder / "dovecot.out").open("wb")
    process = subprocess.Popen([dovecot, "-F", "-c", str(config)], stdout=log, stderr=log)
    command = [sys.executable, "-m", "tests.smtp_server", str(folder), str(smtp_port), str(ca_file), str(key_file)]
    smtp = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
    try:
        _wait_for(imap_port, process, folder)
        _wait_for(smtp_port, smtp, folder)
        yield servers
    finally:
        for each in (process, smtp):
            each.terminate()
            each.wait(20)
        log.close()


def plain_mail(subject: str, sender: str = f"friend@{DOMAIN}", body: str = "Nothing of the league.") -> EmailMessage:
    """A mail by somebody."""
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = subject, sender, f"player@{DOMAIN}"
    mail.set_content(body)
    return mail


def _user() -> tuple[int, int, str]:
    """Who Dovecot serves mail as: never root, whom it refuses."""
    if os.getuid() != 0:
        return os.getuid(), os.getgid(), pwd.getpwuid(os.getuid()).pw_name
    found = pwd.getpwnam("nobody")
    return found.pw_uid, found.pw_gid, "nobody"


def _dovecot_config(folder: Path, port: int, plain_port: int, ca_file: Path, key_file: Path) -> Path:
    uid, gid, user = _user()
    internal = "dovenull" if os.getuid() == 0 else user
    (folder / "mail").mkdir()
    _give(folder / "mail")
    keys = folder / "keys" / "default" / "hs256"
    keys.mkdir(parents=True)
    (keys / "default").write_text(base64.b64encode(KEY).decode())
    upper = folder / "keys" / "default" / "HS256"
    upper.mkdir()
    (upper / "default").write_text(base64.b64encode(KEY).decode())
    for path in (folder / "keys").rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    (folder / "oauth2.conf").write_text(
        f"introspection_mode = local\nlocal_validation_key_dict = fs:posix:prefix={folder}/keys/\n"
        "username_attribute = email\n"
    )
    config = folder / "dovecot.conf"
    config.write_text(f"""
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log
instance_name = quarry-test
protocols = imap
listen = 127.0.0.1
ssl = yes
ssl_cert = <{ca_file}
ssl_key = <{key_file}
auth_mechanisms = plain login xoauth2
disable_plaintext_auth = no
default_internal_user = {"dovecot" if os.getuid() == 0 else user}
default_login_user = {internal}
default_internal_group = {"dovecot" if os.getuid() == 0 else user}
first_valid_uid = 1
first_valid_gid = 1
mail_max_userip_connections = 100
mail_location = maildir:{folder}/mail/%u/Maildir
mail_fsync = never
passdb {{
  driver = oauth2
  mechanisms = xoauth2
  args = {folder}/oauth2.conf
}}
passdb {{
  driver = static
  mechanisms = plain login
  args = password={{PLAIN.B64}}{base64.b64encode(PASSWORD.encode()).decode()}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/mail/%u
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    address = 127.0.0.1
    port = {plain_port}
  }}
  inet_listener imaps {{
    address = 127.0.0.1
    port = {port}
    ssl = yes
  }}
}}
service anvil {{
  chroot =
}}
namespace inbox {{
  inbox = yes
}}
""")
    return config


def _give(path: Path) -> None:
    if os.getuid() == 0:
        uid, gid, _ = _user()
        os.chown(path, uid, gid)


def _certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate that signs itself, for localhost, and its key."""
    certificate, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"),
            *("-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:TRUE"),
            *("-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    return certificate, key


def _free_ports(n: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        found = [stack.enter_context(socket.socket()) for _ in range(n)]
        for listener in found:
            listener.bind(("127.0.0.1", 0))
        return [listener.getsockname()[1] for listener in found]


def _wait_for(port: int, process: subprocess.Popen[bytes], folder: Path) -> None:
    deadline = time.monotonic() + 60.0
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5.0):
            return
        time.sleep(0.05)
    said = [path.read_text(errors="replace") for path in folder.glob("dovecot.*") if path.suffix in {".log", ".out"}]
    raise RuntimeError(f"the mail server did not start: {said}")


def b64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
