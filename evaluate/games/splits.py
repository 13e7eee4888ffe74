"""Splits: which games are trained on, chosen by, and reported on."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence

from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.labelled import SPLITS, LabelledGame, Split
from quarry.player.words import canonical

SPLIT_SHARES = {"train": 0.5, "validation": 0.2, "test": 0.3}
"""Shares of the paragraphs where a games file names no splits."""


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
