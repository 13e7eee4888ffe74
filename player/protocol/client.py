"""GameServer, and HttpGameServer, the HTTP client of the player."""

from __future__ import annotations

import contextlib
import os
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import quote

import httpx
from pydantic.dataclasses import dataclass
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_before_delay,
    wait_exponential,
)

from ingest.console.terminal import visible
from player.deadlines import start_in_thread
from player.errors import MessageError, RefusedError, ServerError, UnauthorizedError
from player.protocol.decoding import read_body, read_inbox, read_json
from player.protocol.messages import (
    MAX_ID_CHARS,
    Id,
    Json,
    Points,
    WholePoints,
    read_payload,
    text_of,
)

PATIENCE = 3.0
"""Multiple of `timeout_s` for which a request is retried."""
LONGEST_RETRY_AFTER_S = 3_600.0
LONGEST_PAUSE_S = 2.0
"""The longest pause between two tries of a message or the inbox; the caller keeps to a longer `Retry-After`."""
MAX_CURSOR_CHARS = 1_000
HIGHEST_PORT = 65_535
TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses after which a request is retried."""
MESSAGES = frozenset({"/v1/inbox", "/v1/outbox"})
"""Paths that may be missing for a moment behind a proxy, so that 404 is retried."""
UNAUTHORIZED = frozenset({401, 403})
"""Statuses after which a request is retried once."""


_Response = tuple[int, Mapping[str, str], bytes]
"""Status, headers and body."""


@dataclass(frozen=True, slots=True)
class GameState:
    """The state of a game on the server; the score is None until there is one."""

    game_id: str
    state: Id = ""
    private_score: Points | None = None
    league_points: WholePoints | None = None


class GameServer(Protocol):
    """A game server; all implementations pass tests/contracts/game_server.py."""

    def request_game(self) -> str:
        """Ask for a practice game and return its game_id; its messages follow in the inbox."""

    def inbox(self, cursor: str, wait_s: float) -> tuple[Sequence[Any], str]:
        """Return the messages after `cursor` ("" for all) and the new cursor; wait up to wait_s seconds for one.

        A message that is not an object cannot be read, and the game loop says so.
        """

    def send(self, envelope: Mapping[str, Any]) -> None:
        """Deliver a message; the same message_id twice is one message."""

    def game(self, game_id: str) -> GameState:
        """Return the state of a game."""


class HttpGameServer:
    """A game server at a URL; safe for many threads.

    Requests are retried after transient faults for three times `timeout_s`; registering and asking for a game, which a
    retry may do twice, for `timeout_s`. `Retry-After` is respected. Each try has a time limit and each response a size
    limit. Redirections are not followed, so that the token goes nowhere else. Asterisks replace the token in texts of
    the server.

    Args:
        url: e.g. "http://127.0.0.1:8017".
        token: token of the player; "" until `register` has been called.
        timeout_s: timeout of one try.

    Attributes:
        player_id: id that `register` received, "" before.
        token: "" until there is one.
    """

    def __init__(self, url: str, token: str = "", timeout_s: float = 10.0) -> None:
        if any(sign in url for sign in "@?#"):
            raise ServerError(
                "--server must be an address alone, got a URL with a user, password or query, which is not shown here; "
                "use --token"
            )
        scheme, _, place = url.partition("://")
        if scheme.lower() not in {"http", "https"} or not place:
            raise ServerError(
                f"--server must be an http:// or https:// URL, got {visible(url)!r}"
            )
        self.url = f"{scheme.lower()}://{place.rstrip('/')}"
        self.player_id = self.token = ""
        self._timeout_s = timeout_s
        try:
            self._client = httpx.Client(
                base_url=self.url,
                trust_env=False,
                headers={
                    "Accept": "application/json",
                    "Accept-Encoding": "gzip, deflate",
                },
                limits=httpx.Limits(max_connections=100, max_keepalive_connections=20),
                verify=self.url.startswith(
                    "https://"
                ),  # loading certificates takes 0.1 s
            )
            if (self._client.base_url.port or 1) > HIGHEST_PORT:
                raise httpx.InvalidURL(f"a port is at most {HIGHEST_PORT}")
        except httpx.InvalidURL as error:
            raise ServerError(
                f"--server must be a URL such as http://127.0.0.1:8017, got {url!r}: {error}"
            ) from error
        self.use(token)

    def use(self, token: str) -> None:
        """Use a token from now on."""
        self.token = token
        self._client.headers.pop("Authorization", None)
        if not all("!" <= char <= "~" for char in token):
            raise UnauthorizedError(
                "--token must be plain ASCII without spaces or line breaks, got other characters; copy it anew"
            )
        if token:
            self._client.headers["Authorization"] = f"Bearer {token}"

    def register(self, name: str) -> None:
        """Register a player at the server, and use its token from now on.

        Raises:
            ServerError: the server cannot be reached or refuses.
        """
        answer = self._ask("POST", "/v1/players", {"name": name}, patience=1.0)
        self.player_id = _string(answer, "player_id")
        self.use(_string(answer, "token"))

    def request_game(self) -> str:
        """Ask for a practice game and return its game_id; its messages follow in the inbox.

        Raises:
            ServerError: the server cannot be reached or refuses.
        """
        answer = self._ask("POST", "/v1/games", {}, patience=1.0)
        return text_of(answer.get("game_id"), MAX_ID_CHARS) or _string(
            answer, "game_id"
        )

    def inbox(self, cursor: str, wait_s: float) -> tuple[Sequence[Any], str]:
        """Return the messages after `cursor` ("" for all) and the new cursor; wait 30 seconds at most.

        Raises:
            ServerError: the server cannot be reached, refuses, or answers nonsense.
        """
        wait_s = min(max(wait_s, 0.0), 30.0)
        parameters = {"wait_s": f"{wait_s:g}"} | ({"after": cursor} if cursor else {})
        body = self._call("GET", "/v1/inbox", parameters=parameters, wait_s=wait_s)
        try:
            answer = read_inbox(body)
        except MessageError as error:
            raise ServerError(
                f"{self.url}/v1/inbox {self._redacted(str(error))}"
            ) from error
        came = text_of(answer.get("cursor"), MAX_CURSOR_CHARS + 1)
        messages = []
        for message in answer["messages"]:
            with contextlib.suppress(RecursionError):  # nested too deeply
                messages.append(self._without_token(message))
        return messages, came if 0 < len(came) <= MAX_CURSOR_CHARS else cursor

    def send(self, envelope: Mapping[str, Any]) -> None:
        """Deliver a message; a repeated message_id is one message.

        Raises:
            RefusedError: the server refuses this message.
            ServerError: the server cannot be reached or refuses.
        """
        self._call("POST", "/v1/outbox", dict(envelope))

    def game(self, game_id: str) -> GameState:
        """Return the state of a game.

        Raises:
            ServerError: the server cannot be reached, or does not know the game.
        """
        answer = self._ask("GET", f"/v1/games/{quote(game_id, safe='')}")
        return read_payload(GameState, {**answer, "game_id": game_id})

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(
        self,
        method: str,
        path: str,
        body: Json | None = None,
        patience: float = PATIENCE,
    ) -> Json:
        """Send a request and return the JSON object of the answer."""
        content = self._call(method, path, body, patience=patience)
        with contextlib.suppress(MessageError, RecursionError):
            answer = read_json(content)
            if isinstance(answer, dict):
                return dict(self._without_token(answer))
        raise ServerError(
            f"{self.url}: {method} {path} must answer with a JSON object, "
            f"got {self._redacted(content.decode('utf-8', 'replace'))[:60]!r}; is it a game server?"
        )

    def _call(
        self,
        method: str,
        path: str,
        body: Json | None = None,
        *,
        parameters: Mapping[str, str] | None = None,
        wait_s: float = 0.0,
        patience: float = PATIENCE,
    ) -> bytes:
        """Send a request, retry it after transient faults, and return the body of the answer.

        Args:
            wait_s: seconds that the server may wait before it answers.
            patience: multiple of `timeout_s` for which the request is retried.
        """
        patience_s = patience * self._timeout_s
        deadline = time.monotonic() + patience_s
        n_unauthorized = 0

        def try_once() -> bytes:
            nonlocal n_unauthorized
            remaining_s = max(deadline - time.monotonic(), 0.1)
            timeout_s = min(self._timeout_s, remaining_s) + wait_s
            status, headers, content = self._within(
                lambda: self._send(method, path, body, parameters, timeout_s), timeout_s
            )
            is_missing = status == HTTPStatus.NOT_FOUND and path in MESSAGES
            if status in TRANSIENT or is_missing:
                raise _TransientError(f"status {status}", _retry_after_s(headers))
            if status in UNAUTHORIZED and not n_unauthorized:
                n_unauthorized += 1
                raise _TransientError(f"status {status}")
            return self._checked(method, path, status, content)

        longest_s = LONGEST_PAUSE_S if path in MESSAGES else patience_s
        is_over = stop_before_delay(patience_s)
        retrying = Retrying(
            retry=retry_if_exception_type(_TransientError),
            wait=_pause_s,
            stop=lambda state: state.upcoming_sleep > longest_s or is_over(state),
            reraise=True,
        )
        try:
            return retrying(try_once)
        except _TransientError as fault:
            failure = ServerError(
                self._redacted(
                    f"{self.url} does not answer: {method} {path} failed for {patience_s:g} s: {fault}. "
                    "Check --server, or leave it out to play against a practice server."
                )
            )
            failure.retry_after_s = fault.retry_after_s
            raise failure from fault

    def _within(self, work: Callable[[], _Response], timeout_s: float) -> _Response:
        """Do a try of a request in another thread: httpx has no timeout for a response that comes byte by byte."""
        try:
            return start_in_thread(work).result(timeout_s)
        except MessageError as error:
            raise ServerError(
                f"{self.url}: a response cannot be read: {error}"
            ) from error
        except (httpx.RequestError, httpx.InvalidURL, TimeoutError) as error:
            raise _TransientError(_reason(error)) from error

    def _send(
        self,
        method: str,
        path: str,
        body: Json | None,
        parameters: Mapping[str, str] | None,
        timeout_s: float,
    ) -> _Response:
        """Send a request once, and return status, headers and body of the answer."""
        with self._client.stream(
            method, path, json=body, params=parameters or {}, timeout=timeout_s
        ) as response:
            content = read_body(response, skim=path == "/v1/inbox")
            return response.status_code, response.headers, content

    def _checked(self, method: str, path: str, status: int, content: bytes) -> bytes:
        """Return the body of a successful answer; raise the error of another."""
        if 200 <= status < 300:
            return content
        if status in UNAUTHORIZED:
            raise UnauthorizedError(
                f"{self.url} does not know the token ({status}). Copy --token again, or leave it out to register."
            )
        if status < 400:
            raise ServerError(
                f"{self.url} redirects {method} {path} ({status}), which is never followed. "
                "Name the server's own address."
            )
        problem = None
        with contextlib.suppress(MessageError):
            problem = read_json(content)
        detail = httpx.codes.get_reason_phrase(status) or "no reason"
        if isinstance(problem, dict):
            detail = problem.get("detail") or problem.get("title") or detail
        reason = " ".join(self._redacted(str(detail)).split())[:200]
        raise RefusedError(
            f"{self.url}: {method} {path} was refused with {status}: {reason}", status
        )

    def _redacted(self, text: str) -> str:
        return visible(text.replace(self.token, "***") if self.token else text)

    def _without_token(self, value: Any) -> Any:
        """Replace the token in all texts but `auth_token`, which a reply must repeat."""
        if isinstance(value, dict):
            return {
                key: item if key == "auth_token" else self._without_token(item)
                for key, item in value.items()
            }
        if isinstance(value, list):
            return [self._without_token(item) for item in value]
        return (
            value.replace(self.token, "***")
            if isinstance(value, str) and self.token
            else value
        )


class _TransientError(Exception):
    """A try of a request failed, and a retry may succeed."""

    def __init__(self, reason: str, retry_after_s: float = 0.0) -> None:
        super().__init__(reason)
        self.retry_after_s = retry_after_s


_backoff = wait_exponential(multiplier=0.05, max=2.0)


def _pause_s(state: RetryCallState) -> float:
    """Return the seconds until the next try: more each time, and at least Retry-After."""
    fault = state.outcome.exception() if state.outcome is not None else None
    return max(
        _backoff(state),
        fault.retry_after_s if isinstance(fault, _TransientError) else 0.0,
    )


def _reason(error: BaseException) -> str:
    """Return the reason of an error, in the words of TLS or the operating system if they are its cause."""
    if isinstance(error, TimeoutError):
        return "timed out"
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, BaseExceptionGroup):
            seen = seen.exceptions[0]
        if isinstance(seen, ssl.SSLError):
            return f"TLS failed ({seen.reason or seen}); is it an http:// server?"
        if isinstance(seen, OSError) and seen.errno is not None:
            return os.strerror(seen.errno)
        seen = seen.__cause__ or seen.__context__
    return str(error) or type(error).__name__


def _retry_after_s(headers: Mapping[str, str]) -> float:
    """Return the seconds of Retry-After; 0 if it is missing or not a number."""
    try:
        return max(
            0.0, min(float(headers.get("Retry-After", "")), LONGEST_RETRY_AFTER_S)
        )
    except ValueError:
        return 0.0


def _string(answer: Json, key: str) -> str:
    value = answer.get(key)
    if not isinstance(value, str) or not value:
        came = (
            "an empty one" if value == "" else type(value).__name__
        )  # not the value, which may be a token
        raise ServerError(
            f"the game server must answer with {key} as a string, got {came}; is it a game server?"
        )
    return value
