"""The DataFrame of a run: a row for each repeat of each game, with the outcome and the figures of the play."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluate.games.labelled import same_text
from evaluate.runs.explanation import describe_fate, find_lost_step
from evaluate.runs.record import PlayRecord, ReplayRecord, get_play
from player.round import OPENING_SCORE, Json
from quarry.languages.words import stems

if TYPE_CHECKING:
    import pandas as pd

PER_GAME_COLUMNS: Mapping[str, str] = {
    "game_id": "string",
    "repeat": "Int64",
    "rank": "Int64",
    "slot": "string",
    "strategy": "string",
    "guess_rank": "Int64",
    "won": "boolean",
    "lost_at": "string",
    "fate": "string",
}
"""Columns of a play that the run's JSON lists under `per_game`, and their nullable types of pandas.

`rank` is the overall rank of the secret paragraph, its position among the hits; `slot` and `strategy` are those of
its hit.
"""
COLUMNS: Mapping[str, str] = {
    **PER_GAME_COLUMNS,
    "book_name": "string",
    "hint": "string",
    "paragraph_id": "string",
    "document": "string",
    "book": "string",
    "book_tier": "string",
    "book_confidence": "Float64",
    "prior_rank": "Int64",
    "confidence": "Float64",
    "private_score": "Float64",
    "sentence_exact": "boolean",
    "word_exact": "boolean",
    "word_top20": "boolean",
    "n_hits": "Int64",
    "relevant": "boolean",
    "book_right": "boolean",
    "read_right": "boolean",
    "embed_ms": "Float64",
    "search_ms": "Float64",
    "questions_ms": "Float64",
    "decide_ms": "Float64",
    "win_ideal": "Float64",
    "edition": "string",
    "ratio": "Float64",
    "right_page": "boolean",
    "points": "Float64",
}
"""Columns of a play that are exported, and their nullable types of pandas.

`book` is the document that the book's name was resolved to; `book_right` is whether it is that of the paragraph, and
filtered or was boosted. `read_right` is whether the ingested opening sentence is the labelled one. `points` are the
points of the opening sentence, 0..100. The other columns are keys of the record, its search, its truth or the play.
"""


def build_frame(
    records: Iterable[ReplayRecord], repeats: int, *, has_referee: bool
) -> pd.DataFrame:
    """Build a frame with a row for each repeat of each game, played or not: `COLUMNS` and the three below.

    A row takes about 4 kB, and a record 50 kB. Values are the Python objects of the record; `answerable` is that of the
    record, `label` the labelled opening sentence, and `has_word` whether the game has an associative word.

    Args:
        records: records of the games.
        repeats: number of plays of each game.
        has_referee: whether there was a referee.
    """
    import pandas as pd

    columns = [*COLUMNS, "answerable", "label", "has_word"]
    rows = []
    for record in records:
        game_values = _game_values(record)
        for repeat in range(repeats):
            play = get_play(record, repeat)
            play_values = _play_values(record, play, repeat, has_referee=has_referee)
            values = game_values | play_values
            rows.append([values.get(name) for name in columns])
    return pd.DataFrame(rows, columns=columns, dtype=object)


def _game_values(record: ReplayRecord) -> Json:
    """Return the values of the columns of a game."""
    search, secret = record["search"], record["truth"]
    book, label = search["book"], record["opening_sentence"]
    values: Json = {
        **_take(record, "game_id", "book_name", "hint", "answerable", "edition"),
        **_take(record, "questions_ms", "decide_ms"),
        **_take(search, "rank", "relevant", "embed_ms", "search_ms"),
        **_take(secret, "paragraph_id", "document"),
        "n_hits": len(search["hits"]),
        "book_right": False,
        "label": label,
        "has_word": bool(stems(record["associative_word"])),
    }
    if search["rank"]:
        values |= _take(search["hits"][search["rank"] - 1], "slot", "strategy")

    if book is not None:
        values["book"] = book["document"]
        values["book_tier"] = book["tier"]
        values["book_confidence"] = book["confidence"]
        if secret is not None and book["tier"] != "none":
            values["book_right"] = book["document"] == secret["document"]

    if record["in_text_layer"] and label:
        values["read_right"] = secret is not None and same_text(
            secret["opening_sentence"], label
        )
    return values


def _play_values(
    record: ReplayRecord, play: PlayRecord | None, repeat: int, *, has_referee: bool
) -> Json:
    """Return the values of the columns of a play."""
    values: Json = {
        **_take(play, "guess_rank", "prior_rank", "won", "private_score"),
        **_take(play, "sentence_exact", "word_exact", "word_top20"),
        **_take(play, "win_ideal", "ratio", "right_page"),
        "repeat": repeat,
        "lost_at": find_lost_step(record, play),
        "fate": describe_fate(record, play),
    }
    if play is not None:
        values["confidence"] = play["guess"]["confidence"]
        values["points"] = play["breakdown"].get(OPENING_SCORE)
    elif has_referee:
        values["won"] = False
    return values


def _take(record: Mapping[str, Any] | None, *names: str) -> Json:
    """Return some values of a record; {} if there is no record."""
    return {name: record.get(name) for name in names} if record is not None else {}


def round_mean(values: pd.Series[Any], digits: int = 6) -> float | None:
    """Return the rounded mean of numbers or flags without missing ones; None if there are none."""
    mean = float(values.astype(float).mean())
    return None if np.isnan(mean) else round(mean, digits)
