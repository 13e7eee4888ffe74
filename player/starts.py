"""The start model: the probability that a referee chooses a kind of paragraph, and begins at a place in a paragraph.

Its weights are natural log-odds; `tools.calibration` fits them on labelled games. Search and belief use them.
"""

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import numpy as np

from configs.directories import user_fitted_file
from quarry.arrays import Float64Array
from quarry.course.paragraph import Paragraph
from quarry.languages.language import ParagraphKind
from quarry.languages.quotation import OPENING_MARKS

STARTS_FILE = Path(__file__).with_name("starts.json")
"""File with the fitted weights."""
PARAGRAPH_KINDS: tuple[ParagraphKind, ...] = get_args(ParagraphKind)
"""All kinds of paragraphs."""
PROSE_FIRST = 2.0
"""Log-odds that a search subtracts from all kinds but prose, so that it shows prose first."""


@functools.cache
def start_weights() -> dict[str, float]:
    """Load the fitted weights of all features, from the user's file if there is one."""
    path = user_fitted_file(STARTS_FILE)
    if not path.exists():
        path = STARTS_FILE
    weights: dict[str, float] = json.loads(path.read_text(encoding="utf-8"))["weights"]
    return weights


def kind_log_odds(paragraphs: Sequence[Paragraph]) -> Float64Array:
    """Return (n_paragraphs,) log-odds that a referee chooses a paragraph of the kind of each one, up to a constant."""
    weights = start_weights()
    return np.array([weights.get(paragraph.kind, 0.0) for paragraph in paragraphs])


def search_log_odds(paragraphs: Sequence[Paragraph]) -> Float64Array:
    """Return (n_paragraphs,) log-odds that a search adds for the kinds of paragraphs if `search.kind_weight` is 1."""
    is_other = np.array([paragraph.kind != "prose" for paragraph in paragraphs])
    return kind_log_odds(paragraphs) - PROSE_FIRST * is_other


FEW_WORDS = 6
"""Minimum number of words that is not "few"."""
USUAL_WORDS = 40
"""Number of words of a usual paragraph."""
END_MARKS = frozenset(".?!:")
"""Signs at the end of a whole paragraph."""

START_FEATURES = (
    "later sentence",
    "top of page",
    "later sentence at top of page",
    "ends at a colon",
    "other reading",
    "after a colon",
    "sentence of few words",
    "sentence begins small",
    "log words left",
    "log words",
    "few words",
    "no end mark",
    "begins small",
    "introduces a list",
)
"""Features of a start and of the paragraph from there on; the kind of the paragraph is a feature too."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where one place begins in its paragraph or piece, and with which sentence.

    Attributes:
        number: number of the sentence within the paragraph, from 0.
        offset: position in the paragraph's text.
        sentence: the opening sentence to guess.
        variant: 0 for the usual bounds of the sentence, more for others.
        on_top: whether it is the first whole sentence that begins on its page.
    """

    number: int
    offset: int
    sentence: str
    variant: int
    on_top: bool


def start_log_odds(
    paragraphs: Sequence[Paragraph],
    rows: Sequence[int],
    starts: Sequence[Start],
) -> Float64Array:
    """Return the (n_places,) log-odds that a referee begins at each place, given its paragraph, up to a constant."""
    weights = [start_weights().get(feature, 0.0) for feature in START_FEATURES]
    log_odds: Float64Array = start_features(paragraphs, rows, starts) @ weights
    return log_odds


def start_features(
    paragraphs: Sequence[Paragraph],
    rows: Sequence[int],
    starts: Sequence[Start],
) -> Float64Array:
    """Return the (n_places, len(START_FEATURES)) features of the start model."""
    table = np.zeros((len(starts), len(START_FEATURES)))
    for place, (row, start) in enumerate(zip(rows, starts, strict=True)):
        paragraph = paragraphs[row]
        text = paragraph.text

        n_words = len(text.split())
        later = start.number > 0
        other = start.variant > 0
        at_colon = start.sentence.endswith(":")
        before = text[: start.offset].rstrip()
        share_left = (len(text) - start.offset) / len(text)
        end = text.rstrip("\"'”’)»")[-1:]

        table[place] = (
            later,
            start.on_top,
            later and start.on_top,
            other and at_colon,
            other and not at_colon,
            later and before.endswith(":"),
            later and len(start.sentence.split()) < FEW_WORDS,
            later and _begins_small(start.sentence),
            later * np.log(share_left),
            np.log(n_words / USUAL_WORDS),
            n_words < FEW_WORDS,
            end not in END_MARKS,
            _begins_small(text),
            bool(paragraph.follows) or paragraph.own_length > 0,
        )
    return table


def _begins_small(text: str) -> bool:
    first = text.lstrip(OPENING_MARKS)[:1]
    return first.islower() or not first.isalnum()
