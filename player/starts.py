"""Fitted weights of where a referee starts, and the log-odds of each kind of passage; search and belief use them.

They are natural log-odds; `tools.calibration` fits them on labelled games, with those of the places.
"""

import functools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import numpy as np

from configs.directories import own_fit
from quarry.arrays import Float64Array
from quarry.course.paragraph import Paragraph
from quarry.languages.language import Kind

STARTS_FILE = Path(__file__).with_name("starts.json")
"""This file holds the fitted weights."""
KINDS: tuple[Kind, ...] = get_args(Kind)
PROSE_FIRST = 2.0
"""Log-odds by which a search ranks other passages lower than their kind deserves, so that it shows prose first."""


@functools.cache
def start_weights() -> dict[str, float]:
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
    is_other = np.array([paragraph.kind != "prose" for paragraph in paragraphs])
    return kind_log_odds(paragraphs) - PROSE_FIRST * is_other
