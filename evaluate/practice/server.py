"""The practice game server without HTTP: its repertoire, and the games of any number of players."""

import logging
import random
import reprlib
import secrets
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from configs.settings import Settings
from evaluate.errors import GamesError, RefereeError
from evaluate.games.labelled import BUNDLED_GAMES, LabelledGame, load_games
from evaluate.games.locating import locate_games
from evaluate.practice.hints import make_games
from evaluate.practice.referee_game import RefereeGame, RefusedMessageError
from evaluate.referee.passages import build_retriever, embed_course_once
from evaluate.referee.protocol import Referee
from evaluate.referee.scoring import Similarity, make_word_similarity
from evaluate.referee.simulated import make_referee
from evaluate.referee.spec import HINT_ALONE
from player.game.client import GameState
from player.round import Json
from quarry.course.paragraph import Paragraph
from quarry.embed import Models
from quarry.store import Course

PRACTICE = "practice"
"""Name of a practice server in the journal."""
MAX_PLAYERS = 10_000
"""Maximum number of players of a server."""
MAX_GAMES_OF_PLAYER = 2_000
"""Maximum number of games of a player in memory; a new one replaces the oldest finished game of the player."""
MAX_GAMES = 100_000
"""Maximum number of games of all players in memory; a new one replaces the oldest finished game."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Repertoire:
    """Labelled games with their paragraphs in the store, a referee, and the similarity of words for the score."""

    games: Sequence[tuple[LabelledGame, Paragraph]]
    referee: Referee
    similarity: Similarity


def load_repertoire(
    course: Course,
    games_path: Path,
    referee_spec: str,
    seed: int | None,
    settings: Settings,
    flag: str = "--games",
) -> Repertoire:
    """Load the repertoire of a store and a games file.

    If the file is in the folder of the bundled games, and none of its games is about the course, games are made.

    Args:
        course: the course of the store.
        games_path: file of labelled games.
        referee_spec: SPEC of the referee.
        seed: seed of the referee; None draws one.
        settings: the settings.
        flag: the flag that names the file.

    Raises:
        RefereeError: the SPEC is invalid or answers nothing.
        GamesError: the file cannot be used, or none of its games is about this store.
    """
    # so that no player waits for it
    embed_course_once([referee_spec], course, settings.embed)
    if referee_spec == HINT_ALONE:
        raise RefereeError(
            "The referee none answers no questions, so that no game can be played; take oracle"
        )
    noise = secrets.randbits(32) if seed is None else seed
    referee = make_referee(referee_spec, noise, build_retriever(course, settings.embed))
    models = Models(settings.embed)
    games = load_games(games_path, flag)
    paragraphs = locate_games(games, course.paragraphs)

    playable = []
    for game in games:
        if paragraph := paragraphs.get(game.game_id):
            playable.append((game, paragraph))
    is_bundled = games_path.resolve().parent == BUNDLED_GAMES.resolve().parent
    if not playable and is_bundled:
        embedder = models.embedder(course.embedder_spec)
        playable = make_games(course.paragraphs, course.vectors, embedder)
        if playable:
            _log.warning(
                "No labelled game is about %s. A machine made the hints of these games: words that are near the "
                "paragraph in meaning.",
                course.location,
            )
    if not playable:
        raise GamesError(
            f"{games_path}: none of {len(games)} games is about a paragraph of {course.location}; "
            f"name the games that belong to the store with {flag} (quarry games label writes some), or "
            "be the referee yourself: quarry play --referee me"
        )
    similarity = make_word_similarity(course.embedder_spec, models)
    return Repertoire(playable, referee, similarity)


class PracticeServer:
    """Players and their games; it is safe for many threads.

    Args:
        repertoire: the repertoire of all games.
        seed: seed of the order of games; with the same seed, the n-th game is always about the same paragraph. None
            draws an order that nobody can compute.
        is_public: whether a line is logged about each finished game.

    Attributes:
        players: the players by token.
        games: the games of all players by game_id.
        lock: lock of all players and games.
    """

    def __init__(
        self,
        repertoire: Repertoire,
        seed: int | None = None,
        *,
        is_public: bool = False,
    ) -> None:
        self.is_public = is_public
        self.players: dict[str, RegisteredPlayer] = {}
        self.games: dict[str, RefereeGame] = {}
        self.lock = threading.RLock()
        self._repertoire = repertoire
        self._owners: dict[str, RegisteredPlayer] = {}  # by game_id
        self._n_started = 0
        self._order = list(range(len(repertoire.games)))
        if seed is None:
            random.SystemRandom().shuffle(self._order)
        else:
            self._order = np.random.default_rng(seed).permutation(self._order).tolist()

    def register(self, name: str = "") -> str:
        """Add a player, and return its token.

        Raises:
            RefusedMessageError: there are too many players.
        """
        with self.lock:
            if len(self.players) >= MAX_PLAYERS:
                raise RefusedMessageError(
                    f"The server has {MAX_PLAYERS} players already; restart it."
                )
            token = secrets.token_hex(24)
            self.players[token] = RegisteredPlayer(self, name)
            return token

    def start_game(self, player: "RegisteredPlayer") -> RefereeGame:
        """Begin a game of a player.

        Raises:
            RefusedMessageError: there are too many unfinished games.
        """
        repertoire = self._repertoire
        with self.lock:
            if len(player.games) >= MAX_GAMES_OF_PLAYER:
                self._forget_a_game(player.games)
            elif len(self.games) >= MAX_GAMES:
                self._forget_a_game(self.games)

            number = self._n_started
            self._n_started += 1
            labelled, paragraph = repertoire.games[
                self._order[number % len(self._order)]
            ]
            # 7 digits SSRRGGG: 99 rounds of 999 games a season
            season, rest = divmod(number, 99 * 999)
            round_, number_in_round = divmod(rest, 999)
            game_id = f"{season % 99 + 1:02d}{round_ + 1:02d}{number_in_round + 1:03d}"

            game = RefereeGame(
                game_id,
                labelled,
                paragraph,
                repertoire.referee,
                repertoire.similarity,
                player.player_id,
            )
            self.games[game_id] = player.games[game_id] = game
            self._owners[game_id] = player
            return game

    def _forget_a_game(self, games: Mapping[str, RefereeGame]) -> None:
        """Remove the oldest finished one of some games, and its messages."""
        over = (game for game in games.values() if game.score is not None)
        game = next(over, None)
        if game is None:
            raise RefusedMessageError(
                f"{len(games)} games are not over; end one first."
            )
        del self.games[game.game_id]
        self._owners.pop(game.game_id).forget(game.game_id)


class RegisteredPlayer:
    """A player of a practice server; it is a `GameServer` without HTTP, against which replays play.

    Args:
        practice: the practice server.
        name: name under which the player registered.

    Attributes:
        games: the player's games by game_id.
    """

    def __init__(self, practice: PracticeServer, name: str = "") -> None:
        self.player_id = f"player-{secrets.token_hex(4)}"
        self.name = name
        self.games: dict[str, RefereeGame] = {}
        self._practice = practice
        self._inbox: dict[int, Json] = {}  # by number, from 1
        self._n_messages = 0

    def request_game(self) -> str:
        """Begin a game and return its game_id; its first message is in the inbox.

        Raises:
            RefusedMessageError: there are too many unfinished games.
        """
        game = self._practice.start_game(self)
        self._deliver([game.first_message()])
        return game.game_id

    def forget(self, game_id: str) -> None:
        """Remove a game and its messages."""
        del self.games[game_id]
        for number, message in list(self._inbox.items()):
            if message["game_id"] == game_id:
                del self._inbox[number]

    def _deliver(self, messages: Sequence[Json]) -> None:
        with self._practice.lock:
            for message in messages:
                self._n_messages += 1
                self._inbox[self._n_messages] = message

    def inbox(self, cursor: str, wait_s: float) -> tuple[Sequence[Json], str]:
        """Return the messages after `cursor`, without waiting: the referee answers at once."""
        after = int(cursor or 0)
        with self._practice.lock:
            last = self._n_messages
            fresh = [item for number, item in self._inbox.items() if number > after]
        return fresh, str(max(after, last))

    def send(self, envelope: Mapping[str, Any]) -> None:
        """Deliver a message; a repeated message changes nothing.

        Raises:
            RefusedMessageError: the game_id is unknown, or the referee refuses the message.
        """
        game = self._find(envelope.get("game_id"))
        replies = game.receive(dict(envelope))
        self._deliver(replies)
        if replies and game.score is not None and self._practice.is_public:
            points = game.score.private_score
            _log.info("game %s: %s scored %.1f of 100", game.game_id, self.name, points)

    def game(self, game_id: str) -> GameState:
        """Return the state of a game.

        Raises:
            RefusedMessageError: the player has no such game.
        """
        game = self._find(game_id)
        score = game.score
        if score is None:
            return GameState(game_id, game.state)
        points, league_points = score.private_score, score.league_points
        return GameState(game_id, game.state, points, league_points)

    def _find(self, game_id: object) -> RefereeGame:
        game = self.games.get(game_id) if isinstance(game_id, str) else None
        if game is None:
            raise RefusedMessageError(
                f"game_id {reprlib.repr(game_id)} is no game of this player"
            )
        return game
