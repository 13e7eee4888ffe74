"""Text outside the columns of a page: running heads, page numbers, line numbers, and notes in the margin."""

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
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

    def __init__(self, pages: Sequence[Page]) -> None:
        sizes: Counter[float] = Counter()
        # hashes of text and height need less memory than the texts
        self._n_pages_with: Counter[int] = Counter()
        for page in pages:
            near = set()
            for line in page.lines:
                sizes[round(line.size * 2) / 2] += line.n_chars
                if _is_at_edge(line, page):
                    near |= {_print(line, step) for step in (-1, 0, 1)}
            self._n_pages_with.update(near)

        self.body_size, _ = sizes.most_common(1)[0]
        n_pages = len(pages)
        self._needed = 2 if n_pages <= 4 else max(3, round(0.08 * n_pages))

    def without(self, page: Page) -> list[Line]:
        """Return the lines of a page that are no running heads, page numbers or the like."""
        lines = []
        for line in page.lines:
            if not _is_at_edge(line, page):
                lines.append(line)
                continue
            in_end_row = line.y in (page.lines[0].y, page.lines[-1].y)
            is_number = in_end_row and _PAGE_NUMBER.fullmatch(line.text)
            is_repeated = self._n_pages_with[_print(line)] >= self._needed
            if not is_number and not is_repeated:
                lines.append(line)
        return lines


def _is_at_edge(line: Line, page: Page) -> bool:
    return not EDGE * page.height < line.y < (1 - EDGE) * page.height


def _print(line: Line, step: int = 0) -> int:
    """Hash the text of a line, with "#" for its numbers, and its height (in 4 points) moved by some steps."""
    text = _DIGITS.sub("#", line.text).casefold()
    return hash((text, round(line.y / 4) + step))


def without_line_numbers(page: Page) -> Page:
    """Remove small line numbers in the margin of a page."""
    numbered: set[int] = set()
    by_edge = _margin_numbers(page)
    for edge in by_edge:
        column = []
        for near in (edge - 1, edge, edge + 1):
            column += by_edge.get(near, [])
        column.sort()
        steps: Counter[int] = Counter()
        for (_, earlier), (_, later) in itertools.pairwise(column):
            steps[later - earlier] += 1
        n_counted = max(steps[1], steps[5])
        is_counted = n_counted >= 0.6 * (len(column) - 1)
        if is_counted and len(column) >= MIN_NUMBERED_LINES:
            numbered.update(position for position, _ in column)

    lines = []
    for position, line in enumerate(page.lines):
        if position not in numbered:
            lines.append(line)
        elif words := line.words[1:]:
            x0 = min(word.x0 for word in words)
            lines.append(replace(line, words=words, x0=x0))
    return replace(page, lines=lines)


def _margin_numbers(page: Page) -> dict[int, list[tuple[int, int]]]:
    """Return position and value of small numbers at the beginning of lines, by their right edge (in 4 points)."""
    row_sizes: dict[float, float] = defaultdict(float)
    for line in page.lines:
        largest = max(word.size for word in line.words)
        row_sizes[line.y] = max(row_sizes[line.y], largest)

    by_edge = defaultdict(list)
    for position, line in enumerate(page.lines):
        first = line.words[0]
        is_number = first.text.isdecimal() and len(first.text) <= 4
        if is_number and first.size < 0.8 * row_sizes[line.y]:
            edge = round(first.x1 / 4)
            by_edge[edge].append((position, int(first.text)))
    return by_edge


def parted_from_notes(
    lines: Sequence[Line], body_size: float
) -> tuple[list[Line], list[Line], list[Line]]:
    """Return three lists of lines: the text, the smaller print wholly to its left, and that wholly to its right."""
    body = []
    for line in lines:
        is_of_size = abs(line.size - body_size) < 0.05 * body_size
        if is_of_size and len(line.words) > 1:
            body.append(line)
    if len(body) < MIN_TEXT_LINES:
        return list(lines), [], []

    few = len(body) // MAX_OVERFULL  # lines that may exceed the margins
    left = sorted(line.x0 for line in body)[few]
    right = sorted(line.x1 for line in body)[-1 - few]
    text = []
    on_left = []
    on_right = []
    for line in lines:
        is_between = line.x0 < right and line.x1 > left
        if is_between or line.size >= 0.92 * body_size:
            text.append(line)
        elif line.x1 <= left:
            on_left.append(line)
        else:
            on_right.append(line)
    return text, on_left, on_right
