"""State of the studio: a course, its players, its practice server, and games that are being played."""

import contextlib
import logging
import reprlib
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any

from cachetools import FIFOCache, cachedmethod
from fastapi import Depends, Request

from configs.errors import SettingsError
from configs.settings import Settings, is_file_name, load
from evaluate.games.labelled import BUNDLED_GAMES, LabelledGame
from evaluate.games.labeller import load_existing_games
from evaluate.practice.server import PracticeServer, load_repertoire
from evaluate.referee.spec import PRACTICE_REFEREE
from evaluate.studio.pages import or_404
from evaluate.studio.view import GameView
from player.answer import Answer
from player.errors import JournalError
from player.game.journal import Journal
from player.game.record import GameRecord, SavedGame
from player.player import Plan, Player, build_player
from quarry.course.paragraph import Paragraph
from quarry.store import Course

_log = logging.getLogger(__name__)
STUDIO_SERVER = "studio"
"""Name of the server in the journal for games whose referee is a person at the studio."""
STUDIO_SERVERS = (STUDIO_SERVER, "desk")
"""This name, and the one that earlier versions wrote."""
MAX_KEPT = 100
"""Maximum number of games with a person, and of views of games, in memory; the oldest are dropped first."""


@dataclass(frozen=True, slots=True)
class StudioFiles:
    """Files and folders that the studio reads and writes.

    Attributes:
        games: file to which labelled games are appended.
        runs: folder of runs that `replay --out` writes.
        journal: journal of played games.
    """

    games: Path
    runs: Path
    journal: Path


@dataclass(slots=True)
class Session:
    """A game whose referee is a person, or a simulated one.

    Attributes:
        game: the hint and the word.
        paragraph: the secret paragraph.
        note: a line that names preset and referee.
        player: the player.
        plan: the plan of the player.
        answers: the answers so far.
        key: key of the game in the journal; 0 before it is finished.
    """

    game: LabelledGame
    paragraph: Paragraph
    note: str
    player: Player
    plan: Plan
    answers: list[Answer] = field(default_factory=list)
    key: int = 0


class Studio:
    """State of the studio; it is safe for many threads, of which only those that need the same thing wait for it."""

    def __init__(self, course: Course, settings: Settings, files: StudioFiles) -> None:
        self.course = course
        self.settings = settings
        self.files = files
        self.sessions: FIFOCache[str, Session] = FIFOCache(MAX_KEPT)
        self._players: dict[object, Player] = {}
        self._servers: dict[object, PracticeServer] = {}
        self._views: FIFOCache[object, GameView] = FIFOCache(MAX_KEPT)
        self._made = threading.Condition()

    def load_preset(self, preset: str) -> Settings:
        """Load the settings of a preset by name; "" returns the settings of the command.

        Raises:
            SettingsError: the preset is unknown, or a file, which could name code.
        """
        if preset in ("", self.settings.preset):
            return self.settings
        if is_file_name(preset):
            raise SettingsError(
                f"preset {reprlib.repr(preset)} is a file; start the studio with it: quarry studio --preset FILE"
            )
        return load(preset)

    @cachedmethod(attrgetter("_players"), condition=attrgetter("_made"))
    def player(self, preset: str) -> Player:
        """Return the player of a preset, which is built when it is first needed; "" takes that of the command."""
        return build_player(self.course, self.load_preset(preset))

    @cachedmethod(attrgetter("_servers"), condition=attrgetter("_made"))
    def practice(self) -> PracticeServer:
        """Return the practice server, which is built when it is first needed."""
        games = self.files.games
        if not load_existing_games(games):
            games = BUNDLED_GAMES
        repertoire = load_repertoire(
            self.course, games, PRACTICE_REFEREE, None, self.settings
        )
        return PracticeServer(repertoire)

    @cachedmethod(
        attrgetter("_views"), lambda _, key, make: key, condition=attrgetter("_made")
    )
    def view(self, key: object, make: Callable[[], GameView]) -> GameView:
        """Return the view of a game by its key from memory, or make it."""
        return make()

    def begin(self, session: Session) -> str:
        """Store a new game in memory, and return its id."""
        session_id = secrets.token_urlsafe(9)
        with self._made:
            self.sessions[session_id] = session
        return session_id

    def run_path(self, name: str) -> Path:
        """Return the path of a run; raise 404 if it is outside the folder of runs."""
        folder = self.files.runs.resolve()
        is_inside = False
        with contextlib.suppress(OSError, RuntimeError):  # a long name, a loop of links
            path = (folder / name.replace("\0", "")).resolve()
            path.exists()
            is_inside = path.is_relative_to(folder) and path != folder
        return or_404(path if is_inside else None, "such run")

    def paragraph(self, paragraph_id: str) -> Paragraph:
        """Return a paragraph of the course; raise 404 if there is none."""
        by_id = {item.paragraph_id: item for item in self.course.paragraphs}
        return or_404(by_id.get(paragraph_id), f"paragraph {paragraph_id}")

    def paragraphs(self, doc_id: str, kind: str) -> list[Paragraph]:
        """Return the paragraphs of a document and a kind; "" takes all."""
        paragraphs = []
        for paragraph in self.course.paragraphs:
            if doc_id in ("", paragraph.doc_id) and kind in ("", paragraph.kind):
                paragraphs.append(paragraph)
        return paragraphs

    def write(self, session: Session, game: GameRecord) -> None:
        """Write a finished game to the journal, or replace it if its answers have changed; log a failure."""
        try:
            with contextlib.closing(
                Journal(self.files.journal, STUDIO_SERVER)
            ) as journal:
                session.key = journal.store_game(game, session.key)
        except JournalError as error:
            _log.warning("%s", error)

    def saved_games(self) -> list[SavedGame]:
        """Return the games of the journal that have a hint, the latest first."""
        with self._open_journal() as journal:
            return [game for game in journal.games() if game.start is not None]

    def saved_game(self, key: int) -> SavedGame:
        """Return a game of the journal that has a hint; raise 404 if there is none."""
        with self._open_journal() as journal:
            game = journal.game(key)
        has_hint = game is not None and game.start is not None
        return or_404(game if has_hint else None, "such game in the journal")

    def _open_journal(self) -> contextlib.closing[Journal]:
        path = self.files.journal
        file = path if path.is_file() else None
        return contextlib.closing(Journal(file, is_copy=True))


async def _get_studio(request: Request) -> Any:
    return request.app.state.studio


CurrentStudio = Annotated[Studio, Depends(_get_studio)]
"""The studio of the application that handles a request."""
