"""The protocol of a game server, and its implementation by an HTTP client."""

import contextlib
import errno
import functools
import os
import reprlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.cookiejar import CookieJar
from math import inf
from typing import Any, Protocol
from urllib.parse import quote

import httpx
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_before_delay,
    wait_exponential,
)

from player.errors import (
    MessageError,
    RefusedError,
    ServerError,
    UnauthorizedError,
    UnavailableError,
)
from player.game.decoding import join_pieces, read_inbox, read_json
from player.game.messages import (
    MAX_ID_CHARS,
    MAX_POINTS,
    MAX_TOKEN_CHARS,
    read_number,
    read_text_field,
)
from player.round import Json
from quarry.addresses import is_address
from quarry.terminal import MIN_SECRET_CHARS, visible
from quarry.threads import start_in_thread

PATIENCE = 3.0
"""Time for which a request is retried, as a multiple of `timeout_s`."""
MAX_RETRY_AFTER_S = 3_600.0
"""Maximum number of seconds of a `Retry-After` that is respected."""
MAX_PAUSE_S = 2.0
"""Maximum pause between two tries to send a message or read the inbox; the caller respects a longer `Retry-After`."""
MAX_WAIT_S = 30.0
"""Maximum number of seconds that the inbox may wait for a message."""
INBOX = "/v1/inbox"
"""Path from which messages are read."""
OUTBOX = "/v1/outbox"
"""Path to which messages are sent."""
RETRIED = frozenset({408, 425, 429, *range(500, 600)})
"""Statuses after which a request is retried until its time is up."""
UNAUTHORIZED = frozenset({401, 403})
"""Statuses of a request with a bad token."""
RETRIED_ONCE = UNAUTHORIZED | {404}
"""Statuses after which a request is retried once, since a proxy may send them for a moment."""


@dataclass(frozen=True, slots=True)
class GameState:
    """The state of a game on the server; the score is None until there is one."""

    game_id: str
    state: str = ""
    private_score: float | None = None
    league_points: int | None = None


class GameServer(Protocol):
    """A game server; all implementations pass tests/contracts/game_server.py."""

    def request_game(self) -> str:
        """Ask for a practice game and return its game_id; its messages follow in the inbox."""
        ...

    def inbox(self, cursor: str, wait_s: float) -> tuple[Sequence[Any], str]:
        """Return the messages after `cursor` ("" for all) and the new cursor; wait up to wait_s seconds for one.

        The list may hold messages that are not objects; the game loop logs and skips them.
        """
        ...

    def send(self, envelope: Json) -> None:
        """Deliver a message; the same message_id twice is one message."""

    def game(self, game_id: str) -> GameState:
        """Return the state of a game."""
        ...


def check_address(url: str) -> None:
    """Check the URL of a game server.

    Raises:
        ServerError: it is not one of HTTP, or holds a user, password or query.
    """
    if "//" not in url and is_address(f"http://{url}"):
        raise ServerError(
            f"The address of the server has no http://; write http://{url}"
        )
    if not is_address(url):  # which is not shown, since it may hold a secret
        raise ServerError(
            "The address of the server is not of the form http://127.0.0.1:8017, without user, password or query; "
            "give the token as an argument of its own"
        )


class HttpGameServer:
    """A game server at a URL; it is safe for many threads.

    Requests are retried after transient faults for three times `timeout_s`. Registering and asking for a game are
    retried for `timeout_s` only, since a retry may do them twice. `Retry-After` is respected. Each try has a time limit
    and each response a size limit. Redirects are not followed, so that the token is sent to this server only. The token
    is replaced by asterisks in errors, and in messages unless it is too short for a secret.

    Args:
        url: e.g. "http://127.0.0.1:8017".
        token: token of the player; "" until `register` has been called.
        timeout_s: timeout of one try.

    Attributes:
        token: token of the player; "" if there is none yet.

    Raises:
        ServerError: the URL is not one of HTTP, or holds a user, password or query.
        UnauthorizedError: the token cannot be sent.
    """

    def __init__(self, url: str, token: str = "", timeout_s: float = 10.0) -> None:
        check_address(url)
        self.url = str(httpx.URL(url)).rstrip("/")
        self.token = ""
        self._timeout_s = timeout_s

        is_https = self.url.startswith("https:")  # loading certificates takes 0.1 s
        self._new_client = functools.partial(
            httpx.Client,
            base_url=self.url,
            trust_env=False,
            headers={"Accept": "application/json", "Accept-Encoding": "gzip, deflate"},
            verify=is_https and httpx.create_ssl_context(trust_env=False),
            cookies=CookieJar(),  # of all clients
        )
        self._client = self._new_client()  # makes the requests
        self._senders: set[httpx.Client] = set()
        self._idle: list[httpx.Client] = []
        self.use(token)

    def use(self, token: str) -> None:
        """Use a token from now on."""
        if not _can_be_sent(token):
            raise UnauthorizedError(
                "The token (--token or QUARRY_TOKEN) has spaces, line breaks or characters that are not ASCII; "
                "copy it again"
            )
        self.token = token
        self._client.headers.pop("Authorization", None)
        if token:
            self._client.headers["Authorization"] = f"Bearer {token}"

    def register(self, name: str) -> None:
        """Register a player at the server, and use its token from now on.

        Raises:
            ServerError: the server cannot be reached or refuses.
        """
        answer = self._ask("POST", "/v1/players", json={"name": name}, patience=1.0)
        token = _required(answer, "token")
        if not _can_be_sent(token):
            raise ServerError(
                f"{self.url} registers the player with a token that cannot be sent; is it a game server?"
            )
        self.use(token)

    def request_game(self) -> str:
        """Ask for a practice game and return its game_id; its messages follow in the inbox.

        Raises:
            ServerError: the server cannot be reached or refuses.
        """
        answer = self._ask("POST", "/v1/games", json={}, patience=1.0)
        return _required(answer, "game_id")

    def inbox(self, cursor: str, wait_s: float) -> tuple[Sequence[Any], str]:
        """Return the messages after `cursor` ("" for all) and the new cursor.

        Raises:
            ServerError: the server cannot be reached, refuses, or sends an invalid answer.
        """
        parameters = {"wait_s": f"{wait_s:g}"}
        if cursor:
            parameters["after"] = cursor
        body = self._call("GET", INBOX, params=parameters, wait_s=wait_s)
        try:
            messages, new_cursor = read_inbox(body)
        except MessageError as error:
            raise ServerError(f"{self.url}{INBOX} {error}") from error

        if len(self.token) >= MIN_SECRET_CHARS:
            messages = [self._hide_token(message) for message in messages]
        return messages, new_cursor or cursor

    def send(self, envelope: Json) -> None:
        """Deliver a message; the same message_id twice is one message.

        Raises:
            RefusedError: the server refuses this message.
            ServerError: the server cannot be reached or refuses.
        """
        self._call("POST", OUTBOX, json=envelope)

    def game(self, game_id: str) -> GameState:
        """Return the state of a game.

        Raises:
            ServerError: the server cannot be reached, or does not know the game.
        """
        answer = self._ask("GET", f"/v1/games/{quote(game_id, safe='')}")
        league = read_number(answer.get("league_points"), MAX_POINTS)
        return GameState(
            game_id=game_id,
            state=read_text_field(answer, MAX_ID_CHARS, "state"),
            private_score=read_number(answer.get("private_score"), MAX_POINTS),
            league_points=None if league is None else int(league),
        )

    def close(self) -> None:
        """Close the connections."""
        for client in (self._client, *tuple(self._senders)):
            client.close()

    def _ask(self, method: str, path: str, **options: Any) -> Json:
        """Send a request and return the JSON object of the answer; see `_call`."""
        answer = self._call(method, path, **options)
        with contextlib.suppress(MessageError):
            document = read_json(answer)
            if isinstance(document, dict):
                return document
        text = self._redact(answer.decode("utf-8", "replace"))
        raise ServerError(
            f"{self.url}: {method} {path} answered {reprlib.repr(text)}, not a JSON object; is it a game server?"
        )

    def _call(
        self,
        method: str,
        path: str,
        *,
        wait_s: float = 0.0,
        patience: float = PATIENCE,
        **content: Any,
    ) -> bytes:
        """Send a request, retry it after transient faults, and return the body of the answer.

        Args:
            wait_s: seconds that the server may wait before it answers.
            patience: multiple of `timeout_s` for which the request is retried.
            content: JSON or parameters, as httpx takes them.
        """
        request = self._client.build_request(method, path, **content)
        patience_s = patience * self._timeout_s
        deadline = time.monotonic() + patience_s
        statuses: set[int] = set()

        def try_once() -> bytes:
            remaining_s = max(deadline - time.monotonic(), 0.1)
            timeout_s = min(self._timeout_s, remaining_s) + wait_s
            response, body = self._send(request, timeout_s)

            status = response.status_code
            is_first = status not in statuses
            statuses.add(status)
            if status in RETRIED or (status in RETRIED_ONCE and is_first):
                retry_after_s = _read_retry_after_s(response.headers)
                raise self._unavailable(request, f"status {status}", retry_after_s)
            if not response.is_success:
                raise self._refusal(f"{method} {path}", status, body)
            return body

        is_over = stop_before_delay(patience_s)
        longest_s = MAX_PAUSE_S if path in {INBOX, OUTBOX} else patience_s
        retrying = Retrying(
            retry=retry_if_exception_type(UnavailableError),
            wait=_pause_s,
            stop=lambda state: state.upcoming_sleep > longest_s or is_over(state),
            reraise=True,
        )
        return retrying(try_once)

    def _send(
        self, request: httpx.Request, timeout_s: float
    ) -> tuple[httpx.Response, bytes]:
        """Send a request once, in another thread: httpx has no timeout for a response that comes byte by byte."""
        request.extensions["timeout"] = httpx.Timeout(timeout_s).as_dict()

        try:
            with self._sender() as client:

                def send() -> tuple[httpx.Response, bytes]:
                    response = client.send(request, stream=True)
                    with contextlib.closing(response):
                        return response, join_pieces(response.iter_bytes())

                return start_in_thread(send).result(timeout_s)
        except MessageError as error:
            raise ServerError(
                f"{self.url}: a response cannot be read: {error}"
            ) from error
        except TimeoutError as error:
            raise self._unavailable(request, "timed out") from error
        except (httpx.InvalidURL, UnicodeError) as error:
            raise ServerError(
                f"{self.url} redirects {request.method} {request.url.path} to what is no address. "
                "Name the server's own address."
            ) from error
        except httpx.RequestError as error:
            reason = str(error) or type(error).__name__
            if os.strerror(errno.EMFILE) in reason:
                raise ServerError(f"{reason}; allow more: ulimit -n 1024") from error
            raise self._unavailable(request, reason) from error

    @contextlib.contextmanager
    def _sender(self) -> Iterator[httpx.Client]:
        """Lend a client to one request; if the request fails, close it, which ends a request that is given up."""
        try:
            client = self._idle.pop()
        except IndexError:
            client = self._new_client()
            self._senders.add(client)
        try:
            yield client
        except BaseException:
            self._senders.discard(client)
            client.close()
            raise
        self._idle.append(client)

    def _unavailable(
        self, request: httpx.Request, reason: str, retry_after_s: float = 0.0
    ) -> UnavailableError:
        call = f"{request.method} {request.url.path}"
        return UnavailableError(
            f"{self.url} does not answer: {call} failed: {self._redact(reason)}. "
            "Check --server, or leave it out to play against a practice server.",
            retry_after_s=retry_after_s,
        )

    def _refusal(self, request: str, status: int, body: bytes) -> ServerError:
        """Return the error for a status after which a request is not retried."""
        if status in UNAUTHORIZED:
            return UnauthorizedError(
                f"{self.url} does not know the token ({status}). Copy --token again, or leave it out to register."
            )
        if status < 400:
            return ServerError(
                f"{self.url} redirects {request} ({status}), which is never followed. Name the server's own address."
            )

        detail = httpx.codes.get_reason_phrase(status)
        with contextlib.suppress(MessageError, AttributeError):
            problem = read_json(body)
            detail = problem.get("detail") or problem.get("title") or detail
        reason = " ".join(self._redact(str(detail)).split())[:200]
        return RefusedError(
            f"{self.url}: {request} was refused with {status}: {reason}", status=status
        )

    def _redact(self, text: str) -> str:
        return visible(text.replace(self.token, "***") if self.token else text)

    def _hide_token(self, message: Any) -> Any:
        """Replace the token in a message; None, which is no message, if it is nested too deeply."""
        try:
            return self._without_token(message)
        except RecursionError:
            return None

    def _without_token(self, value: Any) -> Any:
        """Replace the token in all texts except `auth_token`, which a reply must repeat."""
        if isinstance(value, dict):
            cleaned = {key: self._without_token(item) for key, item in value.items()}
            if "auth_token" in value:
                cleaned["auth_token"] = value["auth_token"]
            return cleaned
        if isinstance(value, list):
            return [self._without_token(item) for item in value]
        if isinstance(value, str):
            return value.replace(self.token, "***")
        return value


_backoff = wait_exponential(multiplier=0.05, max=2.0)


def _pause_s(state: RetryCallState) -> float:
    """Return the seconds until the next try, which grow each time and are at least Retry-After."""
    fault = state.outcome and state.outcome.exception()
    retry_after_s = fault.retry_after_s if isinstance(fault, UnavailableError) else 0.0
    return max(_backoff(state), retry_after_s)


def _read_retry_after_s(headers: httpx.Headers) -> float:
    """Read the seconds of a `Retry-After`, which may be a date; 0 if it is missing, unreadable or past."""
    text = headers.get("Retry-After", "")
    seconds = read_number(text, inf)
    # a number, no time zone, or a year that no date has
    with contextlib.suppress(ValueError, TypeError, OverflowError):
        seconds = (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
    return max(0.0, min(seconds or 0.0, MAX_RETRY_AFTER_S))


def _can_be_sent(token: str) -> bool:
    """Return whether a token has only characters that a header may hold."""
    return all("!" <= char <= "~" for char in token)


def _required(answer: Json, key: str) -> str:
    """Return a text of an answer; the error does not show the value, which may be a token."""
    value = read_text_field(answer, MAX_TOKEN_CHARS, key)
    if not value:
        raise ServerError(
            f"The game server's answer has no text {key!r}; is it a game server?"
        )
    return value
