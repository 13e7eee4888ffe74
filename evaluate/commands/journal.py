"""The commands `games list` and `games show`: games that were played, as the journal keeps them."""

import contextlib
import logging
import textwrap
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from pydantic_core import to_jsonable_python
from rich.console import Console

from configs.directories import default_journal
from configs.errors import SettingsError
from player.game.journal import Journal
from player.game.record import SavedGame
from player.game.terminal import Terminal
from quarry.cli import AsJson
from quarry.terminal import visible, visible_json

_log = logging.getLogger(__name__)
PRACTICE = "practice"
"""Server of practice games in the journal."""
HEAD = f"{'number':>6}  {'began (UTC)':16}  {'game':8}  {'state':8}  {'score':>5}  lecture: hint  (where it was played)"

JournalFile = Annotated[
    Path | None,
    Parameter("--journal", help="Journal of the games (default: that of `play`)."),
]


def read_games(path: Path) -> list[SavedGame]:
    """Read the games of a journal, the oldest first.

    Raises:
        SettingsError: there is no journal at the path.
        JournalError: the file is no journal.
    """
    if not path.is_file():
        raise SettingsError(f"{path} does not exist: no game was played with it.")
    with contextlib.closing(Journal(path)) as journal:
        return journal.games()[::-1]


def list_games(
    *, lost: bool = False, journal: JournalFile = None, as_json: AsJson = False
) -> None:
    """Print a table of all games.

    Args:
        lost: Only lost games.
    """
    path = journal or default_journal()
    games = read_games(path)
    if lost:
        games = [game for game in games if game.outcome == "LOST"]
    if as_json:
        print(visible_json({"games": to_jsonable_python(games)}))
        return
    if not games:
        print(f"{path} holds no {'lost ' * lost}games.")
        return
    print(HEAD)
    for game in games:
        print(visible(_line(game)))


def show(game: str, /, *, journal: JournalFile = None, as_json: AsJson = False) -> None:
    """Print a game.

    Args:
        game: Number or id of the game, as `games list` shows them; the newest game of an id.
    """
    path = journal or default_journal()
    games = [one for one in read_games(path) if game in (str(one.key), one.game_id)]
    if not games:
        raise SettingsError(
            f"{path} holds no game {game!r}; list them with `quarry games list`"
        )
    # a number comes once, and before ids
    chosen = max(games, key=lambda one: (str(one.key) == game, one.key))
    others = [str(one.key) for one in games[::-1] if one is not chosen]
    if others:
        numbers = textwrap.shorten(", ".join(others), 60, placeholder=" ...")
        _log.info("%s also names %s: quarry games show NUMBER", game, numbers)
    if as_json:
        print(visible_json({"games": to_jsonable_python([chosen])}))
        return
    print(HEAD, visible(_line(chosen)), sep="\n")
    Terminal(Console()).show(chosen)


def _line(game: SavedGame) -> str:
    """Return the row of a game below HEAD."""
    began = datetime.fromtimestamp(game.began, UTC).isoformat(" ", "minutes")[:16]
    score = f"{game.score.private_score:.1f}" if game.score else "-"
    state = game.outcome or game.ending
    asked = ""
    if game.start:
        asked = f"{game.start.book_name or '-'}: {game.start.hint}"
    return f"{game.key:6}  {began:16}  {game.game_id or '-':8}  {state:8}  {score:>5}  {asked}  ({game.where})"
