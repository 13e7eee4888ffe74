"""The lectures of a course as a person looks at them: pages, and what was taken from each."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.editions.readers import READERS
from ingest.errors import SourceError
from ingest.paragraph import Document, Paragraph
from ingest.pdf.pictures import Box, boxes_of, page_words
from ingest.store import Course


@dataclass(frozen=True, slots=True)
class Outline:
    """A piece of text on a page.

    Attributes:
        number: 1-based number on the page, among pieces of the same sort.
        boxes: its lines on the page; () if it was not found there.
        paragraph: the passage; None for a piece that was left out.
        text: beginning of a piece that was left out, else "".
        reason: why it was left out, "" for a passage.
    """

    number: int
    boxes: tuple[Box, ...]
    paragraph: Paragraph | None = None
    text: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PageView:
    """One page of a lecture.

    Attributes:
        notice: why there is no picture, "" if there is one.
    """

    document: Document
    page: int
    n_pages: int
    outlines: tuple[Outline, ...]
    notice: str = ""


class Lectures:
    """Pages and passages of a course.

    Args:
        course: whose documents are shown.
    """

    def __init__(self, course: Course) -> None:
        self.course = course
        self.documents = {document.doc_id: document for document in course.documents}
        self.by_id = {
            paragraph.paragraph_id: paragraph for paragraph in course.paragraphs
        }
        self._rejected = list(course.rejected())

    def passages(self, doc_id: str = "", kind: str = "") -> Sequence[Paragraph]:
        """Return the passages of a document and a kind; "" stands for all."""
        return [
            paragraph
            for paragraph in self.course.paragraphs
            if doc_id in ("", paragraph.doc_id) and kind in ("", paragraph.kind)
        ]

    def kinds(self) -> list[str]:
        """Return the kinds of passages that the course holds."""
        return sorted({paragraph.kind for paragraph in self.course.paragraphs})

    def page(self, document: Document, page: int) -> PageView:
        """Return a page with the outlines of all that was read on it."""
        n_pages = max(document.n_pages, 1)
        page = min(max(page, 1), n_pages)
        try:
            words, notice = page_words(pdf_of(document), page), ""
        except SourceError as error:
            words, notice = [], str(error)

        outlines = []
        passages = self.passages(document.doc_id)
        kept = [paragraph for paragraph in passages if paragraph.page == page]
        for number, paragraph in enumerate(kept, 1):
            boxes = tuple(boxes_of(paragraph.text, words))
            outlines.append(Outline(number, boxes, paragraph))

        place = (document.doc_id, page)
        left_out = [
            item for item in self._rejected if (item.doc_id, item.page) == place
        ]
        for number, piece in enumerate(left_out, 1):
            boxes = tuple(boxes_of(piece.text, words))
            outlines.append(
                Outline(number, boxes, text=piece.text[:200], reason=piece.reason)
            )
        return PageView(document, page, n_pages, tuple(outlines), notice)


def readings(path: Path, page: int) -> dict[str, str]:
    """Return the text of a page as each installed program reads it, by the program's name."""
    texts = {}
    for name, read in READERS.items():
        with contextlib.suppress(Exception):  # a reader may be absent, or fail
            texts[name] = "".join(itertools.islice(read(path), page - 1, page))
    return texts


def pdf_of(document: Document) -> Path:
    """Return the path of a document's PDF.

    Raises:
        SourceError: the file is gone, or is no PDF.
    """
    path = Path(document.path)
    if path.suffix.lower() != ".pdf":
        raise SourceError(f"{path} is no PDF and has no pages.")
    if not path.is_file():
        raise SourceError(f"{path} does not exist; ingest the lectures again.")
    return path
