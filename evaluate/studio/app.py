"""The web application of the studio, and its pages of games and runs."""

from dataclasses import replace
from datetime import UTC, datetime

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse
from starlette.types import ASGIApp

from configs.settings import Settings, preset_names
from evaluate.referee.simulated import SPECS
from evaluate.report.page import render
from evaluate.runs.files import COMPARISON, read_runs
from evaluate.studio import course as of_course
from evaluate.studio import referee as of_referee
from evaluate.studio.matches import with_practice
from evaluate.studio.pages import Page, existing, make_app
from evaluate.studio.state import CurrentStudio, Files, Studio
from evaluate.studio.view import GameView, view_of
from player.game.record import SavedGame
from player.player import Player
from quarry.store import Course

SECTIONS = {
    "/": "Course",
    "/referee": "Referee",
    "/games": "Games",
    "/server": "Server",
    "/runs": "Runs",
}
MAX_REPLAYED = 50
"""Most lost games that a click replays."""
router = APIRouter()


def create_app(course: Course, settings: Settings, files: Files) -> ASGIApp:
    """Return the application of the studio for a course."""
    app = make_app(
        SECTIONS, presets=preset_names(), specs=SPECS, preset=settings.preset
    )
    studio = Studio(course, settings, files)
    app.state.studio = studio
    for pages in (of_course, of_referee):
        app.include_router(pages.router)
    app.include_router(router)
    return with_practice(app, studio.practice)


@router.get("/games")
def _games(studio: CurrentStudio, page: Page) -> HTMLResponse:
    began = {}
    games = studio.saved_games()
    for game in games:
        time = datetime.fromtimestamp(game.began, UTC).astimezone()
        began[game.key] = f"{time:%Y-%m-%d %H:%M}"
    journal = studio.files.journal
    return page("games.html", games=games, began=began, journal=journal)


@router.get("/games/{key}")
def _game(studio: CurrentStudio, page: Page, key: int, step: int = -1) -> HTMLResponse:
    by_key = {game.key: game for game in studio.saved_games()}
    saved = existing(by_key.get(key), "such game in the journal")
    view = studio.view(
        (key, saved.answers, saved.guess, saved.ending),
        lambda: _view(studio.player(), saved),
    )
    return page(
        "game.html",
        title=f"Game {saved.game_id or key}",
        note=f"{saved.server}, {saved.ending}",
        path=f"/games/{key}",
        is_running=saved.ending == "running",
        view=view,
        step=step,
    )


def _view(player: Player, saved: SavedGame) -> GameView:
    """Return a game of the journal; its secret is known if the guess earned all points for the sentence."""
    assert saved.start is not None
    if not saved.questions:
        return GameView(saved.start, score=saved.score)
    secret = ""
    if saved.score and saved.guess and saved.score.opening == 100:
        secret = saved.guess.opening_sentence
    plan = player.plan(saved.start, saved.questions)
    view = view_of(player, plan, saved.answers or (), secret, saved.guess)
    return replace(view, score=saved.score)


@router.get("/runs")
def _runs(studio: CurrentStudio, page: Page) -> HTMLResponse:
    folder = studio.files.runs
    paths = [path for path in folder.rglob("*.json") if path.name != COMPARISON]
    names = sorted(str(path.relative_to(folder)) for path in paths)
    return page("runs.html", names=names, folder=folder)


@router.get("/report")
def _report(studio: CurrentStudio, request: Request) -> HTMLResponse:
    names = request.query_params.getlist("run")
    if not names:
        raise HTTPException(422, "Choose a run first.")
    html = render(read_runs([*map(studio.run_path, names)]))
    # the page has a policy of its own, which allows its style and scripts alone
    headers = {"Content-Security-Policy": "frame-ancestors 'none'"}
    return HTMLResponse(html, headers=headers)
