"""How likely a referee chooses a passage of each kind, as log-odds: the search and the belief both weigh kinds.

The weights were fitted on labelled games, together with those of the places in a passage (places.py).
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

import numpy as np

from quarry.ingest.arrays import Float64Array
from quarry.ingest.paragraph import Kind, Paragraph

STARTS_FILE = Path(__file__).with_name("starts.json")
KINDS: tuple[Kind, ...] = get_args(Kind)
PROSE_FIRST = 2.0
"""Log-odds by which a search ranks other passages lower than their kind deserves, so that it shows prose first."""


@functools.cache
def start_weights() -> Mapping[str, float]:
    """Return the fitted weights of all features."""
    weights: dict[str, float] = json.loads(STARTS_FILE.read_text(encoding="utf-8"))["weights"]
    return weights


def kind_log_odds(paragraphs: Sequence[Paragraph]) -> Float64Array:
    """(n_paragraphs,) natural log-odds that a referee chooses a passage of each one's kind, up to a constant."""
    weights = start_weights()
    of_kind = {kind: weights.get(kind, 0.0) for kind in KINDS}
    return np.array([of_kind[paragraph.kind] for paragraph in paragraphs])


def search_log_odds(paragraphs: Sequence[Paragraph]) -> Float64Array:
    """(n_paragraphs,) log-odds that the kind of each passage adds in a search at `search.kind_weight` 1."""
    return kind_log_odds(paragraphs) - PROSE_FIRST * is_other(paragraphs)


def is_other(paragraphs: Sequence[Paragraph]) -> Float64Array:
    """(n_paragraphs,) 1 for each passage that is no prose, else 0."""
    return np.array([float(paragraph.kind != "prose") for paragraph in paragraphs])
