"""The practice game server: any number of players and games, over HTTP or in this process."""

from __future__ import annotations

import asyncio
import contextlib
import http
import secrets
import socket
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
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
from starlette.types import ASGIApp

from quarry.configs.places import BUNDLED
from quarry.configs.settings import Settings
from quarry.evaluate.errors import GamesError, PortError
from quarry.evaluate.games.labelled import LabelledGame, load_games
from quarry.evaluate.games.locating import locate_games
from quarry.evaluate.practice.match import Match, RefusedMessageError, first_fault
from quarry.evaluate.referee import Referee, secret_of
from quarry.evaluate.referee.scoring import Similarity, word_similarity
from quarry.ingest.embed import Models
from quarry.ingest.paragraph import Paragraph
from quarry.ingest.store import Course
from quarry.player.answer.guess import associative_words
from quarry.player.errors import ServerError
from quarry.player.protocol.client import GameState
from quarry.player.protocol.messages import Json

MAX_WAIT_S = 30.0
IDLE_S = 75
"""Seconds that an idle connection is kept open."""
GRACE_S = 5
"""Seconds that running requests may take to end when the server is stopped."""
HOST = "127.0.0.1"
BUNDLED_GAMES = BUNDLED / "games"
N_MADE, N_HINT_WORDS = 60, 12
"""Number of games made about a course without labelled ones, and number of words of each hint."""


@dataclass(frozen=True, slots=True)
class Repertoire:
    """Labelled games with their paragraphs in the store, a referee, and the similarity of words for the score."""

    games: Sequence[tuple[LabelledGame, Paragraph]]
    referee: Referee
    similarity: Similarity


def load_repertoire(
    store: Course, games_path: Path, referee: Referee, settings: Settings, named: str = "--games"
) -> Repertoire:
    """Return the repertoire of a store and a games file; if the bundled games are another course's, games are made.

    Args:
        named: the flag that names the file.

    Raises:
        GamesError: the file cannot be used, or none of its games is about this store.
    """
    games = load_games(games_path, named)
    located = locate_games(games, store.paragraphs)
    playable = [(game, paragraph) for game in games if (paragraph := located.get(game.game_id)) is not None]
    if not playable and games_path.parent == BUNDLED_GAMES:
        playable = made_games(store.paragraphs)
    if not playable:
        raise GamesError(
            f"{games_path}: at least one game must be about a paragraph of {store.location}, none of {len(games)} is; "
            f"name the games that belong to the store with {named} (python -m evaluate games label writes some), or "
            "be the referee yourself: run_game.py --referee me"
        )
    return Repertoire(playable, referee, word_similarity(store.embedder_spec, Models.of(settings.embed)))


def made_games(paragraphs: Sequence[Paragraph]) -> list[tuple[LabelledGame, Paragraph]]:
    """Make practice games about paragraphs of a course that has no labelled games.

    A hint consists of words that are associated with the paragraph and do not occur in it.
    """
    games = []
    for number, paragraph in enumerate(paragraphs[:: max(1, len(paragraphs) // N_MADE)][:N_MADE], 1):
        word, *hint = associative_words(paragraph, "")[: 1 + N_HINT_WORDS]
        game = LabelledGame(
            game_id=f"made-{number}",
            book_name=paragraph.doc_id,
            hint=" ".join(hint),
            association_domain="",
            associative_word=word,
            paragraph_id=paragraph.paragraph_id,
            opening_sentence=paragraph.opening_sentence,
            paragraph=paragraph.text,
            document=paragraph.doc_id,
            in_text_layer=True,
            answerable=True,
            split=None,
        )
        games.append((game, paragraph))
    return games


@dataclass(frozen=True, slots=True)
class _Player:
    player_id: str
    inbox: list[Json] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Game:
    """A game with its solution, the ids of the accepted messages, and the lock that serialises messages."""

    player: _Player
    match: Match
    solution: tuple[LabelledGame, Paragraph]
    accepted: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)


class PracticeServer:
    """Players, their inboxes, and their games; safe under threads.

    Args:
        repertoire: of all its games.
        seed: of the order of games; the n-th game of a server with the same seed is about the same paragraph. None
            draws a random seed.
    """

    def __init__(self, repertoire: Repertoire, seed: int | None = None) -> None:
        self._repertoire = repertoire
        self._seed = secrets.randbits(32) if seed is None else seed
        self._order = np.random.default_rng(self._seed).permutation(len(repertoire.games))
        self._players: dict[str, _Player] = {}
        self._games: dict[str, _Game] = {}
        self._lock = threading.Lock()

    def register(self, name: str) -> tuple[str, str]:
        """Return player_id and token of a new player."""
        player_id, token = f"player-{secrets.token_hex(4)}", secrets.token_hex(24)
        self._players[token] = _Player(player_id)
        return player_id, token

    def knows(self, token: str) -> bool:
        """Return whether a token is a player's."""
        return token in self._players

    def start_game(self, token: str) -> str:
        """Return the game_id of a new game; its first message is in the player's inbox."""
        player, having = self._players[token], self._repertoire
        with self._lock:
            number = len(self._games)
            game_id = _game_id(number)
            label, paragraph = having.games[self._order[number % len(self._order)]]
            secret = secret_of(label, paragraph)
            assert secret is not None, "an ingested paragraph has a text"
            seed = self._seed + number
            match = Match(game_id, label, secret, having.referee, having.similarity, player.player_id, seed)
            self._games[game_id] = _Game(player, match, (label, paragraph))
            player.inbox.append(match.opening())
        return game_id

    def messages(self, token: str, after: int) -> tuple[list[Json], int]:
        """Return the player's messages from position `after` on, and the position after the last."""
        fresh = self._players[token].inbox[after:]
        return fresh, after + len(fresh)

    def receive(self, token: str, envelope: Json) -> str:
        """Accept a player's message and return its message_id; a repeated message changes nothing.

        Raises:
            RefusedMessageError: it has no message_id, names no game of this player, or the referee refuses it.
        """
        message_id, game_id = envelope.get("message_id"), envelope.get("game_id")
        if not isinstance(message_id, str) or not message_id:
            raise RefusedMessageError(f"message_id must be a string that is not empty, got {str(message_id)[:40]!r}")
        game = self._game(token, game_id)
        if game is None:
            raise RefusedMessageError(
                f"game_id must be of a game that was given to this player, got {str(game_id)[:40]!r}"
            )
        with game.lock:
            if message_id not in game.accepted:
                game.player.inbox.extend(game.match.receive(envelope))
                game.accepted.add(message_id)
        return message_id

    def match(self, token: str, game_id: str) -> Match | None:
        """Return a game of the player, None if it has no such game."""
        game = self._game(token, game_id)
        return None if game is None else game.match

    def state(self, token: str, game_id: str) -> GameState | None:
        """Return the state of a game of the player, None if it has no such game."""
        match = self.match(token, game_id)
        if match is None:
            return None
        if match.score is None:
            return GameState(game_id, match.state)
        return GameState(game_id, match.state, match.score.private_score, match.score.league_points)

    def solution(self, game_id: str) -> tuple[LabelledGame, Paragraph]:
        """Return the label and the paragraph of a game; players cannot fetch them over HTTP."""
        return self._games[game_id].solution

    def _game(self, token: str, game_id: object) -> _Game | None:
        game = self._games.get(game_id) if isinstance(game_id, str) else None
        return game if game is not None and game.player is self._players[token] else None


class LocalGameServer:
    """A practice server in this process as a `GameServer`, without HTTP; replays play against it."""

    def __init__(self, server: PracticeServer, name: str) -> None:
        self._server = server
        _, self._token = server.register(name)

    def request_game(self) -> str:
        """Return the game_id of a new game."""
        return self._server.start_game(self._token)

    def inbox(self, cursor: str, wait_s: float) -> tuple[Sequence[Json], str]:
        """Return the messages after `cursor` without waiting, since the referee answers at once."""
        messages, place = self._server.messages(self._token, int(cursor or 0))
        return messages, str(place)

    def send(self, envelope: Mapping[str, Any]) -> None:
        """Deliver a message.

        Raises:
            ServerError: it is refused.
        """
        try:
            self._server.receive(self._token, dict(envelope))
        except RefusedMessageError as error:
            raise ServerError(str(error)) from error

    def game(self, game_id: str) -> GameState:
        """Return the state of a game.

        Raises:
            ServerError: it is no game of this player.
        """
        state = self._server.state(self._token, game_id)
        if state is None:
            raise ServerError(f"game_id must be of a game of this player, got {game_id!r}")
        return state


class _NewPlayer(BaseModel):
    name: Annotated[str, Field(min_length=1, max_length=100)]


class _Inbox(BaseModel):
    messages: list[dict[str, Any]]
    cursor: str


def create_app(server: PracticeServer) -> FastAPI:
    """Return the HTTP application of a practice server (docs/protocol.md); errors are RFC 9457 problem documents."""
    app = FastAPI(
        title="Quarry practice game server", version="1", description="Practice games in the manner of the Q21G league."
    )
    arrivals: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)  # by token, set when a message arrives

    def announce(token: str) -> None:
        arrivals.pop(token, asyncio.Event()).set()

    @app.exception_handler(StarletteHTTPException)
    async def refuse(_: Request, error: StarletteHTTPException) -> JSONResponse:
        return _problem(error.status_code, str(error.detail), error.headers)

    @app.exception_handler(RequestValidationError)
    async def refuse_invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        return _problem(422, first_fault(error.errors()))

    @app.exception_handler(RefusedMessageError)
    async def refuse_message(_: Request, error: RefusedMessageError) -> JSONResponse:
        return _problem(422, str(error))

    @app.exception_handler(Exception)
    async def apologise(_: Request, error: Exception) -> JSONResponse:
        return _problem(500, f"the server failed: {type(error).__name__}; the message was not accepted, send it again")

    async def token_of(authorization: Annotated[str, Header()] = "") -> str:
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or not server.knows(token.strip()):
            detail = "Authorization must be Bearer and a token from POST /v1/players"
            raise HTTPException(401, detail, {"WWW-Authenticate": "Bearer"})
        return token.strip()

    @app.post("/v1/players", status_code=201)
    async def add_player(new: _NewPlayer) -> dict[str, str]:
        player_id, token = server.register(new.name)
        return {"player_id": player_id, "token": token}

    @app.post("/v1/games", status_code=201)
    async def add_game(token: str = Depends(token_of)) -> dict[str, str]:
        game_id = server.start_game(token)
        announce(token)
        return {"game_id": game_id}

    @app.get("/v1/inbox")
    async def inbox(
        token: str = Depends(token_of),
        after: Annotated[str, Query(pattern=r"^\d{0,40}$")] = "",
        wait_s: Annotated[float, Query(ge=0.0, le=MAX_WAIT_S)] = 0.0,
    ) -> _Inbox:
        deadline = asyncio.get_running_loop().time() + wait_s
        while True:
            arrival = arrivals[token]
            messages, place = server.messages(token, int(after or 0))
            left_s = deadline - asyncio.get_running_loop().time()
            if messages or left_s <= 0:
                return _Inbox(messages=messages, cursor=str(place))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(arrival.wait(), left_s)

    @app.post("/v1/outbox", status_code=202)
    async def outbox(envelope: dict[str, Any], token: str = Depends(token_of)) -> dict[str, str]:
        message_id = await run_in_threadpool(server.receive, token, envelope)
        announce(token)
        return {"message_id": message_id}

    @app.get("/v1/games/{game_id}")
    async def show_game(game_id: str, token: str = Depends(token_of)) -> GameState:
        state = server.state(token, game_id)
        if state is None:
            raise HTTPException(404, f"game_id must be of a game of this player, got {game_id!r}")
        return state

    @app.get("/healthz")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    return app


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 takes a free one.

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
            f"--port must be free on {host}, got {port}: {reason}; stop its program, or name another port or --host"
        ) from error
    return listener


def serve(app: ASGIApp, listener: socket.socket) -> None:
    """Serve until interrupted."""
    uvicorn.Server(_config(app, GRACE_S)).run(sockets=[listener])


def _config(app: ASGIApp, grace_s: int, log_level: str = "warning") -> uvicorn.Config:
    return uvicorn.Config(
        app, log_level=log_level, access_log=False, timeout_keep_alive=IDLE_S, timeout_graceful_shutdown=grace_s
    )


@contextlib.contextmanager
def serving(app: ASGIApp, log_level: str = "warning") -> Iterator[str]:
    """Serve on a free loopback port in a thread of this process; yield the URL and stop at the end."""
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
    """Return 7 digits SSRRGGG of the number-th game: 99 rounds of 999 games a season."""
    season, rest = divmod(number, 99 * 999)
    round_, game = divmod(rest, 999)
    return f"{season % 99 + 1:02d}{round_ + 1:02d}{game + 1:03d}"


def _problem(status: int, detail: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse(
        {"type": "about:blank", "title": http.HTTPStatus(status).phrase, "status": status, "detail": detail},
        status_code=status,
        headers=dict(headers or {}),
        media_type="application/problem+json",
    )
