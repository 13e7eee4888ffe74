"""Pictures of PDF pages, and the boxes of a text on a page, for people who look at a lecture."""

from __future__ import annotations

import difflib
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pypdfium2

from ingest.errors import SourceError
from ingest.text import canonical

MIN_RUN = 2
"""A passage is found on a page by runs of at least this many words in order."""
MIN_SHARE = 0.3
"""A text is on a page if at least this share of its words, or of the page's, match."""
_GAP = re.compile("[\\s\ufffe\x02]")
"""The end of a word; PDFium has two characters for a hyphen at the end of a line."""
LINE_OVERLAP = 0.5
"""Words whose heights overlap by this share are on one line."""


class Box(NamedTuple):
    """A rectangle on a page, in shares of its width and height, from the top left."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class PageWord:
    """A word of a page: its letters and digits in lower case, and a box for each line that it touches."""

    letters: str
    boxes: tuple[Box, ...]


def page_picture(path: Path, page: int, width: int = 900) -> bytes:
    """Return a page as a PNG picture.

    Args:
        page: 1-based.
        width: of the picture, in pixels.

    Raises:
        SourceError: the file cannot be read, or has no such page.
    """
    with _opened(path, page) as document:
        sheet = document[page - 1]
        picture = sheet.render(scale=width / sheet.get_width()).to_pil()
        content = io.BytesIO()
        picture.save(content, "PNG")
        return content.getvalue()


def page_words(path: Path, page: int) -> list[PageWord]:
    """Return the words of a page in the order of the file.

    Raises:
        SourceError: the file cannot be read, or has no such page.
    """
    with _opened(path, page) as document:
        sheet = document[page - 1]
        width, height = sheet.get_size()
        text = sheet.get_textpage()

        def box(position: int) -> Box:
            left, bottom, right, top = text.get_charbox(position)
            return Box(
                left / width, 1 - top / height, right / width, 1 - bottom / height
            )

        words: list[PageWord] = []
        start = 0
        for spelling in _GAP.split(text.get_text_range()):
            end = start + len(spelling)
            if letters := canonical(spelling):
                glyphs = [*map(box, range(start, end))]
                words.append(PageWord(letters, tuple(_lines(glyphs))))
            start = end + 1
        return words


def boxes_of(text: str, words: Sequence[PageWord]) -> list[Box]:
    """Return a box for each block of lines of a text on a page; none if the text is not there.

    Args:
        text: in logical order; it may begin or end on another page.
        words: of the page, in the order of the file.
    """
    wanted = [*filter(None, map(canonical, text.split()))]
    there = [word.letters for word in words]
    if not wanted or not there:
        return []

    matches = difflib.SequenceMatcher(None, wanted, there, autojunk=False)
    rows: list[int] = []
    for block in matches.get_matching_blocks():
        if block.size >= min(MIN_RUN, len(wanted)):
            rows += range(block.b, block.b + block.size)

    if len(rows) < MIN_SHARE * min(len(wanted), len(there)):
        return []
    boxes = [box for row in rows for box in words[row].boxes]
    return _blocks(_lines(boxes))


def _lines(boxes: Sequence[Box]) -> list[Box]:
    """Join boxes that follow each other on one line."""
    lines: list[Box] = []
    for box in boxes:
        last = lines[-1] if lines else None
        if last is not None and _on_one_line(last, box):
            lines[-1] = _around([last, box])
        else:
            lines.append(box)
    return lines


def _blocks(lines: Sequence[Box]) -> list[Box]:
    """Join lines that stand closely under each other."""
    blocks: list[Box] = []
    above = Box(0.0, 0.0, 0.0, 0.0)
    for line in lines:
        height = max(above.bottom - above.top, line.bottom - line.top)
        is_near = abs(line.top - above.bottom) < height
        # lines that begin far apart are of two columns, or of a formula
        if blocks and is_near and _overlap(above, line) > 0:
            blocks[-1] = _around([blocks[-1], line])
        else:
            blocks.append(line)
        above = line
    return blocks


def _overlap(one: Box, other: Box) -> float:
    return min(one.right, other.right) - max(one.left, other.left)


def _on_one_line(one: Box, other: Box) -> bool:
    overlap = min(one.bottom, other.bottom) - max(one.top, other.top)
    return overlap >= LINE_OVERLAP * min(one.bottom - one.top, other.bottom - other.top)


def _around(boxes: Sequence[Box]) -> Box:
    """Return the box around some boxes."""
    left, top, right, bottom = zip(*boxes, strict=True)
    return Box(min(left), min(top), max(right), max(bottom))


def _opened(path: Path, page: int) -> pypdfium2.PdfDocument:
    try:
        document = pypdfium2.PdfDocument(path)
    except (pypdfium2.PdfiumError, OSError) as error:
        raise SourceError(f"{path} cannot be read: {error}.") from error
    if not 1 <= page <= len(document):
        n_pages = len(document)
        document.close()
        raise SourceError(f"{path} has {n_pages} pages; page {page} does not exist.")
    return document
