"""The commands `games list` and `games show`: games that were played, as the journal keeps them."""

from __future__ import annotations

import argparse
import contextlib
import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from configs.directories import default_journal
from configs.settings import SettingsError
from ingest.console import arguments as cli
from ingest.console.terminal import visible, visible_json

COLUMNS = ("server", "player", "game_id", "began", "ending")
CONTENT = ("start", "questions", "answers", "guess")


def main(arguments: list[str], prog: str) -> int:
    """Run the command that `prog` ends with; return 0, or 2 for bad input."""
    command = next(one for one in COMMANDS if prog.endswith(one.name))
    return command.main(arguments, prog, (SettingsError,))


def read_games(path: Path, game_id: str | None = None) -> list[dict[str, Any]]:
    """Read games from a journal without changing it, the oldest first.

    Args:
        game_id: only the games of this id, with hint, questions, answers and guess.

    Raises:
        SettingsError: there is no journal at the path.
    """
    if not path.is_file():
        raise SettingsError(f"{path} does not exist: no game was played with it.")
    names = COLUMNS if game_id is None else COLUMNS + CONTENT
    statement = f"SELECT {', '.join(names)} FROM games ORDER BY game"
    address = f"{path.resolve().as_uri()}?mode=ro"
    try:
        with contextlib.closing(sqlite3.connect(address, uri=True)) as database:
            rows = database.execute(statement).fetchall()
    except sqlite3.Error as error:
        raise SettingsError(f"{path} is not a journal: {error}") from error

    games = []
    for row in rows:
        game = dict(zip(names, row, strict=True))
        began = datetime.fromtimestamp(game["began"], UTC)
        game["began"] = began.isoformat(timespec="seconds")
        if game_id in {None, game["game_id"]}:
            games.append(game)
    return games


def _list(options: argparse.Namespace) -> int:
    games = read_games(options.journal)
    if options.json:
        print(visible_json({"games": games}))
        return 0
    for game in games:
        line = "{began}  {game_id:10}  {ending:8}  {player} on {server}".format(**game)
        print(visible(line))
    if not games:
        print(f"{options.journal} holds no games.")
    return 0


def _show(options: argparse.Namespace) -> int:
    games = read_games(options.journal, options.game)
    if not games:
        raise SettingsError(
            f"{options.journal} holds no game {options.game!r}; list them with `quarry games list`"
        )
    for game in games:
        for name in CONTENT:
            game[name] = json.loads(game[name]) if game[name] else None

    if options.json:
        print(visible_json({"games": games}))
        return 0
    for game in games:
        print(*map(visible, _lines(game)), sep="\n")
    return 0


def _lines(game: dict[str, Any]) -> list[str]:
    """Return a game in words: what is not there yet is left out."""
    lines = ["game {game_id}, {began}, {ending}, {player} on {server}".format(**game)]
    start, answers, guess = game["start"], game["answers"] or [], game["guess"]
    if start:
        lines += [f"book   {start['book_name']}", f"hint   {start['hint']}"]
    for number, question in enumerate(game["questions"] or []):
        answer = answers[number] if number < len(answers) else None
        text = question["text"] if isinstance(question, dict) else question
        lines.append(f"{number + 1:2} {answer or '-'}  {text}")
    if guess:
        lines += [f"{name}: {value}" for name, value in guess.items()]
    return lines


JOURNAL = cli.path(
    "--journal",
    "FILE",
    "journal of the games (default: %(default)s)",
    default=default_journal,
)
COMMANDS = (
    cli.Command(
        "games list",
        "list the games that were played, the oldest first",
        "quarry games list",
        (JOURNAL, cli.JSON),
        _list,
    ),
    cli.Command(
        "games show",
        "show hint, questions, answers and guess of a game that was played",
        "quarry games show 0101001",
        (
            cli.option("game", "GAME", "id of the game, as `games list` shows it"),
            JOURNAL,
            cli.JSON,
        ),
        _show,
    ),
)
