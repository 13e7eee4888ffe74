"""Whole games by the command, over real HTTP, and one line for everything that cannot be played."""

import io
import json
import logging
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from configs.directories import default_journal
from configs.settings import load
from evaluate.commands import play as run_game
from evaluate.practice.routes import listen
from evaluate.practice.server import PracticeServer
from player.errors import PlayerError
from player.game.client import HttpGameServer
from player.game.loop import Loop
from quarry.embed.models import load_embedder
from quarry.store import open_store
from tests.evaluate.fakes import (
    Output,
    make_course,
    make_store,
    run_line,
)
from tests.fakes import each, use_hashing_embedder
from tests.player.fakes import check_reply, course, opened

QUICK = "--store store --config quick.yaml"
LABELLED = f"{QUICK} --practice-games games.jsonl"
"""Options of games about the small course that weigh few questions."""


def run(line: str) -> Output:
    return run_line(f"play {line}")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of the small course, labelled games, and settings that weigh few questions."""
    folder = tmp_path_factory.mktemp("run-game")
    make_course(folder)
    quick = "game: {questions_pool: 60, request_timeout_s: 2, game_timeout_s: 60}\n"
    (folder / "quick.yaml").write_text(quick)
    return folder


@pytest.fixture(autouse=True)
def _home(
    files: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    """The folder is the current one, the home an empty one, and a model is loaded by a test with `models_dir` only."""
    monkeypatch.chdir(files)
    monkeypatch.delenv("QUARRY_TOKEN", raising=False)
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path / "home"))
    if "models_dir" not in request.fixturenames:
        use_hashing_embedder(monkeypatch)


def played(line: str) -> list[dict[str, Any]]:
    """The games that the command prints as one JSON document."""
    return list(run(f"--json {line}").json["games"])


def games_of(
    practice: PracticeServer,
    url: str,
    player: str,
) -> set[str]:
    """The ids of the games that a player has begun, by the token in the journal."""
    with opened(default_journal()) as journal:
        token = journal.token(url, player)
    messages, _ = practice.players[token].inbox("", 0.0)
    return {message["game_id"] for message in messages}


def check_game(game: dict[str, Any]) -> None:
    """What must hold of any game, won or lost."""
    assert 0.0 <= game["private_score"] <= 100.0
    assert game["league_points"] in (0, 1, 2, 3)
    assert len(game["answers"]) == 20
    check_reply(game["questions"], game["guess"])


@pytest.mark.long
def test_a_whole_game_with_the_real_model_against_a_practice_server_of_its_own(
    models_dir: Path,
) -> None:
    embedder = load_embedder("minilm", models_dir, load().embed)
    make_store("read", course(), embedder)
    (game,) = played("--store read --practice-games games.jsonl --seed 3")
    check_game(game)

    assert game["candidates"] == 24  # two readings of each opening sentence
    # the hint is a sentence of the paragraph, and the oracle answers rightly
    assert game["breakdown"]["opening_sentence_score"] == 100.0
    assert game["private_score"] >= 50.0
    assert game["elapsed_s"] > 0.0


# against the practice server


def test_each_game_is_a_line_that_says_where_it_was_played_and_why_it_guessed() -> None:
    noisy = "--referee noisy:0.3,0.2 --games 3 --seed 3 --json"
    result = run(f"{LABELLED} {noisy}")
    begins = [line[:9] for line in result.out.splitlines()]
    assert begins == ['{"games":', *['{"time": '] * 3, "]}"]
    ends = [line[-8:] for line in result.err.splitlines()]
    assert ends == ["(1 of 3)", "(2 of 3)", "(3 of 3)"]

    place = {"location": "store", "fingerprint": open_store("store").fingerprint}
    for game in result.json["games"]:
        check_game(game)
        assert datetime.fromisoformat(game["time"]).tzinfo is not None
        told = {"preset": "default", "server": "practice", "player": "quarry"}
        assert game.items() >= {**told, "store": place}.items()
        assert "opening_sentence" in game["feedback"]
        assert set(each(game["evidence"], "answer")) <= set("ABCD")
        bits = each(game["evidence"], "bits")
        assert bits == sorted(bits, reverse=True)


def test_a_course_without_labelled_games_is_practised_on_with_made_games() -> None:
    (game,) = played(f"{QUICK} --seed 1")
    check_game(game)
    assert 5 <= len(game["hint"].split()) <= 15


def test_without_json_the_game_is_shown_with_a_legend_and_the_wrong_answers() -> None:
    shown = " ".join(run(f"{LABELLED} --seed 3 --referee constant:B").out.split())
    for pattern in (
        "Belief that it is this one:",
        r"score \d+\.\d of 100, league points [0-3]",
        r"the secret: \w+ p\d+: ",
        r"answers that do not fit the secret: \d+ B(, \d+ B)*",
    ):
        assert re.search(pattern, shown)


def test_a_person_may_be_the_referee_without_labelled_games(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    typed = b"first\ngrammar caf\xe9\n\n" + b"A\n" * 20 + b"n\n"
    stdin = io.TextIOWrapper(io.BytesIO(typed), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", stdin)
    code, out, err = run(f"{QUICK} --referee me")
    assert (code, err) == (0, "")
    assert "grammar caf\ufffd" in out
    assert "The guess was wrong." in out


@pytest.mark.parametrize(
    "option",
    [
        "--seed 3",
        "--journal none",
        "--token secret",
        "--player me",
        "--json",
    ],
)
def test_with_a_person_options_without_effect_are_refused(option: str) -> None:
    refused = run(f"{QUICK} --referee me {option}")
    assert refused.code == 2
    assert "--referee me is played here, with you alone" in refused.err


def test_if_all_games_fail_the_document_is_empty_and_the_exit_code_1(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failed = iter([PlayerError("game a failed"), PlayerError("game b failed")])
    monkeypatch.setattr(Loop, "play", lambda *_: failed)
    result = run(f"{QUICK} --json --games 2")
    assert result.code == 1
    assert json.loads(result.out) == {"games": []}
    assert "game a failed" in result.err


def test_the_exit_code_says_whether_a_game_was_played_before_the_input_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for n_played, code in ((0, 2), (1, 1)):
        typed = "first\ngrammar\n\n" + "A\n" * 20 + "n\n"
        monkeypatch.setattr("sys.stdin", io.StringIO(typed * n_played + "first\n"))
        ended = run(f"{QUICK} --referee me --games 2")
        assert ended.code == code
        assert "the input ended before the game did" in ended.err, n_played


def test_the_default_store_is_made_from_the_bundled_lectures(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ingested: list[Any] = []

    def make(paths: list[Path], location: str, _: object, **options: Any) -> None:
        ingested.append((paths, options))
        logging.getLogger("ingest").info("one line a lecture")
        make_store(location, course())

    monkeypatch.setattr(run_game, "ingest", make)
    lines: list[str] = []
    for _ in range(2):
        result = run("--json --config quick.yaml --practice-games games.jsonl")
        assert result.code == 0
        lines += result.err.splitlines()
    options = {"collection": "course", "progress": True}
    assert ingested == [([run_game.BUNDLED_LECTURES], options)]
    store = tmp_path / "home/store"
    assert (store / "course.1").is_dir()
    assert lines[:2] == [
        f"quarry play: making {store} from the bundled lectures",
        "quarry play: one line a lecture",
    ]
    assert len(lines) == 4, "and a line a game"


# against another server


def test_a_series_that_is_interrupted_shows_what_is_over_and_goes_on_when_it_is_started_again(
    url: str, practice: PracticeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    series = f"{QUICK} --server {url} --player Grace --at-once 3"
    inbox, n_before = HttpGameServer.inbox, len(practice.games)

    def interrupted(*arguments: Any) -> Any:
        # three run at once, so that five are over
        if len(practice.games) >= n_before + 8:
            raise KeyboardInterrupt
        return inbox(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(HttpGameServer, "inbox", interrupted)
        result = run(f"{series} --json --games 100000")
    assert result.code == 130
    score = r"game \d+: score .* of 100, league points \d \(\d+ of 100000\)\n"
    assert re.fullmatch(rf"({score})*quarry play: interrupted\n", result.err)

    games = json.loads(result.out)["games"]
    assert games
    begun = games_of(practice, url, "Grace")
    n_missing = len(begun) - len(games)
    assert n_missing > 0, "it was interrupted between two games"
    games += played(f"{series} --games {n_missing}")
    assert {*each(games, "game_id")} == begun
    for game in games:
        check_game(game)


def test_the_token_that_a_server_gave_is_kept_for_the_next_run_and_ones_own_is_not(
    url: str, practice: PracticeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = f"{QUICK} --server {url} --player Emmy"
    games = played(line) + played(line)
    assert each(games, "server") == [url] * 2
    begun = games_of(practice, url, "Emmy")
    assert default_journal().stat().st_mode & 0o077 == 0, "the owner's alone"
    assert begun == {*each(games, "game_id")}
    (third,) = played(f"{line} --journal none")
    assert third["game_id"] not in begun
    assert games_of(practice, url, "Emmy") == begun, "without a journal nothing is kept"

    token = practice.register()
    runs = [run(f"{line} --token {token}")]
    monkeypatch.setenv("QUARRY_TOKEN", token)
    runs.append(run(f"{line} --json"))
    for code, out, err in runs:
        assert code == 0
        assert token not in out + err
    assert token.encode() not in default_journal().read_bytes()

    (fourth,) = runs[-1].json["games"]
    messages, _ = practice.players[token].inbox("", 0.0)
    assert fourth["game_id"] in {message["game_id"] for message in messages}


def test_what_cannot_be_played_exits_with_2_and_one_line_without_secrets(
    url: str,
) -> None:
    with listen("127.0.0.1", 0) as listener:
        nobody = f"http://127.0.0.1:{listener.getsockname()[1]}"
    none = "The referee none answers no questions, so that no game can be played; take oracle"
    # a server is checked before the store is opened
    early = "--store nowhere --server http://h/?key=s3cret"

    for options, *says in (
        ("--practice-games nowhere", "nowhere cannot be read"),
        ("--referee none", none),
        ("--collection other", "--store store holds no collection 'other'"),
        ("--referee oracel --store nowhere", "'oracel' is unknown"),
        ("--server localhost:9999", "write http://localhost:9999"),
        (early, "The address of the server is not of the form"),
        (f"--server {url} --referee oracle", "--referee cannot be combined with"),
        ("--token s3cret", "--token needs --server"),
        (f"--server {url} --token s3cret", f"{url} does not know the token (401)"),
        (
            f"--server {url} --token s3crét",
            "The token (--token or QUARRY_TOKEN) has spaces",
        ),
        (f"--server {nobody}", f"{nobody} does not answer: ", "Check --server"),
    ):
        store = "" if "--store" in options else "--store store"
        refusal = run(f"--config quick.yaml --json {store} {options}").refusal
        assert refusal.startswith("quarry play: ")
        assert "s3cret" not in refusal
        for text in says:
            assert text in refusal
