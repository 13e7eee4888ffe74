"""A whole season of eight players: built in, over HTTP, by mail; a league that is killed; and its page in a browser."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from math import inf
from pathlib import Path

import httpx
import pytest

from quarry.configs.mail import PASSWORD_VARIABLE, MailSettings
from quarry.evaluate.league.app import create_league_app
from quarry.evaluate.league.built_in import RandomPlayer, seat
from quarry.evaluate.league.league import League
from quarry.evaluate.league.post_office import PostOffice
from quarry.evaluate.practice.server import serving
from quarry.player.errors import ServerError
from quarry.player.game.journal import Journal, sit_down
from quarry.player.game.play import GameReport, Pace, play_games
from quarry.player.mail.server import MailGameServer
from quarry.player.protocol.client import GameServer, HttpGameServer
from quarry.player.season import Season
from tests.evaluate.league.fakes import make_league
from tests.evaluate.report.test_page import ARGUMENTS, NO_BROWSER
from tests.mail_servers import PASSWORD, mail_servers
from tests.player.fakes import course, dense_player

ROOT = Path(__file__).resolve().parents[3]
PACE = Pace(grace_s=0.0, resend_s=2.0)
N_KILLS = 10


def play_season(server: GameServer, name: str, reports: list[object]) -> threading.Thread:
    """A player's season, in a thread."""

    def run() -> None:
        player = dense_player(course(), questions_pool=60)
        reports.extend(
            play_games(server, player, inf, name=name, timeout_s=150.0, pace=PACE, season=Season(name), say=said.append)
        )

    said: list[str] = []
    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    return thread


@pytest.mark.timeout(280)
def test_a_season_of_eight_players_is_played_by_http_and_by_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, PASSWORD)
    league = make_league(8)
    said: list[str] = []
    player = dense_player(course(), questions_pool=60)
    kinds = {"default": player, "random": RandomPlayer(player.orchestrator, player._settings, 0, course())}
    reports: dict[str, list[object]] = {name: [] for name in ("http-1", "http-2", "http-3", "mail-1", "mail-2")}
    with contextlib.ExitStack() as stack:
        mail = stack.enter_context(mail_servers())
        office = PostOffice(
            league, MailSettings.model_validate(mail.settings("league")), b"key", league._record.memory, said.append
        )
        stack.callback(office.close)
        url = stack.enter_context(serving(create_league_app(league)))
        threads = seat(league, ["default", "random", "random"], kinds, said.append)
        for name, told in reports.items():
            server: HttpGameServer | MailGameServer
            if name.startswith("http"):
                server = HttpGameServer(url, timeout_s=60.0)
                server.register(name)
            else:
                chosen = MailSettings.model_validate(mail.settings(name, league="league@quarry.test"))
                server = MailGameServer(chosen)
                server.send(Season(name).request())  # the league cannot write first
            stack.callback(server.close)
            threads.append(play_season(server, name, told))
        for thread in threads:
            thread.join(240.0)
        shown = league.shown()
    assert shown["state"] == "over"
    assert [standing["played"] for standing in shown["standings"]] == [7] * 8
    assert {name: [type(report) for report in told] for name, told in reports.items()} == {
        name: [GameReport] * 7 for name in reports
    }
    best = {standing["player"]: standing["rating"] for standing in shown["standings"]}
    assert max(best["random"], best["random-2"]) < min(best["default"], best["http-1"]), (
        "luck is no match for questions"
    )
    assert said == []


@pytest.mark.timeout(280)
def test_a_league_that_is_killed_ten_times_goes_on_and_loses_no_game(tmp_path: Path) -> None:
    port = _free_port()
    command = [sys.executable, "-m", "tests.evaluate.league.served", str(tmp_path / "league.sqlite"), str(port)]
    process = subprocess.Popen([*command, "4", str(N_KILLS), "7"], cwd=ROOT)
    reports: list[list[object]] = [[], [], []]
    journals = [Journal(tmp_path / f"games-{row}.sqlite") for row in range(3)]
    servers = [HttpGameServer(f"http://127.0.0.1:{port}", timeout_s=90.0) for _ in range(3)]
    _wait_for(f"http://127.0.0.1:{port}/healthz")
    threads = []
    for row, server in enumerate(servers):
        while not server.token:
            with contextlib.suppress(ServerError):  # killed meanwhile
                sit_down(server, f"player-{row}", journals[row], print)
        threads.append(play_season(server, f"player-{row}", reports[row]))
    for thread in threads:
        thread.join(200.0)
    _wait_for(f"http://127.0.0.1:{port}/healthz")
    state = httpx.get(f"http://127.0.0.1:{port}/league/state", trust_env=False, timeout=60.0).json()
    process.terminate()
    process.wait(20)
    for server in servers:
        server.close()
    for journal in journals:
        journal.close()
    assert state["state"] == "over"
    assert [standing["played"] for standing in state["standings"]] == [3] * 4
    assert [[type(report) for report in told] for told in reports] == [[GameReport] * 3] * 3


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + 150.0
    while time.monotonic() < deadline:
        with contextlib.suppress(httpx.HTTPError):
            if httpx.get(url, trust_env=False).status_code == 200:
                return
        time.sleep(0.05)
    raise AssertionError("the league does not start")


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.fixture(scope="module")
def played() -> Iterator[tuple[str, League]]:
    """A league of hostile names whose season is over, served."""
    league = make_league(4)
    player = dense_player(course(), questions_pool=60)
    seat(league, ["default"], {"default": player}, print)
    with serving(create_league_app(league)) as url, contextlib.ExitStack() as stack:
        threads = []
        for name in ("<img src=x onerror=window.hacked=1>", "\u202ereversed", "x" * 90):
            server = HttpGameServer(url, timeout_s=60.0)
            stack.callback(server.close)
            server.register(name)
            threads.append(play_season(server, name, []))
        for thread in threads:
            thread.join(120.0)
        yield url, league


@pytest.mark.timeout(200)
@pytest.mark.parametrize("viewport", [(1280, 900), (390, 844)])
def test_the_page_shows_standings_rounds_and_a_game_move_by_move(
    played: tuple[str, League], viewport: tuple[int, int]
) -> None:
    url, league = played
    executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if executable is None:
        pytest.skip(NO_BROWSER)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(ARGUMENTS))
        tab = browser.new_page(viewport={"width": viewport[0], "height": viewport[1]})
        said: list[str] = []
        tab.on("console", lambda message: said.append(message.text))
        tab.on("pageerror", lambda error: said.append(str(error)))
        tab.goto(f"{url}/league")
        tab.wait_for_selector("#standings tbody tr")
        assert tab.locator("#standings tbody tr").count() == 4
        assert "is over: 4 of 4 players" in (tab.locator("#state").text_content() or "")
        assert tab.locator(".game").count() == 6
        assert tab.locator("h3").first.text_content() == "Round 1: 2 of 2 over"
        tab.locator(".game").first.click()
        tab.wait_for_selector("#moves li")
        moves = league.moves("0101001")
        assert moves is not None
        assert tab.locator("#moves li").count() == 40
        shown = tab.locator("#moves").text_content() or ""
        assert moves["told"]["hint"] in shown
        assert moves["right"]["opening_sentence"] in shown
        assert moves["players"][1]["guess"]["sentence_justification"] in shown
        assert tab.locator("#moves .given").count() >= 20
        assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "nothing is cut off"
        assert tab.evaluate("document.activeElement.id") == "game-title"
        assert tab.evaluate("window.hacked") is None
        assert tab.locator("img").count() == 0
        assert said == []
        browser.close()


def test_the_page_needs_no_browser_to_be_safe(played: tuple[str, League]) -> None:
    url, _ = played
    answer = httpx.get(f"{url}/league", trust_env=False)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "innerHTML" not in answer.text
    state = httpx.get(f"{url}/league/state", trust_env=False).json()
    assert "\u202e" not in str(state["registered"])
    assert httpx.get(f"{url}/league/games/9999999", trust_env=False).status_code == 404
