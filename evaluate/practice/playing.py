"""GameSource: connects a player to a game server, or to a practice server in this process, and plays there."""

import contextlib
import importlib
import logging
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from configs.errors import SettingsError
from configs.settings import Settings
from evaluate.errors import refuse_options
from evaluate.games.labelled import BUNDLED_GAMES
from evaluate.practice.referee_game import RefereeGame
from evaluate.practice.server import PRACTICE, PracticeServer, load_repertoire
from evaluate.referee.spec import PRACTICE_REFEREE, read_spec
from player.errors import PlayerError
from player.game.authentication import authenticate
from player.game.client import HttpGameServer, check_address
from player.game.game import Spectator, Timeouts
from player.game.journal import Journal, open_journal
from player.game.loop import Loop
from player.game.record import PlayedGame
from player.player import Contestant
from quarry.store import Course

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Connection:
    """A connection to the server on which the games are played.

    Attributes:
        client: client of the server.
        server: name of the server for users.
        player: name of the player.
        journal: journal of the player's games on the server.
        games: games of a practice server by game_id, with their secrets; {} on any other server.
    """

    client: HttpGameServer
    server: str
    player: str
    journal: Journal
    games: Mapping[str, RefereeGame]

    def loop(
        self,
        contestant: Contestant,
        settings: Settings,
        at_once: int = 1,
        spectator: Spectator = Spectator(),
    ) -> Loop:
        """Return the loop of the games."""
        return Loop(
            self.client,
            contestant,
            name=self.player,
            timeout_s=settings.game.game_timeout_s,
            at_once=at_once,
            spectator=spectator,
            timeouts=Timeouts(phase_s=settings.game.phase_s),
            journal=self.journal,
        )


@dataclass(frozen=True, kw_only=True)
class GameSource:
    """A game server, or a practice server in this process, and the player on it.

    Attributes:
        server: URL of the game server; None starts a practice server.
        token: token of the player; "" takes QUARRY_TOKEN or that of the journal, or registers.
        player: name of the player.
        games: labelled games of the practice server; None takes the bundled ones.
        referee: SPEC of the referee of the practice server; None takes the usual one.
        seed: seed of the practice server; None draws one.
        journal: see `open_journal`.
        prefix: prefix of the names of all attributes but `games` in errors.
        games_name: name of `games` in errors.
    """

    server: str | None
    token: str
    player: str
    games: Path | None
    referee: str | None
    seed: int | None
    journal: str | None = None
    prefix: str = ""
    games_name: str = "games"

    @property
    def practice_arguments(self) -> list[str]:
        """Names of the arguments of the practice server that are set."""
        values = {
            self.games_name: self.games,
            f"{self.prefix}referee": self.referee,
            f"{self.prefix}seed": self.seed,
        }
        return [name for name, value in values.items() if value is not None]

    def check(self) -> None:
        """Check the arguments, before a store is made or opened for them.

        Raises:
            SettingsError: an argument would have no effect, or the name of the player is empty.
            RefereeError: the SPEC is invalid.
            ServerError: the URL is not one of HTTP.
            ModuleNotFoundError: a package of the practice server is missing.
        """
        prefix = self.prefix
        if not self.player:
            raise SettingsError(f"{prefix}player is empty; name the player")
        if self.referee is not None:
            read_spec(self.referee)
        if self.server is None:
            reason = f"needs {prefix}server; players of practice games register"
            refuse_options({f"{prefix}token": self.token}, reason)
            importlib.import_module("evaluate.practice.routes")
        else:
            check_address(self.server)
            reason = f"cannot be combined with {prefix}server, whose games are its own"
            refuse_options(dict.fromkeys(self.practice_arguments, True), reason)

    @contextlib.contextmanager
    def connect(self, course: Course, settings: Settings) -> Iterator[Connection]:
        """Connect to the server; a practice server ends with the block."""
        timeout_s = settings.game.request_timeout_s
        with contextlib.ExitStack() as stack:
            journal = stack.enter_context(
                contextlib.closing(open_journal(self.journal))
            )
            if self.server is not None:
                token = self.token or os.environ.get("QUARRY_TOKEN", "")
                client = HttpGameServer(self.server, token, timeout_s)
                stack.callback(client.close)
                journal = authenticate(client, self.player, journal)
                yield Connection(client, client.url, self.player, journal, {})
                return

            from evaluate.practice.routes import create_server_app, serving

            repertoire = load_repertoire(
                course,
                self.games or BUNDLED_GAMES,
                self.referee or PRACTICE_REFEREE,
                self.seed,
                settings,
                self.games_name,
            )
            practice = PracticeServer(repertoire, self.seed)
            url = stack.enter_context(serving(create_server_app(practice)))
            client = HttpGameServer(url, timeout_s=timeout_s)
            stack.callback(client.close)
            # games of a practice server end with its process
            journal.give_up_killed(PRACTICE)
            client.register(self.player)
            journal.play_as(PRACTICE, client.token)
            stack.callback(journal.give_up)
            yield Connection(client, PRACTICE, self.player, journal, practice.games)


def play_games(loop: Loop, n_games: int) -> list[PlayedGame]:
    """Play games, and return them; log an error for each game that could not be played.

    Raises:
        PlayerError: no game could be played.
    """
    games = []
    failures = []
    for outcome in loop.play(n_games):
        if isinstance(outcome, PlayerError):
            _log.error("%s", outcome)
            failures.append(outcome)
        else:
            games.append(outcome)

    if failures and not games:
        raise failures[-1]
    return games
