"""An ASGI app that commits a fault in front of a practice server."""

import asyncio
import json
from collections import Counter

import httpx
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from player.round import Json
from tests.hostile.faults import INBOX, Fault, Reply


class HostileApp:
    """An app around a practice server's.

    Args:
        app: does what it should.
        fault: what is done instead.

    Attributes:
        bodies: of all requests, as they came.
    """

    def __init__(
        self,
        app: ASGIApp,
        fault: Fault,
    ) -> None:
        self.bodies: list[bytes] = []
        self._honest = httpx.AsyncClient(transport=httpx.ASGITransport(app))
        self._fault = fault
        self._n_asked = Counter[str]()
        self._n_shown = Counter[str]()

    async def __call__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Handle a request."""
        request = Request(scope, receive)
        body = await request.body()
        self.bodies.append(body)
        path = request.url.path
        replies = self._fault.answers.get(path, ())[self._n_asked[path] :]
        self._n_asked[path] += 1
        if not replies or replies[0].does:
            answer = await self._honest.request(
                request.method,
                str(request.url),
                headers=request.headers,
                content=body,
            )
        if replies:
            await _say(replies[0], send)
            return

        content = answer.content
        if path == INBOX and answer.is_success:
            content = self._rewritten(content)
        response = Response(content, answer.status_code)
        await response(scope, receive, send)

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
        written = []
        for item in messages:
            if not isinstance(item, bytes):
                item = json.dumps(item).encode()
            written.append(item)
        return b'{"messages": [%s], "cursor": %s}' % (b", ".join(written), cursor)


async def _say(reply: Reply, send: Send) -> None:
    """Send a reply piece by piece."""
    items = reply.headers.items()
    headers = [(name.lower().encode(), value.encode()) for name, value in items]
    start = {"type": "http.response.start", "status": reply.status, "headers": headers}
    await send(start)
    piece = {"type": "http.response.body", "body": reply.body, "more_body": True}
    for _ in range(reply.repeats):
        await asyncio.sleep(reply.pause_s)
        await send(piece)
    if reply.hangs_up:
        raise ConnectionAbortedError("hung up on purpose")
    await send({"type": "http.response.body"})
