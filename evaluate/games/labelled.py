"""Labelled games: reading, matching to ingested paragraphs, splitting. Labels live here and nowhere else."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from evaluate.errors import GamesError
from ingest.paragraph import Paragraph
from player.protocol import RoundStart

Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = ("train", "validation", "test")
SPLIT_SHARES = {"train": 0.5, "validation": 0.2, "test": 0.3}
"""Shares of the paragraphs where a games file names no splits."""

SURE_F1 = 0.9
"""Token F1 from which a paragraph with the labelled opening sentence needs no rival."""
MATCH_F1 = 0.6
"""Token F1 from which an ingested paragraph is taken for the labelled one."""


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


def load_games(path: Path) -> list[LabelledGame]:
    """The games of a file, one JSON object a line, as CONTRACT.md lays them out.

    Raises:
        GamesError: missing, empty, a line that is no such object, or a game_id that comes twice.
    """
    games, problems = read_games(path)
    if problems:
        raise problems[0]
    return games


def read_games(path: Path) -> tuple[list[LabelledGame], list[GamesError]]:
    """The games of a file, and what is wrong with the lines that give none.

    Raises:
        GamesError: the file is missing, no text, or none of its lines is a game.
    """
    try:
        # not splitlines(), which would break a line at the separators that JSON strings may hold as they are
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise GamesError(f"--games must be a readable file, got {path}: {error.strerror}; check the path") from error
    except UnicodeDecodeError as error:
        raise GamesError(f"{path}: must be UTF-8, {error.reason} at byte {error.start}; save it as UTF-8") from error
    games: dict[str, LabelledGame] = {}
    problems: list[GamesError] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            game = _game_of_line(line, f"{path} line {number}")
            if game.game_id in games:
                raise GamesError(f"{path} line {number}: game_id must be unique, got {game.game_id!r} again; rename it")
            games[game.game_id] = game
        except GamesError as error:
            problems.append(error)
    if problems and not games:
        raise problems[0]
    if not games:
        raise GamesError(f"{path}: must hold at least one game, got none; one JSON object a line")
    return list(games.values()), problems


def _game_of_line(line: str, where: str) -> LabelledGame:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise GamesError(f"{where}: must be a JSON object: {error}; mend the line or remove it") from error
    return _game(record, where)


def _game(record: Any, where: str) -> LabelledGame:
    if not isinstance(record, dict):
        raise GamesError(f"{where}: must be a JSON object, got {type(record).__name__}; mend the line or remove it")
    for key in ("game_id", "hint"):
        if not isinstance(record.get(key), str) or not record[key].strip():
            raise GamesError(
                f"{where}: {key} must be a string that is not empty, got {record.get(key)!r}; mend the line"
            )
    texts = {key: "" if record.get(key) is None else record[key] for key in _OPTIONAL_TEXTS}
    for key, value in (("game_id", record["game_id"]), ("hint", record["hint"]), *texts.items()):
        if not isinstance(value, str):
            raise GamesError(f"{where}: {key} must be a string, got {value!r}; mend the line")
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise GamesError(f"{where}: {key} must be Unicode text, got half a surrogate pair; mend the line")
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


def match_games(games: Sequence[LabelledGame], paragraphs: Sequence[Paragraph]) -> dict[str, Paragraph | None]:
    """The ingested paragraph of each answerable game, None where it was lost at ingest.

    A game with a known paragraph_id is matched by it, one with text by the highest token F1 with the ingested
    paragraphs, at least 0.6: first among those with the labelled opening sentence, where 0.9 settles it, then among
    all. Ties go to the game's own document, then to the equal opening sentence, then to the smaller paragraph_id. A
    game that gives its opening sentence alone is matched by that.
    """
    by_id = {paragraph.paragraph_id: paragraph for paragraph in paragraphs}
    by_text = [game for game in games if game.answerable and game.paragraph and game.paragraph_id not in by_id]
    matcher = _TextMatcher(paragraphs) if by_text else None
    matched: dict[str, Paragraph | None] = {}
    for game in games:
        if not game.answerable:
            continue
        matched[game.game_id] = by_id.get(game.paragraph_id)
        if matched[game.game_id] is None and matcher is not None and game.paragraph:
            matched[game.game_id] = matcher.best(game)
    return matched


def require_of_store(matched: Mapping[str, Paragraph | None], location: str, where: str) -> None:
    """Pass if any of the answerable games is about a paragraph of the store, or none is answerable.

    Args:
        matched: as `match_games` gives it.
        location: of the store, where: of the games, as the user named them.

    Raises:
        GamesError: the games are another corpus's.
    """
    if matched and not any(matched.values()):
        raise GamesError(
            f"{where}: at least one game must be about a paragraph of {location}, got none of {len(matched)}; "
            "name the games that belong to the store"
        )


class _TextMatcher:
    """Finds paragraphs by their text; those that open with the labelled sentence are looked at before all others."""

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        self._paragraphs = sorted(paragraphs, key=lambda paragraph: paragraph.paragraph_id, reverse=True)
        self._bags = [Counter(tokens(paragraph.text)) for paragraph in self._paragraphs]
        self._opening: dict[str, list[int]] = {}
        for row, paragraph in enumerate(self._paragraphs):
            self._opening.setdefault(canonical(paragraph.opening_sentence), []).append(row)

    def best(self, game: LabelledGame) -> Paragraph | None:
        bag = Counter(tokens(game.paragraph))
        f1, paragraph = self._best_of(self._opening.get(canonical(game.opening_sentence), []), bag, game)
        if game.paragraph == game.opening_sentence and paragraph is not None:
            return paragraph
        if f1 < SURE_F1:
            f1, paragraph = self._best_of(range(len(self._paragraphs)), bag, game)
        return paragraph if f1 >= MATCH_F1 else None

    def _best_of(self, rows: Sequence[int], bag: Counter[str], game: LabelledGame) -> tuple[float, Paragraph | None]:
        best: tuple[float, bool, bool, int] = (0.0, False, False, -1)
        for row in rows:
            paragraph = self._paragraphs[row]
            shared = sum(min(count, self._bags[row][token]) for token, count in bag.items() if token in self._bags[row])
            f1 = 2.0 * shared / max(bag.total() + self._bags[row].total(), 1)
            same_sentence = same_text(paragraph.opening_sentence, game.opening_sentence)
            best = max(best, (f1, paragraph.doc_id == game.document, same_sentence, row))
        return best[0], self._paragraphs[best[3]] if best[3] >= 0 else None


def split_of(game: LabelledGame, seed: int) -> Split:
    """The game's split: as its file says, else by its paragraph and the seed, half, a fifth and three tenths."""
    if game.split is not None:
        return game.split
    key = game.paragraph_id or canonical(game.opening_sentence) or game.hint
    draw = int.from_bytes(hashlib.sha256(f"{seed}|{key}".encode()).digest()[:4], "big") / 2**32
    if draw < SPLIT_SHARES["train"]:
        return "train"
    return "validation" if draw < SPLIT_SHARES["train"] + SPLIT_SHARES["validation"] else "test"


def select_split(games: Sequence[LabelledGame], split: str | None, seed: int) -> list[LabelledGame]:
    """The games of one split, all of them for None.

    Raises:
        GamesError: there is no such split, or no game in it.
    """
    if split is None:
        return list(games)
    if split not in SPLITS:
        raise GamesError(f"--split must be one of {', '.join(SPLITS)}, got {split!r}")
    chosen = [game for game in games if split_of(game, seed) == split]
    if not chosen:
        raise GamesError(
            f"--split {split} must hold at least one game, got none; the file has {_split_counts(games, seed)}"
        )
    return chosen


def _split_counts(games: Sequence[LabelledGame], seed: int) -> str:
    counts: Mapping[str, int] = Counter(split_of(game, seed) for game in games)
    return ", ".join(f"{split} {count}" for split, count in sorted(counts.items()))


def canonical(text: str) -> str:
    """A text for comparison, as CONTRACT.md defines equality: NFKC, case-folded, letters and digits alone."""
    return "".join(char for char in unicodedata.normalize("NFKC", text).casefold() if char.isalnum())


def same_text(one: str, other: str) -> bool:
    """Whether two sentences are equal after NFKC, case folding and removal of all but letters and digits."""
    return canonical(one) == canonical(other)


def tokens(text: str) -> list[str]:
    """The words of a text for token F1: NFKC, case-folded runs of letters and digits."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char if char.isalnum() else " " for char in folded).split()
