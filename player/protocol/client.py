"""GameServer over HTTP; the only network code of the player."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Any, Protocol
from urllib.parse import quote

import httpx
from pydantic.dataclasses import dataclass
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_before_delay, wait_exponential

from quarry.configs.terminal import visible
from quarry.player.deadlines import Worker
from quarry.player.errors import MessageError, RefusedError, ServerError, UnauthorizedError
from quarry.player.protocol.decoding import read_body, read_inbox, read_json
from quarry.player.protocol.messages import MAX_ID_CHARS, Id, Json, Points, WholePoints, read_payload, text_of

PATIENCE = 3.0
"""How many times `timeout_s` a repeatable request is tried, so that one that hangs leaves time for others."""
LONGEST_RETRY_AFTER_S = 3_600.0
CLOSING_S = 2.0
MAX_CURSOR_CHARS = 1_000
HIGHEST_PORT = 65_535
TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses after which a request that may be repeated is tried again."""
NOT_DONE = frozenset({408, 425, 429, 503})
"""Those that say that nothing was done."""
NOT_FOUND = 404
MOST_NOT_FOUND = 3
"""Tries in which an inbox or outbox may be missing before it is believed: behind a proxy they come and go."""


@dataclass(frozen=True, slots=True)
class GameState:
    """What the server says of a game; the score is None until there is one."""

    game_id: str
    state: Id = ""
    private_score: Points | None = None
    league_points: WholePoints | None = None


class GameServer(Protocol):
    """What a game is played against; all implementations pass tests/contracts/game_server.py."""

    def request_game(self) -> str:
        """The game_id of a new practice game; its messages follow in the inbox."""

    def inbox(self, cursor: str, wait_s: float) -> tuple[Sequence[Json], str]:
        """The messages after `cursor` ("" for all) and the new cursor; waits up to wait_s seconds for the first."""

    def send(self, envelope: Mapping[str, Any]) -> None:
        """Deliver a message; the same message_id twice is one message."""

    def game(self, game_id: str) -> GameState:
        """What has become of a game."""


class HttpGameServer:
    """A game server at a URL; safe for many threads.

    Transient faults are tried again: until `timeout_s` has passed where the server might do a thing twice, three times
    as long where it would not. `Retry-After` is heeded. Every try has an end, however slowly its bytes drip, and every
    answer a size. Redirections are not followed, so that the token goes nowhere else.

    Args:
        url: e.g. "http://127.0.0.1:8017".
        token: of the player; "" until `register` has been called.
        timeout_s: for one try.

    Attributes:
        player_id: as the server gave it on `register`, "" before.
    """

    def __init__(self, url: str, token: str = "", timeout_s: float = 10.0) -> None:
        if not url.startswith(("http://", "https://")):
            raise ServerError(f"--server must be an http:// or https:// URL, got {visible(url)!r}")
        if "@" in url.split("/")[2]:
            raise ServerError("--server must hold no user or password, got a URL with one; use --token")
        self.url = url.rstrip("/")
        self.player_id = ""
        self._timeout_s = timeout_s
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        try:
            self._client = httpx.AsyncClient(
                base_url=self.url,
                trust_env=False,
                headers={"Accept": "application/json", "Accept-Encoding": "gzip, deflate"},
                limits=httpx.Limits(max_connections=100, max_keepalive_connections=20),
                verify=self.url.startswith("https://"),  # to load certificates that nobody needs takes 0.1 s
            )
            if (self._client.base_url.port or 1) > HIGHEST_PORT:
                raise httpx.InvalidURL(f"a port is at most {HIGHEST_PORT}")
        except httpx.InvalidURL as error:
            raise ServerError(f"--server must be a URL such as http://127.0.0.1:8017, got {url!r}: {error}") from error
        self.use(token)

    @property
    def token(self) -> str:
        """What the player is known by; "" until there is one."""
        return self._token

    def register(self, name: str) -> None:
        """Become a player of the server; its token is used from then on.

        Raises:
            ServerError: the server is not there or refuses.
        """
        answer = self._ask("POST", "/v1/players", {"name": name}, repeatable=False)
        self.player_id = _string(answer, "player_id")
        self.use(_string(answer, "token"))

    def request_game(self) -> str:
        """The game_id of a new practice game; its messages follow in the inbox.

        Raises:
            ServerError: the server is not there or refuses.
        """
        answer = self._ask("POST", "/v1/games", {}, repeatable=False)
        return text_of(answer.get("game_id"), MAX_ID_CHARS) or _string(answer, "game_id")

    def inbox(self, cursor: str, wait_s: float) -> tuple[Sequence[Json], str]:
        """The messages after `cursor` ("" for all) and the new cursor; waits up to wait_s seconds, at most 30, for one.

        A message that cannot be read is left out, and the others come.

        Raises:
            ServerError: the server is not there, refuses, or answers nonsense.
        """
        parameters = {"wait_s": f"{min(max(wait_s, 0.0), 30.0):g}"} | ({"after": cursor} if cursor else {})
        body = self._call("GET", "/v1/inbox", parameters=parameters, wait_s=max(wait_s, 0.0))
        try:
            answer = read_inbox(body)
        except MessageError as error:
            raise ServerError(f"{self.url}/v1/inbox {self._redacted(str(error))}") from error
        came = text_of(answer.get("cursor"), MAX_CURSOR_CHARS + 1)
        messages = [message for message in answer["messages"] if isinstance(message, dict)]
        return messages, came if 0 < len(came) <= MAX_CURSOR_CHARS else cursor

    def send(self, envelope: Mapping[str, Any]) -> None:
        """Deliver a message; sending it again is safe, its message_id makes it one message.

        Raises:
            RefusedError: the server will not take this one.
            ServerError: the server is not there or refuses.
        """
        self._call("POST", "/v1/outbox", dict(envelope))

    def game(self, game_id: str) -> GameState:
        """What has become of a game.

        Raises:
            ServerError: the server is not there, or does not know the game.
        """
        answer = self._ask("GET", f"/v1/games/{quote(game_id, safe='')}")
        return read_payload(GameState, {**answer, "game_id": game_id})

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None:
            asyncio.run_coroutine_threadsafe(self._hang_up(), loop).result(CLOSING_S)
            loop.call_soon_threadsafe(loop.stop)

    async def _hang_up(self) -> None:
        """Break off what is still asked, such as a long poll, and close the connections."""
        asked = asyncio.all_tasks() - {asyncio.current_task()}
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
        await self._client.aclose()

    def use(self, token: str) -> None:
        """Play as the player of this token from now on."""
        self._token = token
        self._client.headers.pop("Authorization", None)
        if not token:
            return
        if not all("!" <= char <= "~" for char in token):
            raise UnauthorizedError(
                "--token must be plain ASCII without spaces or line breaks, got other characters; copy it anew"
            )
        self._client.headers["Authorization"] = f"Bearer {token}"

    def _ask(self, method: str, path: str, body: Json | None = None, *, repeatable: bool = True) -> Json:
        """The JSON object that the server answers."""
        content = self._call(method, path, body, repeatable=repeatable)
        try:
            answer = read_json(content)
        except MessageError:
            answer = None
        if not isinstance(answer, dict):
            raise ServerError(
                f"{self.url}: {method} {path} must answer with a JSON object, "
                f"got {self._redacted(content.decode('utf-8', 'replace'))[:60]!r}; is it a game server?"
            )
        return answer

    def _call(
        self,
        method: str,
        path: str,
        body: Json | None = None,
        *,
        parameters: Mapping[str, str] | None = None,
        wait_s: float = 0.0,
        repeatable: bool = True,
    ) -> bytes:
        """The body that the server answers with; the whole of it within the time.

        What is not `repeatable` is tried again only where the server surely did not do it: no connection, or a status
        that says so.
        """
        asked = self._until_answered(method, path, body, parameters or {}, wait_s, repeatable)
        return asyncio.run_coroutine_threadsafe(asked, self._running_loop()).result()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        """Return an event loop in a thread of its own: only there can a request be broken off wherever it hangs."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                worker = Worker("game-server")
                worker.submit(self._loop.run_forever)
                worker.submit(self._loop.close)
                worker.stop()
            return self._loop

    async def _until_answered(
        self, method: str, path: str, body: Json | None, parameters: Mapping[str, str], wait_s: float, repeatable: bool
    ) -> bytes:
        """Ask until there is an answer that is worth no further try, or the time is over."""
        patience_s = self._timeout_s * (PATIENCE if repeatable else 1.0)
        deadline = time.monotonic() + patience_s
        passing = set(TRANSIENT if repeatable else NOT_DONE)
        retrying = AsyncRetrying(
            retry=retry_if_exception(lambda error: isinstance(error, _FaultError) and error.passes),
            wait=_pause_s,
            stop=stop_before_delay(patience_s),
            reraise=True,
        )
        try:
            async for attempt in retrying:
                with attempt:
                    missing = (
                        path in {"/v1/inbox", "/v1/outbox"} and attempt.retry_state.attempt_number <= MOST_NOT_FOUND
                    )
                    try:
                        async with asyncio.timeout(
                            min(self._timeout_s, max(deadline - time.monotonic(), 0.1)) + wait_s
                        ):
                            response, content = await self._exchange(method, path, body, parameters)
                    except (httpx.RequestError, httpx.InvalidURL, MessageError, TimeoutError) as error:
                        raise _FaultError(
                            _reason(error), repeatable or isinstance(error, httpx.ConnectError)
                        ) from error
                    status = response.status_code
                    if status in passing or (status == NOT_FOUND and missing):
                        raise _FaultError(f"status {status}", True, _retry_after_s(response.headers))
                    return self._checked(method, path, status, content)
            raise AssertionError("retrying ends with a result or an error")
        except _FaultError as fault:
            failure = ServerError(
                self._redacted(
                    f"{self.url}: a game server must answer there, {method} {path} failed for {patience_s:g} s: "
                    f"{fault}; check --server, or leave it out to play against a practice server"
                )
            )
            failure.retry_after_s = fault.retry_after_s
            raise failure from fault

    async def _exchange(
        self, method: str, path: str, body: Json | None, parameters: Mapping[str, str]
    ) -> tuple[httpx.Response, bytes]:
        """Make one request; returns the response and its body."""
        request = self._client.build_request(method, path, json=body, params=parameters, timeout=None)
        response = await self._client.send(request, stream=True)
        try:
            return response, await read_body(response)
        finally:
            await response.aclose()

    def _checked(self, method: str, path: str, status: int, content: bytes) -> bytes:
        """The body, if the server did as asked."""
        if 200 <= status < 300:
            return content
        if status in {401, 403}:
            raise UnauthorizedError(
                f"{self.url}: --token must be one the server gave out, it answered {status}; "
                "leave it out to register anew"
            )
        if status < 400:
            raise ServerError(
                f"{self.url}: {method} {path} must be answered there, got a redirection ({status}), "
                "which is never followed; name the server's own address"
            )
        try:
            problem = read_json(content)
        except MessageError:
            problem = None
        told = (problem.get("detail") or problem.get("title")) if isinstance(problem, dict) else ""
        reason = " ".join(self._redacted(str(told or httpx.codes.get_reason_phrase(status) or "no reason")).split())[
            :200
        ]
        raise RefusedError(f"{self.url}: {method} {path} was refused with {status}: {reason}", status)

    def _redacted(self, text: str) -> str:
        return visible(text.replace(self._token, "***") if self._token else text)


class _FaultError(Exception):
    """One try of a request failed; its text says how, and `passes` whether another try may succeed."""

    def __init__(self, reason: str, passes: bool, retry_after_s: float = 0.0) -> None:
        super().__init__(reason)
        self.passes = passes
        self.retry_after_s = retry_after_s


_backoff = wait_exponential(multiplier=0.05, max=2.0)


def _pause_s(state: RetryCallState) -> float:
    """Return the seconds until the next try: more each time, and what the server asked for."""
    fault = state.outcome.exception() if state.outcome is not None else None
    return max(_backoff(state), fault.retry_after_s if isinstance(fault, _FaultError) else 0.0)


def _reason(error: BaseException) -> str:
    """What went wrong, in the operating system's words where they are somewhere behind it."""
    if isinstance(error, TimeoutError):
        return "timed out"
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, BaseExceptionGroup):
            seen = seen.exceptions[0]
        if isinstance(seen, OSError) and seen.errno is not None:
            return os.strerror(seen.errno)
        seen = seen.__cause__ or seen.__context__
    return str(error) or type(error).__name__


def _retry_after_s(headers: Mapping[str, str]) -> float:
    """Return the seconds that Retry-After asks for, as a number or a moment; 0 if it says nothing."""
    value = headers.get("Retry-After", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return 0.0
    return max(0.0, min(seconds, LONGEST_RETRY_AFTER_S))


def _string(answer: Json, key: str) -> str:
    value = answer.get(key)
    if not isinstance(value, str) or not value:
        came = "an empty one" if value == "" else type(value).__name__  # not the value, which may be a token
        raise ServerError(f"the game server must answer with {key} as a string, got {came}; is it a game server?")
    return value
