"""What stands in the margin of a page: numbers that count the lines, which go, and notes in smaller print."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from quarry.ingest.layout.lines import Line
from quarry.ingest.pdf.extract import Page

MIN_NUMBERED_LINES = 5
"""Lines with a number in the margin from which on the numbers count lines."""

MAX_OVERFULL = 12
"""One line of the text in so many may stand out of its margins."""

MIN_TEXT_LINES = 8
"""Lines in the size of the text from which on they tell where the margins are."""


def without_line_numbers(page: Page) -> Page:
    """The page without small numbers that count its lines in the margin."""
    row_sizes: dict[float, float] = defaultdict(float)
    for line in page.lines:
        row_sizes[line.y] = max(row_sizes[line.y], *(word.size for word in line.words))
    by_edge: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for position, line in enumerate(page.lines):
        first = line.words[0]
        if first.text.isdecimal() and len(first.text) <= 4 and first.size < 0.8 * row_sizes[line.y]:
            by_edge[round(first.x1 / 4)].append((position, int(first.text)))
    numbered: set[int] = set()
    for edge in by_edge:
        found = sorted({item for near in (edge - 1, edge, edge + 1) for item in by_edge.get(near, ())})
        steps = Counter(later - earlier for (_, earlier), (_, later) in itertools.pairwise(found))
        if len(found) >= MIN_NUMBERED_LINES and max(steps[1], steps[5]) >= 0.6 * (len(found) - 1):
            numbered |= {position for position, _ in found}
    if not numbered:
        return page
    lines = []
    for position, line in enumerate(page.lines):
        words = line.words[1:] if position in numbered else line.words
        if words:
            lines.append(replace(line, words=words, x0=min(word.x0 for word in words)))
    return replace(page, lines=tuple(lines))


def parted_from_notes(lines: Sequence[Line], body_size: float) -> tuple[list[Line], list[Line], list[Line]]:
    """The lines of the text, and those in smaller print wholly to the left and wholly to the right of all of it."""
    text = [line for line in lines if abs(line.size - body_size) < 0.05 * body_size and len(line.words) > 1]
    if len(text) < MIN_TEXT_LINES:
        return list(lines), [], []
    few = len(text) // MAX_OVERFULL  # a line or two may stand out of the margins
    left, right = sorted(line.x0 for line in text)[few], sorted(line.x1 for line in text)[-1 - few]
    small = [line for line in lines if line.size < 0.92 * body_size]
    on_left = [line for line in small if line.x1 <= left]
    on_right = [line for line in small if line.x0 >= right]
    beside = {id(line) for line in (*on_left, *on_right)}
    return [line for line in lines if id(line) not in beside], on_left, on_right
