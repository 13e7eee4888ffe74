"""Prose that stands beside something else in a few rows of a page, such as a remark beside a listing.

A gutter between the columns of a page is told by many lines (arrange.py). Here a few rows must do, so more is
asked of them: one side must be prose whose lines were wrapped at a margin of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from quarry.ingest.layout.lines import Line

MIN_SHARED_ROWS = 3
"""Rows with text on both sides from which on a gap may part two texts."""

MIN_SHARED = 0.6
"""Share of the rows of the longer side that have text on both; terms beside their definitions have less."""

MIN_FILL = 0.85
"""Share of its side's width from which on a line is as long as prose broken by hand may leave it."""

MIN_WRAPPED = 0.7
"""Share of a side's lines, the last of each paragraph aside, that are full and after which a line begins flush."""

MIN_WORDS = 3.5
"""Words in a line of prose on average; cells of a table have fewer."""

MIN_FLUSH, MIN_OPEN = 0.8, 0.5
"""Shares of a side's lines that begin at its margin, and that go on with a sentence, from which on it is prose."""

MAX_PITCH = 1.6
"""Font sizes between the baselines of two lines of one paragraph, at most."""

SAME_EDGE = 1.5
"""Points within which lines begin at the same margin."""


@dataclass(frozen=True, slots=True)
class Band:
    """Rows of a page from `first` to before `end`, and the x of the gap that parts them in two texts."""

    first: int
    end: int
    x: float


def bands_of(rows: Sequence[Sequence[Line]]) -> list[Band]:
    """The bands in which prose stands beside something else, from top to bottom; they do not overlap.

    Args:
        rows: lines from top to bottom, those of one row together.
    """
    # a text flush at the right has no edge in common on its left, so that every place is tried
    parted = [sorted(row, key=lambda line: line.x0) for row in rows if len(row) > 1]
    places = {round(line.x0) - SAME_EDGE for row in parted for line in row[1:]}
    worth_trying = [x for x in sorted(places) if sum(_both(row, x) for row in parted) >= MIN_SHARED_ROWS]
    tried = [band for x in worth_trying for band in _bands_at(rows, x)]
    found: list[Band] = []
    for band in sorted(tried, key=lambda band: band.first - band.end):
        if all(band.end <= other.first or other.end <= band.first for other in found):
            found.append(band)
    return sorted(found, key=lambda band: band.first)


def _bands_at(rows: Sequence[Sequence[Line]], x: float) -> Iterator[Band]:
    for first, end in _runs(rows, x):
        band = _trimmed(rows, first, end, x)
        if band is not None and _is_two_texts(rows[band.first : band.end], x):
            yield band


def _runs(rows: Sequence[Sequence[Line]], x: float) -> Iterator[tuple[int, int]]:
    """The longest runs of rows in which no line runs across x, as positions of the first and after the last."""
    start = 0
    for number, row in enumerate(rows):
        if any(line.x0 < x < line.x1 for line in row):
            yield start, number
            start = number + 1
    yield start, len(rows)


def _trimmed(rows: Sequence[Sequence[Line]], first: int, end: int, x: float) -> Band | None:
    """The run from its first row with text on both sides to its last."""
    shared = [number for number in range(first, end) if _both(rows[number], x)]
    if len(shared) < MIN_SHARED_ROWS:
        return None
    # what goes on below the last shared row, at the usual distance, is of the same two texts
    last = shared[-1]
    while last + 1 < end and rows[last + 1][0].y - rows[last][0].y < MAX_PITCH * rows[last][0].size:
        last += 1
    return Band(shared[0], last + 1, x)


def _both(row: Sequence[Line], x: float) -> bool:
    return any(line.x1 <= x for line in row) and any(line.x0 >= x for line in row)


def _is_two_texts(rows: Sequence[Sequence[Line]], x: float) -> bool:
    left = [line for row in rows for line in row if line.x1 <= x]
    right = [line for row in rows for line in row if line.x0 >= x]
    n_shared = sum(_both(row, x) for row in rows)
    if n_shared >= MIN_SHARED_ROWS and _flows(left) and _flows(right):
        return True
    if n_shared < max(MIN_SHARED_ROWS, MIN_SHARED * max(len(left), len(right))):
        return False
    if min(_words_a_line(left), _words_a_line(right)) < 2:
        return False
    return _is_wrapped(left) or _is_wrapped(right)


def _words_a_line(lines: Sequence[Line]) -> float:
    return sum(len(line.words) for line in lines) / len(lines)


def _flows(lines: Sequence[Line]) -> bool:
    """Whether lines begin at one margin and most go on with the sentence above, as cells of a table do not."""
    if len(lines) < MIN_SHARED_ROWS or _words_a_line(lines) < MIN_WORDS:
        return False
    rtl = sum(line.rtl for line in lines) > len(lines) / 2
    edge = median(line.x1 if rtl else line.x0 for line in lines)
    n_flush = sum(abs((line.x1 if rtl else line.x0) - edge) < SAME_EDGE for line in lines)
    n_open = sum(
        below.words[0].text[0] == below.words[0].text[0].lower() and not above.text.endswith((".", "!", "?", ":"))
        for above, below in itertools.pairwise(lines)
    )
    return n_flush >= MIN_FLUSH * len(lines) and n_open >= MIN_OPEN * (len(lines) - 1)


def _is_wrapped(lines: Sequence[Line]) -> bool:
    """Whether lines are prose broken at a margin: those that others follow are full, and begin below each other."""
    if _words_a_line(lines) < MIN_WORDS:
        return False
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    pairs = [
        (above, below)
        for above, below in itertools.pairwise(lines)
        if below.y - above.y < MAX_PITCH * below.size and abs(above.size - below.size) < 0.1 * below.size
    ]
    rtl = sum(line.rtl for line in lines) > len(lines) / 2
    n_wrapped = sum(
        above.x1 - above.x0 > MIN_FILL * (right - left)
        and abs((right - below.x1) if rtl else (below.x0 - left)) < SAME_EDGE
        for above, below in pairs
    )
    return n_wrapped >= max(MIN_SHARED_ROWS - 1, MIN_WRAPPED * len(pairs))
