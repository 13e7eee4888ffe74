"""The command `callbacks`: writes a player for a league's process, or answers the calls of that player."""

import json
import logging
import os.path
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, wait
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from configs.directories import ROOT, default_journal
from configs.errors import SettingsError
from configs.settings import is_file_name
from evaluate.errors import refuse_options, writing
from player.errors import JournalError
from player.game import messages
from player.game.callbacks import TIMEOUTS, Callbacks
from player.game.journal import Journal, open_journal
from player.player import build_player
from player.round import Json
from player.search.stores import open_course
from quarry.addresses import is_url
from quarry.cli import Overrides, ParsedOverrides, Preset, StoreOptions
from quarry.files import write_whole
from quarry.threads import start_in_thread

_log = logging.getLogger(__name__)
CALLS = ("get_warmup_answer", "get_questions", "get_guess", "on_score_received")
"""Names of the callbacks."""
LEAGUE_PLAYER = Path(__file__).with_name("league_player.py")
"""The player that is written, with empty values."""
CLOSING_S = 10.0
"""Maximum number of seconds for the replies to the last lines of the input."""


def answer_calls(
    callbacks: Callbacks, lines: Iterable[bytes], write: Callable[[str], object]
) -> None:
    """Answer calls in parallel; each line of the input is a call, and each line of the output a reply.

    The first line of the output is {"ready": true}. A call is {"id", "call": name of a callback, "ctx"}; its reply is
    {"id", "reply"} or {"id", "error"}. A call may have "rounds"; see `Callbacks.continue_rounds`.
    """
    lock = threading.Lock()

    def send(message: Json) -> None:
        with lock:  # begin a new line, in case a library has printed something
            write(f"\n{json.dumps(message)}\n")

    def answer(line: bytes) -> None:
        send(_reply(callbacks, line))

    send({"ready": True})
    calls: list[Future[None]] = []
    for line in lines:
        if line.strip():
            calls = [call for call in calls if not call.done()]
            calls.append(start_in_thread(partial(answer, line)))
    wait(calls, CLOSING_S)


def _reply(callbacks: Callbacks, line: bytes) -> Json:
    """Return the reply to a line of the input."""
    number = None
    try:
        call = json.loads(line)
        number = call.get("id")
        name, ctx = call["call"], call.get("ctx")
        callbacks.continue_rounds(call.get("rounds") or ())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {"id": number, "error": 'a line must be {"id", "call", "ctx"}'}
    if name not in CALLS:
        return {"id": number, "error": f"call must be one of {', '.join(CALLS)}"}
    return {"id": number, "reply": getattr(callbacks, name)(ctx)}


def write_player(path: Path, options: Sequence[str], *, is_replaced: bool) -> None:
    """Write a player that starts this Python with the command line `options`.

    Args:
        path: file to write.
        options: options of `quarry callbacks`.
        is_replaced: replace an existing file.

    Raises:
        SettingsError: the file exists, or cannot be written.
    """
    if path.is_dir():
        raise SettingsError(
            f"--write {path} is a folder; name a file, such as {path / 'my_player.py'}"
        )
    if os.path.lexists(path) and not is_replaced:
        raise SettingsError(f"--write {path} exists; --force replaces it")
    values = {
        'PYTHON = ""': sys.executable,
        'FOLDER = ""': str(ROOT),
        "OPTIONS: list[str] = []": [*options],
        "HINTS: tuple[str, ...] = ()": (*messages.ALIASES["hint"], "book_name"),
        "DEADLINES: tuple[str, ...] = ()": messages.ALIASES["deadline"],
    }
    text = LEAGUE_PLAYER.read_text(encoding="utf-8")
    for empty, value in values.items():
        name, _, _ = empty.partition(" = ")
        text = text.replace(empty, f"{name} = {value!a}", 1)

    with writing(path, "--write"):
        write_whole(path, text.encode())


def _build_child_options(
    at: StoreOptions, preset: str, journal: str, overrides: Overrides
) -> list[str]:
    """Return the command line of the child; paths are absolute, since it runs in another folder."""
    location = at.location
    words = [
        *("--store", location if is_url(location) else os.path.abspath(location)),
        *("--collection", at.collection),
        *("--preset", os.path.abspath(preset) if is_file_name(preset) else preset),
        *("--journal", journal if journal == "none" else os.path.abspath(journal)),
    ]
    if overrides.config is not None:
        words += ["--config", os.path.abspath(overrides.config)]
    for change in overrides.changes:
        words += ["--set", change]
    return words


def callbacks(
    *,
    write: Path | None = None,
    force: bool = False,
    journal: str | None = None,
    at: StoreOptions = StoreOptions(),
    preset: Preset = None,
    overrides: ParsedOverrides,
) -> None:
    """Write a player, or answer the calls of one until they end.

    Args:
        write: Write a player that needs Python's own library alone.
        force: Replace the file if it exists.
        journal: File of the rounds, so that a restart continues them; none keeps nothing (default: that of `play`).
    """
    if write is None:
        refuse_options({"--force": force}, "is for --write; leave it out")
        if sys.stdin.isatty():
            raise SettingsError(
                "calls are read from standard input, one JSON object a line; --write FILE writes the player that sends "
                "them"
            )
    settings = overrides.load(preset)
    if write is not None:
        at.open()  # refuses a missing one
        open_journal(journal).close()
        path = journal or str(default_journal())
        options = _build_child_options(at, settings.preset, path, overrides)
        write_player(write, options, is_replaced=force)
        print(f"{write} plays with {at.location}: its class is MyPlayerAI")
        return

    course = open_course(at.location, at.collection)
    phase_s = min(TIMEOUTS.phase_s, settings.game.phase_s)
    try:
        rounds = open_journal(journal)
    except JournalError as error:  # a full disk must not end the games
        _log.warning("%s Nothing is kept.", error)
        rounds = Journal(None)
    with closing(rounds):
        player = build_player(course, settings)
        answers = Callbacks(player, replace(TIMEOUTS, phase_s=phase_s), rounds)
        answer_calls(answers, sys.stdin.buffer, partial(print, end="", flush=True))
