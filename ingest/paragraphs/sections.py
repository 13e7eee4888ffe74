"""Sections of a document: the headings above each block, nested by their size, weight and numbering."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from quarry.ingest.paragraphs.blocks import Block

SAME_SIZE = 0.04
"""Maximal difference of the font sizes of one level of headings, in sizes of the body."""

_NUMBER = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,4})\.?\s+")


@dataclass(frozen=True, slots=True)
class _Level:
    size: float
    bold: bool
    depth: int

    def holds(self, inner: _Level) -> bool:
        """Return whether a section of the level `inner` belongs to a section of this level."""
        if abs(self.size - inner.size) > SAME_SIZE:
            return inner.size < self.size
        if self.depth and inner.depth and self.depth != inner.depth:
            return inner.depth > self.depth
        return self.bold and not inner.bold


def outline(blocks: Iterable[Block], title: str) -> tuple[list[tuple[str, ...]], list[str]]:
    """Nest the blocks of a document.

    Args:
        blocks: in reading order; footnotes have no heading.
        title: the title of the document as printed, "" if unknown.

    Returns:
        The headings above each block, outermost first; and the headings of the outermost level below the title, in
        order, without their numbers. A heading is not above itself.
    """
    paths: list[tuple[str, ...]] = []
    outermost: list[str] = []
    open_sections: list[tuple[str, _Level]] = []
    path: tuple[str, ...] = ()
    for block in blocks:
        if block.footnote:
            paths.append(())
            continue
        if not block.is_heading:
            paths.append(path)
            continue
        level = _level(block)
        while open_sections and not open_sections[-1][1].holds(level):
            open_sections.pop()
        if open_sections and _is_title(open_sections[-1][0], title):
            open_sections[-1] = (title, open_sections[-1][1])  # a title of two lines comes as two headings
        paths.append(tuple(text for text, _ in open_sections))
        below_title = not open_sections or (len(open_sections) == 1 and _is_title(open_sections[0][0], title))
        if below_title and not _is_title(block.text, title):
            outermost.append(_NUMBER.sub("", block.text, count=1))
        open_sections.append((block.text, level))
        path = tuple(text for text, _ in open_sections)
    return paths, list(dict.fromkeys(outermost))


def _level(block: Block) -> _Level:
    number = _NUMBER.match(f"{block.number} {block.text}".lstrip())
    return _Level(round(block.size_ratio, 2), block.bold > 0.9, number[1].count(".") + 1 if number else 0)


def _is_title(heading: str, title: str) -> bool:
    return bool(title) and heading.casefold() in title.casefold()
