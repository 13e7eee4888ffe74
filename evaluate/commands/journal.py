"""The commands `games list` and `games show`: games that were played, as the journal keeps them."""

import argparse
import contextlib
from datetime import UTC, datetime
from pathlib import Path

from pydantic_core import to_jsonable_python
from rich.console import Console

from configs.directories import default_journal
from configs.errors import SettingsError
from player.game.journal import Journal
from player.game.record import SavedGame
from player.game.terminal import Terminal
from quarry import cli
from quarry.terminal import visible, visible_json

PRACTICE = "practice"
"""Server of practice games in the journal."""
HEAD = f"{'began (UTC)':16}  {'game':8}  {'state':8}  {'score':>5}  lecture: hint  (where it was played)"


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


def _list(options: argparse.Namespace) -> int:
    games = read_games(options.journal)
    if options.lost:
        games = [game for game in games if game.outcome == "LOST"]
    if options.json:
        print(visible_json({"games": to_jsonable_python(games)}))
        return 0
    if not games:
        print(f"{options.journal} holds no {'lost ' * options.lost}games.")
        return 0
    print(HEAD)
    for game in games:
        print(visible(_line(game)))
    return 0


def _show(options: argparse.Namespace) -> int:
    games = read_games(options.journal)
    games = [game for game in games if game.game_id == options.game]
    if not games:
        raise SettingsError(
            f"{options.journal} holds no game {options.game!r}; list them with `quarry games list`"
        )
    if options.json:
        print(visible_json({"games": to_jsonable_python(games)}))
        return 0
    terminal = Terminal(Console())
    for game in games:
        print(HEAD, visible(_line(game)), sep="\n")
        terminal.show(game)
    return 0


def _line(game: SavedGame) -> str:
    """Return the row of a game below HEAD."""
    began = datetime.fromtimestamp(game.began, UTC).isoformat(" ", "minutes")[:16]
    score = f"{game.score.private_score:.1f}" if game.score else "-"
    state = game.outcome or game.ending
    asked = ""
    if game.start:
        asked = f"{game.start.book_name or '-'}: {game.start.hint}"
    return (
        f"{began:16}  {game.game_id:8}  {state:8}  {score:>5}  {asked}  ({game.where})"
    )


JOURNAL = cli.path(
    "--journal",
    "FILE",
    "journal of the games (default: %(default)s)",
    default=default_journal,
)
COMMANDS = {
    "games list": cli.Command(
        "--lost",
        (cli.flag("--lost", "only lost games"), JOURNAL, cli.JSON),
        _list,
    ),
    "games show": cli.Command(
        "0101001",
        (
            cli.option("game", "GAME", "id of the game, as `games list` shows it"),
            JOURNAL,
            cli.JSON,
        ),
        _show,
    ),
}
