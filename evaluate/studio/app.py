"""The web application of the studio: its pages, rendered on the server."""

from __future__ import annotations

import contextlib
import functools
import secrets
import shlex
import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

from cachetools import FIFOCache
from fastapi import FastAPI, Form, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.middleware.trustedhost import TrustedHostMiddleware

from configs.settings import Settings
from evaluate.errors import EvaluateError
from evaluate.games.labelled import load_games
from evaluate.games.labeller import add_game
from evaluate.games.locating import hint_errors, shared_word_errors
from evaluate.report.page import render
from evaluate.runs.files import read_runs
from evaluate.studio.course import Lectures, pdf_of
from evaluate.studio.games import StoredGame, stored_games, view_of
from ingest.errors import SourceError
from ingest.paragraph import Paragraph
from ingest.pdf.pictures import page_picture
from ingest.store import Course
from player.errors import PlayerError
from player.game.journal import Journal
from player.player import Plan, Player, build_player
from player.protocol.messages import RoundStart
from player.questions.answer import NOT_RELEVANT, Answer
from player.search.types import Query

FOLDER = Path(__file__).resolve().parent
HOSTS = ["127.0.0.1", "localhost", "[::1]", "testserver"]
"""Host names under which the pages are served; others are refused, so that no web page can reach them by a name of
its own (DNS rebinding)."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
MAX_SESSIONS = 100
"""Games with a person that are kept in memory; the oldest go first."""
N_HITS = 20
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Files:
    """Files and folders that the studio reads and writes.

    Attributes:
        games: labelled games are appended to it.
        runs: folder of runs, as `replay --out` writes them.
        journal: of played games; None if there is none.
        store: as the user named it, for command lines that are shown.
    """

    games: Path
    runs: Path
    journal: Path | None
    store: str


@dataclass(slots=True)
class Session:
    """A game whose referee is a person."""

    paragraph: Paragraph
    start: RoundStart
    word: str
    plan: Plan
    answers: list[Answer] = field(default_factory=list)


class Studio:
    """State of the studio: a course, its player, and games that are being played."""

    def __init__(self, course: Course, settings: Settings, files: Files) -> None:
        self.lectures = Lectures(course)
        self.files = files
        self.sessions: FIFOCache[str, Session] = FIFOCache(MAX_SESSIONS)
        self._build = functools.cache(lambda: build_player(course, settings))
        self._lock = threading.Lock()

    @property
    def player(self) -> Player:
        """The player, made when it is first needed."""
        with self._lock:
            return self._build()

    def begin(self, session: Session) -> str:
        """Keep a game and return its id."""
        session_id = secrets.token_urlsafe(9)
        with self._lock:
            self.sessions[session_id] = session
        return session_id

    def run_path(self, name: str) -> Path:
        """Return the path of a run; raise 404 if it is outside the folder of runs."""
        folder = self.files.runs.resolve()
        path = (folder / name).resolve()
        return known(path if path.is_relative_to(folder) else None, "such run")


def known(value: T | None, what: str) -> T:
    """Return a value that is there; raise 404 if it is None.

    Args:
        what: names the value, after "There is no".
    """
    if value is None:
        raise HTTPException(404, f"There is no {what}.")
    return value


def create_app(course: Course, settings: Settings, files: Files) -> FastAPI:
    """Return the application of the studio for a course."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=HOSTS)
    studio = Studio(course, settings, files)
    page = _templates()

    @app.middleware("http")
    async def protect(request: Request, call: Callable[[Request], Any]) -> Response:
        origin = request.headers.get("origin")
        host = request.headers.get("host")
        is_foreign = origin is not None and origin.partition("://")[2] != host
        if request.method == "POST" and is_foreign:
            return Response("The request came from another page.", 403)

        response: Response = await call(request)
        response.headers["Content-Security-Policy"] = POLICY
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response

    @app.exception_handler(HTTPException)
    async def refuse(_: Request, error: HTTPException) -> HTMLResponse:
        return page("error.html", error.status_code, text=error.detail)

    @app.exception_handler(PlayerError)
    @app.exception_handler(EvaluateError)
    async def refuse_input(_: Request, error: Exception) -> HTMLResponse:
        return page("error.html", 422, text=str(error))

    app.mount("/static", StaticFiles(directory=FOLDER / "static"))

    @app.get("/favicon.ico")
    def icon() -> Response:
        return Response(status_code=204)

    _add_course(app, studio, page)
    _add_hints(app, studio, page)
    _add_questions(app, studio, page)
    _add_games(app, studio, page)
    _add_runs(app, studio, page)
    return app


Page = Callable[..., HTMLResponse]
"""Renders a template: name, HTTP status (200), and the values of the template."""


def _templates() -> Page:
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = lambda share: f"{100 * share:.1f}"

    def page(template: str, status: int = 200, **values: Any) -> HTMLResponse:
        return HTMLResponse(environment.get_template(template).render(**values), status)

    return page


def _add_course(app: FastAPI, studio: Studio, page: Page) -> None:
    """Add lectures, pages and the search."""

    @app.get("/")
    def course() -> HTMLResponse:
        return page("course.html", course=studio.lectures.course)

    @app.get("/lecture/{doc_id}")
    def lecture(doc_id: str, number: int = 1, passage: str = "") -> HTMLResponse:
        document = known(studio.lectures.documents.get(doc_id), f"lecture {doc_id}")
        view = studio.lectures.page(document, number)
        return page("lecture.html", view=view, passage=passage)

    @app.get("/picture/{doc_id}/{number}.png")
    def picture(doc_id: str, number: int) -> Response:
        document = known(studio.lectures.documents.get(doc_id), f"lecture {doc_id}")
        try:
            content = page_picture(pdf_of(document), number)
        except SourceError as error:
            raise HTTPException(404, str(error)) from error
        return Response(content, media_type="image/png")

    @app.get("/search")
    def search(hint: str = "", book: str = "") -> HTMLResponse:
        result = None
        if hint.strip():
            query = Query(hint, book, N_HITS)
            result = studio.player.orchestrator.search(query)
        return page("hits.html", result=result, hint=hint, book=book)


def _add_hints(app: FastAPI, studio: Studio, page: Page) -> None:
    """Add the choice of a passage, and its hint."""
    lectures = studio.lectures

    @app.get("/referee")
    def choose(lecture: str = "", kind: str = "", start: int = 0) -> HTMLResponse:
        passages = lectures.passages(lecture, kind)
        return page(
            "referee.html",
            passages=passages[start : start + 25],
            start=start,
            n_passages=len(passages),
            documents=lectures.course.documents,
            kinds=lectures.kinds(),
            lecture=lecture,
            kind=kind,
            n_labelled=_n_labelled(studio.files.games),
            games=studio.files.games,
        )

    @app.get("/referee/passage")
    def write(passage: str) -> HTMLResponse:
        empty = dict.fromkeys(("errors", "hint", "book", "domain", "word"), "")
        return page("hint.html", paragraph=_passage(studio, passage), **empty)

    @app.post("/referee/check")
    def check(
        passage: Annotated[str, Form()],
        hint: Annotated[str, Form()] = "",
        word: Annotated[str, Form()] = "",
    ) -> HTMLResponse:
        paragraph = _passage(studio, passage)
        return page("errors.html", errors=_errors(paragraph, hint, word), hint=hint)

    @app.post("/referee/begin", response_model=None)
    def begin(
        passage: Annotated[str, Form()],
        hint: Annotated[str, Form()],
        action: Annotated[str, Form()],
        book: Annotated[str, Form()] = "",
        domain: Annotated[str, Form()] = "",
        word: Annotated[str, Form()] = "",
    ) -> Response:
        paragraph = _passage(studio, passage)
        errors = _errors(paragraph, hint, word)
        if errors or not hint.strip():
            values = {"hint": hint, "book": book, "domain": domain, "word": word}
            errors = errors or ["Write a hint first."]
            return page("hint.html", 422, paragraph=paragraph, errors=errors, **values)

        start = RoundStart("studio", book.strip(), hint.strip(), domain.strip())
        if action == "keep":
            _keep(studio, paragraph, start, word)
            passages = lectures.passages()
            row = (passages.index(paragraph) + 1) % len(passages)
            following = passages[row].paragraph_id
            return RedirectResponse(f"/referee/passage?passage={following}", 303)

        session = Session(paragraph, start, word, studio.player.plan(start))
        return RedirectResponse(f"/referee/game/{studio.begin(session)}", 303)


def _add_questions(app: FastAPI, studio: Studio, page: Page) -> None:
    """Add the twenty questions of a game to a person, and its outcome."""

    @app.get("/referee/game/{session_id}")
    def ask(session_id: str) -> HTMLResponse:
        session = known(studio.sessions.get(session_id), "such game any more")
        if len(session.answers) < len(session.plan.questions):
            return page("question.html", session=session, session_id=session_id)

        view = view_of(studio.player, session.plan, session.answers)
        sentence = session.paragraph.opening_sentence
        return page(
            "outcome.html",
            session=session,
            session_id=session_id,
            view=view,
            won=view.guess.opening_sentence == sentence,
        )

    @app.post("/referee/game/{session_id}")
    def answer(session_id: str, answer: Annotated[str, Form()]) -> RedirectResponse:
        session = known(studio.sessions.get(session_id), "such game any more")
        if answer == "undo":
            del session.answers[-1:]
        elif answer == "keep":
            _keep(studio, session.paragraph, session.start, session.word)
            return RedirectResponse("/referee", 303)
        elif len(session.answers) < len(session.plan.questions):
            session.answers.append(answer if answer in "ABCD" else NOT_RELEVANT)
        return RedirectResponse(f"/referee/game/{session_id}", 303)


def _passage(studio: Studio, paragraph_id: str) -> Paragraph:
    by_id = studio.lectures.by_id
    return known(by_id.get(paragraph_id), f"passage {paragraph_id}")


def _errors(paragraph: Paragraph, hint: str, word: str) -> list[str]:
    errors = list(hint_errors(hint, paragraph.text)) if hint.strip() else []
    if word.strip():
        errors += shared_word_errors("the word", word, paragraph.text)
    return errors


def _keep(studio: Studio, paragraph: Paragraph, start: RoundStart, word: str) -> None:
    """Append a labelled game to the games file."""
    game = {
        "book_name": start.book_name or paragraph.doc_id,
        "hint": start.hint,
        "association_domain": start.association_domain,
        "associative_word": word.strip(),
        "paragraph_id": paragraph.paragraph_id,
        "opening_sentence": paragraph.opening_sentence,
        "paragraph": paragraph.text,
        "pdf": f"{paragraph.doc_id}.pdf",
        "page": paragraph.page,
    }
    add_game(studio.files.games, game)


def _n_labelled(path: Path) -> int:
    if not path.is_file() or not path.stat().st_size:
        return 0
    return len(load_games(path))


def _add_games(app: FastAPI, studio: Studio, page: Page) -> None:
    """Add the games of the journal, and the steps of one."""

    @app.get("/games")
    def games() -> HTMLResponse:
        return page("games.html", games=_stored(studio), journal=studio.files.journal)

    @app.get("/games/{key}")
    def game(key: int) -> HTMLResponse:
        by_key = {game.key: game for game in _stored(studio)}
        stored = known(by_key.get(key), "such game in the journal")
        view = None
        if stored.questions and stored.answers is not None:
            plan = studio.player.plan(stored.start, stored.questions)
            view = view_of(studio.player, plan, stored.answers)
        return page("game.html", game=stored, view=view)


def _stored(studio: Studio) -> list[StoredGame]:
    path = studio.files.journal
    if path is None or not path.is_file():
        return []
    with contextlib.closing(Journal(path)) as journal:
        return stored_games(journal)


def _add_runs(app: FastAPI, studio: Studio, page: Page) -> None:
    """Add runs, and their report."""

    @app.get("/runs")
    def runs() -> HTMLResponse:
        folder = studio.files.runs
        names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.json"))
        return page("runs.html", names=names, folder=folder)

    @app.get("/report")
    def report(request: Request) -> HTMLResponse:
        names = request.query_params.getlist("run")
        if not names:
            raise HTTPException(422, "Choose a run first.")
        return HTMLResponse(render(read_runs([*map(studio.run_path, names)])))

    @app.get("/losses")
    def losses(run: str) -> HTMLResponse:
        path = studio.run_path(run)
        lost = read_runs([path])[0]
        groups = defaultdict(list)
        for row in lost.games:
            if row.lost_at:
                groups[row.lost_at].append(row)
        again = ["quarry", "replay", "--store", studio.files.store]
        again += ["--lost-in", str(path)]
        values = {"run": lost, "name": run, "again": shlex.join(again)}
        return page("losses.html", groups=groups, **values)
