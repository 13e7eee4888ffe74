"""Typesetting of a document, measured on all its pages: distances of lines, indents, margins and words."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from ingest.layout.arrange import Arranged
from ingest.layout.placed import PlacedLine
from ingest.paragraphs.hyphens import count_words
from ingest.paragraphs.markers import marker_words

MAX_PARTING = 5.0
"""Maximal distance of baselines of two successive paragraphs, in font sizes."""

MAX_RAGGED, JUSTIFIED, MIN_JUSTIFIED = 0.4, 0.8, 12
"""Maximal distance of a line of justified text from the margin in font sizes, minimal share of lines inside sentences
that are as near, and minimal number of such lines."""


@dataclass(frozen=True, slots=True)
class TypesettingHabits:
    """Typesetting of a document.

    Attributes:
        vocabulary: number of times that each word occurs unbroken within a line.
        pitch: the usual distance of baselines, in font sizes.
        parting: the usual distance of baselines between two paragraphs of the body, in font sizes.
        indented: whether the first lines of paragraphs are indented.
        justified: whether all lines of a paragraph but the last end at the right margin.
    """

    vocabulary: Counter[str]
    pitch: float
    parting: float
    indented: bool
    justified: bool
    body_size: float


@dataclass(slots=True)
class _Tally:
    """Counts over the lines of a document; distances of baselines are in font sizes."""

    body_size: float
    vocabulary: Counter[str] = field(default_factory=Counter)
    pitches: Counter[float] = field(default_factory=Counter)
    gaps: Counter[float] = field(default_factory=Counter)
    n_indents: int = 0
    n_pages: int = 0
    n_open: int = 0
    n_full: int = 0

    def add(self, lines: Sequence[PlacedLine]) -> None:
        """Count the lines of one page."""
        count_words(lines, self.vocabulary)
        body = [line for line in lines if not line.footnote]
        self.n_pages += bool(body)
        for above, line, below in zip(body, body[1:], body[2:], strict=False):
            self.n_indents += self._is_indented(above, line, below)

        for above, below in itertools.pairwise(lines):
            if above.column == below.column and above.footnote == below.footnote:
                self._add_distance(above, below)
                self._add_margin(above, below)

    def _is_body(self, line: PlacedLine) -> bool:
        return abs(line.size - self.body_size) < 0.5

    def _is_indented(
        self, above: PlacedLine, line: PlacedLine, below: PlacedLine
    ) -> bool:
        """Return whether a line of a column is indented between two lines without indent."""
        return (
            above.column == line.column == below.column
            and self._is_body(line)
            and 0.7 < line.indent < 3
            and above.is_flush
            and below.is_flush
            and not marker_words(line)
        )

    def _add_distance(self, above: PlacedLine, below: PlacedLine) -> None:
        if abs(above.size - below.size) >= 0.5:
            return
        distance = (below.y - above.y) / below.size
        rounded = round(distance * 20) / 20
        if 0.9 < distance < 2.2:
            self.pitches[rounded] += 3 if self._is_body(below) else 1
        if 0.9 < distance < MAX_PARTING and self._is_body(below):
            self.gaps[rounded] += 1

    def _add_margin(self, above: PlacedLine, below: PlacedLine) -> None:
        """Count two lines of the body that surely belong to one sentence, and whether the first ends at the margin."""
        in_body = not above.footnote and self._is_body(above) and self._is_body(below)
        aligned = abs(above.start - below.start) < 0.3 * above.size
        goes_on = not below.first[0].isupper() and not above.ends_clause
        if in_body and aligned and goes_on:
            self.n_open += 1
            self.n_full += above.room < MAX_RAGGED


def measure_habits(arranged: Arranged) -> TypesettingHabits:
    """Measure the typesetting of a document."""
    tally = _Tally(arranged.body_size)
    for lines in arranged.pages:
        tally.add(lines)

    pitch = tally.pitches.most_common(1)[0][0] if tally.pitches else 1.2
    partings = [gap for gap in tally.gaps.elements() if gap > pitch + 0.33]
    return TypesettingHabits(
        vocabulary=tally.vocabulary,
        pitch=pitch,
        parting=median(partings) if partings else pitch,
        indented=tally.n_indents >= max(3, 0.5 * tally.n_pages),
        justified=tally.n_full > JUSTIFIED * max(MIN_JUSTIFIED, tally.n_open),
        body_size=arranged.body_size,
    )
