from __future__ import annotations

import pytest

from quarry.command import main
from tests.evaluate.fakes import run_main

Output = pytest.CaptureFixture[str]


def test_the_version_is_told(capsys: Output) -> None:
    assert run_main(main, "--version") == 0
    assert capsys.readouterr().out.startswith("quarry 0.")


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
    assert "the command must be one of play, ingest, search, serve, replay" in told
    assert told.count("\n") == 1


def test_bad_input_has_the_exit_code_of_the_command_itself(capsys: Output, tmp_path: object) -> None:
    assert run_main(main, "search", "--store", f"{tmp_path}/none", "--hint", "trees") == 2
    assert "no store there" in capsys.readouterr().err
