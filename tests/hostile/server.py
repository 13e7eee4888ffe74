"""An ASGI app that commits a fault in front of a practice server."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator

import httpx
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
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

    def __init__(self, app: ASGIApp, fault: Fault) -> None:
        self.bodies: list[bytes] = []
        self._honest = httpx.AsyncClient(transport=httpx.ASGITransport(app))
        self._fault = fault
        self._n_asked = Counter[str]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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
            reply, *_ = replies
            response: Response = StreamingResponse(
                _pieces(reply), reply.status, reply.headers
            )
        elif path == INBOX and answer.is_success:
            response = Response(self._rewritten(answer.content))
        else:
            response = Response(answer.content, answer.status_code)
        await response(scope, receive, send)

    def _rewritten(self, body: bytes) -> bytes:
        """The inbox with the messages and the cursor of the fault."""
        answer = json.loads(body)
        messages: list[Json] = []
        for message in answer["messages"]:
            messages += self._fault.rewrite(message)
        cursor = self._fault.cursor or answer["cursor"]
        return json.dumps({"messages": messages, "cursor": cursor}).encode()


async def _pieces(reply: Reply) -> AsyncIterator[bytes]:
    """The body of a reply, piece by piece."""
    await asyncio.sleep(reply.pause_s)
    yield reply.body
    if reply.hangs_up:
        raise ConnectionAbortedError("hung up on purpose")
