"""HttpGameServer against a small real HTTP server on the loopback, which answers what the test tells it to."""

from __future__ import annotations

import json
import socket
import threading
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from player.errors import ServerError, UnauthorizedError
from player.protocol import decoding
from player.protocol.client import GameState, HttpGameServer
from player.protocol.decoding import Skimmer

TOKEN = "s3cret-token-of-the-player"


@dataclass
class Answer:
    """One answer of the small server; `body` is sent as JSON unless it is bytes."""

    status: int = 200
    body: Any = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    hang_up: bool = False


@dataclass
class Asked:
    """One request as it came."""

    method: str
    path: str
    parameters: dict[str, list[str]]
    authorization: str | None
    body: Any


class SmallServer(ThreadingHTTPServer):
    """Gives the answers in order, the last one over and over, and notes what it was asked."""

    daemon_threads = True

    def __init__(self, answers: tuple[Answer, ...]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self._answers = list(answers)
        self._lock = threading.Lock()
        self.asked: list[Asked] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def next_answer(self, asked: Asked) -> Answer:
        with self._lock:
            self.asked.append(asked)
            return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


class _Handler(BaseHTTPRequestHandler):
    server: SmallServer

    def _respond(self) -> None:
        url = urlsplit(self.path)
        length = int(self.headers.get("Content-Length", "0"))
        body = json.loads(self.rfile.read(length)) if length else None
        asked = Asked(
            self.command,
            url.path,
            parse_qs(url.query),
            self.headers.get("Authorization"),
            body,
        )
        answer = self.server.next_answer(asked)
        time.sleep(answer.delay_s)
        if answer.hang_up:
            self.close_connection = True
            return
        content = (
            answer.body
            if isinstance(answer.body, bytes)
            else json.dumps(answer.body).encode()
        )
        try:
            self.send_response(answer.status)
            for name, value in {
                "Content-Length": str(len(content)),
                **answer.headers,
            }.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
        except ConnectionError:
            self.close_connection = True

    do_GET = do_POST = _respond  # noqa: N815 - the names that http.server calls

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""


@contextmanager
def serving(
    *answers: Answer, token: str = TOKEN, timeout_s: float = 5.0
) -> Iterator[tuple[HttpGameServer, SmallServer]]:
    """A client and the server that it talks to."""
    small = SmallServer(answers)
    thread = threading.Thread(target=lambda: small.serve_forever(poll_interval=0.01))
    thread.start()
    client = HttpGameServer(small.url, token, timeout_s)
    try:
        yield client, small
    finally:
        client.close()
        small.shutdown()
        thread.join()
        small.server_close()


@contextmanager
def nobody_there() -> Iterator[str]:
    """The URL of a port that refuses connections."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def everything_said(error: BaseException) -> str:
    """The error's text, its repr, and those of all errors behind it, without source lines."""
    said = []
    seen: BaseException | None = error
    while seen is not None:
        said += ["".join(traceback.format_exception_only(seen)), repr(seen)]
        seen = seen.__cause__ or seen.__context__
    return "\n".join(said)


# what each call of the protocol sends and returns


def test_registering_gives_the_token_that_is_used_from_then_on() -> None:
    answers = (
        Answer(201, {"player_id": "p-1", "token": TOKEN}),
        Answer(201, {"game_id": "0101001"}),
    )
    with serving(*answers, token="") as (client, small):
        assert client.token == ""
        client.register("me")
        assert client.token == TOKEN
        assert client.player_id == "p-1"
        assert client.request_game() == "0101001"
        assert [
            (asked.method, asked.path, asked.body, asked.authorization)
            for asked in small.asked
        ] == [
            ("POST", "/v1/players", {"name": "me"}, None),
            ("POST", "/v1/games", {}, f"Bearer {TOKEN}"),
        ]


def test_the_inbox_gives_messages_and_cursor() -> None:
    messages = [{"message_type": "A"}, {"message_type": "B"}]
    with serving(Answer(body={"messages": messages, "cursor": "c-2"})) as (
        client,
        small,
    ):
        assert client.inbox("", 3.0) == (messages, "c-2")
        assert client.inbox("c-2", 0.5) == (messages, "c-2")
        assert [(asked.path, asked.parameters) for asked in small.asked] == [
            ("/v1/inbox", {"wait_s": ["3"]}),
            ("/v1/inbox", {"wait_s": ["0.5"], "after": ["c-2"]}),
        ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            {"state": "over", "private_score": 88.5, "league_points": 3},
            GameState("7", "over", 88.5, 3),
        ),
        (
            {"state": "running", "private_score": None, "league_points": None},
            GameState("7", "running", None, None),
        ),
        ({}, GameState("7", "", None, None)),
        (
            {"private_score": "high", "league_points": []},
            GameState("7", "", None, None),
        ),
        (
            b'{"private_score": NaN, "league_points": Infinity}',
            GameState("7", "", None, None),
        ),
        (
            b'{"private_score": 1%s, "league_points": 1e999}' % (b"0" * 400),
            GameState("7", "", None, None),
        ),
    ],
)
def test_the_state_of_a_game_is_read_and_numbers_that_are_none_are_none(
    body: object, expected: GameState
) -> None:
    with serving(Answer(body=body)) as (client, small):
        assert client.game("7") == expected
        assert (small.asked[0].method, small.asked[0].path) == ("GET", "/v1/games/7")


# faults that pass


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_a_busy_server_is_tried_again_until_it_answers(status: int) -> None:
    busy = Answer(status, b"busy")
    with serving(busy, busy, Answer(200, {"messages": [], "cursor": "7"})) as (
        client,
        small,
    ):
        assert client.inbox("", 0.0) == ([], "7")
        assert len(small.asked) == 3


@pytest.mark.parametrize("lost", [Answer(500), Answer(502), Answer(hang_up=True)])
def test_one_fault_ends_neither_registering_nor_asking_for_a_game(lost: Answer) -> None:
    with serving(lost, Answer(201, {"player_id": "p", "token": TOKEN}), token="") as (
        client,
        small,
    ):
        client.register("me")
        assert (client.token, len(small.asked)) == (TOKEN, 2)
    with serving(lost, Answer(201, {"game_id": "0101001"})) as (client, small):
        assert client.request_game() == "0101001"
        assert len(small.asked) == 2


@pytest.mark.parametrize(
    "url",
    [
        "http://ada:secret@127.0.0.1:1",
        "http://127.0.0.1:1?key=secret",
        "127.0.0.1/?secret",
        "http://h/#secret",
    ],
)
def test_a_url_that_may_hold_a_secret_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(
        ServerError,
        match="must be an address alone, got a URL with a user, password or query",
    ) as told:
        HttpGameServer(url)
    assert "secret" not in everything_said(told.value)


def test_https_to_a_plain_server_says_that_tls_failed() -> None:
    with serving(Answer(201, {"game_id": "0101001"})) as (_, small):
        client = HttpGameServer(small.url.replace("http://", "https://"), TOKEN, 3.0)
        with pytest.raises(
            ServerError, match=r"TLS failed .*; is it an http:// server"
        ):
            client.request_game()
        client.close()


@pytest.mark.parametrize("path", ["plain", "escaped"])
def test_a_token_that_the_server_repeats_is_shown_nowhere_and_sent_back_where_it_must_be(
    path: str,
) -> None:
    said = {
        "payload": {
            "book_hint": f"{TOKEN} is it",
            "auth_token": TOKEN,
            "of": [{"a": TOKEN}],
        }
    }
    body = json.dumps({"messages": [said], "cursor": "1"})
    if path == "escaped":
        body = body.replace(TOKEN, "".join(f"\\u{ord(char):04x}" for char in TOKEN))
    with serving(Answer(200, body.encode())) as (client, _):
        messages, _ = client.inbox("", 0.0)
    assert messages == [
        {
            "payload": {
                "book_hint": "*** is it",
                "auth_token": TOKEN,
                "of": [{"a": "***"}],
            }
        }
    ]


# faults that stay


def refused(client: HttpGameServer, small: SmallServer, at_most_s: float) -> str:
    """The text of the error that asking for a game ends with, after checking what every such text must be."""
    started = time.monotonic()
    with pytest.raises(ServerError) as caught:
        client.request_game()
    assert time.monotonic() - started < at_most_s
    text = str(caught.value)
    assert "\n" not in text
    assert small.url in text
    assert TOKEN not in everything_said(caught.value)
    return text


def test_a_server_that_stays_busy_is_given_up_at_the_deadline() -> None:
    with serving(Answer(503), timeout_s=1.5) as (client, small):
        text = refused(client, small, 9.0)
        assert text == (
            f"{small.url} does not answer: POST /v1/games failed for 1.5 s: status 503. "
            "Check --server, or leave it out to play against a practice server."
        )
        assert len(small.asked) >= 2


def test_a_refused_connection_is_tried_until_the_deadline() -> None:
    with nobody_there() as url:
        client = HttpGameServer(url, TOKEN, 0.3)
        with pytest.raises(
            ServerError, match=f"{url} .*: Connection refused. Check --server"
        ) as caught:
            client.request_game()
        client.close()
        assert TOKEN not in everything_said(caught.value)


@pytest.mark.parametrize("status", [401, 403])
def test_a_token_that_is_not_known_twice_is_an_unauthorized_error(
    status: int,
) -> None:
    with serving(Answer(status, {"detail": f"who is {TOKEN}?"})) as (client, small):
        with pytest.raises(
            UnauthorizedError, match=rf"does not know the token \({status}\)"
        ) as caught:
            client.inbox("", 0.0)
        assert isinstance(caught.value, PermissionError)
        assert isinstance(caught.value, ServerError)
        assert len(small.asked) == 2
        assert TOKEN not in everything_said(caught.value)


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (
            404,
            {"title": "Not found", "detail": "no such game"},
            "refused with 404: no such game",
        ),
        (422, {"title": "Unprocessable"}, "refused with 422: Unprocessable"),
        (400, b"<html>", "refused with 400: Bad Request"),
        (409, ["conflict"], "refused with 409: Conflict"),
        (
            400,
            {"detail": "two\nlines\r\nand more"},
            "refused with 400: two lines and more",
        ),
        (400, {"detail": {"field": ["name"]}}, "refused with 400: {'field': ['name']}"),
        (400, {"detail": f"{TOKEN} is no name"}, "refused with 400: *** is no name"),
        (400, {"detail": f"{'x' * 190}{TOKEN}"}, f"refused with 400: {'x' * 190}***"),
    ],
)
def test_a_refusal_is_told_in_one_line_and_not_tried_again(
    status: int, body: object, said: str
) -> None:
    with serving(Answer(status, body)) as (client, small):
        assert refused(client, small, 2.0).endswith(said)
        assert len(small.asked) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"7",
        b"{",
        b"[" * 100_000,
        b"\xff\xfe",
        b"9" * 10_000,
        b"x" * 50 + TOKEN.encode(),
    ],
    ids=lambda body: f"{body[:8]!r} of {len(body)}",
)
def test_a_body_that_is_no_json_object_is_told_in_one_short_line(body: bytes) -> None:
    with serving(Answer(200, body)) as (client, small):
        text = refused(client, small, 2.0)
        assert "POST /v1/games must answer with a JSON object" in text
        assert text.endswith("is it a game server?")
        assert len(text) < 400
        assert TOKEN[:10] not in text


@pytest.mark.parametrize(
    "token", [None, 123456789, ["s3cret-token"], {"value": "s3cret-token"}, ""]
)
def test_a_token_in_the_wrong_shape_is_not_shown(token: object) -> None:
    with serving(Answer(201, {"player_id": "p", "token": token}), token="") as (
        client,
        _,
    ):
        with pytest.raises(
            ServerError, match="must answer with token as a string"
        ) as caught:
            client.register("me")
        assert "s3cret" not in everything_said(caught.value)
        assert "123456789" not in everything_said(caught.value)


def test_a_redirection_is_not_followed_with_the_token() -> None:
    with serving(Answer(200, {"game_id": "x"})) as (_, elsewhere):
        moved = Answer(307, b"", {"Location": f"{elsewhere.url}/v1/games"})
        with serving(moved) as (client, small):
            assert "redirects POST /v1/games (307)" in refused(client, small, 2.0)
        assert elsewhere.asked == []


# what the client is made with


@pytest.mark.parametrize(
    "url", ["", "127.0.0.1:8017", "ftp://127.0.0.1", "HTTP//x", "http://[", "http://127.0.0.1:port", "http://a\tb/",
            "http://127.0.0.1:123456", "http://é..x"],
)  # fmt: skip
def test_a_bad_url_is_refused_in_one_line(url: str) -> None:
    with pytest.raises(ServerError) as caught:
        HttpGameServer(url, TOKEN, 0.1).request_game()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "token",
    [f"{TOKEN}\n", f"{TOKEN} ", f"{TOKEN}\r\nX-Evil: 1", "töken", "to\x00ken", "סוד"],
)
def test_a_token_that_cannot_stand_in_a_header_is_refused_without_being_shown(
    token: str,
) -> None:
    with pytest.raises(
        UnauthorizedError, match="--token must be plain ASCII"
    ) as caught:
        HttpGameServer("http://127.0.0.1:8017", token)
    for part in (TOKEN, token.strip()):
        assert part not in everything_said(caught.value)


# slow, endless and broken answers


@pytest.mark.parametrize(
    ("retry_after", "expected_s"),
    [("5", 5.0), ("600", 600.0), ("1e9", 3_600.0), ("inf", 3_600.0), ("nan", 0.0)],
)
def test_a_long_retry_after_is_passed_on_at_once(
    retry_after: str, expected_s: float
) -> None:
    busy = Answer(503, b"", {"Retry-After": retry_after})
    with serving(busy, timeout_s=0.2 if expected_s == 0.0 else 10.0) as (client, _):
        began = time.monotonic()
        with pytest.raises(ServerError) as caught:
            client.send({"message_id": "m-1"})
        assert caught.value.retry_after_s == expected_s
        assert time.monotonic() - began < 5.0


def test_one_401_is_asked_again() -> None:
    with serving(Answer(401), Answer(200, {"messages": [], "cursor": "7"})) as (
        client,
        small,
    ):
        assert client.inbox("", 0.0) == ([], "7")
        assert len(small.asked) == 2


def inbox_with(*messages: bytes) -> Answer:
    return Answer(200, b'{"messages": [' + b", ".join(messages) + b'], "cursor": "7"}')


def test_a_message_that_is_too_long_is_skipped_and_the_others_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # the whole of it would be longer than a body may be
    monkeypatch.setattr(decoding, "MAX_MESSAGE_BYTES", 160_000)
    monkeypatch.setattr(decoding, "MAX_BYTES", 320_000)
    text = b'{"payload": {"text": "' + b'x\\" ] } ' * 130_000 + b'"}}'
    first, last = b'{"message_type": "A"}', b'{"message_type": "B", "a": [[]]}'
    with serving(inbox_with(first, text, last), timeout_s=60.0) as (client, _):
        messages, cursor = client.inbox("", 0.0)
    assert cursor == "7"
    assert messages == [
        json.loads(first),
        f"one of {len(text)} bytes",
        json.loads(last),
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1_000])
def test_pieces_of_an_inbox_join_to_the_same_messages(size: int) -> None:
    body = (
        rb'{"messages": [{"a": "\\\" ]}{ [\\"}, {"b": [{"c": "\\"}]}], "cursor": "7"}'
    )
    skimmer = Skimmer()
    for begin in range(0, len(body), size):
        skimmer.add(body[begin : begin + size])
    assert bytes(skimmer.kept) == body


DEEP = "[" * 100_000 + "]" * 100_000


def test_what_a_server_says_reaches_the_terminal_as_text() -> None:
    evil = "\x1b]0;owned\x07\u202egnp.exe"
    with serving(Answer(400, {"detail": evil})) as (client, small):
        assert "\\x1b]0;owned\\x07\\u202egnp.exe" in refused(client, small, 2.0)
