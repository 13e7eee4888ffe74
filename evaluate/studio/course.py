"""Pages of a course: its lectures, the paragraphs of each page, and the search."""

import contextlib
import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, Response

from evaluate.studio.pages import Page, or_404
from evaluate.studio.pictures import boxes_of, page_picture, page_words
from evaluate.studio.state import CurrentStudio
from ingest.editions.readers import EDITION_READERS
from ingest.errors import SourceError
from player.search.results import Query
from quarry.course.paragraph import Document

N_HITS = 20
"""Number of hits of a search."""
router = APIRouter()


async def _require_lecture(doc_id: str, studio: CurrentStudio) -> Document:
    """Return a document of the course; raise 404 if there is none."""
    document = studio.course.documents_by_id.get(doc_id)
    return or_404(document, f"lecture {doc_id}")


Lecture = Annotated[Document, Depends(_require_lecture)]


@router.get("/")
def _course(
    studio: CurrentStudio, page: Page, request: Request, hint: str = "", book: str = ""
) -> HTMLResponse:
    result = None
    if hint.strip():
        query = Query(hint, book, N_HITS)
        result = studio.player("").orchestrator.search(query)
    name = "hits.html" if "hx-request" in request.headers else "course.html"
    return page(name, course=studio.course, result=result, hint=hint, book=book)


@router.get("/lecture/{doc_id:path}")
def _lecture(
    lecture: Lecture,
    studio: CurrentStudio,
    page: Page,
    number: int = 1,
    paragraph: str = "",
    editions: bool = False,
) -> HTMLResponse:
    n_pages = max(lecture.n_pages, 1)
    number = min(max(number, 1), n_pages)
    words, notice, texts = [], "", {}
    try:
        path = _find_pdf(lecture)
        words = page_words(path, number)
    except SourceError as error:
        notice = str(error)
    else:
        for name, read in EDITION_READERS.items() if editions else ():
            with contextlib.suppress(Exception):  # a reader may be absent, or fail
                page_text = itertools.islice(read(path), number - 1, number)
                texts[name] = "".join(page_text)

    def outlined(pieces: Iterable[Any]) -> list[tuple[Any, Any]]:
        """Return the pieces of the page with the boxes of their lines."""
        outlines = []
        for piece in pieces:
            if (piece.doc_id, piece.page) == (lecture.doc_id, number):
                outlines.append((piece, boxes_of(piece.text, words)))
        return outlines

    return page(
        "lecture.html",
        document=lecture,
        page=number,
        n_pages=n_pages,
        paragraphs=outlined(studio.course.paragraphs),
        rejected=outlined(studio.course.rejected),
        notice=notice,
        chosen=paragraph,
        texts=texts,
    )


@router.get("/picture/{doc_id:path}/{number}.png")
def _picture(lecture: Lecture, number: int) -> Response:
    try:
        content = page_picture(_find_pdf(lecture), number)
    except SourceError as error:
        raise HTTPException(404, str(error)) from error
    return Response(content, media_type="image/png")


def _find_pdf(document: Document) -> Path:
    """Return the path of a document's PDF.

    Raises:
        SourceError: the file does not exist, or is not a PDF.
    """
    path = Path(document.path)
    if path.suffix.lower() != ".pdf":
        raise SourceError(f"{path} is no PDF and has no pages.")
    if not path.is_file():
        raise SourceError(f"{path} does not exist; ingest the lectures again.")
    return path
