"""The practice game server: its HTTP to the letter, its games for many players at once, and its port."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given
from hypothesis import settings as tried_with
from hypothesis import strategies as some

from quarry.configs.settings import Settings
from quarry.evaluate.__main__ import main
from quarry.evaluate.errors import GamesError, PortError
from quarry.evaluate.practice.server import (
    LocalGameServer,
    PracticeServer,
    Repertoire,
    create_app,
    listen,
    load_repertoire,
    serving,
)
from quarry.evaluate.referee import Posed, Secret, make_referee
from quarry.ingest.store import Course
from quarry.player.game.game import GameReport
from quarry.player.game.loop import play
from quarry.player.protocol.client import GameServer, HttpGameServer
from quarry.player.protocol.messages import Json
from quarry.player.questions.answer import Answer
from tests.contracts.game_server import GUESS, GameServerContract, kinds, player_message, questions
from tests.evaluate.fakes import (
    course_games,
    labelled_game,
    make_store,
    message,
    record_of,
    run_main,
    small_repertoire,
    write_games,
)
from tests.player.fakes import course, dense_player

ROOT = Path(__file__).resolve().parents[3]
PROTECTED = [
    ("POST", "/v1/games"),
    ("GET", "/v1/inbox"),
    ("POST", "/v1/outbox"),
    ("GET", "/v1/games/0101001"),
]


@pytest.fixture(scope="module")
def practice() -> PracticeServer:
    return PracticeServer(small_repertoire(), seed=0)


@pytest.fixture(scope="module")
def url(practice: PracticeServer) -> Iterator[str]:
    with serving(create_app(practice)) as url:
        yield url


@pytest.fixture(scope="module")
def anyone(url: str) -> Iterator[httpx.Client]:
    """A client without a token."""
    with httpx.Client(base_url=url, trust_env=False, timeout=30.0) as client:
        yield client


@pytest.fixture
def client(url: str, anyone: httpx.Client) -> Iterator[httpx.Client]:
    """A client of a new player."""
    with new_player(url, anyone) as client:
        yield client


@pytest.fixture
def other(url: str, anyone: httpx.Client) -> Iterator[httpx.Client]:
    """A client of another new player."""
    with new_player(url, anyone) as client:
        yield client


def new_player(url: str, anyone: httpx.Client) -> httpx.Client:
    token = anyone.post("/v1/players", json={"name": "tester"}).json()["token"]
    return httpx.Client(base_url=url, trust_env=False, timeout=30.0, headers={"Authorization": f"Bearer {token}"})


def new_game(client: httpx.Client) -> str:
    answer = client.post("/v1/games")
    assert answer.status_code == 201
    game_id = answer.json()["game_id"]
    assert re.fullmatch(r"\d{7}", game_id)
    return str(game_id)


def messages_of(client: httpx.Client) -> list[Json]:
    messages: list[Json] = client.get("/v1/inbox").json()["messages"]
    return messages


def check_problem(response: httpx.Response, status: int, detail: str = "") -> None:
    """A problem document as RFC 9457 describes it."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert (problem["status"], problem["type"]) == (status, "about:blank")
    assert problem["title"]
    assert re.search(detail, problem["detail"])
    assert "\n" not in problem["detail"]


class TestEndpoints:
    def test_a_new_player_gets_an_id_and_a_token_of_its_own(self, anyone: httpx.Client) -> None:
        answers = [anyone.post("/v1/players", json={"name": "Ada"}) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [201, 201]
        one, other = (answer.json() for answer in answers)
        assert sorted(one) == ["player_id", "token"]
        assert one["player_id"] != other["player_id"]
        assert one["token"] != other["token"]
        assert len(one["token"]) >= 32

    @pytest.mark.parametrize("body", [{}, {"name": ""}, {"name": 7}, {"name": None}, {"name": "x" * 101}, [], "Ada"])
    def test_a_player_without_a_fitting_name_is_refused(self, anyone: httpx.Client, body: Any) -> None:
        check_problem(anyone.post("/v1/players", json=body), 422, "body")

    def test_a_whole_game_goes_through_its_states_to_a_score(self, client: httpx.Client) -> None:
        game_id = new_game(client)
        states = []
        for message_type, payload in (
            ("Q21WARMUPRESPONSE", {"answer": "6"}),
            ("Q21QUESTIONSBATCH", questions()),
            ("Q21GUESSSUBMISSION", GUESS),
        ):
            states.append(client.get(f"/v1/games/{game_id}").json()["state"])
            assert client.post("/v1/outbox", json=player_message(message_type, game_id, payload)).status_code == 202
        messages = messages_of(client)
        assert kinds(messages) == ["Q21WARMUPCALL", "Q21ROUNDSTART", "Q21ANSWERSBATCH", "Q21SCOREFEEDBACK"]
        assert states == ["warmup", "questions", "guess"]
        shown = client.get(f"/v1/games/{game_id}").json()
        feedback = messages[3]["payload"]
        assert shown == {
            "game_id": game_id,
            "state": "over",
            "private_score": feedback["private_score"],
            "league_points": feedback["league_points"],
        }
        assert feedback["breakdown"]["associative_word_score"] == 50.0

    def test_another_message_under_an_id_that_was_taken_is_not_read(self, client: httpx.Client) -> None:
        game_id = new_game(client)
        first = player_message("Q21WARMUPRESPONSE", game_id, {"answer": "6"})
        client.post("/v1/outbox", json=first)
        for message_type, payload in (("Q21QUESTIONSBATCH", questions()), ("Q21QUESTIONSBATCH", {})):
            second = {**first, "message_type": message_type, "payload": payload}
            answer = client.post("/v1/outbox", json=second)
            assert (answer.status_code, answer.json()) == (202, {"message_id": first["message_id"]})
        assert client.get(f"/v1/games/{game_id}").json()["state"] == "questions"
        assert kinds(messages_of(client)) == ["Q21WARMUPCALL", "Q21ROUNDSTART"]

    def test_openapi_describes_every_endpoint_of_the_contract(self, anyone: httpx.Client) -> None:
        answer = anyone.get("/openapi.json")
        assert answer.status_code == 200
        paths = answer.json()["paths"]
        described = {
            (method.upper(), path, min(spec["responses"])) for path in paths for method, spec in paths[path].items()
        }
        assert described == {
            ("POST", "/v1/players", "201"),
            ("POST", "/v1/games", "201"),
            ("GET", "/v1/inbox", "200"),
            ("POST", "/v1/outbox", "202"),
            ("GET", "/v1/games/{game_id}", "200"),
            ("GET", "/healthz", "200"),
        }


class TestRefusals:
    @pytest.mark.parametrize(("method", "path"), PROTECTED)
    @pytest.mark.parametrize("authorization", [None, "Bearer", "Bearer wrong token", "Basic d3Jvbmc="])
    def test_a_missing_or_wrong_token_is_401(
        self, anyone: httpx.Client, method: str, path: str, authorization: str | None
    ) -> None:
        headers = {} if authorization is None else {"Authorization": authorization}
        check_problem(anyone.request(method, path, headers=headers, json={}), 401, "Authorization must be Bearer")

    def test_another_players_game_is_404_and_its_outbox_refused(
        self, client: httpx.Client, other: httpx.Client
    ) -> None:
        game_id = new_game(other)
        check_problem(client.get(f"/v1/games/{game_id}"), 404, f"game_id must be of a game of this player, .*{game_id}")
        reply = player_message("Q21WARMUPRESPONSE", game_id, {"answer": "6"})
        check_problem(
            client.post("/v1/outbox", json=reply), 422, "game_id must be of a game that was given to this player"
        )
        assert other.get(f"/v1/games/{game_id}").json()["state"] == "warmup"
        assert messages_of(client) == []
        assert len(messages_of(other)) == 1

    @pytest.mark.parametrize("game_id", ["9999999", "x", "%00", "%ED%A0%80", "1" * 5_000])
    def test_an_unknown_game_is_404(self, client: httpx.Client, game_id: str) -> None:
        check_problem(client.get(f"/v1/games/{game_id}"), 404)

    @pytest.mark.parametrize(
        ("changes", "detail"),
        [
            *(({"message_id": value}, "message_id must be a string") for value in (None, "", 7, ["m"])),
            *(({"game_id": value}, "game_id must be of a game") for value in (None, ["0101001"], "0000000")),
            ({"message_type": None}, "message_type must be a string"),
            ({"message_type": "Q21QUESTIONSBATCH"}, "Q21WARMUPRESPONSE must come first"),
        ],
    )
    def test_a_bad_envelope_is_refused_and_the_game_stays(
        self, client: httpx.Client, changes: dict[str, Any], detail: str
    ) -> None:
        game_id = new_game(client)
        reply = {**player_message("Q21WARMUPRESPONSE", game_id, {"answer": "6"}), **changes}
        check_problem(client.post("/v1/outbox", json=reply), 422, detail)
        assert client.get(f"/v1/games/{game_id}").json()["state"] == "warmup"
        mended = reply | player_message("Q21WARMUPRESPONSE", game_id, {"answer": "6"})
        assert client.post("/v1/outbox", json=mended).status_code == 202, "also under the message_id that was refused"

    @pytest.mark.parametrize("path", ["/v1/players", "/v1/outbox"])
    @pytest.mark.parametrize(
        "body",
        [
            *(pytest.param(body, id=body.decode()) for body in (b"", b"{", b"not json", b"null", b"[]", b"7", b"NaN")),
            pytest.param(b"\xff\xfe", id="no UTF-8"),
            pytest.param(b'{"name": ' + b"[" * 50_000 + b"]" * 50_000 + b"}", id="nested too deeply"),
            pytest.param(b'{"name": ' + b"9" * 5_000 + b"}", id="a number too long"),
        ],
    )
    def test_a_bad_body_is_a_client_error_and_no_fault_of_the_server(
        self, client: httpx.Client, path: str, body: bytes
    ) -> None:
        answer = client.post(path, content=body, headers={"Content-Type": "application/json"})
        assert 400 <= answer.status_code < 500
        check_problem(answer, answer.status_code)

    @pytest.mark.parametrize(
        "query",
        ["wait_s=31", "wait_s=-1", "wait_s=nan", "wait_s=inf", "wait_s=soon", "after=-1", "after=x", "after=1.5"],
    )
    def test_an_inbox_beyond_its_range_is_refused(self, client: httpx.Client, query: str) -> None:
        check_problem(client.get(f"/v1/inbox?{query}"), 422, f"query.{query.partition('=')[0]}")

    @pytest.mark.parametrize(
        ("method", "path", "status"),
        [("GET", "/v1/nothing", 404), ("GET", "/", 404), ("GET", "/v1/outbox", 405), ("DELETE", "/v1/games", 405)],
    )
    def test_an_unknown_path_or_method_is_a_problem_too(
        self, anyone: httpx.Client, method: str, path: str, status: int
    ) -> None:
        check_problem(anyone.request(method, path), status)


class TestLongPoll:
    def test_it_returns_after_wait_s_when_none_arrives(self, client: httpx.Client) -> None:
        started = time.monotonic()
        answer = client.get("/v1/inbox?wait_s=0.5").json()
        waited_s = time.monotonic() - started
        assert answer == {"messages": [], "cursor": "0"}
        assert 0.5 <= waited_s < 5.0

    def test_many_polls_wait_at_once_and_each_gets_its_message(self, url: str, anyone: httpx.Client) -> None:
        clients = [new_player(url, anyone) for _ in range(12)]
        with ThreadPoolExecutor(len(clients)) as pool:
            polls = [pool.submit(client.get, "/v1/inbox?wait_s=20") for client in clients]
            time.sleep(0.3)
            assert not any(poll.done() for poll in polls)
            game_ids = [new_game(client) for client in clients]
            received = [poll.result().json()["messages"][0]["game_id"] for poll in polls]
        for client in clients:
            client.close()
        assert received == game_ids


class TestLocalGameServer(GameServerContract):
    @pytest.fixture
    def server(self, practice: PracticeServer) -> GameServer:
        return LocalGameServer(practice, "tester")

    @pytest.fixture
    def other(self, practice: PracticeServer) -> GameServer:
        return LocalGameServer(practice, "other")


class TestHttpGameServer(GameServerContract):
    @pytest.fixture
    def server(self, url: str) -> Iterator[GameServer]:
        yield from registered(url)

    @pytest.fixture
    def other(self, url: str) -> Iterator[GameServer]:
        yield from registered(url)


def registered(url: str) -> Iterator[HttpGameServer]:
    server = HttpGameServer(url)
    server.register("tester")
    yield server
    server.close()


class TestManyGames:
    def test_24_games_at_once_by_8_players_over_http_all_reach_a_score(self, url: str, anyone: httpx.Client) -> None:
        tokens = [anyone.post("/v1/players", json={"name": f"player {n}"}).json()["token"] for n in range(8)]
        player = dense_player(course(), questions_pool=60)
        start = threading.Barrier(24)

        def whole_game(token: str) -> tuple[GameReport, str]:
            server = HttpGameServer(url, token, timeout_s=60.0)
            start.wait(timeout=60.0)
            report = play(server, player, name="many", timeout_s=60.0)
            state = server.game(report.game_id).state
            server.close()
            return report, state

        with ThreadPoolExecutor(24) as pool:
            played = list(pool.map(whole_game, [tokens[n % 8] for n in range(24)]))
        assert len({report.game_id for report, _ in played}) == 24
        assert {state for _, state in played} == {"over"}
        # the hint is a sentence of the paragraph, and the oracle answers rightly
        assert [report.score.breakdown["opening_sentence_score"] for report, _ in played] == [100.0] * 24

    def test_two_threads_that_send_one_message_at_once_get_one_reply(self) -> None:
        practice = PracticeServer(small_repertoire(), seed=0)
        _, token = practice.register("tester")
        for number in range(1, 21):
            game_id = practice.start_game(token)
            reply = message("Q21WARMUPRESPONSE", {}, game_id, f"m{number}")
            with ThreadPoolExecutor(8) as pool:
                assert set(pool.map(practice.receive, [token] * 8, [reply] * 8)) == {f"m{number}"}
            assert len(practice.messages(token, 0)[0]) == 2 * number

    def test_the_seed_chooses_the_order(self) -> None:
        assert len(set(hints(3, 12))) == 12, "every game comes once before one comes again"
        assert hints(3, 24) == hints(3, 12) * 2
        assert hints(3, 12) != hints(4, 12)


def hints(seed: int, n: int) -> list[str]:
    """The hints of the first n games of a new server."""
    practice = PracticeServer(small_repertoire(), seed=seed)
    _, token = practice.register("tester")
    for _ in range(n):
        practice.receive(token, message("Q21WARMUPRESPONSE", {}, game_id := practice.start_game(token), game_id))
    starts = [found for found in practice.messages(token, 0)[0] if found["message_type"] == "Q21ROUNDSTART"]
    return [start["payload"]["book_hint"] for start in starts]


class Failing:
    """A referee that cannot answer the first question it is ever asked."""

    def __init__(self) -> None:
        self.failed = False

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[Answer]:
        if not self.failed:
            self.failed = True
            raise ZeroDivisionError
        return ["A"] * len(questions)


def test_a_message_that_the_referee_failed_on_may_be_sent_again() -> None:
    practice = PracticeServer(small_repertoire(Failing()), seed=0)
    _, token = practice.register("tester")
    game_id = practice.start_game(token)
    practice.receive(token, message("Q21WARMUPRESPONSE", {}, game_id, "m1"))
    sent = message("Q21QUESTIONSBATCH", questions(), game_id, "m2")
    with pytest.raises(ZeroDivisionError):
        practice.receive(token, sent)
    assert practice.receive(token, sent) == "m2"
    assert kinds(practice.messages(token, 0)[0])[2:] == ["Q21ANSWERSBATCH"]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return make_store(tmp_path_factory.mktemp("practice"), course())


@pytest.mark.usefixtures("fast_models")
class TestLoadingACourse:
    def load(self, store: Course, path: Path, settings: Settings) -> Repertoire:
        referee = make_referee("oracle")
        assert referee is not None
        return load_repertoire(store, path, referee, settings)

    def test_games_whose_paragraph_is_in_the_store_are_played_with_it(
        self, tmp_path: Path, store: Course, settings: Settings
    ) -> None:
        games = course_games(course())
        path = write_games(tmp_path / "games.jsonl", map(record_of, games))
        loaded = self.load(store, path, settings).games
        assert [(game.game_id, found.paragraph_id) for game, found in loaded] == [
            (game.game_id, game.paragraph_id) for game in games
        ]

    def test_lost_and_unanswerable_games_are_left_out(self, tmp_path: Path, store: Course, settings: Settings) -> None:
        lost = record_of(labelled_game(game_id="lost", paragraph_id="gamma:1:1"))
        unanswerable = {**record_of(labelled_game(game_id="no")), "paragraph_id": None}
        games = [lost, unanswerable, record_of(course_games(course())[4])]
        loaded = self.load(store, write_games(tmp_path / "games.jsonl", games), settings).games
        assert [game.game_id for game, _ in loaded] == ["g5"]

    def test_games_of_another_course_are_refused(self, tmp_path: Path, store: Course, settings: Settings) -> None:
        path = write_games(tmp_path / "games.jsonl", [record_of(labelled_game())])
        with pytest.raises(GamesError, match=r"games\.jsonl: at least one game must be about .*, none of 1 is"):
            self.load(store, path, settings)


@pytest.fixture
def taken_port() -> Iterator[int]:
    with listen("127.0.0.1", 0) as listener:
        yield listener.getsockname()[1]


class TestPort:
    def test_a_server_that_has_stopped_leaves_its_port_free(self) -> None:
        with serving(create_app(PracticeServer(small_repertoire(), seed=0))) as url:
            port = int(url.rpartition(":")[2])
            assert httpx.get(f"{url}/healthz", trust_env=False).status_code == 200
        listen("127.0.0.1", port).close()

    @pytest.mark.parametrize("port", [-1, 65_536])
    def test_a_port_beyond_the_range_is_refused(self, port: int) -> None:
        with pytest.raises(PortError, match=f"got {port}: .*0-65535"):
            listen("127.0.0.1", port)


class TestServeCommand:
    def games(self, tmp_path: Path) -> str:
        return str(write_games(tmp_path / "games.jsonl", map(record_of, course_games(course()))))

    def refused(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
        """The one line of a command that must exit with 2 before it serves."""
        assert run_main(main, "serve", *arguments) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.count("\n") == 1
        return captured.err

    def test_a_port_in_use_exits_with_2_and_one_line(
        self, tmp_path: Path, store: Course, taken_port: int, capsys: pytest.CaptureFixture[str]
    ) -> None:
        arguments = ("--store", store.location, "--games", self.games(tmp_path), "--port", str(taken_port))
        said = rf"evaluate serve: --port must be free on 127.0.0.1, got {taken_port}: .*; stop its program"
        assert re.match(said, self.refused(capsys, *arguments))

    @pytest.mark.parametrize(
        ("arguments", "holds"),
        [
            (["--referee", "none"], "--referee must answer questions to serve games, got none; take oracle"),
            (["--referee", "strict"], "--referee must be none, or terms of sees:"),
            (["--store", "nowhere"], "--store must be a folder made by ingest, got nowhere"),
            (["--games", "nowhere.jsonl"], "--games must be a readable file, got nowhere.jsonl"),
        ],
    )
    def test_bad_input_exits_with_2_and_one_line(
        self, store: Course, capsys: pytest.CaptureFixture[str], arguments: list[str], holds: str
    ) -> None:
        assert holds in self.refused(capsys, "--store", store.location, "--port", "0", *arguments)

    def test_it_serves_in_a_process_of_its_own_until_it_is_interrupted(self, tmp_path: Path, store: Course) -> None:
        command = [sys.executable, "-m", "evaluate", "serve", "--store", store.location, "--port", "0"]
        command += ["--games", self.games(tmp_path), "--seed", "1", "--referee", "noisy:0.1,0.1"]
        with_signals = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}  # ignored by `make test &`
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(command, cwd=ROOT, text=True, **pipes, **with_signals)  # type: ignore[call-overload]
        try:
            assert process.stderr is not None
            announced = process.stderr.readline()
            found = re.search(r"practice game server on (http://127\.0\.0\.1:\d+) with 12 games", announced)
            assert found, announced
            server = HttpGameServer(found[1], timeout_s=30.0)
            server.register("tester")
            report = play(server, dense_player(course(), questions_pool=60), name="tester", timeout_s=60.0)
            assert server.game(report.game_id).state == "over"
            server.close()
        finally:
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=240)
        assert (process.returncode, out) == (130, "")
        assert err == "evaluate serve: interrupted\n"


def test_nothing_that_a_player_can_fetch_before_the_score_holds_the_secret(practice: PracticeServer, url: str) -> None:
    _, token = practice.register("curious")
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=url, headers=headers, trust_env=False, timeout=30.0) as client:
        game_id = client.post("/v1/games").json()["game_id"]
        seen = []
        for message_type, payload in (("Q21WARMUPRESPONSE", {}), ("Q21QUESTIONSBATCH", questions())):
            seen.append(client.post("/v1/outbox", json=player_message(message_type, game_id, payload)).text)
            paths = ("/v1/inbox", f"/v1/games/{game_id}", "/openapi.json", "/docs", "/healthz", "/v1/games", "/")
            seen += [client.get(path).text for path in paths]
    start = next(m for m in practice.messages(token, 0)[0] if m["message_type"] == "Q21ROUNDSTART")
    hint = start["payload"]["book_hint"]
    game, paragraph = next(pair for pair in small_repertoire().games if pair[0].hint == hint)
    told = " ".join(seen).replace(hint, "")
    assert paragraph.opening_sentence not in told
    assert paragraph.paragraph_id not in told
    assert game.associative_word not in told


tried = tried_with(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture],
)


_server = PracticeServer(small_repertoire(), seed=0)
_, _token = _server.register("tester")


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


TURNS: tuple[tuple[str, Json], ...] = (
    ("Q21WARMUPRESPONSE", {}),
    ("Q21QUESTIONSBATCH", questions()),
    ("Q21GUESSSUBMISSION", GUESS),
)


@tried
@given(
    n_before=some.integers(0, 3),
    message_type=types,
    payload=payloads,
    extra=some.dictionaries(some.text(max_size=6), anything, max_size=2),
)
def test_no_message_fails_the_server_or_stops_the_game(
    n_before: int, message_type: object, payload: object, extra: dict[str, object]
) -> None:
    client = TestClient(create_app(_server), raise_server_exceptions=False)
    headers = {"Authorization": f"Bearer {_token}", "Content-Type": "application/json"}
    game_id = client.post("/v1/games", headers=headers).json()["game_id"]
    junk = {**extra, **player_message("X", game_id, {}), "message_type": message_type, "payload": payload}
    sent = [player_message(kind, game_id, content) for kind, content in TURNS]
    for number, envelope in enumerate([*sent[:n_before], junk, *sent[n_before:]]):
        answer = client.post("/v1/outbox", headers=headers, content=json.dumps(envelope))
        assert answer.status_code == 202 or (number == n_before and answer.status_code == 422)
    assert client.get(f"/v1/games/{game_id}", headers=headers).json()["state"] == "over"
