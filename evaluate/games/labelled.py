"""Labelled games: the reader of games files, splits, and the comparison of sentences."""

import bisect
import hashlib
import logging
import os
import re
import reprlib
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, StrictBool, StrictInt, TypeAdapter, ValidationError

from configs.directories import BUNDLED
from configs.similar_names import did_you_mean
from evaluate.errors import NOT_BLANK, GamesError, first_fault
from player.round import WON_POINTS, RoundStart
from quarry.course.text import canonical
from quarry.json_files import as_object, read_lines

_log = logging.getLogger(__name__)
BUNDLED_GAMES = BUNDLED / "games" / "english.jsonl"
"""File of the labelled games about the bundled English lectures."""
Split = Literal["train", "validation", "test"]
"""Parts of the games."""
SPLITS: tuple[Split, ...] = get_args(Split)
"""All splits."""
SPLIT_ENDS = (0.5, 0.7)
"""Cumulative shares of the paragraphs in all SPLITS but the last, for games without a split."""
MAX_UNKNOWN_KEYS = 5
"""Maximum number of unknown keys of a file that a warning names."""
Needed = Annotated[str, Field(pattern=NOT_BLANK)]
"""A text that is not blank."""


@dataclass(frozen=True, slots=True)
class LabelledGame:
    """A game with its solution; no function of the player accepts it. Most fields are keys of a line of the file.

    Attributes:
        paragraph_id: id of the secret paragraph; "" if the file does not hold it, or the game is unanswerable.
        opening_sentence: its opening sentence, verbatim; "" if the file does not hold it.
        paragraph: its text, verbatim; "" if the file does not hold it.
        pdf: file of the paragraph; "" if unknown.
        page: 1-based page of the paragraph; 0 if unknown.
        reader, cut: the program whose raw text the referee holds; "" for text as it is printed.
        in_text_layer: False if no extractor can read the opening sentence as labelled.
        answerable: False if the paragraph is outside the course.
        split: the split of the game; None if the file does not name one.
    """

    game_id: Needed
    book_name: str
    hint: Needed
    association_domain: str = ""
    associative_word: str = ""
    paragraph_id: str = ""
    opening_sentence: str = ""
    paragraph: str = ""
    pdf: str = ""
    page: StrictInt = 0
    reader: str = ""
    cut: str = ""
    in_text_layer: StrictBool = True
    answerable: bool = True
    split: Split | None = None

    def find_document(self, doc_ids: Container[str]) -> str:
        """Return the doc_id of the paragraph's PDF: its path without the suffix and without the folders that no id has.

        Without such an id it is the stem.
        """
        path, _ = os.path.splitext(self.pdf)
        while path not in doc_ids and "/" in path:
            _, _, path = path.partition("/")
        return path

    @property
    def edition(self) -> str:
        """Name of the edition, "READER:CUT"; "" for text as it is printed."""
        return ":".join(filter(None, (self.reader, self.cut)))

    def round_start(self) -> RoundStart:
        """Return the start of the round for a player, without the solution."""
        return RoundStart("", self.book_name, self.hint, self.association_domain, "")


_FIELDS = {field.name for field in fields(LabelledGame)}
"""Names of the fields of a game."""
GAME_KEYS = (*sorted(_FIELDS - {"answerable"}), "kind", "manner", "policy")
"""Keys of a line."""
_LINE = TypeAdapter(LabelledGame)


def load_games(path: Path, flag: str = "--games") -> list[LabelledGame]:
    """Read the games of a file of JSON lines in the form that `quarry games check --help` describes.

    A warning names the unknown keys that are ignored; it goes to standard error unless the program sets up logging.

    Args:
        path: the file.
        flag: the flag that names the file.

    Raises:
        GamesError: the file is missing or empty, or has an invalid line, a misspelt key or a duplicate game_id.
    """
    games, problems, unknown = read_games(path, flag)
    if problems:
        raise problems[0]
    if unknown:
        names = ", ".join(map(repr, sorted(unknown)[:MAX_UNKNOWN_KEYS]))
        _log.warning(
            "%s: ignored unknown keys: %s; `games check` counts them", path, names
        )
    return games


def read_games(
    path: Path, flag: str = "--games"
) -> tuple[list[LabelledGame], list[GamesError], Counter[str]]:
    """Read the games of a file; return them, the errors of its other lines, and the number of lines by unknown key.

    Raises:
        GamesError: the file is missing, is not a text, or has no game.
    """
    games: dict[str, LabelledGame] = {}
    problems: list[GamesError] = []
    unknown: Counter[str] = Counter()
    for number, where, line in read_lines(path, GamesError, flag=flag):
        try:
            record = as_object(line, where, GamesError)
            game = _game(record, where, f"game-{number}")
            if game.game_id in games:
                raise GamesError(
                    f"{where}: game_id {reprlib.repr(game.game_id)} is there twice; rename it"
                )
        except GamesError as error:
            problems.append(error)
        else:
            games[game.game_id] = game
            unknown.update(record.keys() - set(GAME_KEYS))

    if not games:
        none = f"{path} holds no game; write one JSON object a line"
        raise problems[0] if problems else GamesError(none)
    return list(games.values()), problems, unknown


def _game(record: Mapping[str, Any], where: str, game_id: str) -> LabelledGame:
    """Convert a line of the file to a game.

    Args:
        record: object of the line.
        where: file and line, for errors.
        game_id: id of a game without one.

    Raises:
        GamesError: a value is invalid, or a key is misspelt.
    """
    absent_keys = [key for key in GAME_KEYS if key not in record]
    for key in sorted(record.keys() - set(GAME_KEYS)):
        if near := did_you_mean(key, absent_keys):
            raise GamesError(
                f"{where}: unknown key {key!r}{near} The keys are {', '.join(GAME_KEYS)}."
            )

    values = {key: value for key, value in record.items() if value is not None}
    values["answerable"] = record.get("paragraph_id", "") is not None
    try:
        game = _LINE.validate_python({"game_id": game_id, "book_name": "", **values})
    except ValidationError as error:
        faults = error.errors()
        fault = f"{first_fault(faults)}, got {reprlib.repr(faults[0]['input'])}"
        raise GamesError(f"{where}: {fault}; correct the line") from error
    if game.answerable and not (game.paragraph_id or game.opening_sentence):
        raise GamesError(
            f"{where}: no paragraph_id (null if unanswerable), and no opening_sentence and paragraph; add one"
        )
    return game


def assign_split(game: LabelledGame, seed: int) -> Split:
    """Return the split of a game; if the file names none, draw one from the paragraph and the seed."""
    if game.split is not None:
        return game.split
    key = game.paragraph_id or canonical(game.opening_sentence) or game.hint
    digest = hashlib.sha256(f"{seed}|{key}".encode()).digest()
    draw = int.from_bytes(digest[:4], "big") / 2**32
    return SPLITS[bisect.bisect(SPLIT_ENDS, draw)]


def select_split(
    games: Sequence[LabelledGame], split: str | None, seed: int
) -> list[LabelledGame]:
    """Return the games of one split; None returns all games.

    Raises:
        GamesError: the split has no game.
    """
    if split is None:
        return list(games)
    by_split: defaultdict[str, list[LabelledGame]] = defaultdict(list)
    for game in games:
        by_split[assign_split(game, seed)].append(game)
    if split not in by_split:
        has = [
            f"{name} {len(split_games)}"
            for name, split_games in sorted(by_split.items())
        ]
        raise GamesError(
            f"the split {split} has no game; the file has {', '.join(has)}"
        )
    return by_split[split]


def same_text(one: str, other: str) -> bool:
    """Return whether two sentences have the same letters and digits, after NFKC and case folding."""
    return canonical(one) == canonical(other)


def tokens(text: str) -> list[str]:
    """Return the words of a text for token F1: case-folded runs of letters and digits after NFKC."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.findall(r"[^\W_]+", folded)


def token_f1(one: str, other: str) -> float:
    """Return the token F1 of two texts, 0..1."""
    words, others = Counter(tokens(one)), Counter(tokens(other))
    n_words = words.total() + others.total()
    return 2.0 * (words & others).total() / max(1, n_words)


def same_sentence(one: str, other: str) -> bool:
    """Return whether a guessed sentence wins: it equals the secret one, or 100 times their token F1 is enough."""
    return same_text(one, other) or 100.0 * token_f1(one, other) >= WON_POINTS
