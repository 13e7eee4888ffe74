"""HttpGameServer against answers that the test writes; tests/hostile plays over real connections."""

import contextlib
import functools
import gzip
import json
import socketserver
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import cycle
from typing import Any, ClassVar

import httpx
import pytest

from player.errors import RefusedError, ServerError, UnauthorizedError
from player.game.client import GameState, HttpGameServer
from player.game.decoding import MAX_RESPONSE_BYTES, read_inbox

TOKEN = "s3cret-token-of-the-player"
URL = "http://127.0.0.1:8017"


Answer = tuple[int, Any] | Exception
"""Status and body, as bytes or to be written as JSON; or what the connection raises."""


class Answers:
    """Gives answers in order, the last one over and over, and keeps the requests."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = answers
        self.requests: list[httpx.Request] = []
        self.headers: dict[str, str] = {}

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        number = min(len(self.requests), len(self._answers)) - 1
        answer = self._answers[number]
        if isinstance(answer, Exception):
            raise answer
        status, body = answer
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        return httpx.Response(status, content=body, headers=self.headers)


def connect(
    *answers: Answer,
    token: str = TOKEN,
    timeout_s: float = 5.0,
) -> tuple[HttpGameServer, Answers]:
    """Return a client of a server that gives these answers, and the server."""
    server = Answers(*answers)
    client = functools.partial(httpx.Client, transport=httpx.MockTransport(server))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("player.game.client.httpx.Client", client)
        return HttpGameServer(URL, token, timeout_s), server


def failure(act: Callable[..., object], *arguments: object) -> ServerError:
    """Return the error of a call, after checking what holds for all: one line, and no token in it or its causes."""
    with pytest.raises(ServerError) as caught:
        act(*arguments)
    assert "\n" not in str(caught.value)
    error: BaseException | None = caught.value
    while error is not None:
        assert "s3cret" not in repr(error)
        error = error.__cause__ or error.__context__
    return caught.value


def test_numbers_of_a_game_that_are_none_are_none() -> None:
    for body in (
        b'{"private_score": "high", "league_points": []}',
        b'{"private_score": NaN, "league_points": 1e999}',
        b'{"private_score": 1%s}' % (b"0" * 400),
    ):
        client, _ = connect((200, body))
        assert client.game("7") == GameState("7")


def test_the_id_of_a_game_is_one_part_of_the_path() -> None:
    client, server = connect((200, {}))
    client.game("../players?")
    (request,) = server.requests
    assert request.url.raw_path == b"/v1/games/..%2Fplayers%3F"


def test_a_token_that_the_server_repeats_is_hidden_unless_it_is_short_and_sent_back_where_it_must_be() -> (
    None
):
    def message(token: str, shown: str) -> dict[str, Any]:
        hint = {"book_hint": f"{shown} is it", "auth_token": token}
        return {"payload": {**hint, "of": [{"a": shown}]}}

    for token, shown in ((TOKEN, "***"), ("101", "101")):
        body = json.dumps({"messages": [message(token, token)], "cursor": "1"})
        escaped = "".join(f"\\u{ord(char):04x}" for char in token)
        for written in (body, body.replace(token, escaped)):
            client, _ = connect((200, written.encode()), token=token)
            assert client.inbox("", 0.0) == ([message(token, shown)], "1")


# faults that stay


def test_a_server_or_proxy_that_fails_once_in_any_way_is_asked_again() -> None:
    unreadable = ["Mon, 01 Jan 99999999999999999999 00:00:00 GMT", "nan", "soon"]
    statuses = (401, 403, 404, 408, 425, 429, 500, 501, 503, 505, 520, 524, 599)
    for status, retry_after in zip(statuses, cycle(unreadable), strict=False):
        client, server = connect((status, b""), (201, {"game_id": "7"}))
        server.headers["Retry-After"] = retry_after
        assert client.request_game() == "7", status
        assert len(server.requests) == 2


def test_a_token_that_is_not_known_twice_is_an_unauthorized_error() -> None:
    for status in (401, 403):
        client, server = connect((status, {"detail": f"who is {TOKEN}?"}))
        error = failure(client.inbox, "", 0.0)
        assert isinstance(error, UnauthorizedError)
        assert f"does not know the token ({status})" in str(error)
        assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (422, {"title": "Unprocessable"}, "422: Unprocessable"),
        (400, b"<html>", "400: Bad Request"),
        (409, ["conflict"], "409: Conflict"),
        (400, {"detail": "two\nlines\r\nand more"}, "400: two lines and more"),
        (400, {"detail": {"field": ["name"]}}, "400: {'field': ['name']}"),
        (400, {"detail": f"{'x' * 190}{TOKEN}"}, f"400: {'x' * 190}***"),
        (400, {"detail": "\x1b]0;owned\x07\u202e"}, r"400: \x1b]0;owned\x07\u202e"),
    ],
)
def test_a_refusal_is_one_readable_line_and_not_tried_again(
    status: int, body: Any, reason: str
) -> None:
    client, server = connect((status, body))

    error = failure(client.request_game)
    assert isinstance(error, RefusedError)
    says = f"{URL}: POST /v1/games was refused with {reason}"
    assert str(error) == says
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        pytest.param(b"[" * 100_000, id="deep"),
        b"\xff\xfe",
        pytest.param(b"9" * 10_000, id="digits"),
    ],
)
def test_a_body_that_is_no_json_object_is_told_in_one_short_line(body: bytes) -> None:
    client, _ = connect((200, body + TOKEN.encode()))
    text = str(failure(client.request_game))
    assert "POST /v1/games answered " in text
    assert len(text) < 400


def test_a_token_in_the_wrong_shape_is_not_shown() -> None:
    for token in (None, ["s3cret-token"], ""):
        player = {"player_id": "p", "token": token}
        client, _ = connect((201, player), token="")
        assert "has no text 'token'" in str(failure(client.register, "me"))


def test_a_redirection_is_not_followed_with_the_token() -> None:
    client, server = connect((307, b""))
    server.headers["Location"] = "http://elsewhere/v1/games"
    assert "redirects POST /v1/games (307)" in str(failure(client.request_game))
    assert len(server.requests) == 1
    for address in ("mailto:a@b.c", "javascript:1", "https:login", "//xn--a"):
        client, server = connect((302, b""))
        server.headers["Location"] = address
        assert "redirects POST /v1/games" in str(failure(client.request_game))


def test_a_long_retry_after_is_passed_on_at_once() -> None:
    in_10_minutes = format_datetime(datetime.now(UTC) + timedelta(minutes=10))
    for retry_after, expected_s in {
        "5": 5.0,
        "600": 600.0,
        "inf": 3_600.0,
        in_10_minutes: 600.0,
    }.items():
        client, server = connect((503, b""), timeout_s=10.0)
        server.headers["Retry-After"] = retry_after

        began = time.monotonic()
        error = failure(client.send, {"message_id": "m"})
        says = "does not answer: POST /v1/outbox failed: status 503. Check --server"
        assert says in str(error)
        assert error.retry_after_s == pytest.approx(expected_s, abs=2.0)
        assert time.monotonic() - began < 5.0


# what the client is made with


def test_a_url_that_is_none_or_may_hold_a_secret_is_refused_without_showing_it() -> (
    None
):
    for url in (
        "",
        "ftp://127.0.0.1",
        "HTTP//x",
        "http://",
        "http:///v1",
        "http://[::1",
        "http://h:0",
        "http://127.0.0.1:port",
        "http://a\tb/",
        "http://127.0.0.1:123456",
        "http://ada:s3cret@127.0.0.1:1",
        "http://127.0.0.1:1?key=s3cret",
        "127.0.0.1/?s3cret",
        "http://h/#s3cret",
        "http://a..b",
        f"http://{'a' * 64}",
        "http://xn--a",
    ):
        error = failure(HttpGameServer, url)
        assert "The address of the server is not of the form" in str(error), url

    for url in ("127.0.0.1:8017", "localhost:9999", "host", "גן.example", "h."):
        error = failure(HttpGameServer, url)
        assert (
            str(error)
            == f"The address of the server has no http://; write http://{url}"
        )


def test_a_token_that_cannot_stand_in_a_header_is_refused_without_being_shown() -> None:
    own = "has spaces, line breaks or characters that are not ASCII; copy it again"
    of_server = (
        "registers the player with a token that cannot be sent; is it a game server?"
    )
    for end in ("\n", "\r\nX-Evil: 1", "ö", "\x00", " s3cret"):
        error = failure(HttpGameServer, URL, TOKEN + end)
        assert str(error) == f"The token (--token or QUARRY_TOKEN) {own}"
        client, _ = connect((201, {"token": f"s3cret{end}s3cret"}), token="")
        error = failure(client.register, "me")
        assert str(error) == f"{URL} {of_server}"


class Dripping(socketserver.BaseRequestHandler):
    """Answers with a byte every 20 ms, of the headers or of the body, until the connection is closed."""

    open: ClassVar[list[object]] = []

    def handle(self) -> None:
        """Answer a request."""
        self.open.append(self)
        with contextlib.suppress(OSError):
            if b"/body" in self.request.recv(4_096):
                self.request.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            else:
                self.request.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
            while True:
                self.request.sendall(b"x")
                time.sleep(0.02)
        self.open.remove(self)


def test_a_request_that_is_given_up_frees_its_connection() -> None:
    with (
        socketserver.ThreadingTCPServer(("127.0.0.1", 0), Dripping) as server,
        contextlib.closing(
            HttpGameServer(
                f"http://127.0.0.1:{server.server_address[1]}", timeout_s=0.1
            )
        ) as client,
    ):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for game_id in ("body", "headers"):
            assert "failed: timed out" in str(failure(client.game, game_id))
            until = time.monotonic() + 2.0
            while Dripping.open and time.monotonic() < until:
                time.sleep(0.02)
            assert not Dripping.open

        server.shutdown()


# bodies of responses


def test_a_body_has_a_limit_after_it_is_unpacked() -> None:
    client, server = connect((200, gzip.compress(b" " * (MAX_RESPONSE_BYTES + 1))))
    server.headers["Content-Encoding"] = "gzip"
    says = f"cannot be read: it has more than {MAX_RESPONSE_BYTES} bytes"
    assert says in str(failure(client.inbox, "", 0.0))


def test_an_inbox_is_read_whatever_is_in_its_messages() -> None:
    begin = b'\xef\xbb\xbf{"messages": [{"a": "\xff\\ud800"}, 7, {"n": '
    body = begin + b"9" * 5_000 + b'}], "cursor": "7"}'
    messages, cursor = read_inbox(body)
    assert messages == [{"a": "\ufffd?"}, 7, {"n": int("9" * 300)}]
    assert cursor == "7"


def test_a_message_that_is_nested_too_deeply_is_none_and_the_others_are_read() -> None:
    for depth in (300, 700, 900):
        deep = b"[" * depth + b"]" * depth
        body = b'{"messages": [{"a": ' + deep + b'}, {"b": 1}], "cursor": "7"}'
        client, _ = connect((200, body))
        (_, other), cursor = client.inbox("", 0.0)
        assert (other, cursor) == ({"b": 1}, "7")


def test_an_inbox_that_cannot_be_read_is_one_error() -> None:
    for body in (b'{"messages": [{]}', b"[" * 100_000, b"[]", b'{"messages": {}}'):
        client, _ = connect((200, body))
        assert "/v1/inbox the answer " in str(failure(client.inbox, "", 0.0))
