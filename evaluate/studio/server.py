"""Pages of a practice server: its players, their games, and each game that has ended."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from configs.settings import SettingsError
from evaluate.errors import EvaluateError
from evaluate.practice.http import create_app as create_practice
from evaluate.practice.http import problem, routes
from evaluate.practice.match import Match
from evaluate.practice.server import PracticeServer
from evaluate.referee.reading import answer_by_reading
from evaluate.referee.text import visible_context
from evaluate.studio.games import GameView, Step
from evaluate.studio.pages import Page, add_safety, existing, make_page
from ingest.errors import IngestError
from player.errors import PlayerError
from player.protocol.messages import Guess


def create_app(practice: PracticeServer) -> ASGIApp:
    """Return the application of a practice server with its pages."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    page = make_page({"/server": "Server", "/docs": "HTTP"})
    add_safety(app, page)

    @app.get("/")
    def home() -> RedirectResponse:
        return RedirectResponse("/server")

    add_server(app, lambda: practice, page)
    return with_players(app, lambda: practice)


def add_server(
    app: FastAPI, practice: Callable[[], PracticeServer], page: Page
) -> None:
    """Add the pages of a practice server."""

    @app.get("/server")
    def server() -> HTMLResponse:
        players = []
        for player in list(practice().players.values()):
            matches = list(player.matches.values())
            scores = [match.score for match in matches if match.score is not None]
            players.append((player, scores))
        players.sort(key=lambda item: -sum(score.league_points for score in item[1]))
        return page("server.html", players=players)

    @app.get("/server/{game_id}")
    def game(game_id: str) -> HTMLResponse:
        match = practice().matches.get(game_id)
        match = existing(match, f"game {game_id} on this server")
        return page(
            "game.html",
            title=f"Game {game_id}",
            note=f"state {match.state}",
            path=f"/server/{game_id}",
            is_running=match.score is None,
            view=_view(match),
            step=-1,
        )

    @app.get("/docs")
    def docs() -> HTMLResponse:
        return page("docs.html", paths=routes(practice()).openapi()["paths"])


def with_players(app: ASGIApp, practice: Callable[[], PracticeServer]) -> ASGIApp:
    """Return an application that gives the requests of players to a practice server, and all others to `app`."""
    servers: list[ASGIApp] = []

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        if not scope.get("path", "").startswith(("/v1/", "/healthz")):
            await app(scope, receive, send)
            return
        if not servers:
            try:
                servers.append(create_practice(await run_in_threadpool(practice)))
            except (PlayerError, EvaluateError, IngestError, SettingsError) as error:
                await problem(503, str(error))(scope, receive, send)
                return
        await servers[0](scope, receive, send)

    return handle


def _view(match: Match) -> GameView:
    """Return a game without beliefs, which are the player's own; nothing but its hint before it is over."""
    start = match.label.round_start()
    if match.score is None:
        return GameView(start)
    secret = match.secret
    context = visible_context(secret.paragraph, secret.opening_sentence)
    steps = []
    for (text, options), answer in zip(match.posed, match.answers, strict=True):
        fitting = answer_by_reading(context, text, tuple(options))
        steps.append(Step(text, options, answer, fitting))

    def text_of(key: str) -> str:
        return str(match.guess.get(key, ""))

    guess = Guess(
        text_of("opening_sentence"),
        text_of("sentence_justification"),
        text_of("associative_word"),
        text_of("word_justification"),
        confidence=0.0,
    )
    return GameView(
        start,
        steps=steps,
        guess=guess,
        secret=secret.opening_sentence,
        is_secret=True,
        word=match.label.associative_word,
        score=match.score,
    )
