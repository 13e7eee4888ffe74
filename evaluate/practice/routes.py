"""The practice game server over HTTP, with limits on requests of anybody."""

import asyncio
import contextlib
import http
import ipaddress
import re
import socket
import threading
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Annotated, Any

import uvicorn
from cachetools import TTLCache
from fastapi import Depends, FastAPI, Header, HTTPException, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evaluate.errors import EvaluateError, PortError, first_fault
from evaluate.practice.referee_game import RefusedMessageError
from evaluate.practice.server import PracticeServer, RegisteredPlayer
from player.game.client import MAX_WAIT_S, GameState

IDLE_S = 75
"""Number of seconds that an idle connection is kept open."""
SHUTDOWN_S = 5
"""Maximum number of seconds until running requests end when the server stops."""
HOST = "127.0.0.1"
"""Default address."""
MAX_BODY_BYTES = 500_000
"""Maximum number of bytes of a request body; a batch of 20 questions has 10,000."""
BODY_S = 10.0
"""Maximum number of seconds until a body has arrived."""
MAX_REQUESTS = 1_000
"""Maximum number of requests of an address in a second."""
MAX_CONNECTIONS = 1_000
"""Maximum number of simultaneous connections and requests; uvicorn answers 503 to others."""


def limit_requests(app: ASGIApp) -> ASGIApp:
    """Return an app that refuses requests which are too long, too slow or too many, and passes on the others."""
    counts: TTLCache[tuple[str, int], int] = TTLCache(
        100_000, ttl=2.0, timer=time.monotonic
    )

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        address = (scope.get("client") or ("",))[0]
        key = address, int(time.monotonic())
        counts[key] = count = counts.get(key, 0) + 1
        try:
            if count > MAX_REQUESTS:
                detail = f"The address sent more than {MAX_REQUESTS} requests a second; wait a second."
                raise HTTPException(429, detail, {"Retry-After": "1"})
            body = bytearray()
            async with asyncio.timeout(BODY_S):
                async for chunk in Request(scope, receive).stream():
                    body += chunk
                    if len(body) > MAX_BODY_BYTES:
                        detail = f"The body has more than {MAX_BODY_BYTES} bytes."
                        raise HTTPException(413, detail)
        except ClientDisconnect:
            return
        except TimeoutError:
            refusal = problem(408, f"The body took more than {BODY_S:g} s.")
        except HTTPException as error:
            refusal = problem(error.status_code, error.detail, error.headers)
        else:
            received: list[Message] = [{"type": "http.request", "body": bytes(body)}]

            async def receive_again() -> Message:
                return received.pop() if received else await receive()

            await app(scope, receive_again, send)
            return

        refusal.headers["Connection"] = "close"  # the rest of the body is not read
        await refusal(scope, receive, send)

    return handle


def require_known_host(app: ASGIApp, names: Iterable[str] = ()) -> ASGIApp:
    """Return an app that serves an app only under known host names, as protection against DNS rebinding.

    A web page can let its own name point to this machine, but it cannot own an address. Hence addresses, localhost and
    the name of this machine are always accepted.

    Args:
        app: handles the requests.
        names: other host names of the server.
    """
    all_names = ["localhost", socket.gethostname(), *names]
    known_names = {name.lower().rstrip(".") for name in all_names}

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or _has_known_host(scope, known_names):
            await app(scope, receive, send)
            return
        detail = (
            "The server is not known under this name; name it: quarry serve --name NAME"
        )
        await problem(400, detail)(scope, receive, send)

    return handle


def _has_known_host(scope: Scope, known_names: Collection[str]) -> bool:
    hosts = Headers(scope=scope).getlist("host")
    host = hosts[0] if len(hosts) == 1 else ""
    match = re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^\[\]:/@]+)(:\d*)?", host)
    name = match[1].strip("[]").lower().rstrip(".") if match else ""
    if name in known_names:
        return True
    with contextlib.suppress(ValueError):
        return bool(ipaddress.ip_address(name))
    return False


class _NewPlayer(BaseModel):
    name: Annotated[str, Field(min_length=1, max_length=100)]


async def _require_player(
    request: Request, authorization: Annotated[str, Header()] = ""
) -> RegisteredPlayer:
    """Return the player whose token is in the header of a request; raise 401 if there is none."""
    players: dict[str, RegisteredPlayer] = request.app.state.server.players
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or token.strip() not in players:
        detail = "Authorization has no Bearer token from POST /v1/players"
        raise HTTPException(401, detail, {"WWW-Authenticate": "Bearer"})
    return players[token.strip()]


_Player = Annotated[RegisteredPlayer, Depends(_require_player)]
"""The player who sends a request."""


PROBLEM_ERRORS = (
    StarletteHTTPException,
    RequestValidationError,
    EvaluateError,
    Exception,
)
"""Errors that are answered with a problem document."""


async def _refuse(_: Request, error: Exception) -> JSONResponse:
    """Answer an error with a problem document."""
    match error:
        case StarletteHTTPException():
            return problem(error.status_code, str(error.detail), error.headers)
        case RequestValidationError():
            return problem(422, first_fault(error.errors()))
        case EvaluateError():
            return problem(422, str(error))
    name = type(error).__name__
    return problem(
        500, f"the server failed: {name}; the message was not accepted, send it again"
    )


def create_server_app(server: PracticeServer) -> ASGIApp:
    """Build the HTTP application of a practice server (docs/protocol.md); errors are RFC 9457 problem documents."""
    return limit_requests(routes(server))


def routes(server: PracticeServer) -> FastAPI:
    """Build the application without limits."""
    app = FastAPI(
        title="Quarry practice game server",
        version="1",
        description="Practice games in the manner of the Q21G league.",
        exception_handlers=dict.fromkeys(PROBLEM_ERRORS, _refuse),
    )
    app.state.server = server
    # events by player_id, which are set when a message arrives
    arrivals: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)

    def announce(player: RegisteredPlayer) -> None:
        arrivals.pop(player.player_id, asyncio.Event()).set()

    @app.post("/v1/players", status_code=201)
    async def add_player(player: _NewPlayer) -> dict[str, str]:
        token = server.register(player.name)
        return {"player_id": server.players[token].player_id, "token": token}

    @app.post("/v1/games", status_code=201)
    async def add_game(player: _Player) -> dict[str, str]:
        game_id = player.request_game()
        announce(player)
        return {"game_id": game_id}

    @app.get("/v1/inbox")
    async def inbox(
        player: _Player,
        after: Annotated[str, Query(pattern=r"^\d{0,40}$")] = "",
        wait_s: Annotated[float, Query(ge=0.0, le=MAX_WAIT_S)] = 0.0,
    ) -> dict[str, Any]:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                while True:
                    arrival = arrivals[player.player_id]
                    messages, cursor = player.inbox(after, 0.0)
                    if messages:
                        break
                    await arrival.wait()
        return {"messages": messages, "cursor": cursor}

    @app.post("/v1/outbox", status_code=202)
    async def outbox(envelope: dict[str, Any], player: _Player) -> dict[str, str]:
        await run_in_threadpool(player.send, envelope)
        announce(player)
        return {"message_id": envelope["message_id"]}

    @app.get("/v1/games/{game_id}")
    async def show_game(game_id: str, player: _Player) -> GameState:
        try:
            return player.game(game_id)
        except RefusedMessageError as error:
            raise HTTPException(404, str(error)) from error

    @app.get("/healthz")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    return app


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket; port 0 takes a free port.

    Raises:
        PortError: the port is in use, or may not be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # socket.create_server leaves the socket open if the port is too large
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)

    try:
        listener.bind((host, port))
        listener.listen(1024)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or error
        remedy = "stop its program, or name another port or --host"
        if isinstance(error, OverflowError):
            remedy = "name another port"
        raise PortError(
            f"--port {port} cannot be used on {host}: {reason}; {remedy}"
        ) from error
    return listener


def serve_app(app: ASGIApp, listener: socket.socket, names: Iterable[str] = ()) -> None:
    """Serve until interrupted.

    Args:
        app: the application.
        listener: listening socket.
        names: host names of the server; see `require_known_host`.
    """
    _server(require_known_host(app, names), SHUTDOWN_S).run(sockets=[listener])


@contextlib.contextmanager
def serving(app: ASGIApp) -> Iterator[str]:
    """Serve on a free loopback port in a thread of this process; yield the URL, and stop at the end of the block."""
    server = _server(require_known_host(app), 1)
    with listen(HOST, 0) as listener:
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            yield f"http://{HOST}:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(timeout=5.0)


def _server(app: ASGIApp, grace_s: int) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        timeout_keep_alive=IDLE_S,
        timeout_graceful_shutdown=grace_s,
        limit_concurrency=MAX_CONNECTIONS,
    )
    return uvicorn.Server(config)


def problem(
    status: int, detail: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Return an RFC 9457 problem document."""
    title = http.HTTPStatus(status).phrase
    content = {"type": "about:blank", "title": title, "status": status}
    return JSONResponse(
        content | {"detail": detail},
        status_code=status,
        headers=headers,
        media_type="application/problem+json",
    )
