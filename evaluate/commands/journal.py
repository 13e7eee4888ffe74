"""The commands `games list` and `games show`: games that were played, as the journal keeps them."""

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from pydantic_core import to_jsonable_python

from configs.directories import default_journal
from configs.errors import SettingsError
from player.game.journal import Journal, SavedGame
from player.game.terminal import outcome_of
from quarry.cli import AsJson
from quarry.terminal import visible, visible_json

PRACTICE = "practice"
"""Server of practice games in the journal."""
HEAD = f"{'began (UTC)':16}  {'game':8}  {'state':8}  {'score':>5}  lecture: hint  (where it was played)"

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


def list_games(*, journal: JournalFile = None, as_json: AsJson = False) -> None:
    """Print a table of all games."""
    path = journal or default_journal()
    games = read_games(path)
    if as_json:
        print(visible_json({"games": to_jsonable_python(games)}))
        return
    if not games:
        print(f"{path} holds no games.")
        return
    print(HEAD)
    for game in games:
        print(visible(_line(game)))


def show(
    game_id: str, /, *, journal: JournalFile = None, as_json: AsJson = False
) -> None:
    """Print all games with an id.

    Args:
        game_id: Id of the game, as `games list` shows it.
    """
    path = journal or default_journal()
    games = [game for game in read_games(path) if game.game_id == game_id]
    if not games:
        raise SettingsError(
            f"{path} holds no game {game_id!r}; list them with `quarry games list`"
        )
    if as_json:
        print(visible_json({"games": to_jsonable_python(games)}))
        return
    for game in games:
        print(*map(visible, _lines(game)), sep="\n")


def _line(game: SavedGame) -> str:
    """Return the row of a game below HEAD."""
    began = datetime.fromtimestamp(game.began, UTC).isoformat(" ", "minutes")[:16]
    score = f"{game.score.private_score:.1f}" if game.score else "-"
    state = outcome_of(game.score) or game.ending
    asked = ""
    if game.start:
        asked = f"{game.start.book_name or '-'}: {game.start.hint}"
    where = game.server if game.server == PRACTICE else f"server {game.server}"
    return f"{began:16}  {game.game_id:8}  {state:8}  {score:>5}  {asked}  ({where})"


def _lines(game: SavedGame) -> Iterator[str]:
    """Yield a game in words, without what has not happened yet."""
    yield HEAD
    yield _line(game)
    if game.start:
        yield f"book   {game.start.book_name}"
        yield f"hint   {game.start.hint}"
    answers = [*(game.answers or ()), *[None] * len(game.questions)]
    for number, question in enumerate(game.questions):
        yield f"{number + 1:2} {answers[number] or '-'}  {question.text}"
    if game.guess:
        guess = game.guess
        yield f"guess  {guess.opening_sentence}"
        yield f"       {guess.sentence_justification}"
        yield f"word   {guess.associative_word}"
        yield f"       {guess.word_justification}"
        yield f"sure   {guess.confidence:.0%}"
    if game.score:
        score = game.score
        outcome = outcome_of(score)
        points = (
            f"{score.private_score:.1f} of 100, league points {score.league_points}"
        )
        yield f"score  {points}{', ' if outcome else ''}{outcome}"
        for part, earned in score.breakdown.items():
            yield f"  {part.replace('_', ' ')}: {earned:.1f}"
        for part, remark in score.feedback.items():
            yield f"  {part.replace('_', ' ')}: {remark}"
