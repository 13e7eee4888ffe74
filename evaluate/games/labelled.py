"""Labelled games, and reading them. Labels live here and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from quarry.configs.json_files import as_object, lines_of, read_text
from quarry.evaluate.errors import GamesError
from quarry.player.protocol.payloads import RoundStart

Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = ("train", "validation", "test")
FORM = """\
A games file holds one JSON object a line:
  hint                       what the player is told; always needed
  book_name                  the lecture as the hint-giver calls it
  opening_sentence           the first sentence of the paragraph, verbatim; or
  paragraph_id               as `python -m ingest --paragraphs` gives it; null where nothing is right
  game_id                    of its own; made where it is left out
  paragraph, pdf, page       the whole text, and where it stands: these help to find it
  association_domain, associative_word, split (train, validation or test), in_text_layer (true or false)
hint, book_name and opening_sentence are enough:
  {"hint": "what climbs", "book_name": "Botany", "opening_sentence": "Ivy grows towards light."}
"""
"""The form of a games file, for `--help`."""


@dataclass(frozen=True, slots=True)
class LabelledGame:
    """A game with its solution, which no player function accepts.

    Attributes:
        paragraph_id: of the secret paragraph, "" where the file gives its text instead.
        opening_sentence: verbatim, "" where the file gives the id instead.
        paragraph: verbatim text, "" where the file gives the id instead.
        document: stem of the PDF it stands in, "" if the file does not say.
        in_text_layer: False where no extractor can yield the opening sentence as labelled.
        answerable: False where the paragraph is outside the corpus.
        split: None where the file names none.
    """

    game_id: str
    book_name: str
    hint: str
    association_domain: str
    associative_word: str
    paragraph_id: str
    opening_sentence: str
    paragraph: str
    document: str
    in_text_layer: bool
    answerable: bool
    split: Split | None

    def told(self) -> RoundStart:
        """What a player is told of it outside a match: no label."""
        return RoundStart("", self.book_name, self.hint, self.association_domain, "")


def load_games(path: Path, named: str = "--games") -> list[LabelledGame]:
    """Read the games of a file, one JSON object a line as docs/commands.md has them.

    Args:
        named: the flag that names the file.

    Raises:
        GamesError: missing, empty, a line that is no such object, or a game_id that comes twice.
    """
    games, problems = read_games(path, named)
    if problems:
        raise problems[0]
    return games


def read_games(path: Path, named: str = "--games") -> tuple[list[LabelledGame], list[GamesError]]:
    """The games of a file, and what is wrong with the lines that give none.

    Raises:
        GamesError: the file is missing, no text, or none of its lines is a game.
    """
    games: dict[str, LabelledGame] = {}
    problems: list[GamesError] = []
    for number, (where, line) in enumerate(lines_of(read_text(path, GamesError, named=named), path), 1):
        try:
            game = _game(as_object(line, where, GamesError), where, number)
            if game.game_id in games:
                raise GamesError(f"{where}: game_id must be unique, got {game.game_id!r} again; rename it")
            games[game.game_id] = game
        except GamesError as error:
            problems.append(error)
    if problems and not games:
        raise problems[0]
    if not games:
        raise GamesError(f"{path}: must hold at least one game, got none; one JSON object a line")
    return list(games.values()), problems


def _game(record: Mapping[str, Any], where: str, number: int) -> LabelledGame:
    """The game of a record; one without a game_id is called by its number."""
    record = {"game_id": f"game-{number}", **record}
    for key in ("game_id", "hint"):
        if not isinstance(record.get(key), str) or not record[key].strip():
            raise GamesError(
                f"{where}: {key} must be a string that is not empty, got {record.get(key)!r}; mend the line"
            )
    texts = {key: "" if record.get(key) is None else record[key] for key in _OPTIONAL_TEXTS}
    for key, value in (("game_id", record["game_id"]), ("hint", record["hint"]), *texts.items()):
        if not isinstance(value, str):
            raise GamesError(f"{where}: {key} must be a string, got {value!r}; mend the line")
    split = record.get("split")
    if split == "val":
        split = "validation"
    if split is not None and split not in SPLITS:
        raise GamesError(f"{where}: split must be one of {', '.join(SPLITS)}, got {split!r}; mend the line")
    in_text_layer = record.get("in_text_layer", True)
    if not isinstance(in_text_layer, bool):
        raise GamesError(f"{where}: in_text_layer must be true or false, got {in_text_layer!r}; mend the line")
    answerable = "paragraph_id" not in record or record["paragraph_id"] is not None
    if answerable and not texts["paragraph_id"] and not texts["opening_sentence"]:
        raise GamesError(
            f"{where}: must have paragraph_id (null if unanswerable), or opening_sentence and paragraph; add one"
        )
    return LabelledGame(
        game_id=record["game_id"],
        book_name=texts["book_name"],
        hint=record["hint"],
        association_domain=texts["association_domain"],
        associative_word=texts["associative_word"],
        paragraph_id=texts["paragraph_id"],
        opening_sentence=texts["opening_sentence"],
        paragraph=texts["paragraph"] or texts["opening_sentence"],
        document=Path(texts["pdf"]).stem,
        in_text_layer=in_text_layer,
        answerable=answerable,
        split=split,
    )


_OPTIONAL_TEXTS = (
    "book_name",
    "association_domain",
    "associative_word",
    "paragraph_id",
    "opening_sentence",
    "paragraph",
    "pdf",
)
