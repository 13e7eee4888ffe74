"""The practice game server: any number of players and games, over HTTP or in this process."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import http
import secrets
import socket
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import uvicorn
from fastapi import Depends, FastAPI, Header, HTTPException, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from quarry.configs.settings import Settings
from quarry.evaluate.errors import EvaluateError, GamesError, PortError
from quarry.evaluate.games.labelled import LabelledGame, load_games
from quarry.evaluate.games.locating import locate_games
from quarry.evaluate.practice.limits import IDLE_S, MAX_CONNECTIONS, RATE, BoundedBodies, PatientProtocol, Rates
from quarry.evaluate.practice.match import Match, RefusedMessageError
from quarry.evaluate.referee import Referee, secret_of
from quarry.evaluate.referee.scoring import Similarity, word_similarity
from quarry.ingest.paragraph import Paragraph
from quarry.ingest.store import Course
from quarry.player.errors import ServerError
from quarry.player.protocol.client import GameState
from quarry.player.protocol.payloads import Json

MAX_WAIT_S = 30.0
MAX_PLAYERS = 20_000
MAX_GAMES = 2_000
"""Of one player."""
MAX_MESSAGES = 200
"""Of one game, taken; a game needs three."""
MAX_MESSAGE_ID_CHARS = 200
GRACE_S = 5
"""Seconds that requests under way have to end when the server is stopped."""
HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Repertoire:
    """What the games are about.

    Attributes:
        games: labelled games whose paragraph is in the store, with it.
        referee: answers the questions.
        similarity: of two words, for the score.
    """

    games: Sequence[tuple[LabelledGame, Paragraph]]
    referee: Referee
    similarity: Similarity


def load_repertoire(
    store: Course, games_path: Path, referee: Referee, settings: Settings, named: str = "--games"
) -> Repertoire:
    """The repertoire of a store and a games file.

    Args:
        named: the flag that names the file.

    Raises:
        GamesError: the file cannot be used, or none of its games is about this store.
    """
    games = load_games(games_path, named)
    located = locate_games(games, store.paragraphs)
    playable = [(game, paragraph) for game in games if (paragraph := located.get(game.game_id)) is not None]
    if not playable:
        raise GamesError(
            f"{games_path}: at least one game must be about a paragraph of {store.location}, got none of {len(games)}; "
            f"name the games that belong to the store with {named} (python -m evaluate games label writes some), or "
            "be the referee yourself: run_game.py --referee me"
        )
    return Repertoire(playable, referee, word_similarity(store.embedder_spec, store.models(settings.embed)))


class TooManyError(EvaluateError, RuntimeError):
    """A player asks for more than one may have."""


@dataclass(slots=True)
class _PlayerState:
    player_id: str
    inbox: list[Json] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    n_games: int = 0


class PracticeServer:
    """Players, their inboxes, and their games; safe under threads.

    Args:
        repertoire: what the games are about.
        seed: of the choice of games; the n-th game of a server with the same seed is about the same paragraph. None
            draws one that nobody knows.
    """

    def __init__(self, repertoire: Repertoire, seed: int | None = None) -> None:
        self._repertoire = repertoire
        self._seed = secrets.randbits(32) if seed is None else seed
        self._order = np.random.default_rng(self._seed).permutation(len(repertoire.games))
        self._players: dict[str, _PlayerState] = {}
        self._matches: dict[str, tuple[_PlayerState, Match]] = {}
        self._paragraphs: dict[str, Paragraph] = {}
        self._n_messages: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._listeners: list[Callable[[str], None]] = []

    def register(self, name: str, token: str = "") -> tuple[str, str]:
        """(player_id, token) of a new player, or of the one who has this token.

        Raises:
            TooManyError: there are as many as there may be.
        """
        player_id = f"player-{secrets.token_hex(4)}"
        token = token or secrets.token_hex(24)
        with self._lock:
            if (known := self._players.get(_digest(token))) is not None:
                return known.player_id, token
            if len(self._players) >= MAX_PLAYERS:
                raise TooManyError(f"there may be at most {MAX_PLAYERS} players; start the server anew")
            self._players[_digest(token)] = _PlayerState(player_id)
        return player_id, token

    def knows(self, token: str) -> bool:
        """Whether a token was given out."""
        return _digest(token) in self._players

    def start_game(self, token: str) -> str:
        """The game_id of a new game; its first message is in the player's inbox.

        Raises:
            TooManyError: the player has had as many as one may.
        """
        player = self._players[_digest(token)]
        with self._lock:
            if player.n_games >= MAX_GAMES:
                raise TooManyError(f"a player may have at most {MAX_GAMES} games; register anew for more")
            player.n_games += 1
            number = len(self._matches)
            game_id = _game_id(number)
            label, paragraph = self._repertoire.games[self._order[number % len(self._order)]]
            secret = secret_of(label, paragraph)
            assert secret is not None, "an ingested paragraph has a text"
            match = Match(
                game_id,
                label,
                secret,
                self._repertoire.referee,
                self._repertoire.similarity,
                player.player_id,
                seed=self._seed + number,
            )
            self._matches[game_id] = (player, match)
            self._paragraphs[game_id] = paragraph
            player.inbox.append(match.opening())
        self._notify(player)
        return game_id

    def messages(self, token: str, after: int) -> tuple[list[Json], int]:
        """The player's messages from place `after` on, and the place after the last."""
        inbox = self._players[_digest(token)].inbox
        fresh = inbox[after:]
        return fresh, after + len(fresh)

    def receive(self, token: str, envelope: Json) -> str:
        """Take a player's message; its message_id. One that was taken before changes nothing.

        Raises:
            RefusedMessageError: it has no message_id, names no game of this player, or the referee cannot take it.
        """
        player = self._players[_digest(token)]
        message_id, game_id = envelope.get("message_id"), envelope.get("game_id")
        if not isinstance(message_id, str) or not message_id:
            raise RefusedMessageError(f"message_id must be a string that is not empty, got {str(message_id)[:40]!r}")
        if len(message_id) > MAX_MESSAGE_ID_CHARS:
            raise RefusedMessageError(f"message_id must have at most {MAX_MESSAGE_ID_CHARS} characters")
        found = self._matches.get(game_id) if isinstance(game_id, str) else None
        if found is None or found[0] is not player:
            raise RefusedMessageError(
                f"game_id must be of a game that was given to this player, got {str(game_id)[:40]!r}"
            )
        with self._lock:
            if message_id in player.taken:
                return message_id
            if self._n_messages[found[1].game_id] >= MAX_MESSAGES:
                raise RefusedMessageError(f"a game must come to its end in {MAX_MESSAGES} messages, it has had as many")
            self._n_messages[found[1].game_id] += 1
            player.taken.add(message_id)
        try:
            replies = found[1].receive(envelope)
        except BaseException:  # a bug of the referee's as well: the player may send the message again
            with self._lock:
                player.taken.discard(message_id)
            raise
        with self._lock:
            player.inbox.extend(replies)
        self._notify(player)
        return message_id

    def match(self, token: str, game_id: str) -> Match | None:
        """A game of the player, None if it has no such game."""
        found = self._matches.get(game_id)
        return found[1] if found is not None and found[0] is self._players.get(_digest(token)) else None

    def paragraph(self, game_id: str) -> Paragraph:
        """What is looked for in a game; for who runs the server, and nowhere in what players can fetch."""
        return self._paragraphs[game_id]

    def player_id(self, token: str) -> str:
        """Whose token it is."""
        return self._players[_digest(token)].player_id

    def listen(self, listener: Callable[[str], None]) -> None:
        """Call `listener` with the player_id whenever an inbox has grown, from any thread."""
        self._listeners.append(listener)

    def _notify(self, player: _PlayerState) -> None:
        for listener in self._listeners:
            listener(player.player_id)


class LocalGameServer:
    """A practice server of this process as the player's GameServer, without HTTP: what replays play against."""

    def __init__(self, server: PracticeServer, name: str) -> None:
        self._server = server
        _, self._token = server.register(name)

    def request_game(self) -> str:
        """The game_id of a new game."""
        return self._server.start_game(self._token)

    def inbox(self, cursor: str, wait_s: float) -> tuple[Sequence[Json], str]:
        """The messages after `cursor`; never waits, since the referee answers at once."""
        messages, place = self._server.messages(self._token, int(cursor or 0))
        return messages, str(place)

    def send(self, envelope: Mapping[str, Any]) -> None:
        """Deliver a message.

        Raises:
            ServerError: it is refused, as it would be over HTTP.
        """
        try:
            self._server.receive(self._token, dict(envelope))
        except RefusedMessageError as error:
            raise ServerError(str(error)) from error

    def game(self, game_id: str) -> GameState:
        """What has become of a game.

        Raises:
            ServerError: it is no game of this player.
        """
        match = self._server.match(self._token, game_id)
        if match is None:
            raise ServerError(f"game_id must be of a game of this player, got {game_id!r}")
        score = match.score
        return GameState(
            game_id, match.state, score.private_score if score else None, score.league_points if score else None
        )


class _NewPlayer(BaseModel):
    name: str = Field(min_length=1, max_length=100)


class _PlayerGiven(BaseModel):
    player_id: str
    token: str


class _GameGiven(BaseModel):
    game_id: str


class _Inbox(BaseModel):
    messages: list[dict[str, Any]]
    cursor: str


class _Taken(BaseModel):
    message_id: str


class _GameShown(BaseModel):
    game_id: str
    state: str
    private_score: float | None
    league_points: int | None


def create_app(server: PracticeServer) -> FastAPI:
    """The HTTP of docs/protocol.md around a practice server; errors are RFC 9457 problem documents."""
    app = FastAPI(
        title="Quarry practice game server", version="1", description="Practice games in the manner of the Q21G league."
    )
    arrived = _Arrivals()
    server.listen(arrived.announce)

    @app.exception_handler(StarletteHTTPException)
    async def refuse(_: Request, error: StarletteHTTPException) -> JSONResponse:
        return _problem(error.status_code, str(error.detail), error.headers)

    @app.exception_handler(RequestValidationError)
    async def refuse_invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        return _problem(422, f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}")

    @app.exception_handler(RefusedMessageError)
    async def refuse_message(_: Request, error: RefusedMessageError) -> JSONResponse:
        return _problem(422, str(error))

    @app.exception_handler(Exception)
    async def apologise(_: Request, error: Exception) -> JSONResponse:
        return _problem(500, f"the server failed: {type(error).__name__}; the message was not taken, send it again")

    @app.exception_handler(TooManyError)
    async def refuse_more(_: Request, error: TooManyError) -> JSONResponse:
        return _problem(429, str(error), {"Retry-After": "60"})

    async def refuse_body(scope: Scope, receive: Receive, send: Send, status: int, detail: str) -> None:
        # what is left of the body is not read
        await _problem(status, detail, {"Connection": "close"})(scope, receive, send)

    app.add_middleware(BoundedBodies, refuse=refuse_body)
    rates = Rates()

    async def token_of(authorization: Annotated[str, Header()] = "") -> str:
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or not server.knows(token.strip()):
            detail = "Authorization must be Bearer and a token that POST /v1/players gave out"
            raise HTTPException(401, detail, {"WWW-Authenticate": "Bearer"})
        if not rates.allow(server.player_id(token.strip())):
            raise HTTPException(429, f"a player may ask {RATE:g} times a second", {"Retry-After": "1"})
        return token.strip()

    @app.post("/v1/players", status_code=201)
    async def add_player(new: _NewPlayer) -> _PlayerGiven:
        player_id, token = server.register(new.name)
        return _PlayerGiven(player_id=player_id, token=token)

    @app.post("/v1/games", status_code=201)
    async def add_game(token: str = Depends(token_of)) -> _GameGiven:
        return _GameGiven(game_id=server.start_game(token))

    @app.get("/v1/inbox")
    async def inbox(
        token: str = Depends(token_of),
        after: Annotated[str, Query(pattern=r"^\d{0,40}$")] = "",
        wait_s: Annotated[float, Query(ge=0.0, le=MAX_WAIT_S)] = 0.0,
    ) -> _Inbox:
        deadline = asyncio.get_running_loop().time() + wait_s
        player_id = server.player_id(token)
        while True:
            arrival = arrived.next(player_id)
            messages, place = server.messages(token, int(after or 0))
            left_s = deadline - asyncio.get_running_loop().time()
            if messages or left_s <= 0:
                return _Inbox(messages=messages, cursor=str(place))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(arrival.wait(), left_s)

    @app.post("/v1/outbox", status_code=202)
    async def outbox(envelope: dict[str, Any], token: str = Depends(token_of)) -> _Taken:
        return _Taken(message_id=await run_in_threadpool(server.receive, token, envelope))

    @app.get("/v1/games/{game_id}")
    async def show_game(game_id: str, token: str = Depends(token_of)) -> _GameShown:
        match = server.match(token, game_id)
        if match is None:
            raise HTTPException(404, f"game_id must be of a game of this player, got {game_id!r}")
        score = match.score
        return _GameShown(
            game_id=game_id,
            state=match.state,
            private_score=score.private_score if score else None,
            league_points=score.league_points if score else None,
        )

    @app.get("/healthz")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    return app


class _Arrivals:
    """Wakes the waiting polls of a player when a message has come for it, from whichever thread."""

    def __init__(self) -> None:
        self._events: weakref.WeakValueDictionary[str, asyncio.Event] = weakref.WeakValueDictionary()
        self._loop: asyncio.AbstractEventLoop | None = None

    def next(self, player_id: str) -> asyncio.Event:
        """The event of the player's next arrival, for the running loop; it lives as long as somebody waits for it."""
        event = self._events.get(player_id)
        if event is None or event.is_set():
            event = self._events[player_id] = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        return event

    def announce(self, player_id: str) -> None:
        """Set the event of whoever waits."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._set, player_id)

    def _set(self, player_id: str) -> None:
        event = self._events.get(player_id)
        if event is not None:
            event.set()


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one.

    Raises:
        PortError: the port is in use, or may not be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(1024)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise PortError(
            f"--port must be free on {host}, got {port}: {reason}; stop what uses it, or name another port or --host"
        ) from error
    return listener


def serve(app: ASGIApp, listener: socket.socket) -> None:
    """Serve until interrupted."""
    uvicorn.Server(_config(app, GRACE_S)).run(sockets=[listener])


def _config(app: ASGIApp, grace_s: int, log_level: str = "warning") -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_level=log_level,
        access_log=False,
        http=PatientProtocol,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_keep_alive=IDLE_S,
        timeout_graceful_shutdown=grace_s,
    )


@contextlib.contextmanager
def serving(app: ASGIApp, log_level: str = "warning") -> Iterator[str]:
    """Serve on a free port of the loopback in a thread of this process; gives the URL, and stops in the end."""
    listener = listen(HOST, 0)
    server = uvicorn.Server(_config(app, 1, log_level))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="practice-server", daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=5.0)
        listener.close()


def _game_id(number: int) -> str:
    """7 digits SSRRGGG of the number-th game: 99 rounds of 999 games a season."""
    season, rest = divmod(number, 99 * 999)
    round_, game = divmod(rest, 999)
    return f"{season % 99 + 1:02d}{round_ + 1:02d}{game + 1:03d}"


def _digest(token: str) -> str:
    """What a token is looked up by, so that the time of the look-up tells nothing about tokens."""
    return hashlib.sha256(token.encode()).hexdigest()


def _problem(status: int, detail: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse(
        {"type": "about:blank", "title": http.HTTPStatus(status).phrase, "status": status, "detail": detail},
        status_code=status,
        headers=dict(headers or {}),
        media_type="application/problem+json",
    )
