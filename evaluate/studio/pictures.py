"""Pictures of PDF pages, and the boxes of a text on a page, for people who look at a lecture."""

from __future__ import annotations

import contextlib
import difflib
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pypdfium2

from ingest.errors import SourceError
from ingest.pdf.frame import Frame
from quarry.course.text import canonical

PICTURE_WIDTH = 900
"""Width of the picture of a page, in pixels."""
MIN_RUN = 2
"""Minimum number of words in order by which a paragraph is found on a page."""
MIN_SHARE = 0.3
"""Minimum share of the words of a text, or of the page, that match if the text is on the page."""
_SPELLING = re.compile("[^\\s\ufffe\x02]+")
"""A word; PDFium has two characters for a hyphen at the end of a line."""
MAX_RISE, MAX_DROP = 0.5, 2.0
"""Maximum distances of a word above and below the one before it in a block, in heights of the higher one."""


class TextBox(NamedTuple):
    """A rectangle on a page, in shares of its width and height, from the top left."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class PageWord:
    """A word of a page: its letters and digits in lower case, and a box for each line that it touches."""

    letters: str
    boxes: tuple[TextBox, ...]


def page_picture(path: Path, page: int) -> bytes:
    """Return a page as a PNG picture.

    Args:
        page: 1-based.

    Raises:
        SourceError: the file cannot be read, or has no such page.
    """
    content = io.BytesIO()
    with _open_page(path, page) as sheet:
        picture = sheet.render(scale=PICTURE_WIDTH / sheet.get_width()).to_pil()
    picture.save(content, "PNG")
    return content.getvalue()


def page_words(path: Path, page: int) -> list[PageWord]:
    """Return the words of a page in the order of the file.

    Raises:
        SourceError: the file cannot be read, or has no such page.
    """
    words = []
    with _open_page(path, page) as sheet:
        frame = Frame.of(sheet)
        text = sheet.get_textpage()
        for word in _SPELLING.finditer(text.get_text_range()):
            boxes = []
            n_boxes = text.count_rects(word.start(), len(word[0]))
            for edges in map(text.get_rect, range(n_boxes)):
                box = frame.box(*edges)
                part = TextBox(
                    left=box.x0 / frame.width,
                    top=box.top / frame.height,
                    right=box.x1 / frame.width,
                    bottom=box.bottom / frame.height,
                )
                boxes.append(part)

            if letters := canonical(word[0]):
                words.append(PageWord(letters, tuple(boxes)))
    return words


def boxes_of(text: str, words: Sequence[PageWord]) -> list[TextBox]:
    """Return a box for each block of lines of a text on a page; none if the text is not there.

    Args:
        text: in logical order; it may begin or end on another page.
        words: of the page, in the order of the file.
    """
    wanted = list(filter(None, map(canonical, text.split())))
    printed = [word.letters for word in words]
    if not wanted or not printed:
        return []

    matches = difflib.SequenceMatcher(None, wanted, printed, autojunk=False)
    n_matched = 0
    boxes: list[TextBox] = []
    for run in matches.get_matching_blocks():
        if run.size >= min(MIN_RUN, len(wanted)):
            n_matched += run.size
            for word in words[run.b : run.b + run.size]:
                boxes += word.boxes
    if n_matched < MIN_SHARE * min(len(wanted), len(printed)):
        return []

    blocks: list[TextBox] = []
    last = TextBox(0.0, 0.0, 0.0, 0.0)
    for box in boxes:
        if blocks and _continues(box, blocks[-1], last):
            block = blocks.pop()
            whole = TextBox(
                left=min(block.left, box.left),
                top=min(block.top, box.top),
                right=max(block.right, box.right),
                bottom=max(block.bottom, box.bottom),
            )
            blocks.append(whole)
        else:
            blocks.append(box)
        last = box
    return blocks


def _continues(box: TextBox, block: TextBox, last: TextBox) -> bool:
    """Return whether a box is on the last line of a block or on the next one; far away it is of another column."""
    height = max(last.bottom - last.top, box.bottom - box.top)
    return (
        -MAX_RISE * height < box.top - last.top < MAX_DROP * height
        and block.left - height < box.right
        and box.left < block.right + height
    )


@contextlib.contextmanager
def _open_page(path: Path, page: int) -> Iterator[pypdfium2.PdfPage]:
    try:
        document = pypdfium2.PdfDocument(path)
    except (pypdfium2.PdfiumError, OSError) as error:
        raise SourceError(f"{path} cannot be read: {error}.") from error
    with document:
        n_pages = len(document)
        if not 1 <= page <= n_pages:
            raise SourceError(
                f"{path} has {n_pages} pages; page {page} does not exist."
            )
        yield document[page - 1]
