"""Settings of a mailbox to play from, and its credentials, which never stand in the same file."""

from __future__ import annotations

import ipaddress
import os
import stat
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from quarry.configs.plain_yaml import read_plain_yaml
from quarry.configs.settings import SettingsError

PASSWORD_VARIABLE = "QUARRY_MAIL_PASSWORD"
TOKEN_VARIABLE = "QUARRY_MAIL_TOKEN"
MAX_CREDENTIAL_CHARS = 20_000
ADDRESS = r"^[^@\s<>\"(),:;\\]+@[^@\s<>\"(),:;\\]+$"

Security = Literal["tls", "starttls", "none"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Host(_Strict):
    """A mail server.

    Attributes:
        security: `tls` from the first byte, `starttls`, or `none`, which only a server of this machine may have.
        ca_file: certificates that sign the server's own; "" takes the system's.
    """

    host: str = Field(min_length=1, max_length=253)
    port: int = Field(ge=1, le=65_535)
    security: Security = "tls"
    ca_file: str = ""

    @model_validator(mode="after")
    def _none_is_for_this_machine(self) -> Host:
        if self.security == "none" and not _is_loopback(self.host):
            raise ValueError("security none is for a server of this machine; take tls or starttls")
        return self


class MailSettings(_Strict):
    """A mailbox and how it is played from; docs/guides/playing.md has an example.

    Attributes:
        address: of the mailbox.
        imap, smtp: where mail is read and sent.
        user: to log in as, "" for the address.
        auth: `password` (an app password) or `xoauth2` (an access token).
        credentials_file: holds the password or token alone and is read anew for each login; "" takes the environment.
        league: address of the league's manager or of a practice server, "" if nobody need be asked for anything.
        folder: where the league's mail arrives.
        poll_s: seconds between two looks where the server cannot tell of new mail (IDLE).
        lookback_h: hours before the first look whose mail is still read.
        senders: addresses or @domains whose mail is read; none reads the league's messages whoever sent them.
    """

    address: str = Field(pattern=ADDRESS, max_length=254)
    imap: Host
    smtp: Host
    user: str = Field("", max_length=254)
    auth: Literal["password", "xoauth2"] = "password"
    credentials_file: str = ""
    league: str = Field("", max_length=254)
    folder: str = Field("INBOX", min_length=1, max_length=200)
    poll_s: float = Field(10.0, ge=0.1, le=600.0)
    lookback_h: float = Field(12.0, ge=0.0, le=24.0 * 365)
    senders: tuple[str, ...] = ()

    @field_validator("address", "user", "league", "folder")
    @classmethod
    def _on_one_line(cls, value: str) -> str:
        if not value.isprintable():
            raise ValueError("must be printable")
        return value

    @property
    def login(self) -> str:
        """Who logs in."""
        return self.user or self.address

    def secret(self) -> str:
        """The password or token, as it is now.

        Raises:
            SettingsError: there is none, or others may read its file.
        """
        variable = TOKEN_VARIABLE if self.auth == "xoauth2" else PASSWORD_VARIABLE
        found = os.environ.get(variable, "")
        if self.credentials_file:
            found, variable = _owned(Path(self.credentials_file).expanduser()), "credentials_file"
        if not all(" " <= char <= "~" for char in found):
            raise SettingsError(f"{variable} must hold printable ASCII alone, got other characters; copy it anew")
        if found:
            return found
        noun = "token" if self.auth == "xoauth2" else "password"
        raise SettingsError(
            f"--mail must come with a {noun}, got none; set {variable}, or "
            "name a credentials_file that only you may read"
        )


def load_mail(path: Path) -> MailSettings:
    """The mailbox that a YAML file describes.

    Raises:
        SettingsError: no such file, or it holds what it must not; says which key, but no value, which may be secret.
    """
    try:
        tree = read_plain_yaml(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"--mail must be a readable file, got {path}: {error.strerror}; check the path") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: must be UTF-8, {error.reason} at byte {error.start}; save it as UTF-8") from None
    except ValueError as error:
        raise SettingsError(f"{path}: must be {error}") from None
    if not isinstance(tree, dict):
        raise SettingsError(
            f"{path}: must hold address, imap and smtp, got {type(tree).__name__}; see docs/guides/playing.md"
        )
    try:
        settings = MailSettings.model_validate(tree)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"]) or "the mailbox"
        raise SettingsError(
            f"{path}: {key}: {_reason(first['type'], first['msg'], key)}; see docs/guides/playing.md"
        ) from None
    return settings


def _reason(kind: str, message: str, key: str) -> str:
    if kind == "extra_forbidden" and any(word in key.lower() for word in ("pass", "token", "secret")):
        return f"a secret must not stand here; set {PASSWORD_VARIABLE} or {TOKEN_VARIABLE}, or name a credentials_file"
    if kind == "extra_forbidden":
        return "must be left out, no such key"
    return message.removeprefix("Value error, ")


def _owned(path: Path) -> str:
    """What stands in a file that nobody else may read."""
    try:
        with path.open(encoding="utf-8") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise SettingsError(f"credentials_file must be a plain file, got {path}")
            if found.st_uid != os.geteuid() or found.st_mode & 0o077:
                raise SettingsError(
                    f"credentials_file must be readable by its owner, you, alone, got {path} with mode "
                    f"{stat.S_IMODE(found.st_mode):o}; chmod 600 {path}"
                )
            text = file.read(MAX_CREDENTIAL_CHARS + 1).strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise SettingsError(f"credentials_file must be a readable file, got {path}: {reason}") from None
    if not text or len(text) > MAX_CREDENTIAL_CHARS or len(text.splitlines()) != 1:
        raise SettingsError(
            f"credentials_file must hold the password or token on one line and nothing else, see {path}"
        )
    return text


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
