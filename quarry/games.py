"""The commands `games list` and `games show`: games that were played, as the journal keeps them."""

import argparse
import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from pydantic_core import to_jsonable_python

from configs.directories import default_journal
from configs.settings import SettingsError
from ingest.console import arguments as cli
from ingest.console.terminal import visible, visible_json
from player.game.journal import Journal, SavedGame


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
    if options.json:
        print(visible_json({"games": to_jsonable_python(games)}))
        return 0
    for game in games:
        print(visible(_line(game)))
    if not games:
        print(f"{options.journal} holds no games.")
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
    for game in games:
        print(*map(visible, _lines(game)), sep="\n")
    return 0


def _line(game: SavedGame) -> str:
    began = datetime.fromtimestamp(game.began, UTC).isoformat(" ", "minutes")[:16]
    score = f"{game.score.private_score:5.1f}" if game.score else "    -"
    return f"{began}  {game.game_id:8} {game.ending:8} {score}  {game.server}"


def _lines(game: SavedGame) -> Iterator[str]:
    """Yield a game in words, without what has not happened yet."""
    yield _line(game)
    if game.start:
        yield f"book   {game.start.book_name}"
        yield f"hint   {game.start.hint}"
    answers = [*(game.answers or ()), *[None] * len(game.questions)]
    for number, question in enumerate(game.questions):
        yield f"{number + 1:2} {answers[number] or '-'}  {question.text}"
    if game.guess:
        for name, value in to_jsonable_python(game.guess).items():
            yield f"{name}: {value}"
    if game.score:
        for part, remark in game.score.feedback.items():
            yield f"{part}: {remark}"


JOURNAL = cli.path(
    "--journal",
    "FILE",
    "journal of the games (default: %(default)s)",
    default=default_journal,
)
COMMANDS = {
    "games list": cli.Command("", (JOURNAL, cli.JSON), _list),
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
