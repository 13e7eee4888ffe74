"""GameServer over HTTP; the only network code of the player."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import httpx

from player.errors import GameTimeoutError, ServerError, UnauthorizedError
from player.protocol import Json

MAX_PAUSE_S = 2.0


@dataclass(frozen=True, slots=True)
class GameState:
    """What the server says of a game; the score is None until there is one."""

    game_id: str
    state: str
    private_score: float | None
    league_points: int | None


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
    """A game server at a URL. Transient faults are tried again until `timeout_s` has passed.

    Args:
        url: e.g. "http://127.0.0.1:8017".
        token: of the player; "" until `register` has been called.
        timeout_s: for one call, tries included.

    Attributes:
        player_id: as the server gave it on `register`, "" before.
    """

    def __init__(self, url: str, token: str = "", timeout_s: float = 10.0) -> None:
        if not url.startswith(("http://", "https://")):
            raise ServerError(f"--server must be an http:// or https:// URL, got {url!r}")
        if "@" in url.split("/")[2]:
            raise ServerError("--server must hold no user or password, got a URL with one; use --token")
        self.url = url.rstrip("/")
        self.player_id = ""
        self._timeout_s = timeout_s
        try:
            self._client = httpx.Client(base_url=self.url, trust_env=False, headers={"Accept": "application/json"})
        except httpx.InvalidURL as error:
            raise ServerError(f"--server must be a URL such as http://127.0.0.1:8017, got {url!r}: {error}") from error
        self._use(token)

    @property
    def has_token(self) -> bool:
        """Whether there is a token to play with."""
        return bool(self._token)

    def register(self, name: str) -> None:
        """Become a player of the server; its token is used from then on.

        Raises:
            ServerError: the server is not there or refuses.
        """
        answer = self._call("POST", "/v1/players", {"name": name}, repeatable=False)
        self.player_id = _string(answer, "player_id")
        self._use(_string(answer, "token"))

    def request_game(self) -> str:
        """The game_id of a new practice game; its messages follow in the inbox.

        Raises:
            ServerError: the server is not there or refuses.
        """
        return _string(self._call("POST", "/v1/games", {}, repeatable=False), "game_id")

    def inbox(self, cursor: str, wait_s: float) -> tuple[Sequence[Json], str]:
        """The messages after `cursor` ("" for all) and the new cursor; waits up to wait_s seconds, at most 30, for one.

        Raises:
            ServerError: the server is not there, refuses, or answers nonsense.
        """
        parameters = {"wait_s": f"{min(max(wait_s, 0.0), 30.0):g}"} | ({"after": cursor} if cursor else {})
        answer = self._call("GET", "/v1/inbox", parameters=parameters, wait_s=wait_s)
        messages = answer.get("messages")
        if not isinstance(messages, list):
            raise ServerError(f"{self.url}/v1/inbox must answer with a list of messages, got {type(messages).__name__}")
        came = answer.get("cursor")
        new_cursor = str(came) if isinstance(came, str | int) else cursor
        return [message for message in messages if isinstance(message, dict)], new_cursor

    def send(self, envelope: Mapping[str, Any]) -> None:
        """Deliver a message; sending it again is safe, its message_id makes it one message.

        Raises:
            ServerError: the server is not there or refuses.
        """
        self._call("POST", "/v1/outbox", dict(envelope))

    def game(self, game_id: str) -> GameState:
        """What has become of a game.

        Raises:
            ServerError: the server is not there, or does not know the game.
        """
        answer = self._call("GET", f"/v1/games/{game_id}")
        score, points = answer.get("private_score"), answer.get("league_points")
        return GameState(
            game_id=game_id,
            state=str(answer.get("state", "")),
            private_score=_finite(score),
            league_points=None if (whole := _finite(points)) is None else int(whole),
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _use(self, token: str) -> None:
        self._token = token
        if not token:
            return
        if not all("!" <= char <= "~" for char in token):
            raise UnauthorizedError(
                "--token must be plain ASCII without spaces or line breaks, got other characters; copy it anew"
            )
        self._client.headers["Authorization"] = f"Bearer {token}"

    def _call(
        self,
        method: str,
        path: str,
        body: Json | None = None,
        *,
        parameters: Mapping[str, str] | None = None,
        wait_s: float = 0.0,
        repeatable: bool = True,
    ) -> Json:
        """The JSON object that the server answers; transport faults, 429 and 5xx are tried again until time is up.

        What is not `repeatable` is tried again only where the server surely did not do it: no connection, 429 or 503.
        """
        deadline = time.monotonic() + self._timeout_s
        pause_s = 0.05
        while True:
            fault, given_up = "", False
            remaining_s = max(deadline - time.monotonic(), 0.1) + wait_s
            try:
                response = self._client.request(method, path, json=body, params=parameters, timeout=remaining_s)
                if response.status_code not in ({429, 500, 502, 503, 504} if repeatable else {429, 503}):
                    return self._read(method, path, response)
                fault = f"status {response.status_code}"
            except (httpx.RequestError, httpx.InvalidURL) as error:
                fault = str(error) or type(error).__name__
                given_up = not repeatable and not isinstance(error, httpx.ConnectError)
            if given_up or time.monotonic() + pause_s >= deadline:
                raise ServerError(
                    self._redacted(
                        f"{self.url}: a game server must answer there, "
                        f"{method} {path} failed for {self._timeout_s:g} s: "
                        f"{fault}; "
                        "check --server, or leave it out to play against a practice server"
                    )
                )
            time.sleep(pause_s)
            pause_s = min(2.0 * pause_s, MAX_PAUSE_S)

    def _read(self, method: str, path: str, response: httpx.Response) -> Json:
        if response.status_code in {401, 403}:
            raise UnauthorizedError(
                f"{self.url}: --token must be one the server gave out, it answered {response.status_code}; "
                "leave it out to register anew"
            )
        try:
            answer = response.json()
        except (ValueError, RecursionError):
            answer = None
        if response.is_error:
            problem = answer if isinstance(answer, dict) else {}
            detail = problem.get("detail") or problem.get("title") or response.reason_phrase
            reason = " ".join(self._redacted(str(detail)).split())[:200]
            raise ServerError(f"{self.url}: {method} {path} was refused with {response.status_code}: {reason}")
        if not isinstance(answer, dict):
            raise ServerError(
                f"{self.url}: {method} {path} must answer with a JSON object, "
                f"got {self._redacted(response.text)[:60]!r}; is it a game server?"
            )
        return answer

    def _redacted(self, text: str) -> str:
        return text.replace(self._token, "***") if self._token else text


def wait_left_s(deadline: float, game_id: str) -> float:
    """Seconds until `deadline` (of time.monotonic), at most 10, for one poll of the inbox.

    Raises:
        GameTimeoutError: it has passed.
    """
    left_s = deadline - time.monotonic()
    if left_s <= 0:
        raise GameTimeoutError(
            f"game {game_id} must be over in time, its deadline has passed; "
            "raise game.game_timeout_s if the referee is slow"
        )
    return min(left_s, 10.0)


def _string(answer: Json, key: str) -> str:
    value = answer.get(key)
    if not isinstance(value, str) or not value:
        came = "an empty one" if value == "" else type(value).__name__  # not the value, which may be a token
        raise ServerError(f"the game server must answer with {key} as a string, got {came}; is it a game server?")
    return value


def _finite(value: object) -> float | None:
    try:
        number = float(value) if isinstance(value, int | float) else math.nan
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
