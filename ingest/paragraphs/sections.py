"""Sections of a document: the headings above each block, nested by their size, weight and numbering."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ingest.paragraphs.blocks import Block

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


class _Outline:
    """The open sections while a document is read."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._open: list[tuple[str, _Level]] = []
        self.outermost: dict[str, None] = {}

    @property
    def path(self) -> tuple[str, ...]:
        """The headings of the open sections, outermost first."""
        return tuple(text for text, _ in self._open)

    def close_for(self, block: Block) -> None:
        """Close the sections that a heading ends."""
        level = _level(block)
        while self._open and not self._open[-1][1].holds(level):
            self._open.pop()
        if self._open and self._is_title(self._open[-1][0]):
            # a title of two lines comes as two headings
            self._open[-1] = self._title, self._open[-1][1]

    def open(self, block: Block) -> None:
        """Open the section of a heading."""
        is_outermost = all(map(self._is_title, self.path)) and len(self._open) < 2
        if is_outermost and not self._is_title(block.text):
            self.outermost[_NUMBER.sub("", block.text, count=1)] = None
        self._open.append((block.text, _level(block)))

    def _is_title(self, heading: str) -> bool:
        return bool(self._title) and heading.casefold() in self._title.casefold()


def outline(
    blocks: Iterable[Block], title: str
) -> tuple[list[tuple[str, ...]], list[str]]:
    """Nest the blocks of a document.

    Args:
        blocks: in reading order; footnotes have no heading.
        title: the title of the document as printed, "" if unknown.

    Returns:
        The headings above each block, outermost first; and the headings of the outermost level below the title, in
        order, without their numbers. A heading is not above itself.
    """
    nested = _Outline(title)
    paths: list[tuple[str, ...]] = []
    for block in blocks:
        if block.is_heading:
            nested.close_for(block)
        paths.append(() if block.footnote else nested.path)
        if block.is_heading:
            nested.open(block)
    return paths, list(nested.outermost)


def _level(block: Block) -> _Level:
    number = _NUMBER.match(f"{block.number} {block.text}".lstrip())
    depth = number[1].count(".") + 1 if number else 0
    return _Level(round(block.size_ratio, 2), block.bold > 0.9, depth)
