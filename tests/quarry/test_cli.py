"""What all command lines share; a command that is run without its packages says what to do, without a traceback."""

import contextlib
import logging
import os
import re
import sys

import pytest
from cyclopts import App

from quarry.cli import log_as_lines, run, run_command
from quarry.command import main
from tests.fakes import run_python

MISSING = (
    f" is missing from {re.escape(sys.executable)}\\. Run `make play` and use \\.venv/bin/python, "
    r"or pip install 'quarry-lectures\[evaluate\]'\.\n"
)


@pytest.mark.long
@pytest.mark.parametrize(
    ("package", "words"),
    [
        (r"\w+", "-S run_game.py --help"),
        (r"\w+", "-S -m ingest --help"),
        (r"\w+", "-S -m player --help"),
        (r"\w+", "-S -m evaluate --help"),
        (r"\w+", "-S -m quarry --help"),
        ("fastapi", "-c {} play"),
        ("numpy", "-c {} search"),
    ],
)
def test_a_command_without_a_package_says_how_to_install_it(
    package: str, words: str
) -> None:
    without = f"import sys; sys.modules[{package!r}] = None"
    code = f"{without}; from quarry.__main__ import main; sys.exit(main())"
    done = run_python(*[word.format(code) for word in words.split()])
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(f"{package}{MISSING}", done.stderr)


def test_a_text_that_is_not_unicode_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["search", "--hint", "caf\udce9"]) == 2
    line = "quarry: 'caf\\udce9' is not UTF-8; save or type it as UTF-8\n"
    assert capsys.readouterr().err == line


def test_a_text_that_the_locale_cannot_read_is_refused_with_the_remedy() -> None:
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    words = ("-m", "quarry", "search", "--hint", "é".encode())
    done = run_python(*words, env=ascii_only)  # type: ignore[arg-type]
    fault = "cannot be read, since this locale is ascii; set PYTHONUTF8=1"
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"quarry: '\\udcc3\\udca9' {fault}\n"


def test_a_reader_that_closes_the_pipe_ends_a_command_with_0() -> None:
    def print_to_closed_pipe() -> int:
        try:
            raise BrokenPipeError
        except BrokenPipeError:
            sys.exit(1)

    with open(os.devnull, "w") as closed, contextlib.redirect_stdout(closed):
        assert run_command(print_to_closed_pipe) == 0


def test_own_code_that_exits_is_an_error_of_the_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    app = App(name="quarry", result_action="return_value")
    app.meta.default(lambda: sys.exit("no licence"))
    assert run(app, []) == 2
    assert capsys.readouterr().err == (
        "quarry: code of your own ended the command (SystemExit: no licence); let it raise an error instead\n"
    )


def test_log_records_of_our_packages_are_lines_of_the_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with log_as_lines("do"):
        logging.getLogger("quarry.store").info("%s is odd", "it\x1b")
        logging.getLogger("quarry.store").debug("nobody reads this")
    assert capsys.readouterr().err == "do: it\\x1b is odd\n"
    assert logging.getLogger("ingest").handlers == []
