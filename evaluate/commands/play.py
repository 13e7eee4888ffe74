"""The command `play`, also `python run_game.py`: plays against a server, a practice server, or a person."""

import io
import logging
import sys
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console

from configs.directories import BUNDLED, home
from configs.errors import QuarryError, SettingsError
from configs.project import find_project
from configs.settings import Settings
from evaluate.practice.person import PERSON, play_with_person
from evaluate.practice.playing import Connection, GameSource
from evaluate.practice.referee_game import RefereeGame
from evaluate.referee.spec import SPECS
from evaluate.runs.explanation import reveal_label
from ingest.pipeline.pipeline import ingest
from player.errors import PlayerError
from player.game.game import Spectator
from player.game.record import PlayedGame
from player.game.terminal import Terminal, summary
from player.player import Player, build_player
from player.round import Json, Score
from player.search.stores import open_course
from player.writer.options import WriterOptions
from quarry.cli import (
    AsJson,
    NonNegativeNumber,
    ParsedOverrides,
    PositiveNumber,
    Preset,
    StoreOptions,
)
from quarry.interrupts import printing_at_end
from quarry.store import Course, Store
from quarry.terminal import visible, visible_json

_log = logging.getLogger(__name__)
BUNDLED_LECTURES = BUNDLED / "lectures" / "english"
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
    n_games: Annotated[PositiveNumber, Parameter("--games")] = 1
    at_once: PositiveNumber = 1
    journal: str | None = None
    practice_games: Path | None = None
    referee: Annotated[
        str | None, Parameter(completer=lambda context: (PERSON, *SPECS))
    ] = None
    seed: NonNegativeNumber | None = None
    as_json: AsJson = False

    @property
    def source(self) -> GameSource:
        """The server on which the games are played."""
        return GameSource(
            server=self.server,
            token=self.token,
            player=self.player,
            games=self.practice_games,
            referee=self.referee,
            seed=self.seed,
            journal=self.journal,
            prefix="--",
            games_name="--practice-games",
        )

    def check(self) -> None:
        """Check the options as `GameSource.check` does.

        Raises:
            SettingsError: an option would have no effect on a game with a person.
        """
        if self.referee != PERSON:
            self.source.check()
        elif replace(self, n_games=1) != PlayOptions(referee=PERSON):
            raise SettingsError(
                f"--referee {PERSON} is played here, with you alone; leave out --server, --token, --player, --at-once, "
                "--journal, --practice-games, --seed and --json"
            )


def play(
    *,
    at: StoreOptions = StoreOptions(),
    options: PlayOptions = PlayOptions(),
    preset: Preset = None,
    writer: WriterOptions = WriterOptions(),
    overrides: ParsedOverrides,
) -> int:
    """Play, print the results, and return 0 if all games were played, else 1.

    Without a store, the default one is made from the bundled lectures.
    """
    options = _with_project_defaults(options)
    options.check()
    settings = writer.override(overrides.load(preset))
    course = _open(at, settings)
    player = build_player(course, settings)
    player.preload()
    if options.referee == PERSON:
        return _play_with_person(player, options.n_games)
    with options.source.connect(course, settings) as connection:
        return _play_on_server(course, player, settings, options, connection)


def _play_with_person(player: Player, n_games: int) -> int:
    """Play against a person, and return the exit code."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # bytes that are not UTF-8
    terminal, games = Terminal(Console()), home() / "games.jsonl"
    n_played = 0
    try:
        while n_played < n_games:
            play_with_person(player, terminal, input, str(n_played + 1), games)
            n_played += 1
    except EOFError:
        _log.error("the input ended before the game did")
        return 1 if n_played else 2
    return 0


def _play_on_server(
    course: Course,
    player: Player,
    settings: Settings,
    options: PlayOptions,
    connection: Connection,
) -> int:
    """Play the games, print each when it ends, and return the exit code."""
    labels = {
        "player": options.player,
        "store": {"location": course.location, "fingerprint": course.fingerprint},
        "preset": settings.preset,
        "server": connection.server,
    }
    results = _Results(options, labels, connection)
    spectator = Terminal(Console()) if results.are_watched else Spectator()
    loop = connection.loop(player, settings, options.at_once, spectator)

    try:
        with printing_at_end(results.print_all):
            for outcome in loop.play(options.n_games):
                results.add(outcome)
    except QuarryError as error:
        if not results.scores:
            raise
        _log.error("%s", error)
        return 1

    return 1 if results.n_failed else 0


@dataclass
class _Results:
    """The outcomes of the games, printed one by one, and together at the end.

    Attributes:
        options: options of the command.
        labels: facts about all games, for JSON.
        connection: reveals the secrets of practice games, and stores them.
        scores: scores of the games that were played.
        games: these games as JSON.
        n_failed: number of games that could not be played.
    """

    options: PlayOptions
    labels: Json
    connection: Connection
    scores: list[Score] = field(default_factory=list)
    games: list[Json] = field(default_factory=list)
    n_failed: int = 0

    @property
    def are_watched(self) -> bool:
        """Whether each game is printed step by step while it is played."""
        return not self.options.as_json and self.options.at_once == 1

    def add(self, outcome: PlayedGame | PlayerError) -> None:
        """Add the outcome of a game and print it, with the secret of a practice game."""
        if isinstance(outcome, PlayerError):
            self.n_failed += 1
            _log.error("%s", outcome)
            return
        self.scores.append(outcome.score)
        if self.options.as_json:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            self.games.append({"time": now, **self.labels, **outcome.as_json()})
        if not self.are_watched:
            self._print_score(outcome)
        if referee_game := self.connection.games.get(outcome.game_id):
            self._reveal(referee_game, outcome)

    def _print_score(self, game: PlayedGame) -> None:
        score = game.score
        line = f"game {game.game_id}: score {score.private_score:.1f} of 100, league points {score.league_points}"
        if self.options.n_games > 1:
            line += f" ({len(self.scores)} of {self.options.n_games})"
        print(visible(line), file=sys.stderr if self.options.as_json else None)

    def _reveal(self, referee_game: RefereeGame, game: PlayedGame) -> None:
        """Write the secret of a practice game to the journal, and print why it was found or lost."""
        label = reveal_label(referee_game.labelled, referee_game.paragraph, game)
        self.connection.journal.store_label(game.key, label)
        if not self.options.as_json:
            Terminal(Console()).explain(label)

    def print_all(self) -> None:
        """Print all games as JSON, or a summary of several."""
        if self.options.as_json and (self.games or self.n_failed):
            lines = ",\n".join(visible_json(game, indent=None) for game in self.games)
            print(f'{{"games": [\n{lines}\n]}}')
        elif len(self.scores) > 1:
            print(summary(self.scores))


def _open(at: StoreOptions, settings: Settings) -> Course:
    """Open a store; to the default store, if nothing names another, first add the bundled lectures that it lacks.

    A default store with documents of the user's own is not changed.
    """
    location, collection = at.location, at.collection
    if not at.store and not find_project().store:
        documents = Store(location, collection).course.documents
        folders = {Path(document.path).parent for document in documents}
        if folders <= {BUNDLED_LECTURES}:
            if not documents:
                _log.info("making %s from the bundled lectures", location)
            ingest(
                [BUNDLED_LECTURES],
                location,
                settings,
                collection=collection,
                progress=not documents,
            )

    return open_course(location, collection)


def _with_project_defaults(options: PlayOptions) -> PlayOptions:
    """Take games and server from the user's project if the command line does not name them.

    If an option of the practice server is set, the games are played there.
    """
    project = find_project()
    is_practice = bool(options.source.practice_arguments)
    if options.server is None and not is_practice and project.server:
        options = replace(options, server=project.server)
    plays_alone = options.server is None and options.referee != PERSON
    if plays_alone and options.practice_games is None and project.games:
        options = replace(options, practice_games=Path(project.games))
    return options
