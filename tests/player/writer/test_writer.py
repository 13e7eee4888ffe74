"""The writer against a real server: replies, faults of every kind, the log, and the key that is shown nowhere."""

import asyncio
import json
import shutil
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from fastapi import Request
from fastapi.responses import (
    JSONResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)

from configs.errors import SettingsError
from configs.settings import GameSettings
from player.deadlines import due_at
from player.writer.writer import MAX_REPLY_BYTES, Writer, make_writer
from tests.player.writer.server import (
    SECRET,
    Respond,
    model_server,
    replying,
    use_key,
)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    use_key(monkeypatch)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


def writer(
    url: str = "",
    log: Path | str = "",
    model: str = "m",
) -> Writer:
    settings = GameSettings(writer=model, writer_url=url, writer_log=str(log))
    return Writer(settings)


def test_a_prompt_is_sent_once_with_the_key_and_its_reply_is_logged(log: Path) -> None:
    with model_server(replying(str.upper)) as server:
        online = writer(server.url, log)
        for _ in range(2):
            assert online.reply("שלום a") == "שלום A"
        assert f"the writer m at {server.url}/ is sent" in online.notice
    assert server.prompts == ["שלום a"]
    assert server.keys == [f"Bearer {SECRET}"]
    before = log.read_text()
    line = {"model": "m", "prompt": "שלום a", "reply": "שלום A"}
    assert json.loads(before) == line

    # the server is gone, and nothing is added to the log
    assert writer(server.url, log).reply("שלום a") == "שלום A"
    assert writer(log=log, model="").reply("שלום a") == "שלום A"
    assert log.read_text() == before


def test_without_a_model_new_prompts_are_logged_for_somebody_to_fill_in(
    log: Path,
) -> None:
    offline = writer(log=log, model="")
    assert "no writer is called" in offline.notice
    for _ in range(2):
        assert offline.reply("a prompt") == ""
    line = '{"model": "", "prompt": "a prompt", "reply": null}\n'
    assert log.read_text() == line
    log.write_text(line.replace("null", '"b"'))
    informed = writer(log=log, model="")
    assert informed.reply("a prompt") == "b"
    for kept in (offline, informed):
        assert "a prompt" not in repr(vars(kept)), "a writer keeps no prompts"


def _stay_silent(*_: object) -> Response:
    time.sleep(3.0)
    return Response()


async def _drip() -> AsyncIterator[bytes]:
    for _ in range(100):
        yield b" "
        await asyncio.sleep(0.05)


def _echo_the_key(request: Request, _: str) -> Response:
    said = request.headers["Authorization"]
    return JSONResponse({"error": {"message": said}}, 401)


def sending(content: str, status: int = 200) -> Respond:
    return lambda *_: Response(content, status)


FAULTS: dict[str, Respond] = {
    "silent": _stay_silent,
    "dripping": lambda *_: StreamingResponse(_drip()),
    "flooding": sending(" " * (2 * MAX_REPLY_BYTES)),
    "redirecting": lambda *_: RedirectResponse("/v1/elsewhere"),
    "refusing": _echo_the_key,
    "broken": sending("<html>", 500),
    "no JSON": sending("{"),
    "no choice": sending('{"choices": []}'),
    "no text": replying(lambda _: ["x"]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_no_reply_in_time_and_one_line(
    fault: str, log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with model_server(FAULTS[fault]) as server:
        failing = writer(server.url, log)
        began = time.monotonic()
        assert due_at(began + 4.0, lambda: failing.reply("a")) == ""
        assert time.monotonic() - began < 3.9
    (line,) = our_lines(caplog)
    assert line.startswith("the writer failed: ")
    logged = log.read_text()
    assert json.loads(logged)["reply"] is None
    assert SECRET not in logged + line


def test_a_reply_is_of_this_model_and_redacted_if_it_repeats_the_key(log: Path) -> None:
    log.write_text('{"model": "other", "prompt": "a", "reply": "b"}\n')
    with model_server(replying(lambda _: SECRET)) as server:
        assert writer(server.url, log).reply("a") == "*****"
    assert SECRET not in log.read_text()


def test_the_placeholder_of_a_key_is_left_in_replies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test")
    with model_server(replying(str)) as server:
        assert writer(server.url).reply("test of time") == "test of time"


def our_lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [
        item.message for item in caplog.records if item.name == "player.writer.writer"
    ]


def test_no_server_and_no_folder_for_the_log_cost_a_line_each(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with model_server(replying(str)) as server:
        pass
    log = tmp_path / "none" / "log"
    log.parent.mkdir()
    failing = writer(server.url, log)
    shutil.rmtree(log.parent)
    for prompt in "ab":
        assert failing.reply(prompt) == ""
    lines = our_lines(caplog)
    assert len(lines) == 2
    assert "No such file or directory; check the path" in lines[1]


def test_a_url_that_is_no_address_alone_is_refused_and_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = "http://user:secret@x"
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    for option in (url, ""):
        with pytest.raises(SettingsError, match="OPENAI_BASE_URL is not") as refused:
            writer(option)
        assert url not in str(refused.value)


def test_without_a_url_the_server_is_that_of_openai(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "")
    assert "at https://api.openai.com/v1/ is sent" in writer().notice


def test_an_environment_that_openai_refuses_is_one_line_without_secrets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "nothing://user:secret@x")
    with pytest.raises(SettingsError, match="ValueError; check") as refused:
        writer("http://x")
    assert "secret" not in str(refused.value)


def test_a_prompt_that_failed_is_sent_again_only_by_the_next_process(log: Path) -> None:
    replies = iter([["no text"], "b", "c"])
    with model_server(replying(lambda _: next(replies))) as server:
        first = writer(server.url, log)
        for _ in range(2):
            assert first.reply("a") == ""
        assert server.prompts == ["a"]
        assert writer(server.url, log).reply("a") == "b"


WHOLE = b'{"model": "m", "prompt": "a", "reply": "b"}\n'
NEW = b'{"model": "m", "prompt": "new", "reply": "NEW"}\n'
TORN = '{"model": "m", "prompt": "ש'.encode()[:-1]


def test_a_torn_last_line_of_the_log_is_removed_and_a_whole_one_is_ended(
    log: Path,
) -> None:
    with model_server(replying(str.upper)) as server:
        for whole, torn in (
            (WHOLE, TORN),
            (WHOLE, b"{"),
            (WHOLE.rstrip(), b""),
        ):
            log.write_bytes(whole + torn)
            online = writer(server.url, log)
            with log.open("ab") as file:
                file.write(torn)  # the disk was full in the meantime
            assert online.reply("a") == "b"
            assert online.reply("new") == "NEW"
            assert log.read_bytes() == WHOLE + NEW


@pytest.mark.parametrize(
    "line",
    [
        "[]",
        "{}",
        '{"prompt": "a", "reply": 1}',
        "{",
    ],
)
def test_a_log_that_is_none_is_refused_in_one_line_and_left_as_it_is(
    log: Path, line: str
) -> None:
    text = f"{line}\nno line feed"
    log.write_text(text)
    with pytest.raises(SettingsError, match=r"log\.jsonl line 1"):
        writer(log=log)
    assert log.read_text() == text


def test_a_log_that_cannot_be_written_is_refused_with_its_remedy(log: Path) -> None:
    log.symlink_to(log)
    for path, remedy in ((log, "take a path without"), (log.parent / "no/x", "check")):
        says = rf"--writer-log {path} cannot be written: .*; {remedy}"
        with pytest.raises(SettingsError, match=says):
            writer(log=path, model="")


def test_without_the_package_one_line_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, log: Path
) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(SettingsError, match="make llm"):
        writer()
    assert make_writer(GameSettings(writer_log=str(log))) is not None
    assert make_writer(GameSettings()) is None
