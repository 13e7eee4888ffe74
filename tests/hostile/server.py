"""An ASGI app that commits a fault in front of a practice server."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from player.protocol.messages import Json
from tests.hostile.faults import INBOX, Fault, Reply


class HostileApp:
    """An app around a practice server's.

    Args:
        app: does what it should.
        fault: what is done instead.

    Attributes:
        bodies: of all requests, as they came.
    """

    def __init__(self, app: ASGIApp, fault: Fault) -> None:
        self._app = app
        self._fault = fault
        self._n_asked: Counter[str] = Counter()
        self._n_shown: Counter[str] = Counter()
        self.bodies: list[bytes] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"]
        replies = self._fault.answers.get(path, ())[self._n_asked[path] :]
        self._n_asked[path] += 1
        if replies and not replies[0].does:
            await _say(replies[0], send)
            return

        response = await self._done(scope, receive)
        if replies:
            await _say(replies[0], send)
            return
        if path == INBOX and response.status_code == 200:
            response = Response(self._rewritten(bytes(response.body)))
        await response(scope, receive, send)

    async def _done(self, scope: Scope, receive: Receive) -> Response:
        """What the honest app answers."""
        response = Response()

        async def listen() -> Any:
            message = await receive()
            self.bodies.append(message.get("body", b""))
            return message

        async def keep(message: Any) -> None:
            response.status_code = message.get("status", response.status_code)
            response.raw_headers = message.get("headers", response.raw_headers)
            response.body = bytes(response.body) + message.get("body", b"")

        await self._app(scope, listen, keep)
        return response

    def _rewritten(self, body: bytes) -> bytes:
        """The inbox with the messages and the cursor of the fault."""
        answer = json.loads(body)
        messages: list[Json | bytes] = []
        for message in answer["messages"]:
            n_shown = self._n_shown[message["message_id"]]
            self._n_shown[message["message_id"]] += 1
            rewrite = self._fault.rewrite
            messages += rewrite(message, n_shown) if rewrite else [message]

        is_late = answer["messages"] and not messages and "late" in self._fault.name
        cursor = b'"0"' if is_late else json.dumps(answer["cursor"]).encode()
        if self._fault.cursor is not None:
            cursor = self._fault.cursor(str(answer["cursor"]))
        written = [
            item if isinstance(item, bytes) else json.dumps(item).encode()
            for item in messages
        ]
        return b'{"messages": [%s], "cursor": %s}' % (b", ".join(written), cursor)


async def _say(reply: Reply, send: Send) -> None:
    """Send a reply piece by piece."""
    headers = []
    for name, value in reply.headers.items():
        headers.append((name.lower().encode(), value.encode()))
    start = {"type": "http.response.start", "status": reply.status, "headers": headers}
    if reply.pieces:
        await send(start)
    pieces = [*reply.pieces[:-1], *reply.pieces[-1:] * reply.repeats]
    for number, piece in enumerate(pieces, 1):
        await asyncio.sleep(reply.pause_s)
        more = reply.hangs_up or number < len(pieces)
        await send({"type": "http.response.body", "body": piece, "more_body": more})
    if reply.hangs_up:
        raise ConnectionAbortedError("hung up on purpose")
