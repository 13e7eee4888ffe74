"""Running heads, page numbers and other lines that repeat near the edges of pages."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median

from quarry.ingest.pdf.extract import Page

EDGE = 0.14
"""Share of the height of a page, at its top and at its bottom, that may hold running heads and page numbers."""

SIDE = 0.2
"""Share of the width of a page, at its left and at its right, that may hold a list of the sections."""

MIN_SIDE_LETTERS = 3
"""Minimal number of letters in such a list; fewer may be a bullet or the number of an item."""

MIN_OFFSET = 1.3
"""Minimal distance of a running head from the text, as a multiple of the usual distance of baselines."""

_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxlcdm]+", re.IGNORECASE)
_PAGE_NUMBER = re.compile(r"[\W_]*\d{1,4}[\W_]*")


@dataclass(frozen=True, slots=True)
class _Top:
    """The first row of a page: baseline, distance to the next row, usual distance, largest font size, boldest part."""

    y: float
    gap: float
    pitch: float
    size: float
    bold: float


class RunningHeads:
    """Lines that repeat on the pages of a document, found in one pass that keeps little more than the pages' edges.

    Attributes:
        body_size: font size of most of the text.
    """

    def __init__(self, pages: Iterable[Page]) -> None:
        sizes: Counter[float] = Counter()
        tops: list[_Top] = []
        # hashes of text and height need less memory than the texts
        self._n_pages_with: Counter[int] = Counter()
        self._n_pages = 0
        for page in pages:
            self._n_pages += 1
            for line in page.lines:
                sizes[round(line.size * 2) / 2] += sum(len(word.text) for word in line.words)
            self._n_pages_with.update(
                {hash((key, near)) for _, key, height in _at_edges(page) for near in (height - 1, height, height + 1)}
            )
            if (top := _top(page)) is not None:
                tops.append(top)
        self.body_size = sizes.most_common(1)[0][0]
        heads = Counter(round(top.y / 3) for top in tops if self._is_head(top))
        self._head_heights = {height for height, count in heads.items() if count >= max(3, 0.3 * self._n_pages)}

    def on(self, page: Page) -> set[int]:
        """Return the positions of the lines of a page that are running heads, page numbers or the like."""
        found = _page_numbers(page)
        needed = 2 if self._n_pages <= 4 else max(3, round(0.08 * self._n_pages))
        if self._n_pages > 1:
            found |= {
                position
                for position, key, height in _at_edges(page)
                if self._n_pages_with[hash((key, height))] >= needed
            }
        top = _top(page)
        if top is not None and self._is_head(top) and (height := round(top.y / 3)) in self._head_heights:
            found |= {position for position, line in enumerate(page.lines) if round(line.y / 3) == height}
        return found

    def _is_head(self, top: _Top) -> bool:
        """Return whether a first row is set off from the text, as a running head that changes with the section."""
        set_off = top.gap >= 1.9 * self.body_size and top.gap >= MIN_OFFSET * top.pitch
        return set_off and top.size <= 1.05 * self.body_size and top.bold < 0.9


def _at_edges(page: Page) -> Iterator[tuple[int, str, int]]:
    """Yield position, text with "#" for its numbers, and height (in 4 points) of each line near an edge."""
    for position, line in enumerate(page.lines):
        share = line.y / page.height if page.height else 0.5
        is_aside = line.x1 < SIDE * page.width or line.x0 > (1 - SIDE) * page.width
        if not EDGE < share < 1 - EDGE or (is_aside and sum(map(str.isalpha, line.text)) >= MIN_SIDE_LETTERS):
            text = line.text
            key = "#" if _ROMAN.fullmatch(text) else _DIGITS.sub("#", text).casefold()
            yield position, key, round(line.y / 4)


def _page_numbers(page: Page) -> set[int]:
    """Return the positions of bare numbers in the first or the last row of a page."""
    if not page.lines:
        return set()
    ends = (min(line.y for line in page.lines), max(line.y for line in page.lines))
    return {
        position
        for position, line in enumerate(page.lines)
        if (line.y < EDGE * page.height or line.y > (1 - EDGE) * page.height)
        and line.y in ends
        and _PAGE_NUMBER.fullmatch(line.text)
    }


def _top(page: Page) -> _Top | None:
    """Return the first row of a page if it may be a running head: near the edge, with three rows or more below."""
    rows = sorted({line.y for line in page.lines})
    if len(rows) < 4 or rows[0] > EDGE * page.height:
        return None
    first = [line for line in page.lines if line.y == rows[0]]
    pitch = median(below - above for above, below in itertools.pairwise(rows[1:]))
    return _Top(rows[0], rows[1] - rows[0], pitch, max(line.size for line in first), max(line.bold for line in first))
