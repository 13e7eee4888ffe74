"""Margins of a page: line numbers, which are removed, and margin notes in smaller print."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from quarry.ingest.layout.extract import Page
from quarry.ingest.layout.lines import Line

MIN_NUMBERED_LINES = 5
"""Minimal number of lines with a line number."""

MAX_OVERFULL = 12
"""Minimal number of lines of text for each line that may exceed the margins."""

MIN_TEXT_LINES = 8
"""Minimal number of lines in the size of the text that define the margins."""


def without_line_numbers(page: Page) -> Page:
    """Remove small line numbers in the margin of a page."""
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
    """Return three lists of lines: the text, the smaller print wholly to its left, and that wholly to its right."""
    text = [line for line in lines if abs(line.size - body_size) < 0.05 * body_size and len(line.words) > 1]
    if len(text) < MIN_TEXT_LINES:
        return list(lines), [], []
    few = len(text) // MAX_OVERFULL  # lines that may exceed the margins
    left, right = sorted(line.x0 for line in text)[few], sorted(line.x1 for line in text)[-1 - few]
    small = [line for line in lines if line.size < 0.92 * body_size]
    on_left = [line for line in small if line.x1 <= left]
    on_right = [line for line in small if line.x0 >= right]
    notes = {id(line) for line in (*on_left, *on_right)}
    return [line for line in lines if id(line) not in notes], on_left, on_right
