"""The practice game server: its HTTP to the letter, its games for many players at once, and its port."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from quarry.configs.settings import Settings
from quarry.evaluate.practice.server import (
    LocalGameServer,
    PracticeServer,
    Repertoire,
    create_app,
    load_repertoire,
    serving,
)
from quarry.evaluate.referee.spec import Posed, Secret
from quarry.ingest.store import Course
from quarry.player.game.loop import play
from quarry.player.protocol.client import GameServer, HttpGameServer
from quarry.player.protocol.messages import Json
from quarry.player.questions.answer import Answer
from tests.contracts.game_server import GUESS, GameServerContract, kinds, player_message, questions
from tests.evaluate.fakes import (
    course_games,
    make_store,
    message,
    record_of,
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
        check_problem(client.post("/v1/outbox", json=reply), 422, "game_id must be of a game of this player")
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


class TestLongPoll:
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
        return LocalGameServer(practice)

    @pytest.fixture
    def other(self, practice: PracticeServer) -> GameServer:
        return LocalGameServer(practice)


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
    def test_two_threads_that_send_one_message_at_once_get_one_reply(self) -> None:
        player = LocalGameServer(PracticeServer(small_repertoire(), seed=0))
        for number in range(1, 21):
            reply = message("Q21WARMUPRESPONSE", {}, player.request_game(), f"m{number}")
            with ThreadPoolExecutor(8) as pool:
                list(pool.map(player.send, [reply] * 8))
            assert len(player.inbox("", 0.0)[0]) == 2 * number

    def test_the_seed_chooses_the_order(self) -> None:
        assert len(set(hints(3, 12))) == 12, "every game comes once before one comes again"
        assert hints(3, 24) == hints(3, 12) * 2
        assert hints(3, 12) != hints(4, 12)


def hints(seed: int, n: int) -> list[str]:
    """The hints of the first n games of a new server."""
    player = LocalGameServer(PracticeServer(small_repertoire(), seed=seed))
    for _ in range(n):
        player.send(message("Q21WARMUPRESPONSE", {}, player.request_game()))
    starts = [found for found in player.inbox("", 0.0)[0] if found["message_type"] == "Q21ROUNDSTART"]
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
    player = LocalGameServer(PracticeServer(small_repertoire(Failing()), seed=0))
    game_id = player.request_game()
    player.send(message("Q21WARMUPRESPONSE", {}, game_id, "m1"))
    sent = message("Q21QUESTIONSBATCH", questions(), game_id, "m2")
    with pytest.raises(ZeroDivisionError):
        player.send(sent)
    player.send(sent)
    assert kinds(player.inbox("", 0.0)[0])[2:] == ["Q21ANSWERSBATCH"]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return make_store(tmp_path_factory.mktemp("practice"), course())


@pytest.mark.usefixtures("fast_models")
class TestLoadingACourse:
    def load(self, store: Course, path: Path, settings: Settings) -> Repertoire:
        return load_repertoire(store, path, "oracle", 0, settings)

    def test_games_whose_paragraph_is_in_the_store_are_played_with_it(
        self, tmp_path: Path, store: Course, settings: Settings
    ) -> None:
        games = course_games(course())
        path = write_games(tmp_path / "games.jsonl", map(record_of, games))
        loaded = self.load(store, path, settings).games
        assert [(game.game_id, found.paragraph_id) for game, found in loaded] == [
            (game.game_id, game.paragraph_id) for game in games
        ]


class TestServeCommand:
    def games(self, tmp_path: Path) -> str:
        return str(write_games(tmp_path / "games.jsonl", map(record_of, course_games(course()))))

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
    token = practice.register()
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=url, headers=headers, trust_env=False, timeout=30.0) as client:
        game_id = client.post("/v1/games").json()["game_id"]
        seen = []
        for message_type, payload in (("Q21WARMUPRESPONSE", {}), ("Q21QUESTIONSBATCH", questions())):
            seen.append(client.post("/v1/outbox", json=player_message(message_type, game_id, payload)).text)
            paths = ("/v1/inbox", f"/v1/games/{game_id}", "/openapi.json", "/docs", "/healthz", "/v1/games", "/")
            seen += [client.get(path).text for path in paths]
    start = next(m for m in practice.players[token].inbox("", 0.0)[0] if m["message_type"] == "Q21ROUNDSTART")
    hint = start["payload"]["book_hint"]
    game, paragraph = next(pair for pair in small_repertoire().games if pair[0].hint == hint)
    told = " ".join(seen).replace(hint, "")
    assert paragraph.opening_sentence not in told
    assert paragraph.paragraph_id not in told
    assert game.associative_word not in told
