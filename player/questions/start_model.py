"""The start model: how likely a referee chooses a passage of each kind, and begins at each place in it.

Its weights are natural log-odds; `evaluate calibrate prior` fits them on labelled games. The search and the belief
weigh the kinds; only the belief weighs the places.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import numpy as np

from quarry.configs.places import own_fit
from quarry.ingest.arrays import Float64Array
from quarry.ingest.paragraph import Kind, Paragraph

if TYPE_CHECKING:
    from quarry.player.questions.places import Start

STARTS_FILE = Path(__file__).with_name("starts.json")
"""This file holds the fitted weights."""
KINDS: tuple[Kind, ...] = get_args(Kind)
PROSE_FIRST = 2.0
"""Log-odds by which a search ranks other passages lower than their kind deserves, so that it shows prose first."""
FEW_WORDS, USUAL_WORDS = 6, 40

PLACE_FEATURES = (
    *("later sentence", "top of page", "later sentence at top of page", "ends at a colon", "other reading"),
    *("after a colon", "sentence of few words", "sentence begins small", "log words left"),
    *("log words", "few words", "no end mark", "begins small", "introduces a list"),
)
"""Features of a place and of the passage from there on; the kind of the passage is a feature too."""


@functools.cache
def start_weights() -> Mapping[str, float]:
    """Return the fitted weights of all features; those of the user's own fit if there is one."""
    own = own_fit(STARTS_FILE)
    path = own if own.exists() else STARTS_FILE
    weights: dict[str, float] = json.loads(path.read_text(encoding="utf-8"))["weights"]
    return weights


def kind_log_odds(paragraphs: Sequence[Paragraph]) -> Float64Array:
    """Return (n_paragraphs,) log-odds that a referee chooses a passage of each one's kind, up to a constant."""
    weights = start_weights()
    return np.array([weights.get(paragraph.kind, 0.0) for paragraph in paragraphs])


def search_log_odds(paragraphs: Sequence[Paragraph]) -> Float64Array:
    """Return (n_paragraphs,) log-odds that the kind of each passage adds in a search at `search.kind_weight` 1."""
    return kind_log_odds(paragraphs) - PROSE_FIRST * np.array([paragraph.kind != "prose" for paragraph in paragraphs])


def place_log_odds(paragraphs: Sequence[Paragraph], rows: Sequence[int], starts: Sequence[Start]) -> Float64Array:
    """Return (n_places,) log-odds that the secret begins at each place, given its passage, up to a constant.

    Args:
        paragraphs: the course.
        rows: (n_places,) row of each place's passage in `paragraphs`.
        starts: (n_places,) the places.
    """
    weights = start_weights()
    log_odds: Float64Array = place_features(paragraphs, rows, starts) @ np.array(
        [weights.get(name, 0.0) for name in PLACE_FEATURES]
    )
    return log_odds


def place_features(paragraphs: Sequence[Paragraph], rows: Sequence[int], starts: Sequence[Start]) -> Float64Array:
    """Return the (n_places, len(PLACE_FEATURES)) features of the start model."""
    table = np.zeros((len(starts), len(PLACE_FEATURES)))
    for place, (row, start) in enumerate(zip(rows, starts, strict=True)):
        paragraph = paragraphs[row]
        text = paragraph.text
        later = start.number > 0
        n_words = len(text.split())
        table[place] = (
            later,
            start.on_top,
            later and start.on_top,
            start.reading > 0 and start.sentence.endswith(":"),
            start.reading > 0 and not start.sentence.endswith(":"),
            later and text[: start.offset].rstrip().endswith(":"),
            later and len(start.sentence.split()) < FEW_WORDS,
            later and _begins_small(start.sentence),
            later * np.log(max(1, len(text) - start.offset) / max(1, len(text))),
            np.log(max(n_words, 1) / USUAL_WORDS),
            n_words < FEW_WORDS,
            text.rstrip("\"'”’)»")[-1:] not in ".?!:",
            _begins_small(text),
            bool(paragraph.follows) or paragraph.own_length > 0,
        )
    return table


def _begins_small(text: str) -> bool:
    first = text.lstrip("([\"'“‘„«")[:1]
    return first.islower() or not first.isalnum()
