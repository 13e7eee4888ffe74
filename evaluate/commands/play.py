"""The command `play`, also `python run_game.py`: plays against a server, a practice server, or a person."""

import contextlib
import io
import logging
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.types import NonNegativeInt, PositiveInt
from rich.console import Console

from configs.directories import BUNDLED, home
from configs.errors import QuarryError, SettingsError
from configs.project import find_project
from configs.settings import Settings
from evaluate.commands.journal import PRACTICE
from evaluate.games.labelled import BUNDLED_GAMES
from evaluate.practice.match import Match
from evaluate.practice.person import ME, play_with_person
from evaluate.practice.routes import create_server_app, serving
from evaluate.practice.server import PracticeServer, load_repertoire
from evaluate.referee.simulated import SPECS
from evaluate.referee.spec import PRACTICE_REFEREE, read_spec
from evaluate.runs.explanation import reveal_label
from ingest.pipeline.pipeline import ingest
from player.errors import PlayerError
from player.game.client import HttpGameServer
from player.game.game import Spectator, Timeouts
from player.game.journal import Journal, authenticate, open_journal
from player.game.loop import play_games
from player.game.record import PlayedGame
from player.game.terminal import Terminal, summary
from player.player import Player, build_player
from player.round import Json, Score
from player.search.build import open_course
from player.writer.options import WriterOptions
from quarry.cli import AsJson, ParsedOverrides, Preset, StoreOptions
from quarry.interrupts import printing_at_end
from quarry.store import Course, Store
from quarry.terminal import visible, visible_json

_log = logging.getLogger(__name__)
LECTURES = BUNDLED / "lectures" / "english"
"""Folder of the bundled lectures."""


@Parameter(name="*")
@dataclass(frozen=True)
class PlayOptions:
    """Options of `play` alone.

    Attributes:
        server: Game server (default: that of quarry.toml, else a practice server in this process).
        token: Token of a player whom the server knows (default: QUARRY_TOKEN, else the token that the journal kept
            when --player last played on this server; without any token the player registers).
        player: Name to play under.
        n_games: Games to play, those that an earlier call left unfinished included.
        at_once: Games played at the same time.
        journal: File of the games, so that games against --server continue after a crash; none keeps nothing
            (default: runs/games.sqlite in the data folder that doctor names).
        practice_games: Labelled games of the practice server (default: those of quarry.toml, else the bundled ones).
        referee: SPEC of the simulated referee of the practice server (default: noisy:0.15,0.10); or me, if you want
            to choose a paragraph of any store and answer the questions yourself.
        seed: Seed of the practice server (default: by chance).
    """

    server: str | None = None
    token: str = ""
    player: str = "quarry"
    n_games: Annotated[PositiveInt, Parameter("--games")] = 1
    at_once: PositiveInt = 1
    journal: str | None = None
    practice_games: Path | None = None
    referee: Annotated[
        str | None, Parameter(completer=lambda context: (ME, *SPECS))
    ] = None
    seed: NonNegativeInt | None = None
    as_json: AsJson = False


def play(
    *,
    at: StoreOptions = StoreOptions(),
    options: PlayOptions = PlayOptions(),
    preset: Preset = None,
    writer: WriterOptions = WriterOptions(),
    overrides: ParsedOverrides,
) -> int:
    """Play, print the results, and return 0 if all games were played, 1 if some were, and 2 if none was.

    Without a store, the default one is made from the bundled lectures.
    """
    options = _with_project_defaults(options)
    session = _Session(at, options, writer.override(overrides.load(preset)))

    try:
        with printing_at_end(session.print_end):
            session.play()
    except EOFError:
        _log.error("the input ended before the game did")
        return 1
    except QuarryError as error:
        if not session.scores:
            raise
        _log.error("%s", error)
        return 1

    if not session.n_failed:
        return 0
    return 1 if session.scores else 2


class _Session:
    """The games of one call of the command."""

    def __init__(
        self, at: StoreOptions, options: PlayOptions, settings: Settings
    ) -> None:
        self.at = at
        self.options = options
        self.settings = settings
        self.scores: list[Score] = []
        self.games: list[Json] = []
        self.n_failed = 0

    def play(self) -> None:
        """Play against a server, the practice server, or a person."""
        options, settings = self.options, self.settings
        course = _open(self.at, settings)
        player = build_player(course, settings)
        player.warm()
        if options.referee != ME:
            with contextlib.ExitStack() as stack:
                self._play_games(course, player, stack)
            return

        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # bytes that are not UTF-8
        terminal, games = Terminal(Console()), home() / "games.jsonl"
        for number in range(1, options.n_games + 1):
            play_with_person(player, terminal, input, str(number), games)

    def print_end(self) -> None:
        """Print all games as JSON, or a summary of several."""
        if self.options.as_json and self.games:
            lines = ",\n".join(visible_json(game, indent=None) for game in self.games)
            print(f'{{"games": [\n{lines}\n]}}')
        elif len(self.scores) > 1:
            print(summary(self.scores))

    def _play_games(
        self, course: Course, player: Player, stack: contextlib.ExitStack
    ) -> None:
        """Play against a server; the stack closes the server, its client and the journal."""
        options, settings = self.options, self.settings
        practice, url, token = None, options.server, options.token or settings.token
        if url is None:
            repertoire = load_repertoire(
                course,
                options.practice_games or BUNDLED_GAMES,
                options.referee or PRACTICE_REFEREE,
                options.seed,
                settings,
                "--practice-games",
            )
            practice = PracticeServer(repertoire, options.seed)
            url = stack.enter_context(serving(create_server_app(practice)))
            token = options.token  # QUARRY_TOKEN belongs to another server

        server = HttpGameServer(url, token, settings.game.request_timeout_s)
        stack.callback(server.close)
        journal = _open_journal(options, server, practice is None, stack)
        labels = {
            "player": options.player,
            "store": {"location": course.location, "fingerprint": course.fingerprint},
            "preset": settings.preset,
            "server": PRACTICE if practice is not None else server.url,
        }

        is_watched = not options.as_json and options.at_once == 1
        outcomes = play_games(
            server,
            player,
            options.n_games,
            name=options.player,
            timeout_s=settings.game.game_timeout_s,
            at_once=options.at_once,
            spectator=Terminal(Console()) if is_watched else Spectator(),
            timeouts=Timeouts(phase_s=settings.game.phase_s),
            journal=journal,
        )

        for game in outcomes:
            if isinstance(game, PlayerError):
                self.n_failed += 1
                _log.error("%s", game)
                continue
            self.scores.append(game.score)
            if options.as_json:
                now = datetime.now(UTC).isoformat(timespec="seconds")
                self.games.append({"time": now, **labels, **game.as_json()})
            if not is_watched:
                self._print_score(game)
            if practice is not None:
                self._reveal(game, practice.matches[game.game_id], journal)

    def _reveal(self, game: PlayedGame, match: Match, journal: Journal) -> None:
        """Write the secret of a practice game to the journal, and print why it was found or lost."""
        label = reveal_label(match.label, match.paragraph, game)
        journal.reveal(game.key, label)
        if not self.options.as_json:
            Terminal(Console()).explain(label)

    def _print_score(self, game: PlayedGame) -> None:
        options, score = self.options, game.score
        line = f"game {game.game_id}: score {score.private_score:.1f} of 100, league points {score.league_points}"
        if options.n_games > 1:
            line += f" ({len(self.scores)} of {options.n_games})"
        print(visible(line), file=sys.stderr if options.as_json else None)


def _open_journal(
    options: PlayOptions,
    server: HttpGameServer,
    is_remote: bool,
    stack: contextlib.ExitStack,
) -> Journal:
    """Open the journal of a player on a server until the stack closes; see `open_journal`.

    Args:
        options: options of the command.
        server: client of the server.
        is_remote: whether the server outlives this process, so that its games continue after a crash.
        stack: closes the journal.
    """
    journal = open_journal(options.journal)
    stack.enter_context(contextlib.closing(journal))
    if is_remote:
        return authenticate(server, options.player, journal)
    journal.give_up_killed(PRACTICE)
    if not server.token:
        server.register(options.player)
    journal.play_as(PRACTICE, server.token)
    stack.callback(journal.give_up)
    return journal


def _open(at: StoreOptions, settings: Settings) -> Course:
    """Open a store; to the default store, if nothing names another, first add the bundled lectures that it lacks.

    A default store with documents of the user's own is not changed.
    """
    location, collection = at.location, at.collection
    if not at.store and not find_project().store:
        documents = Store(location, collection).course.documents
        if all(Path(document.path).parent == LECTURES for document in documents):
            if not documents:
                _log.info("making %s from the bundled lectures", location)
            ingest(
                [LECTURES],
                location,
                settings,
                collection=collection,
                progress=not documents,
            )
    return open_course(location, collection)


def _with_project_defaults(options: PlayOptions) -> PlayOptions:
    """Take games and server from the user's project if the command line does not name them.

    If an option of the practice server is set, the games are played there.

    Raises:
        SettingsError: an option would have no effect.
    """
    values = {
        "--practice-games": options.practice_games,
        "--referee": options.referee,
        "--seed": options.seed,
    }
    practice_options = [name for name, value in values.items() if value is not None]
    project = find_project()
    if options.server is None and not practice_options and project.server:
        options = replace(options, server=project.server)
    plays_alone = options.server is None and options.referee != ME
    if plays_alone and options.practice_games is None and project.games:
        options = replace(options, practice_games=Path(project.games))

    others = options.as_json or options.practice_games or options.at_once > 1
    if options.referee == ME and others:
        raise SettingsError(
            f"--referee {ME} cannot be combined with --json, --practice-games or --at-once: you are asked"
        )
    if options.referee not in (None, ME):
        read_spec(options.referee)  # before a store is made
    if options.server is not None:
        # refuses a bad URL before the store opens
        HttpGameServer(options.server).close()
        if practice_options:
            raise SettingsError(
                f"{practice_options[0]} cannot be combined with --server, whose games are its own"
            )
    return options
