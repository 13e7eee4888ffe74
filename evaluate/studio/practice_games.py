"""Pages of a practice server: its players, their games, and each game that has ended."""

import functools
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from configs.errors import QuarryError
from evaluate.practice.referee_game import RefereeGame
from evaluate.practice.routes import create_server_app, problem, routes
from evaluate.practice.server import PracticeServer
from evaluate.referee.context import build_visible_context
from evaluate.referee.wording import answer_by_wording
from evaluate.studio.pages import Page, make_app, or_404
from evaluate.studio.view import GameView, Step
from player.game.record import GameRecord, Label
from player.question import Question
from player.round import Guess

router = APIRouter()


def _get_practice(request: Request) -> Any:
    return request.app.state.practice()


Practice = Annotated[PracticeServer, Depends(_get_practice)]


def create_practice_app(practice: PracticeServer) -> ASGIApp:
    """Build the application of a practice server with its pages."""
    app = make_app({"/server": "Server", "/docs": "HTTP"})

    @app.get("/")
    def home() -> RedirectResponse:
        return RedirectResponse("/server")

    return with_practice(app, lambda: practice)


def with_practice(app: FastAPI, practice: Callable[[], PracticeServer]) -> ASGIApp:
    """Add the pages of a practice server to an application, and pass requests of players to the server."""
    app.state.practice = practice
    app.include_router(router)
    players = functools.cache(lambda: create_server_app(practice()))

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        handler: ASGIApp = app
        if scope.get("path", "").startswith(("/v1/", "/healthz")):
            try:
                handler = await run_in_threadpool(players)
            except QuarryError as error:
                handler = problem(503, str(error))
        await handler(scope, receive, send)

    return handle


@router.get("/server")
def _server(practice: Practice, page: Page) -> HTMLResponse:
    players = []
    for player in list(practice.players.values()):
        games = list(player.games.values())
        scores = [game.score for game in games if game.score is not None]
        league_points = sum(score.league_points for score in scores)
        players.append((league_points, player, scores))
    players.sort(key=lambda item: -item[0])
    return page("server.html", players=players)


@router.get("/server/{game_id}")
def _game(game_id: str, practice: Practice, page: Page) -> HTMLResponse:
    game = or_404(practice.games.get(game_id), f"game {game_id} on this server")
    return page(
        "game.html",
        title=f"Game {game_id}",
        note=f"state {game.state}",
        path=f"/server/{game_id}",
        is_running=game.score is None,
        view=_view(game),
        step=-1,
    )


@router.get("/docs")
def _docs(practice: Practice, page: Page) -> HTMLResponse:
    return page("docs.html", paths=routes(practice).openapi()["paths"])


def _view(game: RefereeGame) -> GameView:
    """Return the view of a game without beliefs, which only the player has; before its end, show only its hint."""
    start = game.labelled.round_start()
    if game.score is None:
        return GameView(GameRecord(game_id=game.game_id, start=start))
    secret = game.secret
    context = build_visible_context(secret.paragraph, secret.opening_sentence)
    steps = []
    for (text, options), answer in zip(game.posed, game.answers, strict=True):
        a, b, c, d = options
        question = Question(text, (a, b, c, d), "")
        fitting = answer_by_wording(context, text, question.options)
        steps.append(Step(question, answer, fitting))

    label = Label(
        game.paragraph.paragraph_id,
        secret.opening_sentence,
        game.labelled.associative_word,
        won=game.won,
        explanation=(),
    )
    record = GameRecord(
        game_id=game.game_id,
        start=start,
        guess=Guess(**game.guess, confidence=0.0),
        score=game.score,
        label=label,
    )
    return GameView(record, steps=steps)
