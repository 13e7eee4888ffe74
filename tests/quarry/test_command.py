"""The command `quarry`: its names, its messages, the user's project, and what it says about itself."""

import contextlib
import functools
import json
import re
import signal
from pathlib import Path

import pytest

from configs.project import find_project
from ingest.console.arguments import command_of
from player.command import main as search
from player.game.journal import Journal
from player.protocol.messages import RoundStart
from quarry.command import COMMANDS, main
from tests.evaluate.fakes import (
    labelled_game,
    make_store,
    record_of,
    run_main,
    write_games,
)
from tests.fakes import each, run_python
from tests.player.fakes import course

Output = pytest.CaptureFixture[str]


def test_help_names_every_command(capsys: Output) -> None:
    for arguments in ([], ["--help"]):
        assert run_main(main, *arguments) == 0
        shown = capsys.readouterr().out
        listed = re.findall(r"^  (\S+(?: \w+)?)  ", shown, re.MULTILINE)
        assert listed == list(COMMANDS)


def test_each_command_has_its_own_help_with_an_example_and_takes_a_config(
    capsys: Output,
) -> None:
    for name in COMMANDS:
        assert run_main(main, *name.split(), "--help") == 0
        usage, _, example = capsys.readouterr().out.partition("example:\n")
        assert usage.startswith(f"usage: quarry {name}")
        assert "--config FILE" in usage, name
        assert example.startswith(f"  quarry {name}")


def test_an_unknown_command_is_refused_in_one_line(capsys: Output) -> None:
    assert run_main(main, "plya") == 2
    told = capsys.readouterr().err
    assert "take play, ingest, search, " in told
    assert told.count("\n") == 1


INTERRUPTED = """import importlib.abc, os, runpy, signal, sys

class Interrupt(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "ingest.errors":
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


@pytest.mark.parametrize(
    "command", ["quarry replay", "evaluate replay", "ingest", "run_game.py"]
)
@pytest.mark.parametrize("ignored", [False, True])
def test_an_interrupt_while_modules_are_imported_prints_no_traceback(
    command: str, ignored: bool
) -> None:
    handler = signal.SIG_IGN if ignored else signal.SIG_DFL
    words = ["-c", INTERRUPTED, *command.split(), "--help"]
    heed = functools.partial(signal.signal, signal.SIGINT, handler)
    done = run_python(*words, preexec_fn=heed)
    interrupted = (130, "quarry: interrupted\n")
    assert (done.returncode, done.stderr) == ((0, "") if ignored else interrupted)
    assert bool(done.stdout) == ignored


def test_messages_name_the_command_that_was_typed(
    tmp_path: Path, capsys: Output
) -> None:
    missing = ("--store", str(tmp_path / "none"), "--hint", "x")
    for command, name in ((main, "quarry"), (search, "player")):
        assert run_main(command, "search", *missing) == 2
        line = capsys.readouterr().err
        assert line.startswith(f"{name} search: ")
        assert "run: quarry ingest PATH" in line


def test_values_of_the_nearest_file_are_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.quarry]\nstore = "below"\n')
    inner = tmp_path / "course" / "week"
    inner.mkdir(parents=True)

    monkeypatch.chdir(inner)
    assert find_project().store == str(tmp_path / "below")
    values = 'store = "http://chroma:8000"\ngames = "games.jsonl"\npreset = "fast"\n'
    (tmp_path / "course" / "quarry.toml").write_text(values)
    replay = command_of(COMMANDS, "replay").parser("x").parse_args([])
    assert (replay.store, replay.preset) == ("http://chroma:8000", "fast")
    assert replay.games == tmp_path / "course" / "games.jsonl"


def test_games_of_the_project_leave_a_person_alone_with_the_player(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Output,
) -> None:
    (tmp_path / "quarry.toml").write_text('games = "games.jsonl"\n')
    monkeypatch.chdir(tmp_path)
    command = "play --referee me --store nowhere"
    assert run_main(main, *command.split()) == 2
    assert "holds no store" in capsys.readouterr().err


def test_a_wrong_file_is_refused_in_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Output,
) -> None:
    monkeypatch.chdir(tmp_path)
    for command, content, says in (
        ("search --hint x", 'stroe = "x"', "has no key 'stroe'; it has store, games"),
        ("play", "store = 3", "store is 3; it must be a text in quotation marks"),
        ("doctor", "store", "is not a TOML file"),
    ):
        (tmp_path / "quarry.toml").write_text(content)
        assert run_main(main, *command.split()) == 2
        error = capsys.readouterr().err
        assert says in error
        assert error.count("\n") == 1


def test_what_is_missing_is_named_with_its_cost(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Output,
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("QUARRY_MODELS", str(tmp_path))
    command = f"doctor --json --store {tmp_path / 'none'}"
    assert run_main(main, *command.split()) == 0
    findings = json.loads(capsys.readouterr().out)["findings"]
    states = {finding["what"]: finding["state"] for finding in findings}
    assert states["quarry"] == "ok"
    assert states["Tesseract"] == states["store"] == "missing"
    assert "Scanned pages are not read" in "".join(each(findings, "cost"))


def test_a_game_that_was_played_is_listed_and_shown(
    tmp_path: Path, capsys: Output
) -> None:
    path = tmp_path / "games.sqlite"
    with contextlib.closing(Journal(path, "http://server\x1b[2J", "me")) as journal:
        key = journal.ask()
        start = RoundStart("m", "trees", "tall plants", "")
        journal.update(key, game_id="0101001", start=start, answers=["A"])
        journal.update(key, ending="over")

    for arguments, code, says in (
        (f"list --journal {path}", 0, "0101001"),
        (f"show 0101001 --journal {path}", 0, "hint   tall plants"),
        (f"show 7 --journal {path}", 2, "holds no game '7'"),
        (f"list --journal {tmp_path / 'none'}", 2, "does not exist"),
    ):
        assert run_main(main, "games", *arguments.split()) == code
        printed = capsys.readouterr()
        assert says in printed.out + printed.err
        assert "\x1b" not in printed.out


def test_completion_knows_every_command_and_its_options(capsys: Output) -> None:
    for shell in ("bash", "zsh"):
        assert run_main(main, "completion", shell) == 0
        script = capsys.readouterr().out
        for text in ("calibrate", "--practice-games", "--hint"):
            assert text in script


def test_what_is_wrong_with_games_is_counted_and_shown_without_escape_codes(
    tmp_path: Path, capsys: Output
) -> None:
    store = make_store(tmp_path / "store", course()).location
    game = record_of(labelled_game()) | {"game_id": "\x1b[2J", "typo": 1}
    games = write_games(tmp_path / "games.jsonl", [game, game | {"game_id": "g2"}])
    command = f"games check --store {store} --games {games}"
    assert run_main(main, *command.split()) == 1
    printed = "".join(capsys.readouterr())
    assert "\x1b" not in printed
    assert "\\x1b[2J" in printed
    assert "Unknown key 'typo' in 2 lines; the keys are " in printed
    assert f"{games}: 2 games, 4 things wrong" in printed
