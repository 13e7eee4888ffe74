"""The lectures of a course as a person looks at them: pages, and what was taken from each."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ingest.editions.readers import READERS
from ingest.errors import SourceError
from ingest.paragraph import Document, Paragraph, RejectedParagraph
from ingest.pdf.pictures import Box, boxes_of, page_words
from ingest.store import Course

P = TypeVar("P", Paragraph, RejectedParagraph)


@dataclass(frozen=True, slots=True)
class PageView:
    """One page of a lecture.

    Attributes:
        passages, rejected: each piece of text with the boxes of its lines; without boxes if it was not found.
        notice: why there is no picture, "" if there is one.
    """

    document: Document
    page: int
    n_pages: int
    passages: Sequence[tuple[Paragraph, Sequence[Box]]]
    rejected: Sequence[tuple[RejectedParagraph, Sequence[Box]]]
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

    def page(self, document: Document, page: int) -> PageView:
        """Return a page with the outlines of all that was read on it."""
        n_pages = max(document.n_pages, 1)
        page = min(max(page, 1), n_pages)
        try:
            words, notice = page_words(pdf_of(document), page), ""
        except SourceError as error:
            words, notice = [], str(error)

        def outlined(pieces: Iterable[P]) -> list[tuple[P, Sequence[Box]]]:
            outlines: list[tuple[P, Sequence[Box]]] = []
            for piece in pieces:
                if (piece.doc_id, piece.page) == (document.doc_id, page):
                    outlines.append((piece, boxes_of(piece.text, words)))
            return outlines

        passages = outlined(self.course.paragraphs)
        rejected = outlined(self._rejected)
        return PageView(document, page, n_pages, passages, rejected, notice)


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
