"""Pages of a practice server: its players, their games, and each game that has ended."""

import functools
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from configs.errors import QuarryError
from evaluate.practice.match import Match
from evaluate.practice.routes import create_server_app as create_practice
from evaluate.practice.routes import problem, routes
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


def create_matches_app(practice: PracticeServer) -> ASGIApp:
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
    players = functools.cache(lambda: create_practice(practice()))

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
        matches = list(player.matches.values())
        scores = [match.score for match in matches if match.score is not None]
        league_points = sum(score.league_points for score in scores)
        players.append((league_points, player, scores))
    players.sort(key=lambda item: -item[0])
    return page("server.html", players=players)


@router.get("/server/{game_id}")
def _game(game_id: str, practice: Practice, page: Page) -> HTMLResponse:
    match = practice.matches.get(game_id)
    match = or_404(match, f"game {game_id} on this server")
    return page(
        "game.html",
        title=f"Game {game_id}",
        note=f"state {match.state}",
        path=f"/server/{game_id}",
        is_running=match.score is None,
        view=_view(match),
        step=-1,
    )


@router.get("/docs")
def _docs(practice: Practice, page: Page) -> HTMLResponse:
    return page("docs.html", paths=routes(practice).openapi()["paths"])


def _view(match: Match) -> GameView:
    """Return the view of a game without beliefs, which only the player has; before its end, show only its hint."""
    start = match.game.round_start()
    if match.score is None:
        return GameView(GameRecord(game_id=match.game_id, start=start))
    secret = match.secret
    context = build_visible_context(secret.paragraph, secret.opening_sentence)
    steps = []
    for (text, options), answer in zip(match.posed, match.answers, strict=True):
        a, b, c, d = options
        question = Question(text, (a, b, c, d), "")
        fitting = answer_by_wording(context, text, question.options)
        steps.append(Step(question, answer, fitting))

    label = Label(
        match.paragraph.paragraph_id,
        secret.opening_sentence,
        match.game.associative_word,
        won=match.won,
        explanation=(),
    )
    game = GameRecord(
        game_id=match.game_id,
        start=start,
        guess=Guess(**match.guess, confidence=0.0),
        score=match.score,
        label=label,
    )
    return GameView(game, steps=steps)
