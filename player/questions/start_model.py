"""The start model: how likely a referee begins at each place in a passage of the course.

Its weights are natural log-odds; `evaluate calibrate prior` fits them on labelled games. See player/starts.py for the
weights of the kinds of passages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ingest.arrays import Float64Array
from ingest.paragraph import Paragraph

if TYPE_CHECKING:
    from player.questions.places import Start

FEW_WORDS, USUAL_WORDS = 6, 40

PLACE_FEATURES = (
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
"""Features of a place and of the passage from there on; the kind of the passage is a feature too."""


def place_features(
    paragraphs: Sequence[Paragraph], rows: Sequence[int], starts: Sequence[Start]
) -> Float64Array:
    """Return the (n_places, len(PLACE_FEATURES)) features of the start model."""
    table = np.zeros((len(starts), len(PLACE_FEATURES)))
    for place, (row, start) in enumerate(zip(rows, starts, strict=True)):
        paragraph = paragraphs[row]
        text = paragraph.text
        later = start.number > 0
        other = start.reading > 0
        at_colon = start.sentence.endswith(":")
        n_words = len(text.split())
        table[place] = (
            later,
            start.on_top,
            later and start.on_top,
            other and at_colon,
            other and not at_colon,
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
