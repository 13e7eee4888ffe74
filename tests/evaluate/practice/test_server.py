"""The practice game server: its HTTP to the letter, its games for many players at once, and its port."""

import asyncio
import contextlib
import random
import re
import signal
import socket
import time
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import httpx
import pytest
from fastapi.testclient import TestClient

from configs.settings import load
from evaluate.errors import GamesError
from evaluate.games.labelled import BUNDLED_GAMES
from evaluate.practice import server as server_module
from evaluate.practice.referee_game import RefusedMessageError
from evaluate.practice.routes import MAX_BODY_BYTES, limit_requests, require_known_host
from evaluate.practice.server import (
    PracticeServer,
    RegisteredPlayer,
    load_repertoire,
)
from evaluate.studio.practice_games import create_practice_app
from player.game.client import GameServer, HttpGameServer
from player.game.loop import Loop
from player.round import Score
from quarry.store import Course
from tests.contracts.game_server import GameServerContract
from tests.evaluate.fakes import (
    ABOUT,
    batch,
    make_course,
    message,
    practice_server,
    small_repertoire,
)
from tests.fakes import each, start_python
from tests.player.fakes import course, dense_player


@pytest.fixture(scope="module")
def client(url: str) -> Iterator[httpx.Client]:
    """A client of a player."""
    with httpx.Client(base_url=url, trust_env=False, timeout=30.0) as client:
        player = client.post("/v1/players", json={"name": "tester"}).json()
        client.headers["Authorization"] = f"Bearer {player['token']}"
        yield client


def new_player(seed: int = 0) -> RegisteredPlayer:
    """A player of a new server."""
    return RegisteredPlayer(practice_server(seed))


def check_problem(
    response: Any,
    status: int,
    detail: str = "",
) -> None:
    """A problem document as RFC 9457 describes it."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert (problem["status"], problem["type"]) == (status, "about:blank")
    assert problem["title"]
    assert re.search(detail, problem["detail"])
    assert "\n" not in problem["detail"]


def test_a_new_player_gets_an_id_and_a_long_token(client: httpx.Client) -> None:
    answer = client.post("/v1/players", json={"name": "Ada"})
    player = answer.json()
    assert (answer.status_code, sorted(player)) == (201, ["player_id", "token"])
    assert len(player["token"]) >= 32


def test_a_missing_or_wrong_token_is_401(client: httpx.Client) -> None:
    for line in (
        "POST /v1/games",
        "GET /v1/inbox",
        "POST /v1/outbox",
        "GET /v1/games/0101001",
    ):
        for authorization in ("", "Bearer", "Bearer wrong token", "Basic d3Jvbmc="):
            headers = {"Authorization": authorization}
            answer = client.request(*line.split(), headers=headers, json={})
            check_problem(answer, 401, "Authorization has no Bearer token")


@pytest.mark.parametrize(
    "game_id",
    ["9999999", "x", "%00", "%ED%A0%80", pytest.param("1" * 5_000, id="long")],
)
def test_an_unknown_game_is_404(game_id: str, client: httpx.Client) -> None:
    check_problem(client.get(f"/v1/games/{game_id}"), 404)


BAD_BODIES = [
    b"",
    b"{",
    b"null",
    b"[]",
    b"NaN",
    b"\xff\xfe",
    b'{"name": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    b'{"name": ' + b"9" * 5_000 + b"}",
]


def test_a_bad_body_is_a_client_error_and_no_fault_of_the_server(
    client: httpx.Client,
) -> None:
    headers = {"Content-Type": "application/json"}
    for path in ("/v1/players", "/v1/outbox"):
        for body in BAD_BODIES:
            answer = client.post(path, content=body, headers=headers)
            check_problem(answer, answer.status_code)
            assert answer.is_client_error, body[:20]


def test_many_polls_wait_at_once_and_each_gets_its_message(url: str) -> None:
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(registered(url)) for _ in range(12)]
        pool = stack.enter_context(ThreadPoolExecutor(12))
        polls = [pool.submit(server.inbox, "", 20.0) for server in servers]
        time.sleep(0.3)
        assert not any(poll.done() for poll in polls)

        for server, poll in zip(servers, polls, strict=True):
            game_id = server.request_game()
            messages, _ = poll.result()
            assert each(messages, "game_id") == [game_id]


class TestRegisteredPlayer(GameServerContract):
    @pytest.fixture
    def server(self, practice: PracticeServer) -> GameServer:
        return RegisteredPlayer(practice)

    other = server


class TestHttpGameServer(GameServerContract):
    @pytest.fixture
    def server(self, url: str) -> Iterator[GameServer]:
        with registered(url) as server:
            yield server

    other = server


@contextlib.contextmanager
def registered(url: str) -> Iterator[HttpGameServer]:
    with contextlib.closing(HttpGameServer(url)) as server:
        server.register("tester")
        yield server


def test_two_threads_that_send_one_message_at_once_get_one_reply() -> None:
    player = new_player()
    for number in range(1, 21):
        reply = message("Q21WARMUPRESPONSE", {}, player.request_game())
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(player.send, [reply] * 8))
        assert len(player.inbox("", 0.0)[0]) == 2 * number


def test_one_check_of_the_host_is_in_front_of_everything(client: httpx.Client) -> None:
    evil = {"Host": "evil.example"}
    check_problem(client.get("/healthz", headers=evil), 400, "not known under this")

    app = create_practice_app(practice_server())

    with TestClient(require_known_host(app, ["Quarry.example"])) as pages:
        for path in ("/", "/server", "/static/style.css", "/healthz", "/v1/inbox"):
            check_problem(pages.get(path, headers=evil), 400)
        for host, status in {
            "localhost:8017": 200,
            "evil.example@localhost": 400,
            "localhost/evil.example": 400,
            "127.0.0.1": 200,
            "[::1]:8017": 200,
            "192.168.0.7:8017": 200,
            "quarry.example.:8017": 200,
            "testserver": 400,
            "127.0.0.1.evil.example": 400,
            "localhost@evil.example": 400,
            "evil.example/localhost": 400,
            "": 400,
        }.items():
            answer = pages.get("/healthz", headers={"Host": host})
            assert answer.status_code == status, host


def test_a_player_cannot_fill_the_memory_with_long_ids_and_texts() -> None:
    player = new_player()
    game_id = player.request_game()

    def send_long(kind: str, **payload: Any) -> None:
        for number in range(20):
            long = {**payload, "more": "x" * 400_000}
            message_id = f"{number} {kind}" + "x" * 480_000
            player.send(message(kind, long, game_id, message_id))

    tracemalloc.start()
    send_long("Q21WARMUPRESPONSE")
    send_long("Q21QUESTIONSBATCH", questions=batch())
    send_long(
        "Q21GUESSSUBMISSION",
        opening_sentence="x" * 400_000,
        associative_word=["x" * 400_000],
    )
    n_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert player.game(game_id).private_score is not None
    assert n_bytes < 100_000


def test_the_oldest_game_that_is_over_is_forgotten_when_there_are_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server_module, "MAX_GAMES_OF_PLAYER", 2)
    practice = practice_server()
    player = RegisteredPlayer(practice)
    first, second = player.request_game(), player.request_game()
    with pytest.raises(RefusedMessageError, match="2 games are not over"):
        player.request_game()
    for kind in ("Q21WARMUPRESPONSE", "Q21QUESTIONSBATCH", "Q21GUESSSUBMISSION"):
        player.send(message(kind, {"questions": batch()}, second))

    _, cursor = player.inbox("", 0.0)
    third = player.request_game()
    assert third != second
    assert {*practice.games} == {*player.games} == {first, third}
    fresh, _ = player.inbox(cursor, 0.0)
    assert each(fresh, "game_id") == [third]
    assert each(player.inbox("", 0.0)[0], "game_id") == [first, third]


def test_a_new_game_of_one_player_may_replace_one_of_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server_module, "MAX_GAMES", 1)
    practice = practice_server()
    one, other = RegisteredPlayer(practice), RegisteredPlayer(practice)
    first = one.request_game()
    one.games[first].score = Score(0.0, 0, {}, {})
    second = other.request_game()
    assert {*practice.games} == {*other.games} == {second}
    assert not one.games
    assert not one.inbox("", 0.0)[0]


def test_the_seed_chooses_the_order_and_no_sums() -> None:
    hints = payloads("book_hint", seed=3, n=12)
    assert len(set(hints)) == 12, "every game comes once before one comes again"
    assert payloads("book_hint", seed=3, n=24) == hints * 2
    assert payloads("book_hint", seed=4, n=12) != hints
    # a player who could compute the seed from its sums would know the order of the games
    sums = payloads("warmup_question", seed=3, n=8)
    assert payloads("warmup_question", seed=3, n=8) != sums


def payloads(
    key: str,
    seed: int,
    n: int,
) -> list[str]:
    """The values under a key of the messages of the first n games of a new server."""
    player = new_player(seed)
    for _ in range(n):
        player.send(message("Q21WARMUPRESPONSE", {}, player.request_game()))
    messages, _ = player.inbox("", 0.0)
    return [one["payload"][key] for one in messages if key in one["payload"]]


@pytest.mark.long
def test_it_serves_in_a_process_of_its_own_until_it_is_interrupted() -> None:
    make_course(Path())
    words = f"-m evaluate serve --referee noisy:0.1,0.1 {ABOUT} --port 0 --seed 1"
    process = start_python(*words.split(), folder=Path())
    try:
        address = r"practice game server on (http://127\.0\.0\.1:\d+) with 12 games"
        announced = None
        while announced is None:  # a model may be exported before
            announced = re.search(address, process.stderr.readline())
        with registered(announced[1]) as server:
            player = dense_player(course(), questions_pool=60)
            loop = Loop(server, player, name="tester", timeout_s=60.0)
            report = loop.play_one()
            assert server.game(report.game_id).state == "over"
    finally:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=240)

    assert (process.returncode, out) == (130, "")
    game, ended = err.splitlines()
    # half of the points are for the sentence, so that the game was about its own paragraph
    says = r"quarry serve: game 0101001: tester scored ([5-9]\d|100)\.\d of 100"
    assert re.fullmatch(says, game)
    assert ended == "quarry serve: interrupted"


def test_nothing_that_a_player_can_fetch_before_the_score_holds_the_secret(
    client: httpx.Client,
) -> None:
    game_id = client.post("/v1/games").json()["game_id"]
    paths = f"/v1/inbox /v1/games/{game_id} /openapi.json /docs /healthz /v1/games /"
    shown = ""
    for kind in ("Q21WARMUPRESPONSE", "Q21QUESTIONSBATCH"):
        reply = message(kind, {"questions": batch()}, game_id)
        shown += client.post("/v1/outbox", json=reply).text
        for path in paths.split():
            shown += client.get(path).text

    start = client.get("/v1/inbox").json()["messages"][1]
    shown = shown.replace(start["payload"]["book_hint"], "")
    for game, paragraph in small_repertoire().games:
        assert paragraph.opening_sentence not in shown
        assert paragraph.paragraph_id not in shown
        assert game.associative_word not in shown


def test_a_body_that_is_too_long_is_refused_before_it_is_read(
    client: httpx.Client,
) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(1_000):
            yield b" " * 100_000

    for content in (b" " * (MAX_BODY_BYTES + 1), endless()):
        with contextlib.suppress(httpx.WriteError):  # the server hung up
            answer = client.post("/v1/outbox", content=content)
            check_problem(answer, 413, f"more than {MAX_BODY_BYTES} bytes")


def test_an_unfinished_body_is_given_up(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluate.practice.routes.BODY_S", 0.2)
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), 20.0) as connection:
        connection.sendall(
            b"POST /v1/outbox HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{"
        )
        assert connection.recv(1_000).startswith(b"HTTP/1.1 408")


def test_too_many_requests_a_second_are_told_to_wait(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluate.practice.routes.MAX_REQUESTS", 1)
    answers = [client.get("/healthz") for _ in range(30)]
    refused = max(answers, key=lambda answer: answer.status_code)
    check_problem(refused, 429, "more than 1 requests a second")
    assert refused.headers["Retry-After"] == "1"


def test_players_that_register_at_once_are_no_more_than_the_maximum(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server_module, "MAX_PLAYERS", 1)
    practice = practice_server()
    # a server takes a moment to make a player
    monkeypatch.setattr(server_module, "RegisteredPlayer", lambda *_: time.sleep(0.05))
    with ThreadPoolExecutor(4) as pool:
        attempts = [pool.submit(practice.register) for _ in range(4)]
    faults = [type(attempt.exception()) for attempt in attempts]
    assert faults.count(RefusedMessageError) == 3
    assert len(practice.players) == 1


@pytest.mark.usefixtures("hashing_embedder")
def test_games_are_made_where_none_of_the_bundled_ones_is_about_the_course(
    store: Course, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(BUNDLED_GAMES.parents[1])
    path = Path("games", BUNDLED_GAMES.name)
    assert load_repertoire(store, path, "oracle", 0, load()).games
    assert "A machine made the hints" in caplog.text

    caplog.clear()
    monkeypatch.setattr(server_module, "make_games", lambda *_: [])
    with pytest.raises(GamesError, match=r"none of \d+ games is about a paragraph"):
        load_repertoire(store, path, "oracle", 0, load())
    assert caplog.text == ""


def test_without_a_seed_the_order_is_drawn_by_the_operating_system(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shuffled: list[int] = []
    monkeypatch.setattr(
        random.SystemRandom, "shuffle", lambda _, order: shuffled.extend(order)
    )
    practice_server(seed=None)
    assert shuffled == list(range(12))


def test_a_request_whose_body_breaks_off_has_no_effect() -> None:
    begin = {"type": "http.request", "body": b"{", "more_body": True}
    receive = AsyncMock(side_effect=[begin, {"type": "http.disconnect"}])
    app, send = AsyncMock(), AsyncMock()
    handled = limit_requests(app)({"type": "http"}, receive, send)
    asyncio.run(asyncio.wait_for(handled, 10.0))
    app.assert_not_called()
    send.assert_not_called()
