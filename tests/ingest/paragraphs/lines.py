"""Lines set by hand, and the typesetting habits of their document."""

from collections import Counter
from dataclasses import replace
from typing import Any

from ingest.layout.line import PlacedLine, Word
from ingest.paragraphs.habits import TypesettingHabits
from ingest.paragraphs.line_group import LineGroup

HABITS = TypesettingHabits(
    vocabulary=Counter(),
    leading=1.2,
    wide_leadings={},
    indented=False,
    justified=False,
    spaced=False,
    body_size=10.0,
    page_sizes={},
    trusts_structure=True,
    typeset=False,
)


def line(text: str, **features: Any) -> PlacedLine:
    """Return a line that fills its column, 250 points wide."""
    words = [Word(word, 50, 70, 10, 0, False, False) for word in text.split()]
    whole = PlacedLine(
        words=tuple(words),
        x0=50.0,
        x1=300.0,
        y=100.0,
        size=10.0,
        page=1,
        column=0,
        from_right=False,
        left=50.0,
        right=300.0,
        n_gaps=0,
        in_table=False,
    )

    return replace(whole, **features)


OPEN = LineGroup([line("Trees are graphs"), line("without any cycles", y=112.0)])
"""Two lines whose sentence does not end."""
CLOSED = LineGroup([line("Trees are graphs"), line("without any cycles.", y=112.0)])
