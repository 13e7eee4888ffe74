"""The command `quarry`: its names, its messages, the user's project, and what it says about itself."""

import functools
import importlib.metadata
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from configs.project import find_project
from evaluate.commands.options import find_games_file
from player.round import Guess, RoundStart, Score
from quarry.cli import StoreOptions
from quarry.store.folder import CONTENT_FILE
from quarry.version import __version__
from tests.evaluate.fakes import (
    ABOUT,
    commands,
    labelled_game,
    make_store,
    record_of,
    write_games,
)
from tests.evaluate.fakes import run_line as quarry
from tests.fakes import ROOT, each, in_terminal, read_page, run_python
from tests.player.fakes import course, opened


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder is an empty one."""
    monkeypatch.chdir(tmp_path)


def test_help_names_every_command() -> None:
    groups = {name.partition(" ")[0] for name in commands()}
    for line in ("", "--help"):
        code, out, _ = quarry(line)
        assert code == 0
        assert groups <= {*re.findall(r"(?m)^│ ([a-z]+)  ", out)}


def test_reader_that_stops_listening_is_no_error() -> None:
    listening, speaking = os.pipe()
    os.close(listening)
    command = [sys.executable, "-m", "quarry", "--help"]
    subprocess.run(command, cwd=ROOT, check=True, stdout=speaking)
    os.close(speaking)


def test_help_imports_no_command() -> None:
    heavy = {"numpy", "chromadb", "player", "evaluate", "ingest"}
    code = f"from quarry.command import *; main(['--help']); import sys; print({heavy!r} & {{*sys.modules}})"
    assert run_python("-c", code).stdout.endswith("set()\n")


def test_each_command_has_its_own_help_with_an_example_and_takes_a_config() -> None:
    for name in commands():
        code, out, _ = quarry(f"{name} --help")
        assert code == 0
        usage, _, example = out.partition("Example: ")
        assert usage.startswith(f"Usage: quarry {name} ")
        assert "--config PATH" in usage, name
        assert example.startswith(f"quarry {name}")
        assert quarry(f"{name} --config nowhere.yaml").refusal


def test_an_unknown_command_is_refused_in_one_line() -> None:
    for line, says in (
        ("plya", 'Unknown command "plya". Did you mean "play"? '),
        ("games chck", "(see quarry games --help)"),
    ):
        assert says in quarry(line).refusal


@pytest.mark.parametrize(
    "option",
    [
        "search --hint x --k",
        "tune --trials",
        "replay --limit",
        "replay --repeats",
        "replay --seed",
        "replay --workers",
        "play --games",
        "play --at-once",
        "play --seed",
        "serve --port",
        "studio --port",
        "games draw a.pdf --reader r --cut c --out o --n",
    ],
)
def test_a_fraction_is_no_whole_number(option: str) -> None:
    name = option.rsplit(maxsplit=1)[-1]
    says = (
        f'Invalid value for {name}: unable to convert "2.5" into a whole number (see '
    )
    assert says in quarry(f"{option} 2.5").refusal


@pytest.mark.long
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a file of Linux")
def test_the_code_is_the_same_on_a_full_disk() -> None:
    command = [sys.executable, "-m", "quarry", "serch"]
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(command, stderr=full, cwd=ROOT, check=False)
    assert done.returncode == 2


INTERRUPTED = """import importlib.abc, os, runpy, signal, sys

class Interrupt(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {name!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
sys.path.insert(0, "")
sys.argv = sys.argv[1:]
if sys.argv[0].endswith(".py"):
    runpy.run_path(sys.argv[0], run_name="__main__")
else:
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


@pytest.mark.long
@pytest.mark.parametrize("command", ["quarry search", "ingest", "run_game.py"])
@pytest.mark.parametrize(
    ("module", "handler", "ending"),
    [
        ("configs.errors", signal.SIG_DFL, (130, "quarry: interrupted\n")),
        ("configs.errors", signal.SIG_IGN, (0, "")),
        ("quarry.interrupts", signal.SIG_DFL, (-signal.SIGINT, "")),
    ],
    ids=["early", "ignored", "before anything is imported"],
)
def test_an_interrupt_while_modules_are_imported_prints_no_traceback(
    command: str, module: str, handler: signal.Handlers, ending: tuple[int, str]
) -> None:
    heed = functools.partial(signal.signal, signal.SIGINT, handler)
    words = ["-c", INTERRUPTED.format(name=module), *command.split(), "--help"]
    done = run_python(*words, preexec_fn=heed)
    assert (done.returncode, done.stderr) == ending
    assert bool(done.stdout) == (done.returncode == 0)


def test_what_a_machine_refuses_is_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for error, says in (
        (
            PermissionError(13, "Permission denied", "private/r.json"),
            "private/r.json: Permission denied; allow this user",
        ),
        (MemoryError(), "the memory is used up; allow more memory"),
    ):
        failing = property(Mock(side_effect=error))
        monkeypatch.setattr(StoreOptions, "location", failing)
        assert f"quarry search: {says}" in quarry("search --hint x").refusal


def test_values_of_the_nearest_file_are_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "quarry.toml").write_text('store = "~/courses"\n')
    inner = tmp_path / "course/week"
    inner.mkdir(parents=True)

    monkeypatch.chdir(inner)
    monkeypatch.setenv("HOME", "/home/ada")
    assert find_project().store == "/home/ada/courses"
    values = 'store = "http://chroma:8000"\ngames = "games.jsonl"\npreset = "fast"\n'
    # with a byte order mark, as Notepad writes one
    (tmp_path / "course/quarry.toml").write_text(values, encoding="utf-8-sig")
    assert StoreOptions().location == "http://chroma:8000"
    assert StoreOptions("named").location == "named"
    assert StoreOptions("~/named").location == "/home/ada/named"
    assert find_games_file(None) == tmp_path / "course/games.jsonl"
    assert "quarry.toml: preset 'fast' is unknown" in quarry("replay").refusal


def test_games_of_the_project_leave_a_person_alone_with_the_player() -> None:
    Path("quarry.toml").write_text('games = "games.jsonl"\n')
    assert "holds no store" in quarry("play --referee me --store nowhere").refusal


DEEP = "[" * 100_000


def test_a_wrong_project_file_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "week").mkdir()
    monkeypatch.chdir("week")
    for content, says in (
        ('stroe = "x"', "has no key 'stroe'; it has store, games"),
        ("store = 3", "store is 3; it must be a text in quotation marks"),
        ('store = "a\\u0000b"', "store is 'a\\x00b'; it must be a text"),
        (f"store = '{'x' * 9_000}'", "at most 4000 characters"),
        ("store = my/store", '; write lines such as store = "my/store"'),
        (f"store = {DEEP}", "is not a TOML file"),
        ("\udcff", "is not a TOML file"),
        ("#" * 60_000_000, "more than 200000 bytes"),
    ):
        path = tmp_path / "quarry.toml"
        path.write_text(content, errors="surrogateescape")
        refusal = quarry("search --hint x").refusal

        assert says in refusal
        assert len(refusal) < 600 + len(str(tmp_path)), says
        path.unlink()


def test_what_is_missing_is_named_with_its_cost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    version = importlib.metadata.version

    def find(name: str) -> str:
        if name == "uvicorn":
            raise importlib.metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr("importlib.metadata.version", find)
    monkeypatch.setattr("evaluate.commands.doctor.ocr_languages", tuple)
    monkeypatch.setenv("QUARRY_MODELS", ".")
    findings = quarry("doctor --json --store nowhere").json["findings"]
    states = {finding["what"]: finding["state"] for finding in findings}
    assert findings[0]["detail"].endswith(f" in {ROOT}")
    assert states["quarry"] == "ok"
    assert states["OCR"] == states["store"] == states["evaluate"] == "missing"
    assert "uvicorn is not installed" in each(findings, "detail")
    costs = "".join(each(findings, "cost"))
    assert "Scanned pages are not read" in costs
    assert "Practice games, studio and measures do not work" in costs
    # the detail of a missing store names the command that makes it
    assert "quarry ingest" not in costs


def test_a_damaged_store_is_an_error_for_doctor() -> None:
    make_store("hurt", course()[:1])
    (content,) = Path("hurt").glob(f"*/{CONTENT_FILE}")
    content.write_bytes(b"PK")
    done = quarry("doctor --store hurt")
    assert done.code == 1
    assert re.search("error +store +.*hurt", done.out)


def test_a_project_that_cannot_be_read_is_an_error_for_doctor() -> None:
    for text, says in (
        ('stor = "x"', "quarry.toml has no key 'stor'"),
        ('preset = "defalt"', "did you mean default"),
    ):
        Path("quarry.toml").write_text(text)
        done = quarry("doctor")
        assert done.code == 1, text
        assert done.err == "", text
        assert re.search(f"error +project .*{says}", done.out)
        assert re.search("ok +folders", done.out), text


def test_doctor_opens_the_collection_that_is_named() -> None:
    make_store("mine", course()[:2], collection="other")
    assert "2 paragraphs" in quarry("doctor --store mine --collection other").out


def test_a_game_that_was_played_is_listed_and_shown() -> None:
    with opened(Path("games.sqlite"), "http://server\x1b[2J", "me") as journal:
        key = journal.add_game()
        start = RoundStart("m", "trees", "tall plants", "")
        journal.update(key, game_id="0101001", start=start, answers=["A"])
        breakdown = {"opening_sentence_score": 31.25}
        score = Score(27.31234, 1, breakdown, {"opening_sentence": "half"})
        guess = Guess("Trees grow.", "Because.", "wood", "Why.", 0.81234)
        journal.update(key, ending="over", guess=guess, score=score)
        for game_id in ("1", "", "0101001"):
            journal.update(journal.add_game(), game_id=game_id, ending="given up")

    listed = "0101001   LOST       27.3  trees: tall plants  (server http://server"
    about = ("hint   tall plants", "guess  Trees grow.", "sure   81%")
    ending = ("  opening sentence: half", "27.3 of 100, league points 1", "LOST")
    for line, *says in (
        ("list", "began (UTC)", listed, "-         given up"),
        ("list --lost", "0101001   LOST"),
        ("show 1", *about, *ending, "1 also names 2: "),
        ("show 3", "-         given up"),
        ("show 0101001", "0101001 also names 1: quarry games show NUMBER"),
    ):
        code, out, err = quarry(f"games {line} --journal games.sqlite")
        assert code == 0
        for text in says:
            assert text in f"{out} {err}"
        assert {"\x1b", "_"}.isdisjoint(out)
    absent = quarry("games show 7 --journal games.sqlite").refusal
    assert "holds no game '7'" in absent
    assert "does not exist" in quarry("games list --journal nowhere").refusal


def test_completion_knows_every_command_its_options_and_their_values() -> None:
    for shell in ("bash", "zsh", "fish"):
        script = quarry(f"completion {shell}").out
        for text in ("tune", "practice-games", "validation", "minilm"):
            assert text in script


COMPLETED = {
    "tune --storage my": r"my\ study.db",
    "search --preset mi": "mine.yaml",
    "search --preset sub/": "sub/other.yaml",
    "compare --presets dual,mi": r"\,mine.yaml",
    "play --referee noisy:0.1": r"noisy:0.15\,0.10",
    "play --referee sees:n": "sees:name",
}
"""Words that are typed before the tabulator, and what they become in bash."""


@pytest.mark.long
@pytest.mark.timeout(180)
def test_bash_completes_files_with_blanks_presets_and_referees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("my study.db", "mine.yaml", "sub/other.yaml"):
        (tmp_path / name).touch()
    (tmp_path / "script").write_text(quarry("completion bash").out)

    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "300")
    shell = "import os; os.execlp('bash', 'bash', '--norc', '--noprofile', '-i')"
    with in_terminal("-c", shell, folder=tmp_path) as (_, terminal):
        os.write(terminal, b"source ./script\n")
        for typed, completed in COMPLETED.items():
            os.write(terminal, f"quarry {typed}\t".encode())
            shown = ""
            while completed not in shown:
                shown += os.read(terminal, 10_000).decode()
            os.write(terminal, b"\x15")


def test_what_is_wrong_with_games_is_counted_and_shown_without_escape_codes() -> None:
    make_store("store", course())
    game = record_of(labelled_game()) | {"game_id": "\x1b[2J", "typo": 1}
    write_games(Path("games.jsonl"), [game, game | {"game_id": "g2"}])

    code, *streams = quarry(f"games check {ABOUT}")
    printed = "".join(streams)
    assert code == 1
    assert "\x1b" not in printed
    for text in (
        "\\x1b[2J",
        "Unknown key 'typo' in 2 lines; the keys are ",
        "games.jsonl: 2 games, 4 things wrong",
    ):
        assert text in printed


def test_the_version_is_that_of_the_changelog() -> None:
    changelog = read_page("CHANGELOG.md")
    number, rest = re.findall(r"(?m)^## (\S+) ?(.*)$", changelog)[0]
    suffix = ".dev0" if rest == "(unreleased)" else ""
    assert __version__ == number + suffix
