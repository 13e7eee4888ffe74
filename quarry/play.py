"""The command `play` (`python run_game.py`): games against a server, a practice server, or a person."""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from quarry.command import INTERRUPTED
from quarry.configs import arguments as cli
from quarry.configs.places import BUNDLED, default_journal, default_store
from quarry.configs.settings import Settings, SettingsError
from quarry.configs.terminal import visible, visible_json
from quarry.evaluate.errors import EvaluateError
from quarry.evaluate.practice.person import ME, play_with_person
from quarry.evaluate.practice.server import PracticeServer, create_app, load_repertoire, serving
from quarry.evaluate.referee.reading import answer_by_reading
from quarry.evaluate.referee.spec import Secret, spec_table
from quarry.evaluate.referee.text import visible_context
from quarry.evaluate.runs.record import why_lost
from quarry.ingest.errors import IngestError
from quarry.ingest.pipeline.pipeline import ingest
from quarry.ingest.store import Course, create_store, open_store
from quarry.player.errors import JournalError, PlayerError
from quarry.player.game.game import GameReport, Timeouts, report_json
from quarry.player.game.journal import Journal, authenticate
from quarry.player.game.loop import play_games
from quarry.player.game.terminal import Terminal, summary
from quarry.player.player import build_player
from quarry.player.protocol.client import HttpGameServer
from quarry.player.protocol.messages import Json, Score
from quarry.player.questions.answer import NOT_RELEVANT
from quarry.player.search.calibration import notices

LECTURES = BUNDLED / "lectures" / "english"
GAMES = BUNDLED / "games" / "english.jsonl"
ERRING = "noisy:0.15,0.10"
"""The default referee of the practice server: real referees err as well."""
PRACTICE = "practice"
"""Name of the practice server of this process, in place of a URL."""


def main(arguments: list[str] | None = None, prog: str = "python run_game.py") -> int:
    """Run the command and return its exit code: 0 played, 1 some game could not be played, 2 bad input or no server."""
    options = COMMAND.parser(prog).parse_args(arguments)
    return cli.run_command(lambda: _run(options))


def _run(options: argparse.Namespace) -> int:
    games: list[Json] = []
    scores: list[Score] = []
    code = 0
    try:
        _check(options)
        settings = cli.settings_of(options)
        if options.referee == ME:
            return _play_with_me(options, settings)
        n_failed = _play_games(options, settings, scores, games)
        code = (1 if scores else 2) if n_failed else 0
    except (IngestError, PlayerError, EvaluateError, SettingsError) as error:
        _warn(error)
        code = 1 if scores else 2
    except EOFError:
        _warn("the input ended before the game did")
        code = 1
    except KeyboardInterrupt:
        _warn("interrupted")
        code = INTERRUPTED
    if not options.json and len(scores) > 1:
        print(summary(scores))
    if options.json and (scores or not code):
        lines = ",\n".join(visible_json(game, indent=None) for game in games)
        print(f'{{"games": [\n{lines}\n]}}')
    return code


def _warn(error: object) -> None:
    print(f"run_game: {visible(error)}", file=sys.stderr)


def _check(options: argparse.Namespace) -> None:
    """Check that the options go together.

    Raises:
        SettingsError: an option would have no effect.
    """
    away = options.server is not None
    if away:
        HttpGameServer(options.server).close()  # a bad URL is refused before the store is opened
    if options.referee == ME and (options.json or options.practice_games or options.at_once > 1):
        raise SettingsError(f"--referee {ME} must come without --json, --practice-games and --at-once: you are asked")
    for name in ("practice_games", "referee", "seed"):
        if away and getattr(options, name) is not None:
            option = name.replace("_", "-")
            raise SettingsError(f"--{option} must be left out with --server, whose games are their own")


def _play_with_me(options: argparse.Namespace, settings: Settings) -> int:
    """Play with a person as the referee; no labelled games are needed."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")  # so that `_ask` can refuse bytes that are not UTF-8
    player = build_player(_store(options.store, settings), settings)
    for game in range(1, options.games + 1):
        play_with_person(player, Terminal(Console()), _ask, str(game))
    return 0


def _ask(prompt: str) -> str:
    """Return the line that a person types; refuse one that is not UTF-8 and ask again."""
    while True:
        try:
            return cli.text(input(prompt))
        except argparse.ArgumentTypeError as error:
            _warn(f"the line {error}")


def _play_games(options: argparse.Namespace, settings: Settings, scores: list[Score], games: list[Json]) -> int:
    """Play, add each finished game to `scores` and as JSON to `games`, and return the number of failed games."""
    store = _store(options.store, settings)
    player = build_player(store, settings)
    spectator = Terminal(Console()) if not options.json and options.at_once == 1 else None
    n_failed = 0
    with contextlib.ExitStack() as stack:
        journal = stack.enter_context(_journal(options))
        url, token, practice = options.server, options.token or settings.token, None
        if url is None:
            spec = options.referee or ERRING
            games_path = options.practice_games or GAMES
            repertoire = load_repertoire(store, games_path, spec, options.seed, settings, "--practice-games")
            practice = PracticeServer(repertoire, options.seed)
            url = stack.enter_context(serving(create_app(practice)))
            token = options.token or ""  # QUARRY_TOKEN belongs to another server
        server = HttpGameServer(url, token, settings.game.request_timeout_s)
        stack.callback(server.close)
        # games on the practice server end with this process and cannot be resumed
        ledger = authenticate(server, options.player, journal if practice is None else Journal(None), _warn)
        played_on = {
            "player": options.player,
            "store": {"location": store.location, "fingerprint": store.fingerprint},
            "preset": settings.preset,
            "server": PRACTICE if practice is not None else server.url,
        }
        outcomes = play_games(
            server,
            player,
            options.games,
            name=options.player,
            timeout_s=settings.game.game_timeout_s,
            at_once=options.at_once,
            spectator=spectator,
            timeouts=Timeouts(phase_s=settings.game.phase_s),
            ledger=ledger,
            say=_warn,
        )
        for outcome in outcomes:
            if isinstance(outcome, PlayerError):
                n_failed += 1
                _warn(outcome)
                continue
            scores.append(outcome.score)
            if options.json:
                now = datetime.now(UTC).isoformat(timespec="seconds")
                games.append({"time": now, **played_on, **report_json(outcome)})
            if spectator is None:
                of_all = f" ({len(scores)} of {options.games})" if options.games > 1 else ""
                score = f"score {outcome.score.private_score:.1f} of 100, league points {outcome.score.league_points}"
                print(visible(f"game {outcome.game_id}: {score}{of_all}"), file=sys.stderr if options.json else None)
            if practice is not None and not options.json:
                match = practice.matches[outcome.game_id]
                print(visible(_wrong_answers(outcome, match.secret)))
                for line in why_lost(match.label, match.paragraph, outcome):
                    print(visible(line))
    return n_failed


def _wrong_answers(report: GameReport, secret: Secret) -> str:
    """Name the answers that differ from those of a careful reader of the whole paragraph."""
    context = visible_context(secret.paragraph, secret.opening_sentence)
    wrong = [
        f"{number} ({answer}, rightly {right})"
        for number, (question, answer) in enumerate(zip(report.plan.questions, report.answers, strict=True), 1)
        if answer is not None
        and answer != (right := answer_by_reading(context, question.text, question.options))
        and NOT_RELEVANT not in {answer, right}
    ]
    return f"wrong answers: {', '.join(wrong) or 'none'}"


@contextlib.contextmanager
def _journal(options: argparse.Namespace) -> Iterator[Journal]:
    """Open the named journal, or the default one; one in memory for "none" or if the default one cannot be used."""
    path = None if options.journal == "none" else Path(options.journal or default_journal())
    try:
        journal = Journal(path, say=_warn)
    except JournalError as error:
        if options.journal:
            raise
        _warn(f"{error}; the games are played without it")
        journal = Journal(None)
    with contextlib.closing(journal):
        yield journal


def _store(location: str | None, settings: Settings) -> Course:
    """Open the named store, or the default one, which is made from the bundled lectures or completed.

    A default store with documents of the user's own is not changed. A notice is printed for an uncalibrated embedder.
    """
    if location is None:
        location = default_store()
        documents = create_store(location).course.documents
        if all(Path(document.path).parent == LECTURES for document in documents):
            if new := not documents:
                print(f"making {location} from the bundled lectures", file=sys.stderr)
            ingest([LECTURES], location, settings, progress=new, notice=lambda line: print(line, file=sys.stderr))
    store = open_store(location)
    for notice in notices(store):
        _warn(notice)
    return store


COMMAND = cli.Command(
    "play",
    "play whole games: find the secret paragraph of a course of lectures",
    "python run_game.py                                            practise on the bundled lectures\n"
    "python run_game.py --server http://127.0.0.1:8017 --games 3   play three games against a server; after a crash\n"
    "                                                              the same command plays on\n"
    "python run_game.py --games 20 --json > games.json             one JSON document, a game a line",
    (
        cli.option("--store", "S", f"folder or URL (default: {default_store()}, made from the bundled lectures)"),
        cli.option("--server", "URL", "game server (default: a practice server in this process)"),
        cli.option(
            "--token",
            "T",
            "token of a player whom the server knows (default: QUARRY_TOKEN, else the token that the journal kept when "
            "--player last played on this server; without any token the player registers)",
        ),
        cli.option("--player", "NAME", "name to play under (default: %(default)s)", default="quarry"),
        cli.PRESET,
        cli.number("--games", 1, "games to play", 1),
        cli.number("--at-once", 1, "games played at the same time", 1),
        cli.option(
            "--journal",
            "FILE",
            "file of the games, so that games against --server continue after a crash; none keeps nothing (default: "
            f"{default_journal()})",
        ),
        cli.path("--practice-games", "FILE", "labelled games of the practice server (default: bundled)"),
        cli.option(
            "--referee",
            "SPEC",
            "simulated referee of the practice server; or me, if you want to choose a paragraph of any store and "
            f"answer the questions yourself (default: {ERRING})",
        ),
        cli.number("--seed", 0, "seed for the random choices of the practice server (default: a random seed)"),
        *cli.SETTINGS,
        cli.JSON,
    ),
    _run,
    notes=spec_table(),
)


if __name__ == "__main__":
    sys.exit(main())
