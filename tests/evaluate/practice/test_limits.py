"""What one client may take of the practice server, and that nothing it sends breaks it."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from quarry.evaluate.practice import limits
from quarry.evaluate.practice import server as practice
from quarry.evaluate.practice.server import PracticeServer, TooManyError, create_app, serving
from quarry.evaluate.referee import scoring
from quarry.evaluate.referee.scoring import score_guess
from tests.contracts.game_server import GUESS, player_message, questions
from tests.evaluate.fakes import half_alike, small_repertoire

tried = settings(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture],
)


@pytest.fixture(scope="module")
def server() -> PracticeServer:
    return PracticeServer(small_repertoire(), seed=0)


@pytest.fixture(scope="module")
def url(server: PracticeServer) -> Iterator[str]:
    with serving(create_app(server)) as url:
        yield url


def raw(url: str, *pieces: bytes, pause_s: float = 0.0, wait_s: float = 10.0) -> bytes:
    """What comes back for these bytes, until the server closes or `wait_s` have passed."""
    place = urlsplit(url)
    with socket.create_connection((place.hostname or "", place.port or 0), timeout=wait_s) as connection:
        for piece in pieces:
            connection.sendall(piece)
            time.sleep(pause_s)
        parts = []
        try:
            while part := connection.recv(65_536):
                parts.append(part)
        except (TimeoutError, ConnectionError):
            pass
        return b"".join(parts)


HEAD = b"POST /v1/players HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize("spelling", [b"chunked", b"Chunked", b"CHUNKED", b"gzip, chunked"])
def test_a_body_in_chunks_is_refused_however_that_is_spelt(url: str, spelling: bytes) -> None:
    chunk = b"2000\r\n" + b" " * 0x2000 + b"\r\n"
    answer = raw(url, HEAD + b"Transfer-Encoding: " + spelling + b"\r\n\r\n" + chunk)
    assert answer.split()[1] in {b"413", b"400"}


@pytest.mark.parametrize("length", [b"1e3", b"-1", b"99999999999999999999999999", b"1000001"])
def test_a_length_that_is_none_or_too_much_is_refused(url: str, length: bytes) -> None:
    assert raw(url, HEAD + b"Content-Length: " + length + b"\r\n\r\n").split()[1] in {b"413", b"400"}


def test_a_body_that_does_not_come_is_waited_for_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BODY_S", 0.3)
    with serving(create_app(PracticeServer(small_repertoire(), seed=0))) as url:
        started = time.monotonic()
        answer = raw(url, HEAD + b'Content-Length: 16\r\n\r\n{"name"', pause_s=0.1)
        assert answer.split()[1] == b"408"
        assert time.monotonic() - started < 5.0


def test_a_connection_that_says_nothing_or_never_ends_its_head_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HEAD_S", 0.4)
    with serving(create_app(PracticeServer(small_repertoire(), seed=0))) as url:
        for pieces in ((), (b"GET /healthz HTTP/1.1\r\n",), (b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /")):
            started = time.monotonic()
            raw(url, *pieces, pause_s=0.1, wait_s=20.0)
            assert time.monotonic() - started < 6.0


def test_a_long_poll_is_not_cut_off_by_the_limit_on_heads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HEAD_S", 0.2)
    practice_server = PracticeServer(small_repertoire(), seed=0)
    _, token = practice_server.register("patient")
    with serving(create_app(practice_server)) as url:
        headers = {"Authorization": f"Bearer {token}"}
        answer = httpx.get(f"{url}/v1/inbox?wait_s=1", headers=headers, trust_env=False, timeout=10.0)
    assert answer.json() == {"messages": [], "cursor": "0"}


def test_a_player_that_asks_too_often_is_told_when_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BURST", 3.0)
    monkeypatch.setattr(limits, "RATE", 0.1)
    practice_server = PracticeServer(small_repertoire(), seed=0)
    tokens = [practice_server.register("a")[1], practice_server.register("b")[1]]
    client = TestClient(create_app(practice_server))
    answers = [client.get("/v1/inbox", headers={"Authorization": f"Bearer {tokens[0]}"}) for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
    assert answers[-1].headers["Retry-After"] == "1"
    assert client.get("/v1/inbox", headers={"Authorization": f"Bearer {tokens[1]}"}).status_code == 200


def test_players_games_and_messages_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MAX_PLAYERS", "MAX_GAMES", "MAX_MESSAGES"):
        monkeypatch.setattr(practice, name, 3)
    practice_server = PracticeServer(small_repertoire(), seed=0)
    tokens = [practice_server.register("a")[1] for _ in range(3)]
    with pytest.raises(TooManyError, match="at most 3 players"):
        practice_server.register("a")
    games = [practice_server.start_game(tokens[0]) for _ in range(3)]
    client = TestClient(create_app(practice_server))
    headers = {"Authorization": f"Bearer {tokens[0]}"}
    answer = client.post("/v1/games", headers=headers)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "60")
    codes = [
        client.post(
            "/v1/outbox", headers=headers, json=player_message("Q21WARMUPRESPONSE", games[0], {"answer": "1"})
        ).status_code
        for _ in range(5)
    ]
    assert codes == [202, 202, 202, 422, 422]
    long_id = {**player_message("Q21WARMUPRESPONSE", games[1], {}), "message_id": "m" * 201}
    assert client.post("/v1/outbox", headers=headers, json=long_id).status_code == 422


@pytest.mark.parametrize("unit", ["a ", "question 1 ", "'", '"', "1,", "A", "not relevant ", "\u202e", "(answer "])
def test_a_guess_of_a_megabyte_is_scored_at_once(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    started = time.monotonic()
    score_guess(
        dict.fromkeys(GUESS, text), opening_sentence="S.", associative_word="w", answers={1: "A"}, similarity=half_alike
    )
    assert time.monotonic() - started < 2.0


def test_what_is_cut_off_a_guess_is_longer_than_any_that_earns_anything() -> None:
    assert scoring.MAX_CHARS > 50 * 20


def test_nothing_that_a_player_can_fetch_before_the_score_holds_the_secret(server: PracticeServer, url: str) -> None:
    _, token = server.register("curious")
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=url, headers=headers, trust_env=False, timeout=30.0) as client:
        game_id = client.post("/v1/games").json()["game_id"]
        seen = []
        for message_type, payload in (("Q21WARMUPRESPONSE", {}), ("Q21QUESTIONSBATCH", questions())):
            seen.append(client.post("/v1/outbox", json=player_message(message_type, game_id, payload)).text)
            paths = ("/v1/inbox", f"/v1/games/{game_id}", "/openapi.json", "/docs", "/healthz", "/v1/games", "/")
            seen += [client.get(path).text for path in paths]
    start = next(m for m in server.messages(token, 0)[0] if m["message_type"] == "Q21ROUNDSTART")
    hint = start["payload"]["book_hint"]
    game, paragraph = next(pair for pair in small_repertoire().games if pair[0].hint == hint)
    told = " ".join(seen).replace(hint, "")
    assert paragraph.opening_sentence not in told
    assert paragraph.paragraph_id not in told
    assert game.associative_word not in told


# whatever is sent

_server = PracticeServer(small_repertoire(), seed=0)
_, _token = _server.register("schemathesis")
schema = schemathesis.openapi.from_asgi("/openapi.json", create_app(_server))


@schema.parametrize()
@tried
def test_no_request_that_the_description_allows_or_forbids_fails_the_server(case: schemathesis.Case[Any]) -> None:
    if "wait_s" in (case.query or {}):
        case.query["wait_s"] = 0
    response = case.call(headers={"Authorization": f"Bearer {_token}"})
    assert response.status_code < 500


anything = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=8),
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.text(max_size=6), inner, max_size=4),
    max_leaves=10,
)
types = (
    some.sampled_from(
        [
            "Q21WARMUPRESPONSE",
            "Q21QUESTIONSBATCH",
            "Q21GUESSSUBMISSION",
            "q21_warmup_response",
            "BROADCAST_START_SEASON",
            "",
        ]
    )
    | anything
)
payloads = (
    anything
    | some.just(questions())
    | some.fixed_dictionaries({"questions": some.lists(anything, min_size=19, max_size=21)})
    | some.fixed_dictionaries(dict.fromkeys(GUESS, anything))
)


@tried
@given(message_type=types, payload=payloads, extra=some.dictionaries(some.text(max_size=6), anything, max_size=2))
def test_no_message_fails_the_server_or_stops_the_game(
    message_type: object, payload: object, extra: dict[str, object]
) -> None:
    client = TestClient(create_app(_server), raise_server_exceptions=False)
    headers = {"Authorization": f"Bearer {_token}", "Content-Type": "application/json"}
    game_id = client.post("/v1/games", headers=headers).json()["game_id"]
    envelope = {**extra, **player_message("X", game_id, {}), "message_type": message_type, "payload": payload}
    answer = client.post("/v1/outbox", headers=headers, content=json.dumps(envelope))
    assert answer.status_code in {202, 422}
    for message, content in (
        ("Q21WARMUPRESPONSE", {}),
        ("Q21QUESTIONSBATCH", questions()),
        ("Q21GUESSSUBMISSION", GUESS),
    ):
        assert client.post("/v1/outbox", headers=headers, json=player_message(message, game_id, content)).is_success
    assert client.get(f"/v1/games/{game_id}", headers=headers).json()["state"] == "over"
