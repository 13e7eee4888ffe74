"""The web application of the studio, and its pages of games and runs."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.types import ASGIApp

from configs.settings import Settings, preset_names
from evaluate.referee.simulated import SPECS
from evaluate.replay.replay import replay_store
from evaluate.report.page import render
from evaluate.runs.files import COMPARISON, read_run, read_runs, write_run
from evaluate.runs.run import lost_games
from evaluate.studio import course as of_course
from evaluate.studio import referee as of_referee
from evaluate.studio.matches import with_practice
from evaluate.studio.pages import Page, existing, make_app
from evaluate.studio.state import CurrentStudio, Files, Studio
from evaluate.studio.view import GameView, view_of
from player.game.journal import SavedGame
from player.player import Player
from quarry.plugins import named_by_data
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


@router.get("/losses")
def _losses(studio: CurrentStudio, page: Page, run: str, of: str = "") -> HTMLResponse:
    path = studio.run_path(run)
    played = read_run(path)
    groups = {}
    for cause, rows in played.games.groupby("lost_at", sort=False):
        groups[cause] = list(rows.itertuples())
    again = f"quarry replay --store {quote(studio.files.store)} --lost-in {quote(str(path))}"
    return page("losses.html", groups=groups, run=played, name=run, of=of, again=again)


@router.post("/losses")
def _replay(
    studio: CurrentStudio,
    run: Annotated[str, Form()],
    preset: Annotated[str, Form()],
) -> RedirectResponse:
    path = studio.run_path(run)
    played = read_run(path)
    referee = named_by_data(played.referee, str(path))
    settings = studio.settings_of(preset)
    games = [game for game in lost_games(played) if game.paragraph_id]
    if not games:
        raise HTTPException(422, f"No lost game of {run} is in this course.")

    name = f"{path.stem}-lost-{Path(settings.preset).stem}"
    out = path.with_name(f"{name}.json")
    again = replay_store(
        games[:MAX_REPLAYED],
        studio.course,
        settings,
        referee=referee,
        seed=played.seed,
        name=name,
    )
    write_run(out, again)
    fresh = str(out.relative_to(studio.files.runs.resolve()))
    query = urlencode({"run": fresh, "of": run})
    return RedirectResponse(f"/losses?{query}", 303)
