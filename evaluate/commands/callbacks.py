"""The command `callbacks`: write a player for a league's process, and answer the calls that it sends as JSON."""

import argparse
import json
import os.path
import re
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import wait
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from configs.directories import ROOT, default_journal
from configs.errors import SettingsError
from configs.settings import is_file_name
from player.deadlines import Call, start_in_thread
from player.errors import JournalError
from player.game.callbacks import TIMEOUTS, Callbacks
from player.game.journal import Journal, open_journal
from player.player import build_player
from player.round import Json
from player.search.calibration import notices
from quarry import cli
from quarry.files import write_whole
from quarry.store import is_url, open_store

CALLS = ("get_warmup_answer", "get_questions", "get_guess", "on_score_received")
TEMPLATE = Path(__file__).with_name("league_player.py")
CLOSING_S = 10.0
"""Time for the replies to the last lines of the input."""


def serve(
    callbacks: Callbacks, lines: Iterable[bytes], write: Callable[[str], object]
) -> None:
    """Answer calls, one a line, at the same time; after "ready" each reply is a line with the id of its call.

    A call is {"id", "call": name of a callback, "ctx"}, a reply {"id", "reply"} or {"id", "error"}. A call may have
    "rounds"; see `Callbacks.continue_rounds`.
    """
    lock = threading.Lock()

    def send(message: Json) -> None:
        with lock:  # a line of its own, whatever a library printed before
            write(f"\n{json.dumps(message)}\n")

    def answer(line: bytes) -> None:
        send(_reply(callbacks, line))

    send({"ready": True})
    calls: list[Call[None]] = []
    for line in lines:
        if line.strip():
            calls = [call for call in calls if not call.done()]
            calls.append(start_in_thread(partial(answer, line)))
    wait(calls, CLOSING_S)


def _reply(callbacks: Callbacks, line: bytes) -> Json:
    """Return the reply to a line."""
    try:
        call = json.loads(line)
        number, name, ctx = call.get("id"), call["call"], call.get("ctx")
        callbacks.continue_rounds(call.get("rounds", ()))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {"id": None, "error": 'a line must be {"id", "call", "ctx"}'}
    if name not in CALLS:
        return {"id": number, "error": f"call must be one of {', '.join(CALLS)}"}
    return {"id": number, "reply": getattr(callbacks, name)(ctx)}


def write_player(path: Path, options: argparse.Namespace) -> None:
    """Write a player that starts this Python with the store and the settings of this command.

    Raises:
        SettingsError: the path is taken, or cannot be written.
        IngestError: there is no such store.
        JournalError: the named journal is unusable.
    """
    if path.is_dir():
        raise SettingsError(
            f"--write {path} is a folder; name a file, such as {path / 'my_player.py'}"
        )
    if os.path.lexists(path) and not options.force:
        raise SettingsError(f"--write {path} exists; --force replaces it")
    open_store(options.store, options.collection)
    open_journal(options.journal).close()
    values = {
        "PYTHON": sys.executable,
        "FOLDER": str(ROOT),
        "OPTIONS": _child_options(options),
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, value in values.items():
        empty = re.search(rf"^{name}\b.* = (.*)$", text, re.MULTILINE)
        assert empty is not None
        text = text[: empty.start(1)] + ascii(value) + text[empty.end(1) :]
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise SettingsError(
            f"--write {path} cannot be written: {error.strerror}"
        ) from error


def _child_options(options: argparse.Namespace) -> list[str]:
    """Return the command line of the child, which runs in another folder: paths are absolute."""
    store, preset = options.store, options.preset
    words = [
        *("--store", store if is_url(store) else _absolute(store)),
        *("--collection", options.collection),
        *("--preset", _absolute(preset) if is_file_name(preset) else preset),
    ]
    journal = options.journal or str(default_journal())
    words += ["--journal", journal if journal == "none" else _absolute(journal)]
    if options.config is not None:
        words += ["--config", _absolute(options.config)]
    for change in options.changes:
        words += ["--set", change]
    return words


def _absolute(path: str | Path) -> str:
    return os.path.abspath(path)


def _run(options: argparse.Namespace) -> int:
    if options.write is None and sys.stdin.isatty():
        raise SettingsError(
            "calls are read from standard input, one JSON object a line; --write FILE writes the player that sends them"
        )
    if options.write is not None:
        write_player(options.write, options)
        print(f"{options.write} plays with {options.store}: its class is MyPlayerAI")
        return 0

    store = open_store(options.store, options.collection)
    for notice in notices(store):
        cli.warn(options, notice)
    settings = options.settings
    phase_s = min(TIMEOUTS.phase_s, settings.game.phase_s)
    try:
        journal = open_journal(options.journal)
    except JournalError as error:  # a full disk must not end the games
        cli.warn(options, f"{error} Nothing is kept.")
        journal = Journal(None)
    with closing(journal):
        player = build_player(store, settings)
        callbacks = Callbacks(player, replace(TIMEOUTS, phase_s=phase_s), journal)

        def write(text: str) -> None:
            print(text, end="", flush=True)

        serve(callbacks, sys.stdin.buffer, write)
    return 0


COMMANDS = {
    "callbacks": cli.Command(
        "--write my_player.py    the player of a league's process; docs/guides/callbacks.md\n"
        "< calls.jsonl           what that player starts",
        (
            cli.path(
                "--write",
                "FILE",
                "write a player that needs Python's own library alone",
            ),
            cli.flag("--force", "replace the file if it exists"),
            *(cli.STORE, cli.COLLECTION, cli.PRESET),
            cli.option(
                "--journal",
                "FILE",
                "file of the rounds, so that a restart continues them; none keeps nothing (default: "
                f"{default_journal()})",
            ),
        ),
        _run,
    )
}
