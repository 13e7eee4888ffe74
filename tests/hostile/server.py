"""An ASGI app that commits a fault in front of a practice server."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import MutableMapping
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from player.protocol.messages import Json
from tests.hostile.faults import Fault, Reply


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
        place = self._n_asked[path]
        self._n_asked[path] += 1
        replies = self._fault.answers.get(path, ())
        reply = replies[place] if place < len(replies) else None
        if reply is None or reply.does:
            status, headers, body = await self._done(scope, receive)
        if reply is not None:
            await self._say(reply, send)
            return
        if path == "/v1/inbox" and status == 200:
            body = self._rewritten(body)
            headers = [
                (b"content-type", b"application/json"),
                (b"content-length", str(len(body)).encode()),
            ]
        await send(
            {"type": "http.response.start", "status": status, "headers": headers}
        )
        await send({"type": "http.response.body", "body": body})

    async def _done(
        self, scope: Scope, receive: Receive
    ) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        """What the honest app answers."""
        answer: MutableMapping[str, Any] = {"body": b""}

        async def listen() -> Any:
            message = await receive()
            if message.get("body"):
                self.bodies.append(message["body"])
            return message

        async def keep(message: Any) -> None:
            body = answer["body"] + message.get("body", b"")
            answer.update(message)
            answer["body"] = body

        await self._app(scope, listen, keep)
        return answer["status"], answer["headers"], answer["body"]

    async def _say(self, reply: Reply, send: Send) -> None:
        headers = [
            (name.lower().encode(), value.encode())
            for name, value in reply.headers.items()
        ]
        if not reply.hangs_up or reply.pieces:
            await send(
                {
                    "type": "http.response.start",
                    "status": reply.status,
                    "headers": headers,
                }
            )
        pieces = [*reply.pieces[:-1], *reply.pieces[-1:] * reply.repeats]
        for row, piece in enumerate(pieces):
            await asyncio.sleep(reply.pause_s)
            more = reply.hangs_up or row + 1 < len(pieces)
            await send({"type": "http.response.body", "body": piece, "more_body": more})
        if reply.hangs_up:
            raise ConnectionAbortedError("hung up on purpose")

    def _rewritten(self, body: bytes) -> bytes:
        answer = json.loads(body)
        messages: list[Json | bytes] = []
        for message in answer["messages"]:
            shown = self._n_shown[message["message_id"]]
            self._n_shown[message["message_id"]] += 1
            messages += (
                self._fault.rewrite(message, shown)
                if self._fault.rewrite
                else [message]
            )
        written = [
            item if isinstance(item, bytes) else json.dumps(item).encode()
            for item in messages
        ]
        late = (
            len(messages) < len(answer["messages"])
            and not messages
            and "late" in self._fault.name
        )
        cursor = json.dumps("0" if late else answer["cursor"]).encode()
        if self._fault.cursor is not None:
            cursor = self._fault.cursor(str(answer["cursor"]))
        return (
            b'{"messages": [' + b", ".join(written) + b'], "cursor": ' + cursor + b"}"
        )
