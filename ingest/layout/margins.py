"""Text outside the columns of a page: running heads, page numbers, line numbers, and notes in the margin."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ingest.layout.extract import Page
from ingest.layout.lines import Line

EDGE = 0.14
"""Share of the height of a page, at its top and at its bottom, that may hold running heads and page numbers."""

MIN_NUMBERED_LINES = 5
"""Minimal number of lines with a line number."""

MAX_OVERFULL = 12
"""Minimal number of lines of text for each line that may exceed the margins."""

MIN_TEXT_LINES = 8
"""Minimal number of lines in the size of the text that define the margins."""

_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(r"[\W_]*(?:\d{1,4}|[ivxlcdm]+)[\W_]*", re.IGNORECASE)


class RunningHeads:
    """Lines that repeat on the pages of a document, found in one pass that keeps little more than the pages' edges.

    Attributes:
        body_size: font size of most of the text.
    """

    def __init__(self, pages: Iterable[Page]) -> None:
        sizes: Counter[float] = Counter()
        # hashes of text and height need less memory than the texts
        self._n_pages_with: Counter[int] = Counter()
        n_pages = 0
        for page in pages:
            n_pages += 1
            for line in page.lines:
                sizes[round(line.size * 2) / 2] += line.n_chars
            near: set[int] = set()
            for _, key, height in _at_edges(page):
                near.update(hash((key, height + step)) for step in (-1, 0, 1))
            self._n_pages_with.update(near)

        self.body_size = sizes.most_common(1)[0][0]
        self._needed = 2 if n_pages <= 4 else max(3, round(0.08 * n_pages))

    def on(self, page: Page) -> set[int]:
        """Return the positions of the lines of a page that are running heads, page numbers or the like."""
        positions = set()
        for position, key, height in _at_edges(page):
            line = page.lines[position]
            in_end_row = line.y in (page.lines[0].y, page.lines[-1].y)
            is_number = in_end_row and _PAGE_NUMBER.fullmatch(line.text)
            if is_number or self._n_pages_with[hash((key, height))] >= self._needed:
                positions.add(position)
        return positions


def _at_edges(page: Page) -> Iterator[tuple[int, str, int]]:
    """Yield position, text with "#" for its numbers, and height (in 4 points) of each line near an edge."""
    for position, line in enumerate(page.lines):
        if not EDGE * page.height < line.y < (1 - EDGE) * page.height:
            yield position, _DIGITS.sub("#", line.text).casefold(), round(line.y / 4)


def without_line_numbers(page: Page) -> Page:
    """Remove small line numbers in the margin of a page."""
    by_edge = _margin_numbers(page)
    numbered: set[int] = set()
    for edge in by_edge:
        column = [item for near in (-1, 0, 1) for item in by_edge.get(edge + near, ())]
        column.sort()
        steps: Counter[int] = Counter()
        for (_, earlier), (_, later) in itertools.pairwise(column):
            steps[later - earlier] += 1
        is_counted = max(steps[1], steps[5]) >= 0.6 * (len(column) - 1)
        if len(column) >= MIN_NUMBERED_LINES and is_counted:
            numbered.update(position for position, _ in column)

    lines = []
    for position, line in enumerate(page.lines):
        if position not in numbered:
            lines.append(line)
        elif words := line.words[1:]:
            lines.append(replace(line, words=words, x0=min(word.x0 for word in words)))
    return replace(page, lines=tuple(lines))


def _margin_numbers(page: Page) -> dict[int, list[tuple[int, int]]]:
    """Return position and value of small numbers at the beginning of lines, by their right edge (in 4 points)."""
    row_sizes: dict[float, float] = defaultdict(float)
    for line in page.lines:
        row_sizes[line.y] = max(row_sizes[line.y], *(word.size for word in line.words))
    by_edge: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for position, line in enumerate(page.lines):
        first = line.words[0]
        is_small = first.size < 0.8 * row_sizes[line.y]
        if is_small and first.text.isdecimal() and len(first.text) <= 4:
            by_edge[round(first.x1 / 4)].append((position, int(first.text)))
    return by_edge


def parted_from_notes(
    lines: Sequence[Line], body_size: float
) -> tuple[list[Line], list[Line], list[Line]]:
    """Return three lists of lines: the text, the smaller print wholly to its left, and that wholly to its right."""
    body = []
    for line in lines:
        if abs(line.size - body_size) < 0.05 * body_size and len(line.words) > 1:
            body.append(line)
    if len(body) < MIN_TEXT_LINES:
        return list(lines), [], []

    few = len(body) // MAX_OVERFULL  # lines that may exceed the margins
    left = sorted(line.x0 for line in body)[few]
    right = sorted(line.x1 for line in body)[-1 - few]
    text: list[Line] = []
    on_left: list[Line] = []
    on_right: list[Line] = []
    for line in lines:
        if line.size >= 0.92 * body_size or (line.x0 < right and line.x1 > left):
            text.append(line)
        else:
            (on_left if line.x1 <= left else on_right).append(line)
    return text, on_left, on_right
