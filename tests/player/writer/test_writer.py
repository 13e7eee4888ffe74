"""The writer against a real server: replies, faults of every kind, the log, and the key that is shown nowhere."""

from __future__ import annotations

import json
import sys
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from configs.settings import GameSettings, SettingsError
from player.deadlines import due_at
from player.writer.writer import MAX_BYTES, Writer, make_writer
from tests.player.writer.server import model_server, replying, send

SECRET = "sk-the-users-own-key"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai", reason="openai is not installed (make llm)")
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def settings(url: str = "", log: Path | str = "", model: str = "m") -> GameSettings:
    return GameSettings(writer=model, writer_url=url, writer_log=str(log))


def test_a_prompt_is_sent_once_with_the_key_and_its_reply_is_logged(
    tmp_path: Path,
) -> None:
    log = tmp_path / "log.jsonl"
    with model_server(replying(str.upper)) as server:
        writer = Writer(settings(server.url, log))
        assert [writer.reply("שלום a"), writer.reply("שלום a")] == ["שלום A"] * 2
        assert server.headers["authorization"] == f"Bearer {SECRET}"
        assert f"the writer m at {server.url}/ is sent" in writer.notice
    assert server.prompts == ["שלום a"]
    line = {"model": "m", "prompt": "שלום a", "reply": "שלום A"}
    assert [json.loads(line) for line in log.read_text().splitlines()] == [line]

    # the server is gone, and nothing is added to the log
    before = log.read_bytes()
    assert Writer(settings(server.url, log)).reply("שלום a") == "שלום A"
    assert Writer(settings(log=log, model="")).reply("שלום a") == "שלום A"
    assert log.read_bytes() == before


def test_without_a_model_new_prompts_are_logged_for_somebody_to_fill_in(
    tmp_path: Path,
) -> None:
    log = tmp_path / "log.jsonl"
    writer = Writer(settings(log=log, model=""))
    assert "no writer is called" in writer.notice
    assert [writer.reply("a"), writer.reply("a")] == ["", ""]
    line = '{"model": "", "prompt": "a", "reply": null}\n'
    assert log.read_text() == line
    log.write_text(line.replace("null", '"b"'))
    assert Writer(settings(log=log, model="")).reply("a") == "b"


def test_replies_of_another_model_are_not_taken(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"model": "other", "prompt": "a", "reply": "b"}\n')
    with model_server(replying(lambda _: "c")) as server:
        assert Writer(settings(server.url, log)).reply("a") == "c"


def _drip(request: BaseHTTPRequestHandler, _: str) -> None:
    request.send_response(200)
    request.end_headers()
    for _space in range(100):
        request.wfile.write(b" ")
        time.sleep(0.02)


def _flood(request: BaseHTTPRequestHandler, _: str) -> None:
    send(request, 200, b" " * (2 * MAX_BYTES))


def _redirect(request: BaseHTTPRequestHandler, _: str) -> None:
    request.send_response(307)
    request.send_header("Location", "/v1/elsewhere")
    request.send_header("Content-Length", "0")
    request.end_headers()


def _echo_the_key(request: BaseHTTPRequestHandler, _: str) -> None:
    send(request, 401, {"error": {"message": request.headers["Authorization"]}})


FAULTS: dict[str, Any] = {
    "silent": lambda *_: time.sleep(1.0),
    "dripping": _drip,
    "flooding": _flood,
    "redirecting": _redirect,
    "refusing": _echo_the_key,
    "broken": lambda request, _: send(request, 500, b"<html>"),
    "no JSON": lambda request, _: send(request, 200, b"{"),
    "no choice": lambda request, _: send(request, 200, {"choices": []}),
    "a list": lambda request, _: send(request, 200, []),
    "no text": replying(lambda _: ["x"]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_no_reply_in_time_and_one_line(fault: str, tmp_path: Path) -> None:
    log, lines = tmp_path / "log.jsonl", list[str]()
    with model_server(FAULTS[fault]) as server:
        writer = Writer(settings(server.url, log), lines.append)
        began = time.monotonic()
        assert due_at(began + 0.8, lambda: writer.reply("a")) == ""
        assert time.monotonic() - began < 0.75
    assert len(lines) == 1
    assert lines[0].startswith("the writer failed: ")
    assert json.loads(log.read_text())["reply"] is None
    assert SECRET not in log.read_text() + lines[0]


def test_a_reply_that_repeats_the_key_is_redacted(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    with model_server(replying(lambda _: SECRET)) as server:
        assert Writer(settings(server.url, log)).reply("a") == "*****"
    assert SECRET not in log.read_text()


def test_no_server_and_no_folder_for_the_log_cost_a_line_each(tmp_path: Path) -> None:
    with model_server(replying(str)) as server:
        pass
    lines: list[str] = []
    writer = Writer(settings(server.url, tmp_path / "none" / "log"), lines.append)
    assert [writer.reply("a"), writer.reply("b")] == ["", ""]
    assert len(lines) == 2


@pytest.mark.parametrize(
    "url",
    [
        "ftp://x",
        "http://user:secret@x",
        "localhost:1",
        "http://x:abc",
        "http://x:65536",
        "http://x:0",
        "http://[::1",
        "http:///v1",
        "http://x/\n",
        "http://x\x85",
        "http://x/v1?key=secret",
    ],
)
def test_a_url_is_an_address_alone_and_is_not_shown(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SettingsError, match="OPENAI_BASE_URL must be") as refused:
        Writer(settings(url))
    assert url not in str(refused.value)

    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(SettingsError, match="--writer-url or") as refused:
        Writer(settings())
    assert url not in str(refused.value)


def test_an_environment_that_openai_refuses_is_one_line_without_secrets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "nothing://user:secret@x")
    with pytest.raises(SettingsError, match="ValueError; check") as refused:
        Writer(settings("http://x"))
    assert "secret" not in str(refused.value)


def test_a_prompt_that_failed_is_sent_again_only_by_the_next_process(
    tmp_path: Path,
) -> None:
    log, replies = tmp_path / "log.jsonl", iter([["no text"], "b", "c"])
    with model_server(replying(lambda _: next(replies))) as server:
        writer = Writer(settings(server.url, log), lambda _: None)
        assert [writer.reply("a"), writer.reply("a")] == ["", ""]
        assert server.prompts == ["a"]
        assert Writer(settings(server.url, log)).reply("a") == "b"


def test_a_writer_keeps_no_prompts(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    for _ in range(2):  # the second reads the log
        writer = Writer(settings(log=log, model=""))
        writer.reply("a prompt")
        assert "a prompt" not in repr(vars(writer))


WHOLE = b'{"model": "m", "prompt": "a", "reply": "b"}\n'
NEW = b'{"model": "m", "prompt": "new", "reply": "NEW"}\n'
TORN = '{"model": "m", "prompt": "ש'.encode()[:-1]


@pytest.mark.parametrize("torn", [TORN, b"{", TORN[:5]])
def test_a_torn_last_line_of_the_log_is_removed(torn: bytes, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(WHOLE + torn)
    with model_server(replying(str.upper)) as server:
        writer = Writer(settings(server.url, log))
        with log.open("ab") as file:
            file.write(torn)  # the disk was full in the meantime
        assert [writer.reply("a"), writer.reply("new")] == ["b", "NEW"]
    assert log.read_bytes() == WHOLE + NEW


def test_a_line_without_a_line_feed_is_read_and_ended(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(WHOLE.rstrip())
    with model_server(replying(str.upper)) as server:
        writer = Writer(settings(server.url, log))
        assert [writer.reply("a"), writer.reply("new")] == ["b", "NEW"]
    assert log.read_bytes() == WHOLE + NEW


@pytest.mark.parametrize("line", ["[]", "{}", '{"prompt": "a", "reply": 1}', "{"])
def test_a_log_that_is_none_is_refused_in_one_line(line: str, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(line + "\n")
    with pytest.raises(SettingsError, match=r"log\.jsonl line 1"):
        Writer(settings(log=log))


def test_without_the_package_one_line_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(SettingsError, match="make llm"):
        Writer(settings())
    assert make_writer(settings(log=tmp_path / "log", model="")) is not None
    assert make_writer(settings(model="")) is None
