"""Pages as extracted -> pages without the numbers that count their lines in the margin."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from dataclasses import replace

from ingest.extract import Page

MIN_NUMBERED_LINES = 5
"""Lines with a number in the margin from which on the numbers count lines."""


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
