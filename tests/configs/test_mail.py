"""A mailbox's settings and its credentials."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from quarry.configs.mail import PASSWORD_VARIABLE, TOKEN_VARIABLE, MailSettings, load_mail
from quarry.configs.settings import SettingsError

GOOD: dict[str, Any] = {
    "address": "me@x.test",
    "imap": {"host": "imap.x.test", "port": 993},
    "smtp": {"host": "smtp.x.test", "port": 587, "security": "starttls"},
}


def write(folder: Path, tree: object) -> Path:
    path = folder / "mailbox.yaml"
    path.write_text(tree if isinstance(tree, str) else yaml.safe_dump(tree), encoding="utf-8")
    return path


def owned(folder: Path, text: str, mode: int = 0o600) -> str:
    path = folder / "secret"
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return str(path)


def test_a_short_file_is_enough(tmp_path: Path) -> None:
    settings = load_mail(write(tmp_path, GOOD))
    assert (settings.login, settings.folder, settings.imap.security) == ("me@x.test", "INBOX", "tls")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"address": "me"}, "address"),
        ({"address": "me@x.test\nBcc: all@x.test"}, "address"),
        ({"imap": {"host": "imap.x.test", "port": 0}}, "imap.port"),
        ({"imap": {"host": "imap.x.test", "port": 143, "security": "none"}}, "for a server of this machine"),
        ({"password": "hunter2"}, "a secret must not stand here"),
        ({"colour": "red"}, "must be left out, no such key"),
        ({"poll_s": 0}, "poll_s"),
        ({"auth": "hunter2"}, "auth"),
        ({"user": 7}, "user"),
    ],
)
def test_what_must_not_be_is_one_line_that_repeats_no_value(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    with pytest.raises(SettingsError, match=says) as raised:
        load_mail(write(tmp_path, GOOD | change))
    assert "hunter2" not in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


@pytest.mark.parametrize("text", ["", "- 1", "a: [", "\x00", "7"])
def test_a_file_that_is_no_mailbox_is_one_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError) as raised:
        load_mail(write(tmp_path, text))
    assert len(str(raised.value).splitlines()) == 1


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="must be a readable file"):
        load_mail(tmp_path / "none.yaml")


def test_a_server_of_this_machine_may_go_without_tls() -> None:
    host = {"host": "127.0.0.1", "port": 143, "security": "none"}
    assert MailSettings.model_validate(GOOD | {"imap": host}).imap.security == "none"


def test_the_environment_gives_password_and_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, "one")
    monkeypatch.setenv(TOKEN_VARIABLE, "two")
    assert MailSettings.model_validate(GOOD).secret() == "one"
    assert MailSettings.model_validate(GOOD | {"auth": "xoauth2"}).secret() == "two"


def test_none_at_all_says_how_to_give_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)
    with pytest.raises(SettingsError, match="set QUARRY_MAIL_PASSWORD, or name a credentials_file"):
        MailSettings.model_validate(GOOD).secret()


def test_a_file_of_ones_own_is_read_anew_each_time(tmp_path: Path) -> None:
    settings = MailSettings.model_validate(GOOD | {"credentials_file": owned(tmp_path, "first\n")})
    assert settings.secret() == "first"
    owned(tmp_path, "second\n")
    assert settings.secret() == "second"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_file_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    settings = MailSettings.model_validate(GOOD | {"credentials_file": owned(tmp_path, "hunter2", mode)})
    with pytest.raises(SettingsError, match=r"must be readable by its owner, you, alone.* chmod 600") as raised:
        settings.secret()
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize("text", ["", "one\ntwo", "x" * 30_000, "hünter", "a\x00b"])
def test_a_file_that_holds_anything_else_is_refused(tmp_path: Path, text: str) -> None:
    settings = MailSettings.model_validate(GOOD | {"credentials_file": owned(tmp_path, text)})
    with pytest.raises(SettingsError) as raised:
        settings.secret()
    assert len(str(raised.value).splitlines()) == 1


def test_a_folder_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(SettingsError, match="credentials_file must be a"):
            MailSettings.model_validate(GOOD | {"credentials_file": str(path)}).secret()
