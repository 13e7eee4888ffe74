"""The file that `quarry callbacks --write` writes, and the child process that it starts."""

import ast
import functools
import io
import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from configs.settings import load
from evaluate.commands.callbacks import answer_calls
from player.game import messages
from player.player import build_player
from player.round import Json
from quarry.store import open_store
from tests.evaluate.fakes import Output, make_store, run_line
from tests.fakes import DOTTED, ROOT, run_python
from tests.player.fakes import check_reply, course
from tests.player.game.test_callbacks import (
    N_ROUNDS,
    Replies,
    constant,
    contexts_of,
    forgetful,
    hint_of,
    played,
    with_ids,
    without_ids,
)

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]
PATIENT_S = 60.0
"""Time for a reply on a busy machine."""
OPTIONS = "--config own.yaml --set game.questions_pool=60"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store and its settings."""
    folder = tmp_path_factory.mktemp("league")
    make_store(folder / "store", course(), spec=DOTTED)
    (folder / "own.yaml").write_text(f"embed: {{own: {DOTTED}}}")
    return folder


@pytest.fixture(autouse=True)
def _here(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path / "home"))


def write(line: str) -> Output:
    store = "" if "--store" in line else "--store store"
    return run_line(f"callbacks {store} {OPTIONS} --write {line}")


Load = Callable[..., Any]
UsePython = Callable[[str], str]


@pytest.fixture
def player_file(tmp_path: Path) -> Path:
    """The file of a player."""
    path = tmp_path / "my_player.py"
    assert write(str(path)).code == 0
    return path


@pytest.fixture
def load_file(player_file: Path) -> Iterator[Load]:
    """Imports a player as a league's process does; ends its child processes afterwards."""
    modules = []

    def loaded(**constants: float) -> Any:
        module = ModuleType("my_player")
        exec(player_file.read_text("utf-8"), vars(module))
        vars(module).update(constants)
        modules.append(module)
        return module

    yield loaded
    for module in modules:
        end_children(module)


@pytest.fixture
def use_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> UsePython:
    """Lets a script take the place of Quarry's Python, and returns its path."""

    def used(text: str) -> str:
        script = tmp_path / "python"
        script.write_text(text)
        script.chmod(0o755)
        monkeypatch.setenv("QUARRY_PYTHON", str(script))
        return str(script)

    return used


def end_children(module: ModuleType) -> None:
    """Let no child be started again, kill those that run, and print nothing into the next test."""
    module.print = lambda *_, **__: None  # type: ignore[attr-defined]
    module.python = lambda: "/nowhere"  # type: ignore[attr-defined]
    for quarry in module._children.values():
        if quarry.child is not None:
            module.kill(quarry.child)


@pytest.fixture(scope="module")
def expected(folder: Path) -> list[Replies]:
    """Questions and guess of each round by the object in this process."""
    changes = ["game.questions_pool=60"]
    settings = load(config=folder / "own.yaml", changes=changes)
    player = build_player(open_store(str(folder / "store")), settings)
    callbacks = forgetful(player)
    replies = [played(callbacks, with_ids, number) for number in range(N_ROUNDS)]
    assert len({json.dumps(questions) for questions, _ in replies}) == N_ROUNDS
    return replies


def require_valid(questions: Json, guess: Json) -> None:
    check_reply(questions["questions"], guess)
    for question in questions["questions"]:
        assert question["question_text"] == question["text"]


@pytest.mark.parametrize("shape", [without_ids, constant])
def test_many_rounds_get_the_replies_of_the_object_though_the_child_is_killed(
    shape: Any, load_file: Load, expected: list[Replies]
) -> None:
    module = load_file(MAX_REPLY_S=PATIENT_S)
    for number, (questions, guess) in enumerate(expected):
        player = module.MyPlayerAI()  # some leagues make one for each call
        of_questions, of_guess = contexts_of(shape, number)
        assert player.get_questions(of_questions) == questions
        if number < 2:
            os.kill(module.quarry().child.pid, signal.SIGKILL)
        assert player.get_guess(of_guess) == guess
    assert len(module._children) == 1
    assert player.get_warmup_answer({"dynamic": {"warmup_question": "6 * 7"}}) == {
        "answer": "42"
    }


def test_the_file_says_whether_quarry_can_be_started(
    player_file: Path,
    use_python: UsePython,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bare = use_python(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')  # no packages
    for name, code, says in (
        ("", 0, "Quarry is ready to play."),
        ("/none", 1, "quarry: /none cannot be started"),
        (bare, 1, "is missing from"),
    ):
        monkeypatch.setenv("QUARRY_PYTHON", name)
        done = run_python(player_file.name, folder=player_file.parent)
        assert done.returncode == code, done.stderr
        assert says in done.stdout + done.stderr
        assert "Traceback" not in done.stderr


def test_two_threads_play_at_once(load_file: Load, expected: list[Replies]) -> None:
    player = load_file(MAX_REPLY_S=PATIENT_S).MyPlayerAI()
    play = functools.partial(played, player, with_ids)
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(play, range(12))) == expected[:12]


READY = """
import json, os, sys, time
print(json.dumps({"ready": True}), flush=True)
"""
HOSTILE = {
    "ends at once": "",
    "writes no line": "import time\ntime.sleep(600)",
    "floods": "while True: print('x' * 100_000, end='')",
    "is not ready": READY.replace('"ready"', '"red"') + "sys.stdin.read()",
    "does not read": f"{READY}time.sleep(600)",
}
for behaviour, work in {
    "hangs": "time.sleep(600)",
    "dies": "os._exit(1)",
    "talks nonsense": r"print('[]\n{\n{\"id\": 1}\n{\"id\": [1], \"reply\": 2}', flush=True)",
    "replies with the wrong things": 'print(json.dumps({"id": call["id"], "reply": {"questions": [{}] * 20, '
    '"answer": 7, "confidence": 2.0, "opening_sentence": ""}}), flush=True)',
    "does not like the call": 'print(json.dumps({"id": call["id"], "error": "no"}), flush=True)',
}.items():
    loop = f"for line in sys.stdin:\n    call = json.loads(line)\n    {work}"
    HOSTILE[behaviour] = READY + loop


@pytest.mark.parametrize("code", HOSTILE.values(), ids=HOSTILE)
def test_whatever_the_child_does_the_replies_are_valid_and_in_time(
    code: str,
    load_file: Load,
    use_python: UsePython,
    capfd: pytest.CaptureFixture[str],
) -> None:
    module = load_file(MAX_REPLY_S=0.3, FIRST_WAIT_S=0.3, MAX_START_S=1.0)
    use_python(f"#!{sys.executable}\n{code}")
    player = module.MyPlayerAI()
    for number, fields in enumerate(({"game_id": "1"}, {})):
        of_questions, of_guess = contexts_of(without_ids, number)
        of_questions["dynamic"] |= fields
        large = {"notes": "x" * 1_000_000}  # more than a pipe holds
        began = time.monotonic()
        warm = player.get_warmup_answer({"dynamic": {"warmup_question": "9 - 12?"}})
        questions = player.get_questions(of_questions)
        again = player.get_questions(of_questions)
        guess = player.get_guess({**of_guess, "service": fields | large})
        player.on_score_received({"dynamic": {"private_score": 1}})
        assert time.monotonic() - began < 20.0
        assert warm == {"answer": "-3"}
        assert questions == again
        require_valid(questions, guess)
        assert guess["opening_sentence"] == hint_of(number)
    printed = capfd.readouterr().err

    assert all(line.startswith("quarry: ") for line in printed.splitlines())


def test_answers_to_questions_of_the_file_itself_are_no_evidence(
    load_file: Load, expected: list[Replies]
) -> None:
    module = load_file(MAX_REPLY_S=0.2, FIRST_WAIT_S=0.0)
    player = module.MyPlayerAI()
    of_questions, of_guess = contexts_of(without_ids, 0)
    own = player.get_questions(of_questions)
    assert own != expected[0][0], "the child was still being started"
    module.MAX_REPLY_S = PATIENT_S
    blind = {"dynamic": {**of_questions["dynamic"], "answers": []}, "service": {}}
    guess = player.get_guess(of_guess)
    assert guess == player.get_guess(blind)
    assert guess["confidence"] > 0.0, "it is Quarry's"
    assert player.get_questions(of_questions) == own
    assert played(player, without_ids, 1) == expected[1]


def test_a_full_disk_costs_no_game(
    load_file: Load,
    expected: list[Replies],
    use_python: UsePython,
) -> None:
    use_python(f'#!/bin/sh\nulimit -f 0\nexec {sys.executable} "$@"\n')
    module = load_file(MAX_REPLY_S=PATIENT_S)
    player = module.MyPlayerAI()
    for number, replies in enumerate(expected[:2]):
        of_questions, of_guess = contexts_of(without_ids, number)
        questions = player.get_questions(of_questions)
        os.kill(module.quarry().child.pid, signal.SIGKILL)  # the file knows the round
        assert (questions, player.get_guess(of_guess)) == replies


def test_a_plain_guess_is_that_of_its_round(
    load_file: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUARRY_PYTHON", "/nowhere")
    player = load_file(MAX_REPLY_S=0.1).MyPlayerAI()
    contexts = [contexts_of(with_ids, number) for number in range(3)]
    for of_questions, _ in contexts:
        player.get_questions(of_questions)
    for number in (0, 2, 1):
        guess = player.get_guess(contexts[number][1])
        assert guess["opening_sentence"] == hint_of(number)
    assert player.get_guess({})["opening_sentence"] == hint_of(2)

    for question, answer in {
        "7 x 8": "56",
        "1 / 4": "0.25",
        "12.5 * 2": "25",
        "123456789 * 987654321": "121932631112635269",
        "2 / 3": "0.666666667",
    }.items():
        asked = {"dynamic": {"question": f"What is {question}?"}}
        assert player.get_warmup_answer(asked) == {"answer": answer}


def test_a_plain_reply_reads_the_fields_of_the_protocol_and_its_deadline(
    load_file: Load,
) -> None:
    module = load_file(MAX_REPLY_S=9.0)
    assert messages.ALIASES["deadline"] == module.DEADLINES
    assert {*module.HINTS} > {*messages.ALIASES["hint"]}

    def longest_s(**fields: Any) -> float:
        reply_s: float = module.max_reply_s({"dynamic": fields})
        return reply_s

    for name in module.DEADLINES:
        for limit in (4, 4.0, "4"):
            assert longest_s(**{name: limit}) == 2.0
            assert longest_s(payload={name: limit}) == 2.0
    for odd in (0, -1, "soon", "nan", 10**400, "2020-01-01T12:00:00Z"):
        assert longest_s(deadline=odd) == 9.0
        assert longest_s(deadline=odd, timeout=4) == 2.0

    moment = datetime.now(UTC) + timedelta(seconds=10)
    there = moment.astimezone(timezone(timedelta(hours=2)))
    plain = moment.replace(tzinfo=None).isoformat()
    for deadline in (plain, f"{plain}Z", moment.isoformat(), there.isoformat()):
        assert 0.0 < longest_s(deadline=deadline) <= 5.0, deadline


@pytest.mark.parametrize(
    "ctx", [None, 7, {}, {"dynamic": None}, {"dynamic": {"answers": object()}}]
)
def test_whatever_comes_the_replies_are_valid(ctx: Any, load_file: Load) -> None:
    player = load_file(MAX_REPLY_S=0.1, FIRST_WAIT_S=0.0).MyPlayerAI()
    circle: Json = {"dynamic": {}}
    circle["dynamic"]["self"] = circle
    for given in (ctx, circle):
        assert player.get_warmup_answer(given) == {"answer": "0"}
        require_valid(player.get_questions(given), player.get_guess(given))
        player.on_score_received(given)


def test_the_file_needs_the_library_of_python_3_9_alone(player_file: Path) -> None:
    text = player_file.read_text("utf-8")
    ast.parse(text, feature_version=(3, 9))
    packages = {*re.findall(r"(?m)^ *(?:import|from) (\w+)", text)}
    # only the program of the child imports Quarry
    assert packages - sys.stdlib_module_names == {"quarry"}
    assert player_file.stat().st_size < 20_000


def test_a_file_is_written_only_where_there_is_none_unless_told(tmp_path: Path) -> None:
    path = tmp_path / "my_player.py"
    path.write_text("mine")
    for line, says in {
        f"{path}": f"{path} exists; --force replaces it",
        f"{tmp_path}": "is a folder; name a file",
        f"{path}/x.py": "cannot be written: Not a directory",
        f"{tmp_path}/none/x.py": "cannot be written: No such file",
        f"{tmp_path}/new.py --store nowhere": "run: quarry ingest",
        f"{tmp_path}/new.py --preset fsat": "fsat",
        f"{tmp_path}/new.py --journal {tmp_path}": "Cannot use the journal",
    }.items():
        assert says in write(line).refusal
    assert path.read_text() == "mine"
    assert not (tmp_path / "new.py").exists()

    assert write(f"{path} --force").code == 0
    assert "class MyPlayerAI" in path.read_text()


def test_paths_of_the_command_line_are_those_of_the_folder_it_was_typed_in(
    folder: Path, tmp_path: Path
) -> None:
    assert write(f"{tmp_path}/a.py --journal j.sqlite --preset own.yaml").code == 0
    text = (tmp_path / "a.py").read_text()
    for name in ("store", "own.yaml", "j.sqlite"):
        assert f"'{folder / name}'" in text
    assert f"PYTHON = {sys.executable!r}" in text
    assert f"FOLDER = {str(ROOT)!r}" in text


def test_lines_that_are_no_calls_are_refused_and_the_others_answered() -> None:
    class Echo:
        def get_guess(self, ctx: Any) -> Any:
            return ctx

        def continue_rounds(self, rounds: Any) -> None:
            assert [*rounds] == []

    lines = [
        b"{",
        b"7",
        b"",
        b'{"call": "get_guess"}',
        b'{"id": 1, "call": "__init__"}',
        b'{"id": 1, "call": "get_guess", "rounds": null}',
        b'{"id": 3, "call": "get_guess", "rounds": 7}',
        b'{"id": 2, "call": "get_guess", "ctx": {"a": "\xd7\xa9"}}',
    ]
    written = io.StringIO()
    answer_calls(Echo(), lines, written.write)  # type: ignore[arg-type]
    lines_written = filter(None, written.getvalue().split("\n"))
    ready, *replies = map(json.loads, lines_written)
    assert ready == {"ready": True}
    assert {"id": 2, "reply": {"a": "ש"}} in replies
    assert {"id": None, "reply": None} in replies
    assert {"id": 1, "reply": None} in replies
    says = 'a line must be {"id", "call", "ctx"}'
    assert {"id": 3, "error": says} in replies
    assert len(replies) == 7
