"""Sections of a document: the headings above each block, nested by their size, weight and numbering."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ingest.layout.line import BOLD_SHARE
from ingest.paragraphs.blocks import Block

SAME_LEVEL = 0.04
"""Maximum difference of the font sizes of one level of headings, in sizes of the body."""

_SECTION_NUMBER = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,4})\.?\s+")


@dataclass(frozen=True, slots=True)
class _Section:
    heading: str
    size: float
    is_bold: bool
    depth: int

    def holds(self, inner: _Section) -> bool:
        """Return whether `inner` belongs to this section."""
        if abs(self.size - inner.size) > SAME_LEVEL:
            return inner.size < self.size
        if self.depth and inner.depth and self.depth != inner.depth:
            return inner.depth > self.depth
        return self.is_bold and not inner.is_bold


def nest_sections(
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
    sections: list[_Section] = []
    paths = []
    outermost: dict[str, None] = {}

    def is_title(heading: str) -> bool:
        return bool(title) and heading.casefold() in title.casefold()

    for block in blocks:
        number = _SECTION_NUMBER.match(f"{block.number} {block.text}".lstrip())
        inner = _Section(
            heading=block.text,
            size=round(block.size_ratio, 2),
            is_bold=block.bold_share > BOLD_SHARE,
            depth=number[1].count(".") + 1 if number else 0,
        )
        if block.is_heading:
            while sections and not sections[-1].holds(inner):
                sections.pop()
        path = []
        for section in sections:  # a title of two lines comes as two headings
            heading = section.heading
            path.append(title if is_title(heading) else heading)
        paths.append(() if block.footnote else tuple(path))

        if block.is_heading:
            if all(map(is_title, path)) and not is_title(block.text):
                outermost[_SECTION_NUMBER.sub("", block.text, count=1)] = None
            sections.append(inner)
    return paths, list(outermost)
