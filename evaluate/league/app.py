"""The HTTP of a league: the game server's, and a page that anybody may look at."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from fastapi import FastAPI, HTTPException
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.concurrency import run_in_threadpool

from quarry.evaluate.league.league import League
from quarry.evaluate.practice.server import create_app

FOLDER = Path(__file__).resolve().parent


def create_league_app(league: League) -> FastAPI:
    """The app; /league is the page, /league/state and /league/games/ID what it shows."""
    app = create_app(league)
    page, policy = league_page()
    headers = {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
    }

    @app.get("/league", response_class=HTMLResponse)
    async def show_page() -> HTMLResponse:
        return HTMLResponse(page, headers=headers)

    @app.get("/league/state")
    async def show_state() -> JSONResponse:
        return JSONResponse(await run_in_threadpool(league.shown), headers={"Cache-Control": "no-store"})

    @app.get("/league/games/{game_id}")
    async def show_moves(game_id: str) -> JSONResponse:
        moves = await run_in_threadpool(league.moves, game_id)
        if moves is None:
            raise HTTPException(404, "game_id must be of a game of this season")
        return JSONResponse(moves, headers={"Cache-Control": "no-store"})

    return app


def league_page() -> tuple[str, str]:
    """The page, and what it may load: its own script and style, and data from its own server."""
    style, script = ((FOLDER / f"league.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
    page = (
        (FOLDER / "league.html").read_text(encoding="utf-8").replace("/*style*/", style).replace("/*script*/", script)
    )
    policy = (
        "default-src 'none'; connect-src 'self'; img-src data:; "
        f"style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return page, policy


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
