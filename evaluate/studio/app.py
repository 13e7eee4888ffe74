"""The web application of the studio, and its pages of games and runs."""

from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel
from starlette.types import ASGIApp

from configs.settings import Settings, preset_names
from evaluate.errors import RunError
from evaluate.referee.spec import SPECS
from evaluate.report.page import render
from evaluate.runs.files import COMPARISON, read_runs
from evaluate.studio import course as course_order
from evaluate.studio import referee as of_referee
from evaluate.studio.pages import Page, make_app
from evaluate.studio.practice_games import with_practice
from evaluate.studio.state import STUDIO_SERVERS, CurrentStudio, Studio, StudioFiles
from evaluate.studio.view import GameView, build_view
from player.game.record import SavedGame
from player.player import Player
from quarry.json_files import as_object, read_text
from quarry.store import Course

NAVIGATION = {
    "/": "Course",
    "/referee": "Referee",
    "/games": "Games",
    "/server": "Server",
    "/runs": "Runs",
}
"""Titles of the sections in the navigation, by path."""
router = APIRouter()


def create_studio_app(
    course: Course, settings: Settings, files: StudioFiles
) -> ASGIApp:
    """Build the application of the studio for a course."""
    app = make_app(
        NAVIGATION, presets=preset_names(), specs=SPECS, preset=settings.preset
    )
    studio = Studio(course, settings, files)
    app.state.studio = studio
    for pages in (course_order, of_referee):
        app.include_router(pages.router)
    app.include_router(router)
    return with_practice(app, studio.practice)


@router.get("/games")
def _games(studio: CurrentStudio, page: Page, lost: bool = False) -> HTMLResponse:
    games = studio.saved_games()
    if lost:
        games = [game for game in games if game.outcome == "LOST"]
    return page("games.html", games=games, lost=lost, journal=studio.files.journal)


@router.get("/games/{key}")
def _game(studio: CurrentStudio, page: Page, key: int, step: int = -1) -> HTMLResponse:
    saved = studio.saved_game(key)
    view = studio.view(
        (key, saved.answers, saved.guess, saved.ending, saved.label),
        lambda: _view(studio.player(""), saved),
    )

    return page(
        "game.html",
        title=f"Game {saved.game_id or key}",
        note=f"{saved.where}, {saved.ending}",
        path=f"/games/{key}",
        is_running=saved.ending == "running",
        is_studio_game=saved.server in STUDIO_SERVERS,
        view=view,
        step=step,
    )


def _view(player: Player, saved: SavedGame) -> GameView:
    """Return the view of a game of the journal, which is planned again with the questions that were sent."""
    assert saved.start is not None
    if not saved.questions:
        return GameView(saved)
    return build_view(player, player.plan(saved.start, saved.questions), saved)


class ListedRun(BaseModel):
    """The part of a RUN.json that the table of runs shows.

    Attributes:
        name: path of the file within the folder of runs.
        written: time of the file in seconds since the epoch.
    """

    name: str
    written: float
    games: int
    referee: str
    settings: dict[str, Any]
    measures: dict[str, float]
    win_rate: float | None
    per_game: list[dict[str, Any]]


@router.get("/runs")
def _runs(studio: CurrentStudio, page: Page) -> HTMLResponse:
    folder = studio.files.runs
    runs, others = [], []
    for path in sorted(folder.rglob("*.json")):
        name = str(path.relative_to(folder))
        try:
            facts = as_object(read_text(path, RunError), name, RunError)
            file_facts = {"name": name, "written": path.stat().st_mtime}
            runs.append(ListedRun.model_validate({**facts, **file_facts}))
        except (ValueError, OSError):
            if path.name != COMPARISON:
                others.append(name)
    return page("runs.html", runs=runs, others=others, folder=folder)


@router.get("/report")
def _report(studio: CurrentStudio, request: Request) -> HTMLResponse:
    names = request.query_params.getlist("run")
    if not names:
        raise HTTPException(422, "Choose a run first.")
    html = render(read_runs([*map(studio.run_path, names)]))
    # the page has a policy of its own, which allows its style and scripts alone
    headers = {"Content-Security-Policy": "frame-ancestors 'none'"}
    return HTMLResponse(html, headers=headers)
