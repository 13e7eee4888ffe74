"""Whole games by the command, over real HTTP, and one line for everything that cannot be played."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from datetime import datetime
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from configs.directories import default_journal
from configs.settings import load
from evaluate.practice.http import create_app, listen, serving
from evaluate.practice.server import PracticeServer
from ingest.embed.models import load_embedder
from ingest.store import open_store
from player.game.journal import Journal
from player.words import words
from quarry import play as run_game
from tests.evaluate.fakes import (
    course_games,
    make_store,
    record_of,
    run_main,
    small_repertoire,
    use_hashing_embedder,
    write_games,
)
from tests.fakes import each
from tests.player.fakes import course

Output = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QUARRY_TOKEN", raising=False)


@pytest.fixture(autouse=True)
def _own_journal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path / "default"))


@pytest.fixture
def fast_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model is loaded, neither the player's nor the referee's."""
    use_hashing_embedder(monkeypatch)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_store(tmp_path_factory.mktemp("run-game"), course()).location


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("games") / "games.jsonl"
    return str(write_games(path, map(record_of, course_games(course()))))


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Settings that weigh few questions and wait for no server."""
    path = tmp_path_factory.mktemp("settings") / "quick.yaml"
    path.write_text(
        "game: {questions_pool: 60, request_timeout_s: 2, game_timeout_s: 60}\n",
        encoding="utf-8",
    )
    return str(path)


@pytest.fixture(scope="module")
def about(store: str, quick: str) -> tuple[str, ...]:
    """Options of a quick game about the small course."""
    return ("--store", store, "--config", quick)


@pytest.fixture(scope="module")
def labelled(about: tuple[str, ...], games: str) -> tuple[str, ...]:
    """The same with its labelled games."""
    return (*about, "--practice-games", games)


@pytest.fixture(scope="module")
def practice() -> PracticeServer:
    return PracticeServer(small_repertoire(), seed=0)


@pytest.fixture(scope="module")
def url(practice: PracticeServer) -> Iterator[str]:
    """A practice server that was started apart from the command."""
    with serving(create_app(practice)) as url:
        yield url


def played(capsys: Output, *arguments: str) -> list[dict[str, Any]]:
    """The games that the command prints as one JSON document."""
    assert run_main(run_game.main, "--json", *arguments) == 0
    games: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["games"]
    return games


def refused(capsys: Output, *arguments: str) -> str:
    """The one line on standard error of a command that must exit with 2."""
    assert run_main(run_game.main, *arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def games_of(practice: PracticeServer, url: str, player: str) -> set[str]:
    """The ids of the games that a player has begun, by the token in the journal."""
    with contextlib.closing(Journal(default_journal())) as journal:
        token = journal.token(url, player)
    messages, _ = practice.players[str(token)].inbox("", 0.0)
    return set(map(itemgetter("game_id"), messages))


def check_game(game: dict[str, Any]) -> None:
    """What must hold of any game, won or lost."""
    assert re.fullmatch(r"\d{7}", game["game_id"])
    assert 0.0 <= game["private_score"] <= 100.0
    assert game["league_points"] in (0, 1, 2, 3)
    for number, question in enumerate(game["questions"], 1):
        assert question["question_number"] == number
        assert question["question_text"].strip()
        assert list(question["options"]) == ["A", "B", "C", "D"]
        assert len(set(question["options"].values())) == 4
    assert len(game["questions"]) == len(game["answers"]) == 20
    assert set(game["answers"]) <= {"A", "B", "C", "D", "Not Relevant"}
    guess = game["guess"]
    assert 30 <= len(guess["sentence_justification"].split()) <= 50
    assert 20 <= len(guess["word_justification"].split()) <= 30
    assert guess["associative_word"].strip()
    assert 0.0 <= guess["confidence"] <= 1.0


def test_a_whole_game_with_the_real_model_against_a_practice_server_of_its_own(
    tmp_path: Path, models_dir: Path, games: str, capsys: Output
) -> None:
    settings = load()
    embedder = load_embedder("minilm", models_dir, settings.embed)
    store = make_store(tmp_path / "store", course(), embedder)
    arguments = ("--store", store.location, "--practice-games", games, "--seed", "3")
    (game,) = played(capsys, *arguments)
    check_game(game)
    assert game["candidates"] == 24  # two readings of each opening sentence
    # the hint is a sentence of the paragraph, and the oracle answers rightly
    assert game["breakdown"]["opening_sentence_score"] == 100.0
    assert game["private_score"] >= 50.0
    assert game["elapsed_s"] > 0.0


@pytest.mark.usefixtures("fast_models")
class TestPractice:
    def test_each_game_is_a_line_that_says_where_it_was_played_and_what_spoke_for_the_guess(
        self, store: str, labelled: tuple[str, ...], capsys: Output
    ) -> None:
        arguments = (*labelled, "--games", "3", "--seed", "3")
        noisy = ("--referee", "noisy:0.3,0.2", "--json")
        assert run_main(run_game.main, *arguments, *noisy) == 0
        captured = capsys.readouterr()
        begins = [line[:9] for line in captured.out.splitlines()]
        assert begins == ['{"games":', *['{"time": '] * 3, "]}"]
        for number, line in enumerate(captured.err.splitlines(), 1):
            assert line.endswith(f"({number} of 3)")
        assert number == 3

        fingerprint = open_store(store).fingerprint
        for game in json.loads(captured.out)["games"]:
            check_game(game)
            assert datetime.fromisoformat(game["time"]).tzinfo is not None
            assert game["preset"] == "default"
            assert (game["server"], game["player"]) == ("practice", "quarry")
            assert game["store"] == {"location": store, "fingerprint": fingerprint}
            assert "opening_sentence" in game["feedback"]
            assert set(map(itemgetter("answer"), game["evidence"])) <= set("ABCD")
            bits = [*map(itemgetter("bits"), game["evidence"])]
            assert bits == sorted(bits, reverse=True)

    def test_a_course_without_labelled_games_is_practised_on_with_games_that_are_made(
        self, about: tuple[str, ...], capsys: Output
    ) -> None:
        (game,) = played(capsys, *about, "--seed", "1")
        check_game(game)
        assert 5 <= len(game["hint"].split()) <= 15
        for item in course():
            if item.opening_sentence == game["guess"]["opening_sentence"]:
                is_shared = bool({*words(game["hint"])} & {*words(item.text)})
                assert game["private_score"] < 100.0 or not is_shared

    def test_without_json_the_game_is_shown_with_a_legend_and_the_wrong_answers(
        self, labelled: tuple[str, ...], capsys: Output
    ) -> None:
        arguments = (*labelled, "--seed", "3", "--referee", "constant:B")
        (game,) = played(capsys, *arguments)
        assert run_main(run_game.main, *arguments) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert game["hint"] in shown
        assert re.search(r"score \d+\.\d of 100, league points [0-3]", shown)
        assert "Belief that it is this one:" in shown
        assert re.search(r"wrong answers: (\d+ \(B, rightly [ACD]\)(, )?)+", shown)

    def test_a_person_may_be_the_referee_without_labelled_games(
        self,
        about: tuple[str, ...],
        capsys: Output,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        lines = [b"first", b"grammar caf\xe9", b""]
        lines += [*[b"A"] * 20, b"n", b""]
        typed = io.BytesIO(b"\n".join(lines))
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(typed, encoding="utf-8"))
        assert run_main(run_game.main, *about, "--referee", "me") == 0
        captured = capsys.readouterr()
        assert captured.err == ""
        assert "grammar caf\ufffd" in captured.out
        assert "The guess was wrong." in captured.out

    def test_the_default_store_is_made_from_the_bundled_lectures(
        self,
        tmp_path: Path,
        games: str,
        quick: str,
        capsys: Output,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        ingested: list[list[Path]] = []

        def make(
            paths: list[Path],
            location: str,
            settings: Any,
            *,
            progress: bool,
        ) -> None:
            ingested.append(paths)
            assert progress
            logging.getLogger("ingest").info("one line a lecture")
            make_store(Path(location), course())

        monkeypatch.setenv("QUARRY_HOME", str(tmp_path / "data"))
        monkeypatch.setattr(run_game, "ingest", make)
        arguments = ("--json", "--practice-games", games, "--config", quick)
        for _ in range(2):
            assert run_main(run_game.main, *arguments) == 0
        captured = capsys.readouterr()
        assert ingested == [[run_game.LECTURES]]
        assert (tmp_path / "data" / "store" / "current").is_file()
        lines = captured.err.splitlines()
        assert (
            lines[0]
            == f"run_game: making {tmp_path}/data/store from the bundled lectures"
        )
        assert lines[1] == "run_game: one line a lecture"
        assert [line[:5] for line in lines[2:]] == ["game ", "game "]


@pytest.mark.usefixtures("fast_models")
class TestServer:
    def test_a_series_that_is_interrupted_shows_what_is_over_and_goes_on_when_it_is_started_again(
        self,
        about: tuple[str, ...],
        url: str,
        practice: PracticeServer,
        capsys: Output,
    ) -> None:
        server = ("--server", url, "--player", "Grace", "--at-once", "3")
        arguments = (*about, *server)
        over = threading.Event()

        def interrupt_after_some_games() -> None:
            while len(practice.matches) < 8:  # three run at once, so that five are over
                time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)
            while not over.wait(
                30
            ):  # Python drops an interrupt that falls into a finalizer
                os.kill(os.getpid(), signal.SIGINT)

        before = signal.signal(
            signal.SIGINT, signal.default_int_handler
        )  # ignored by `make test &`
        threading.Thread(target=interrupt_after_some_games, daemon=True).start()
        try:
            code = run_main(run_game.main, "--json", *arguments, "--games", "100000")
        finally:
            over.set()
            signal.signal(signal.SIGINT, before)
        captured = capsys.readouterr()
        assert code == 130
        *lines, last = captured.err.splitlines()
        assert last == "run_game: interrupted"
        score = r"game \d+: score .* of 100, league points \d \(\d+ of 100000\)"
        for line in lines:
            assert re.fullmatch(score, line)
        first = json.loads(captured.out)["games"]
        assert first
        begun = games_of(practice, url, "Grace")
        assert len(begun) > len(first), "it was interrupted between two games"
        rest = played(capsys, *arguments, "--games", str(len(begun) - len(first)))
        assert {*each([*first, *rest], "game_id")} == begun
        for game in [*first, *rest]:
            check_game(game)

    def test_the_token_that_a_server_gave_is_kept_for_the_next_run(
        self,
        about: tuple[str, ...],
        url: str,
        practice: PracticeServer,
        capsys: Output,
    ) -> None:
        arguments = (*about, "--server", url, "--player", "Emmy")
        first, second = (played(capsys, *arguments)[0] for _ in range(2))
        assert first["server"] == url
        begun = games_of(practice, url, "Emmy")
        assert default_journal().stat().st_mode & 0o077 == 0, "the owner's alone"
        assert begun == {first["game_id"], second["game_id"]}
        (third,) = played(capsys, *arguments, "--journal", "none")
        assert third["game_id"] not in begun
        again = games_of(practice, url, "Emmy")
        assert again == begun, "without a journal nothing is kept"

    def test_a_game_in_a_token_of_ones_own_is_journalled_without_showing_the_token(
        self,
        about: tuple[str, ...],
        url: str,
        practice: PracticeServer,
        tmp_path: Path,
        capsys: Output,
    ) -> None:
        token = practice.register()
        path = tmp_path / "mine.sqlite"
        own = ("--server", url, "--token", token, "--journal", str(path))
        assert run_main(run_game.main, *about, *own) == 0
        captured = capsys.readouterr()
        assert token not in captured.out + captured.err
        assert token.encode() not in path.read_bytes()

    def test_a_wrong_token_exits_with_2_and_is_not_shown(
        self, about: tuple[str, ...], url: str, capsys: Output
    ) -> None:
        line = refused(capsys, *about, "--server", url, "--token", "sesame-open")
        says = f"run_game: {url} does not know the token (401). Copy --token again"
        assert line.startswith(says)
        assert "sesame-open" not in line

    def test_an_unreachable_server_exits_with_2(
        self, about: tuple[str, ...], capsys: Output
    ) -> None:
        with listen("127.0.0.1", 0) as listener:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        line = refused(capsys, *about, "--server", url)
        assert line.startswith(f"run_game: {url} does not answer: ")
        assert "Check --server" in line


@pytest.mark.usefixtures("fast_models")
class TestBadInput:
    @pytest.mark.parametrize(
        ("arguments", "holds"),
        [
            (
                ["--practice-games", "nowhere.jsonl"],
                "--practice-games must be a readable file, got nowhere.jsonl",
            ),
            (
                ["--referee", "none"],
                "--referee must answer questions to play games, got none; take oracle",
            ),
            (["--token", "a b"], "--token must be plain ASCII without spaces"),
        ],
    )
    def test_it_exits_with_2_and_one_line(
        self, store: str, games: str, capsys: Output, arguments: list[str], holds: str
    ) -> None:
        line = refused(
            capsys, "--store", store, "--practice-games", games, "--json", *arguments
        )
        assert "run_game" in line.partition(":")[0]
        assert holds in line

    def test_a_server_is_checked_before_the_store_is_opened_and_its_secret_is_not_shown(
        self, capsys: Output
    ) -> None:
        line = refused(capsys, "--store", "nowhere", "--server", "http://h/?key=s3cret")
        assert "--server must be an address such as" in line
        assert "s3cret" not in line

    def test_options_of_the_practice_server_are_refused_with_another_server(
        self, capsys: Output
    ) -> None:
        line = refused(capsys, "--server", "http://127.0.0.1:9", "--referee", "oracle")
        assert line.startswith("run_game: --referee must be left out with --server")
