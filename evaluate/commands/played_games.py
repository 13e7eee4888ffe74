"""The commands `games list` and `games show`, which print played games from the journal."""

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
HEAD = f"{'number':>6}  {'began (UTC)':16}  {'game':8}  {'state':8}  {'score':>5}  lecture: hint  (where it was played)"
"""Head of the table of games."""

JournalFile = Annotated[
    Path | None,
    Parameter("--journal", help="Journal of the games (default: that of `play`)."),
]


def read_journal(path: Path) -> list[SavedGame]:
    """Read the games of a journal, the oldest first.

    Raises:
        SettingsError: the file does not exist, or is a folder.
        JournalError: the file is not a journal.
    """
    if not path.exists():
        raise SettingsError(
            f"{path} does not exist: no game was played with it; name another --journal, or play: quarry play"
        )
    if not path.is_file():
        raise SettingsError(f"{path} is no file; name the journal of `play`")
    with contextlib.closing(Journal(path, is_copy=True)) as journal:
        return journal.games()[::-1]


def list_played(
    *, lost: bool = False, journal: JournalFile = None, as_json: AsJson = False
) -> None:
    """Print a table of all played games.

    Args:
        lost: Only lost games.
    """
    path = journal or default_journal()
    games = read_journal(path)
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
        print(visible(_format_line(game)))


def show_played(
    game: str, /, *, journal: JournalFile = None, as_json: AsJson = False
) -> None:
    """Print a played game.

    Args:
        game: Number or id of the game, as `games list` shows them; the newest game of an id.
    """
    path = journal or default_journal()
    games = [one for one in read_journal(path) if game in (str(one.key), one.game_id)]
    if not games:
        raise SettingsError(
            f"{path} holds no game {game!r}; list them with `quarry games list`"
        )

    # a number names one game, and is preferred to an id
    latest = max(games, key=lambda one: (str(one.key) == game, one.key))
    others = [str(one.key) for one in games[::-1] if one is not latest]
    if others:
        numbers = textwrap.shorten(", ".join(others), 60, placeholder=" ...")
        _log.info("%s also names %s: quarry games show NUMBER", game, numbers)

    if as_json:
        print(visible_json({"games": to_jsonable_python([latest])}))
        return
    print(HEAD, visible(_format_line(latest)), sep="\n")
    Terminal(Console()).show(latest)


def _format_line(game: SavedGame) -> str:
    """Return the line of a game, with the columns of HEAD."""
    began = datetime.fromtimestamp(game.began, UTC).isoformat(" ", "minutes")[:16]
    score = f"{game.score.private_score:.1f}" if game.score else "-"
    state = game.outcome or game.ending
    round_text = ""
    if game.start:
        round_text = f"{game.start.book_name or '-'}: {game.start.hint}"
    return f"{game.key:6}  {began:16}  {game.game_id or '-':8}  {state:8}  {score:>5}  {round_text}  ({game.where})"
