"""Pages of the studio: templates, and headers that keep other pages out."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException as AnyHTTPException

from configs.errors import QuarryError
from evaluate.games.labelled import same_text
from evaluate.referee.scoring import SCORE_WEIGHTS
from evaluate.templates import make_environment

STUDIO_FOLDER = Path(__file__).resolve().parent
"""Folder of the templates and of the static files."""
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Content security policy: a page takes everything from this server."""
HANDLED_ERRORS = (AnyHTTPException, RequestValidationError, QuarryError)
"""Errors that are answered with a page."""
T = TypeVar("T")


def or_404(value: T | None, what: str) -> T:
    """Return a value; raise 404 if it is None.

    Args:
        value: the value.
        what: name of the value, after "There is no".
    """
    if value is None:
        raise HTTPException(404, f"There is no {what}.")
    return value


def local_time(seconds: float) -> str:
    """Write a time since the epoch as date and time in the zone of this machine."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


async def _get_page(request: Request) -> Any:
    return request.app.state.page


Page = Annotated[Callable[..., HTMLResponse], Depends(_get_page)]
"""Renders a template: name, HTTP status (200), and the values of the template."""


def make_app(sections: Mapping[str, str], **values: object) -> FastAPI:
    """Build an application with static files, pages for errors, and protection against forms of other pages.

    Args:
        sections: titles of the sections in the navigation, by path.
        values: values for all templates.
    """
    environment = make_environment(STUDIO_FOLDER / "templates")
    environment.globals.update(values, sections=sections, weights=SCORE_WEIGHTS)
    environment.tests["same_text"] = same_text
    environment.filters["percent"] = lambda share: f"{100 * share:.1f}%"
    environment.filters["time"] = local_time

    def page(template: str, status: int = 200, **values: Any) -> HTMLResponse:
        return HTMLResponse(environment.get_template(template).render(**values), status)

    app = FastAPI(
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        exception_handlers=dict.fromkeys(HANDLED_ERRORS, _refuse),
    )
    app.state.page = page
    app.mount("/static", StaticFiles(directory=STUDIO_FOLDER / "static"))
    app.middleware("http")(_protect)

    @app.get("/favicon.ico")
    def icon() -> Response:
        return Response(status_code=204)

    return app


async def _refuse(request: Request, error: Exception) -> Any:
    """Answer an error with a page."""
    no_page = f"There is no page {request.url.path}."
    match error:
        case AnyHTTPException(detail="Not Found"):  # no route has this path
            status, text = 404, no_page
        case AnyHTTPException():
            status, text = error.status_code, error.detail
        case RequestValidationError():
            fault = error.errors()[0]
            status, text = 422, f"{fault['loc'][-1]}: {fault['msg']}."
            if fault["loc"][0] == "path":
                status, text = 404, no_page
        case _:
            status, text = 422, str(error)
    return request.app.state.page("error.html", status, text=text)


async def _protect(request: Request, call: Callable[[Request], Any]) -> Response:
    """Refuse forms of other pages, and add the headers that keep other pages out."""
    origin = request.headers.get("origin")
    host = request.headers.get("host")
    is_foreign = origin is not None and origin.partition("://")[2] != host
    if request.method == "POST" and is_foreign:
        return Response("The request came from another page.", 403)

    response: Response = await call(request)
    response.headers.setdefault("Content-Security-Policy", PAGE_POLICY)
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
