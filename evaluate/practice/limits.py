"""What one client may take of the practice server: bytes, seconds, requests, connections."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from cachetools import LRUCache
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol

MAX_BODY_BYTES = 1_000_000
BODY_S = 20.0
"""Seconds in which a body must be there."""
HEAD_S = 20.0
"""Seconds in which the head of a request must be there, or the first one begin."""
LAST_CHANCE_S = 1.0
IDLE_S = 75
"""Seconds that a connection is kept between two requests."""
MAX_CONNECTIONS = 4_000
RATE = 500.0
BURST = 2_000.0
"""Requests a second of one player, and how many it may save up."""
MAX_BUCKETS = 20_000

Refuse = Callable[[Scope, Receive, Send, int, str], Awaitable[None]]
"""Answers a request with a status and a detail."""


class BoundedBodies:
    """An app whose requests bring their whole body in time and within the limit, or are refused.

    Args:
        app: gets the body in one piece.
        refuse: answers for it.
    """

    def __init__(self, app: ASGIApp, refuse: Refuse) -> None:
        self._app = app
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.lower(): value for name, value in scope["headers"]}
        length = headers.get(b"content-length", b"0")
        if b"transfer-encoding" in headers or not length.isdigit() or int(length[:20]) > MAX_BODY_BYTES:
            detail = f"a body must have a content-length of at most {MAX_BODY_BYTES} bytes"
            await self._refuse(scope, receive, send, 413, detail)
            return
        try:
            async with asyncio.timeout(BODY_S):
                body, gone = await _read(receive)
        except TimeoutError:
            await self._refuse(scope, receive, send, 408, f"a body must be there within {BODY_S:g} s")
            return
        if gone:
            return
        pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return pending.pop() if pending else await receive()

        await self._app(scope, replay, send)


async def _read(receive: Receive) -> tuple[bytes, bool]:
    """The whole body, and whether the client went away."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b"", True
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts), False


class Rates:
    """Requests of each player, as tokens of a bucket that fills by `RATE` a second up to `BURST`."""

    def __init__(self) -> None:
        self._buckets: LRUCache[str, tuple[float, float]] = LRUCache(MAX_BUCKETS)

    def allow(self, who: str) -> bool:
        """Whether one more request is within the rate; it counts if it is."""
        now = time.monotonic()
        level, seen = self._buckets.get(who, (BURST, now))
        level = min(BURST, level + RATE * (now - seen))
        self._buckets[who] = (max(0.0, level - 1.0), now)
        return level >= 1.0


class PatientProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """HTTP as uvicorn speaks it, but a connection that sends no whole head of a request in time is closed."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a head."""
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Wait for a head where this is no request's rest."""
        super().data_received(data)
        if self._is_idle():
            if self._head_timer is None:
                self._await_head()
        elif self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        if self._head_timer is not None:
            self._head_timer.cancel()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(HEAD_S, self._give_up)

    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _give_up(self) -> None:
        # a busy loop comes to its timers before it reads: what has arrived meanwhile is read first
        self._head_timer = self.loop.call_later(LAST_CHANCE_S, self._close)

    def _close(self) -> None:
        self._head_timer = None
        if self._is_idle() and not self.transport.is_closing():
            self.transport.close()
