"""`python run_game.py`: play against a game server, or against a practice server that it starts itself."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from quarry.configs.arguments import (
    PRESET,
    SETTINGS,
    Command,
    flag,
    number,
    option,
    path,
    redirect_to_devnull,
    run_command,
    settings_of,
)
from quarry.configs.places import BUNDLED, default_journal, default_store
from quarry.configs.settings import Settings, SettingsError
from quarry.configs.terminal import visible, visible_json
from quarry.evaluate.errors import EvaluateError
from quarry.evaluate.practice.failure_analysis import why_lost
from quarry.evaluate.practice.person import ME, play_with_person
from quarry.evaluate.practice.server import PracticeServer, create_app, load_repertoire, serving
from quarry.evaluate.referee import make_referee, prepare, spec_table, tools_of
from quarry.ingest.errors import IngestError
from quarry.ingest.pipeline.pipeline import ingest
from quarry.ingest.store import Course, create_store, open_store
from quarry.player.errors import JournalError, PlayerError
from quarry.player.game.game import GameReport, Timeouts
from quarry.player.game.journal import Journal
from quarry.player.game.json_output import GameStream, history_json
from quarry.player.game.ledger import read_history
from quarry.player.game.login import authenticate
from quarry.player.game.play import play_games
from quarry.player.game.terminal import GameLine, Terminal, games_table, record_line, report_line
from quarry.player.player import build_player
from quarry.player.protocol.client import HttpGameServer
from quarry.player.search.calibration import notices

if TYPE_CHECKING:
    from rich.console import Console

LECTURES = BUNDLED / "lectures" / "english"
GAMES = BUNDLED / "games" / "english.jsonl"
DOCUMENT, LINES = "document", "lines"
"""What --json prints: one document of all games, or one a game."""
PRACTICE = "practice"
"""In place of the server's URL, where it is in this process."""


def main(arguments: list[str] | None = None, prog: str = "python run_game.py") -> int:
    """Run the command; returns the exit code (0 played, 1 some game could not be played, 2 bad input or no server)."""
    options = COMMAND.parser(prog).parse_args(arguments)
    return run_command(lambda: _run(options))


class _Terminated(KeyboardInterrupt):
    """The process was asked to end: what is over is told, and what is not stays in the journal."""


def _run(options: argparse.Namespace) -> int:
    reports: list[GameLine] = []
    stream = GameStream(_let_out, lines=options.json == LINES) if options.json else None
    code = 0
    try:
        with _ending_on_sigterm():
            _check(options)
            if options.history:
                return _history(options)
            settings = settings_of(options)
            if options.referee == ME:
                return _play_with_me(options, settings)
            failures = _play_games(options, settings, reports, stream)
        code = (1 if reports else 2) if failures else 0
    except (IngestError, PlayerError, EvaluateError, SettingsError) as error:
        _complain(error)
        code = 1 if reports else 2
    except EOFError:
        _complain("the input ended before the game did")
        code = 1
    except KeyboardInterrupt as error:
        _complain("terminated" if isinstance(error, _Terminated) else "interrupted")
        code = 143 if isinstance(error, _Terminated) else 130
    if not options.json and len(reports) > 1:
        _console().print(games_table(reports))
    if stream is not None and (reports or not code):
        stream.close()
        if stream.failure is not None:
            redirect_to_devnull(sys.stdout)
            if not isinstance(stream.failure, BrokenPipeError):
                _complain(f"standard output must take what is printed, failed: {stream.failure.strerror}; make room")
                code = code or 1
    return code


def _let_out(text: str) -> None:
    """Print a piece at once, so that a game is read as soon as it is over."""
    print(text, end="", flush=True)


def _console() -> Console:
    from rich.console import Console

    return Console()


def _complain(error: object) -> None:
    print(f"run_game: {visible(error)}", file=sys.stderr)


@contextlib.contextmanager
def _ending_on_sigterm() -> Iterator[None]:
    """End as Ctrl-C does when the process is asked to terminate."""

    def end(*_: object) -> None:
        raise _Terminated

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _check(options: argparse.Namespace) -> None:
    """Pass if the options make sense together.

    Raises:
        SettingsError: an option would be without effect.
    """
    away = options.server is not None
    if options.history:
        if away or options.forget or options.journal == "none":
            raise SettingsError("--history must come without --server and --forget; it plays nothing")
        return
    if not away and (options.journal is not None or options.forget):
        raise SettingsError("--journal and --forget must come with --server; a practice server's games end with it")
    if options.referee == ME and (options.json or options.practice_games or options.at_once > 1):
        raise SettingsError(f"--referee {ME} must come without --json, --practice-games and --at-once: you are asked")
    for name in ("practice_games", "referee", "seed"):
        if away and getattr(options, name) is not None:
            option = name.replace("_", "-")
            raise SettingsError(f"--{option} must be left out with --server, whose games are their own")


def _play_with_me(options: argparse.Namespace, settings: Settings) -> int:
    """Play with a person as the referee; no labelled games are needed."""
    player = build_player(_store(options.store, settings), settings)
    spectator = Terminal(_console(), verbose=options.verbose)
    for game_id in range(1, options.games + 1):
        play_with_person(player, spectator, input, str(game_id))
    return 0


def _play_games(
    options: argparse.Namespace, settings: Settings, reports: list[GameLine], stream: GameStream | None
) -> int:
    """Play, and put each game that is over into `reports` and the stream; how many could not be played."""
    store = _store(options.store, settings)
    player = build_player(store, settings)
    spectator = None
    if not options.json and options.at_once == 1:
        spectator = Terminal(_console(), verbose=options.verbose)
    n_failed = 0
    with contextlib.ExitStack() as stack:
        url, token = options.server, options.token or settings.token
        journal = practice = None
        if url is None:
            spec = options.referee or "oracle"
            prepare([spec], store, settings.embed)
            referee = make_referee(spec, options.seed or 0, tools_of(store, settings.embed))
            if referee is None:
                raise SettingsError("--referee must answer questions to play a game, got none; take oracle")
            repertoire = load_repertoire(store, options.practice_games or GAMES, referee, settings, "--practice-games")
            practice = PracticeServer(repertoire, options.seed)
            url = stack.enter_context(serving(create_app(practice)))
            token = options.token or ""  # QUARRY_TOKEN is another server's
        else:
            journal = stack.enter_context(_journal(options))
        server = HttpGameServer(url, token, settings.game.request_timeout_s)
        stack.callback(server.close)
        ledger = authenticate(server, options.player, journal, _complain)
        if stream is not None:
            stream.played_on = {
                "player": options.player,
                "store": {"location": store.location, "fingerprint": store.fingerprint},
                "preset": settings.preset,
                "server": PRACTICE if practice is not None else server.url,
            }
        games = play_games(
            server,
            player,
            options.games,
            name=options.player,
            timeout_s=settings.game.game_timeout_s,
            at_once=options.at_once,
            spectator=spectator,
            timeouts=Timeouts(phase_s=settings.game.phase_s),
            ledger=ledger,
            say=_complain,
        )
        for outcome in games:
            if isinstance(outcome, GameReport):
                reports.append(report_line(outcome))
                if stream is not None:
                    stream.add(outcome)
                _tell(options, outcome, len(reports), practice, seen=spectator is not None)
            else:
                n_failed += 1
                _complain(outcome)
    return n_failed


def _tell(
    options: argparse.Namespace, report: GameReport, n_over: int, practice: PracticeServer | None, *, seen: bool
) -> None:
    """Tell of a game that is over, on standard error beside --json: its score, and of a practice game why it was lost.

    Args:
        seen: somebody has watched the game, and seen its score.
    """
    score = report.score
    lines = []
    if not seen:
        of_all = f" ({n_over} of {options.games})" if options.games > 1 else ""
        told = f"score {score.private_score:.1f} of 100, league points {score.league_points}{of_all}"
        lines.append(f"game {report.game_id}: {told}")
    if practice is not None and not options.json:
        lines += why_lost(report, practice.paragraph(report.game_id))
    for line in lines:
        print(visible(line), file=sys.stderr if options.json else sys.stdout)


def _history(options: argparse.Namespace) -> int:
    """Show the games of a journal; 0, also where there are none."""
    from rich.console import Console

    path = Path(options.journal) if options.journal else default_journal()
    if not path.is_file():
        raise SettingsError(f"--journal must name a journal, got {path}: no such file; play with --server first")
    with contextlib.closing(Journal(path, say=_complain)) as journal:
        games = read_history(journal)
    if options.json:
        print(visible_json(history_json(games)))
        return 0
    console = Console(width=None if sys.stdout.isatty() else 160)
    console.print(games_table([record_line(game) for game in games]))
    return 0


@contextlib.contextmanager
def _journal(options: argparse.Namespace) -> Iterator[Journal | None]:
    """The journal that was named, or the default one where it can be used."""
    if options.journal == "none":
        yield None
        return
    try:
        journal = Journal(Path(options.journal) if options.journal else default_journal(), say=_complain)
    except JournalError as error:
        if options.journal:
            raise
        _complain(f"{error}; the games are played without it")
        yield None
        return
    with contextlib.closing(journal):
        if options.forget:
            _complain(f"what referees revealed about {journal.forget()} rounds is forgotten")
        yield journal


def _store(location: str | None, settings: Settings) -> Course:
    """The store that is played on; settings that were tuned are announced on standard error."""
    store = _named_store(location, settings)
    for told in notices(settings, store):
        _complain(told)
    return store


def _named_store(location: str | None, settings: Settings) -> Course:
    """The named store; the default one holds the bundled lectures, and is made or finished where it does not yet.

    A default store with documents of the user's own is taken as it is.
    """
    if location is not None:
        return open_store(location)
    location = default_store()
    documents = create_store(location).course.documents
    if all(Path(document.path).parent == LECTURES for document in documents):
        if not documents:
            print(f"making {location} from the bundled lectures", file=sys.stderr)
        new = not documents
        ingest([LECTURES], location, settings, progress=new, notice=lambda line: print(line, file=sys.stderr))
    return open_store(location)


COMMAND = Command(
    "play",
    "play whole games: find the secret paragraph of a course of lectures",
    "python run_game.py                                            practise on the bundled lectures\n"
    "python run_game.py --server http://127.0.0.1:8017 --games 3   play three games against a server; after a crash\n"
    "                                                              the same command plays on\n"
    "python run_game.py --games 20 --json lines > games.jsonl      each game as one line of JSON\n"
    "python run_game.py --history                                  every game played so far",
    (
        option("--store", "S", f"folder or URL (default: {default_store()}, made from the bundled lectures)"),
        option("--server", "URL", "game server (default: a practice server in this process)"),
        option(
            "--token",
            "T",
            "of a player that the server knows (default: QUARRY_TOKEN, else the one that the journal kept of the last "
            "games there as --player, else registers)",
        ),
        option("--player", "NAME", "name to play under (default: %(default)s)", default="quarry"),
        PRESET,
        number("--games", 1, "games to play", 1),
        number("--at-once", 1, "games played at the same time", 1),
        option(
            "--journal",
            "FILE",
            "with --server: where games are kept, so that they go on after a crash; none keeps nothing (default: "
            f"{default_journal()})",
        ),
        flag("--forget", says="first forget what referees revealed about rounds played before"),
        path("--practice-games", "FILE", "labelled games of the practice server (default: bundled)"),
        option(
            "--referee",
            "SPEC",
            "who answers at the practice server, or me: you think of a paragraph of any store, and answer (default: "
            "oracle)",
        ),
        number("--seed", 0, "of the practice server's choice (default: by chance)"),
        flag("--history", says="play nothing: show every game of the journal"),
        *SETTINGS,
        flag("-v", "--verbose", says="show every question in full"),
        option(
            "--json",
            f"{DOCUMENT}|{LINES}",
            "print one JSON document and nothing else, a game a line as soon as it is over; with lines: each game as a "
            "document of its own",
            nargs="?",
            const=DOCUMENT,
            choices=(DOCUMENT, LINES),
        ),
    ),
    _run,
    notes=spec_table(),
)


if __name__ == "__main__":
    sys.exit(main())
