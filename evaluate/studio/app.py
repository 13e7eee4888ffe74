"""The web application of the studio: its pages, rendered on the server."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import Annotated
from urllib.parse import urlencode

from fastapi import FastAPI, Form, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp

from configs.settings import Settings, SettingsError, preset_names
from evaluate.errors import EvaluateError
from evaluate.games.labelled import LabelledGame
from evaluate.referee.simulated import SPECS
from evaluate.replay.replay import replay_store
from evaluate.report.page import render
from evaluate.runs.files import COMPARISON, read_run, read_runs, write_run
from evaluate.studio.course import pdf_of, readings
from evaluate.studio.games import GameView, view_of
from evaluate.studio.pages import Page, add_safety, existing, make_page
from evaluate.studio.referee import add_referee
from evaluate.studio.server import add_server, with_players
from evaluate.studio.state import Files, Studio
from ingest.errors import IngestError, SourceError
from ingest.pdf.pictures import page_picture
from ingest.store import Course
from player.errors import PlayerError
from player.game.game import OPENING_SCORE
from player.game.journal import SavedGame
from player.player import Player
from player.search.types import Query

HOSTS = ["127.0.0.1", "localhost", "[::1]", "testserver"]
"""Host names under which the pages are served; others are refused, so that no web page can reach them by a name of
its own (DNS rebinding)."""
SECTIONS = {
    "/": "Course",
    "/referee": "Referee",
    "/games": "Games",
    "/server": "Server",
    "/runs": "Runs",
}
N_HITS = 20
MAX_REPLAYED = 50
"""Most lost games that a click replays."""


def create_app(course: Course, settings: Settings, files: Files) -> ASGIApp:
    """Return the application of the studio for a course."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=HOSTS)
    studio = Studio(course, settings, files)
    page = make_page(
        SECTIONS, presets=preset_names(), specs=SPECS, preset=settings.preset
    )
    add_safety(app, page)

    @app.exception_handler(PlayerError)
    @app.exception_handler(EvaluateError)
    @app.exception_handler(IngestError)
    @app.exception_handler(SettingsError)
    async def refuse_input(_: Request, error: Exception) -> HTMLResponse:
        return page("error.html", 422, text=str(error))

    _add_course(app, studio, page)
    add_referee(app, studio, page)
    _add_games(app, studio, page)
    _add_runs(app, studio, page)
    add_server(app, studio.practice, page)
    return with_players(app, studio.practice)


def _add_course(app: FastAPI, studio: Studio, page: Page) -> None:
    """Add lectures, pages and the search."""

    @app.get("/")
    def course(request: Request, hint: str = "", book: str = "") -> HTMLResponse:
        result = None
        if hint.strip():
            query = Query(hint, book, N_HITS)
            result = studio.player().orchestrator.search(query)
        name = "hits.html" if "hx-request" in request.headers else "course.html"
        shown = studio.lectures.course
        return page(name, course=shown, result=result, hint=hint, book=book)

    @app.get("/lecture/{doc_id}")
    def lecture(
        doc_id: str, number: int = 1, passage: str = "", editions: bool = False
    ) -> HTMLResponse:
        document = existing(studio.lectures.documents.get(doc_id), f"lecture {doc_id}")
        view = studio.lectures.page(document, number)
        texts = {}
        if editions and not view.notice:
            texts = readings(pdf_of(document), view.page)
        return page("lecture.html", view=view, passage=passage, texts=texts)

    @app.get("/picture/{doc_id}/{number}.png")
    def picture(doc_id: str, number: int) -> Response:
        document = existing(studio.lectures.documents.get(doc_id), f"lecture {doc_id}")
        try:
            content = page_picture(pdf_of(document), number)
        except SourceError as error:
            raise HTTPException(404, str(error)) from error
        return Response(content, media_type="image/png")


def _add_games(app: FastAPI, studio: Studio, page: Page) -> None:
    """Add the games of the journal, and the steps of one."""

    @app.get("/games")
    def games() -> HTMLResponse:
        began = {}
        games = studio.saved_games()
        for game in games:
            time = datetime.fromtimestamp(game.began, UTC).astimezone()
            began[game.key] = f"{time:%Y-%m-%d %H:%M}"
        journal = studio.files.journal
        return page("games.html", games=games, began=began, journal=journal)

    @app.get("/games/{key}")
    def game(key: int, step: int = -1) -> HTMLResponse:
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
    if saved.score and saved.guess and saved.score.breakdown.get(OPENING_SCORE) == 100:
        secret = saved.guess.opening_sentence
    plan = player.plan(saved.start, saved.questions)
    view = view_of(player, plan, saved.answers or (), secret, saved.guess)
    return replace(view, score=saved.score)


def _add_runs(app: FastAPI, studio: Studio, page: Page) -> None:
    """Add runs, their report, and their lost games."""

    @app.get("/runs")
    def runs() -> HTMLResponse:
        folder = studio.files.runs
        paths = [path for path in folder.rglob("*.json") if path.name != COMPARISON]
        names = sorted(str(path.relative_to(folder)) for path in paths)
        return page("runs.html", names=names, folder=folder)

    @app.get("/report")
    def report(request: Request) -> HTMLResponse:
        names = request.query_params.getlist("run")
        if not names:
            raise HTTPException(422, "Choose a run first.")
        html = render(read_runs([*map(studio.run_path, names)]))
        # the page has a policy of its own, which allows its style and scripts alone
        headers = {"Content-Security-Policy": "frame-ancestors 'none'"}
        return HTMLResponse(html, headers=headers)

    @app.get("/losses")
    def losses(run: str, of: str = "") -> HTMLResponse:
        path = studio.run_path(run)
        played = read_run(path)
        groups = {}
        for cause, rows in played.games.groupby("lost_at", sort=False):
            groups[cause] = list(rows.itertuples())
        again = f"quarry replay --store {quote(studio.files.store)} --lost-in {quote(str(path))}"
        return page(
            "losses.html", groups=groups, run=played, name=run, of=of, again=again
        )

    @app.post("/losses")
    def replay(
        run: Annotated[str, Form()], preset: Annotated[str, Form()]
    ) -> RedirectResponse:
        path = studio.run_path(run)
        played = read_run(path)
        settings = studio.settings_of(preset)
        games = []
        for record in played.records:
            if record["game_id"] in played.lost_ids and record["truth"]:
                game = LabelledGame(
                    record["game_id"],
                    record["book_name"],
                    record["hint"],
                    record["association_domain"],
                    record["associative_word"],
                    paragraph_id=record["truth"]["paragraph_id"],
                    opening_sentence=record["opening_sentence"],
                )
                games.append(game)
        if not games:
            raise HTTPException(422, f"No lost game of {run} is in this course.")

        name = f"{path.stem}-lost-{Path(settings.preset).stem}"
        out = path.with_name(f"{name}.json")
        again = replay_store(
            games[:MAX_REPLAYED],
            studio.lectures.course,
            settings,
            referee=played.referee,
            seed=played.seed,
            name=name,
        )
        write_run(out, again)
        fresh = str(out.relative_to(studio.files.runs.resolve()))
        query = urlencode({"run": fresh, "of": run})
        return RedirectResponse(f"/losses?{query}", 303)
