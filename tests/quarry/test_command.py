from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from quarry.command import main
from tests.evaluate.fakes import run_main

Output = pytest.CaptureFixture[str]
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("arguments", [(), ("--help",)])
def test_help_names_every_command(arguments: tuple[str, ...], capsys: Output) -> None:
    assert run_main(main, *arguments) == 0
    told = capsys.readouterr().out
    assert all(name in told for name in ("play", "ingest", "search", "replay", "compare", "games check"))


@pytest.mark.parametrize("name", ["play", "ingest", "search", "replay", "tune"])
def test_each_command_has_its_own_help_under_the_name_it_was_called_by(name: str, capsys: Output) -> None:
    assert run_main(main, name, "--help") == 0
    assert capsys.readouterr().out.startswith(f"usage: quarry {name}")


def test_a_command_that_is_none_is_refused_in_one_line(capsys: Output) -> None:
    assert run_main(main, "plya") == 2
    told = capsys.readouterr().err
    assert "the command must be one of play, ingest, search, serve" in told
    assert told.count("\n") == 1


INTERRUPTED = """import importlib.abc, os, runpy, signal, sys

class Interrupt(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "quarry.ingest.errors":
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
    "command", ["quarry replay", "evaluate replay", "player search", "ingest", "run_game.py", "quarry search"]
)
@pytest.mark.parametrize("ignored", [False, True])
def test_an_interrupt_while_modules_are_imported_prints_no_traceback(command: str, ignored: bool) -> None:
    handler = signal.SIG_IGN if ignored else signal.SIG_DFL
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *command.split(), "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, handler),
    )
    assert (done.returncode, done.stderr) == (0 if ignored else 130, "")
    assert bool(done.stdout) == ignored
