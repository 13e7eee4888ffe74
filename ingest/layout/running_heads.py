"""Running heads, page numbers and other lines that repeat near the edges of pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from quarry.ingest.layout.extract import Page

EDGE = 0.14
"""Share of the height of a page, at its top and at its bottom, that may hold running heads and page numbers."""

SIDE = 0.2
"""Share of the width of a page, at its left and at its right, that may hold a list of the sections."""

MIN_SIDE_LETTERS = 3
"""Minimal number of letters in such a list; fewer may be a bullet or the number of an item."""

_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxlcdm]+", re.IGNORECASE)
_PAGE_NUMBER = re.compile(r"[\W_]*\d{1,4}[\W_]*")


class RunningHeads:
    """Lines that repeat on the pages of a document, found in one pass that keeps little more than the pages' edges.

    Attributes:
        body_size: font size of most of the text.
    """

    def __init__(self, pages: Iterable[Page]) -> None:
        sizes: Counter[float] = Counter()
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
        self.body_size = sizes.most_common(1)[0][0]

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
        return found


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
