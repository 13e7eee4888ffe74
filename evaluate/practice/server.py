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
from dataclasses import dataclass
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
from quarry.evaluate.errors import GamesError, PortError, RefereeError
from quarry.evaluate.games.labelled import LabelledGame, load_games
from quarry.evaluate.games.locating import locate_games
from quarry.evaluate.practice.match import Match, RefusedMessageError, first_fault
from quarry.evaluate.referee.scoring import Similarity, word_similarity
from quarry.evaluate.referee.simulated import make_referee, prepare, tools_of
from quarry.evaluate.referee.spec import HINT_ALONE, Referee
from quarry.ingest.embed import Models
from quarry.ingest.paragraph import Paragraph
from quarry.ingest.store import Course
from quarry.player.answer.guess import associative_words
from quarry.player.protocol.client import GameState
from quarry.player.protocol.messages import Json

MAX_WAIT_S = 30.0
IDLE_S = 75
"""Seconds that an idle connection is kept open."""
GRACE_S = 5
"""Seconds that running requests may take to end when the server is stopped."""
HOST = "127.0.0.1"
N_MADE, N_HINT_WORDS = 60, 12
"""Number of games made about a course without labelled ones, and number of words of each hint."""


@dataclass(frozen=True, slots=True)
class Repertoire:
    """Labelled games with their paragraphs in the store, a referee, and the similarity of words for the score."""

    games: Sequence[tuple[LabelledGame, Paragraph]]
    referee: Referee
    similarity: Similarity


def load_repertoire(
    store: Course, games_path: Path, spec: str, seed: int | None, settings: Settings, named: str = "--games"
) -> Repertoire:
    """Return the repertoire of a store and a games file; if the bundled games are another course's, games are made.

    Args:
        spec: SPEC of the referee, and its seed.
        named: the flag that names the file.

    Raises:
        RefereeError: the SPEC is invalid or answers nothing.
        GamesError: the file cannot be used, or none of its games is about this store.
    """
    prepare([spec], store, settings.embed)  # no player waits for it
    if spec == HINT_ALONE:
        raise RefereeError("--referee must answer questions to play games, got none; take oracle")
    referee = make_referee(spec, seed or 0, tools_of(store, settings.embed))
    games = load_games(games_path, named)
    located = locate_games(games, store.paragraphs)
    playable = [(game, paragraph) for game in games if (paragraph := located.get(game.game_id)) is not None]
    if not playable and games_path.parent == BUNDLED / "games":
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
            f"made-{number}",
            paragraph.doc_id,
            " ".join(hint),
            associative_word=word,
            opening_sentence=paragraph.opening_sentence,
            paragraph=paragraph.text,
        )
        games.append((game, paragraph))
    return games


class PracticeServer:
    """Players and their games; safe under threads.

    Args:
        repertoire: the repertoire of all its games.
        seed: the seed of the order of games; the n-th game of a server with the same seed is about the same paragraph.
            None draws a random seed.

    Attributes:
        players: the players by token.
        matches: the games of all players by game_id.
    """

    def __init__(self, repertoire: Repertoire, seed: int | None = None) -> None:
        self.players: dict[str, LocalGameServer] = {}
        self.matches: dict[str, Match] = {}
        self._repertoire = repertoire
        self._seed = secrets.randbits(32) if seed is None else seed
        self._order = np.random.default_rng(self._seed).permutation(len(repertoire.games))
        self._lock = threading.Lock()

    def register(self) -> str:
        """Return the token of a new player."""
        token = secrets.token_hex(24)
        self.players[token] = LocalGameServer(self)
        return token

    def start_match(self, player_id: str) -> Match:
        """Return a new game of a player."""
        having = self._repertoire
        with self._lock:
            number = len(self.matches)
            label, paragraph = having.games[self._order[number % len(self._order)]]
            seed = self._seed + number
            match = Match(_game_id(number), label, paragraph, having.referee, having.similarity, player_id, seed)
            self.matches[match.game_id] = match
        return match


class LocalGameServer:
    """The practice server as one of its players sees it: a `GameServer` without HTTP; replays play against it.

    Args:
        practice: the server.
    """

    def __init__(self, practice: PracticeServer) -> None:
        self.player_id = f"player-{secrets.token_hex(4)}"
        self._practice = practice
        self._inbox: list[Json] = []
        self._matches: dict[str, Match] = {}

    def request_game(self) -> str:
        """Return the game_id of a new game; its first message is in the inbox."""
        match = self._practice.start_match(self.player_id)
        self._matches[match.game_id] = match
        self._inbox.append(match.opening())
        return match.game_id

    def inbox(self, cursor: str, wait_s: float) -> tuple[Sequence[Json], str]:
        """Return the messages after `cursor` without waiting, since the referee answers at once."""
        after = int(cursor or 0)
        fresh = self._inbox[after:]
        return fresh, str(after + len(fresh))

    def send(self, envelope: Mapping[str, Any]) -> None:
        """Deliver a message; a repeated message changes nothing.

        Raises:
            RefusedMessageError: it names no game of this player, or the referee refuses it.
        """
        self._inbox.extend(self._match(envelope.get("game_id")).receive(dict(envelope)))

    def game(self, game_id: str) -> GameState:
        """Return the state of a game.

        Raises:
            RefusedMessageError: it is no game of this player.
        """
        return self._match(game_id).game_state()

    def _match(self, game_id: object) -> Match:
        match = self._matches.get(game_id) if isinstance(game_id, str) else None
        if match is None:
            raise RefusedMessageError(f"game_id must be of a game of this player, got {str(game_id)[:40]!r}")
        return match


class _NewPlayer(BaseModel):
    name: Annotated[str, Field(min_length=1, max_length=100)]


def create_app(server: PracticeServer) -> FastAPI:
    """Return the HTTP application of a practice server (docs/protocol.md); errors are RFC 9457 problem documents."""
    app = FastAPI(
        title="Quarry practice game server", version="1", description="Practice games in the manner of the Q21G league."
    )
    arrivals: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)  # by player_id, set when a message arrives

    def announce(player: LocalGameServer) -> None:
        arrivals.pop(player.player_id, asyncio.Event()).set()

    @app.exception_handler(StarletteHTTPException)
    async def refuse(_: Request, error: StarletteHTTPException) -> JSONResponse:
        return _problem(error.status_code, str(error.detail), error.headers)

    @app.exception_handler(RequestValidationError)
    @app.exception_handler(RefusedMessageError)
    async def refuse_message(_: Request, error: RequestValidationError | RefusedMessageError) -> JSONResponse:
        return _problem(422, str(error) if isinstance(error, RefusedMessageError) else first_fault(error.errors()))

    @app.exception_handler(Exception)
    async def apologise(_: Request, error: Exception) -> JSONResponse:
        return _problem(500, f"the server failed: {type(error).__name__}; the message was not accepted, send it again")

    async def player_of(authorization: Annotated[str, Header()] = "") -> LocalGameServer:
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or token.strip() not in server.players:
            detail = "Authorization must be Bearer and a token from POST /v1/players"
            raise HTTPException(401, detail, {"WWW-Authenticate": "Bearer"})
        return server.players[token.strip()]

    @app.post("/v1/players", status_code=201)
    async def add_player(_: _NewPlayer) -> dict[str, str]:
        token = server.register()
        return {"player_id": server.players[token].player_id, "token": token}

    @app.post("/v1/games", status_code=201)
    async def add_game(player: LocalGameServer = Depends(player_of)) -> dict[str, str]:
        game_id = player.request_game()
        announce(player)
        return {"game_id": game_id}

    @app.get("/v1/inbox")
    async def inbox(
        player: LocalGameServer = Depends(player_of),
        after: Annotated[str, Query(pattern=r"^\d{0,40}$")] = "",
        wait_s: Annotated[float, Query(ge=0.0, le=MAX_WAIT_S)] = 0.0,
    ) -> dict[str, Any]:
        deadline = asyncio.get_running_loop().time() + wait_s
        while True:
            arrival = arrivals[player.player_id]
            messages, cursor = player.inbox(after, 0.0)
            left_s = deadline - asyncio.get_running_loop().time()
            if messages or left_s <= 0:
                return {"messages": messages, "cursor": cursor}
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(arrival.wait(), left_s)

    @app.post("/v1/outbox", status_code=202)
    async def outbox(envelope: dict[str, Any], player: LocalGameServer = Depends(player_of)) -> dict[str, str]:
        await run_in_threadpool(player.send, envelope)
        announce(player)
        return {"message_id": envelope["message_id"]}

    @app.get("/v1/games/{game_id}")
    async def show_game(game_id: str, player: LocalGameServer = Depends(player_of)) -> GameState:
        try:
            return player.game(game_id)
        except RefusedMessageError as error:
            raise HTTPException(404, str(error)) from error

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
