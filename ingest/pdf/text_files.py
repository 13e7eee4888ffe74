"""Files without printed pages (Word, PowerPoint, Markdown, HTML, plain text) -> Reading, by the rules of PDFs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from quarry.configs.settings import IngestSettings
from quarry.ingest.errors import SourceError
from quarry.ingest.paragraph import Alias, Reading
from quarry.ingest.paragraphs.front_page import number_of
from quarry.ingest.paragraphs.sections import outline
from quarry.ingest.paragraphs.split import Block
from quarry.ingest.pdf.marked_up import read_html, read_markdown, read_plain_text
from quarry.ingest.pdf.office import read_docx, read_pptx
from quarry.ingest.pdf.pieces import TextFile
from quarry.ingest.pipeline.read_document import MAX_HEADINGS, judged, reading_of

OFFICE: dict[str, Callable[[Path, bytes], TextFile]] = {".docx": read_docx, ".pptx": read_pptx}
"""Readers of what a folder is searched for beside PDFs."""

READERS = OFFICE | {
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".html": read_html,
    ".htm": read_html,
    ".txt": read_plain_text,
}
"""Readers by the end of the file's name; those not in `OFFICE` are read if they are named, as folders hold others."""

HEADING_SIZE, HEADING_STEP = 2.0, 0.15
"""Size of a heading of level 0 in that of the text, and how much smaller each level is, for the rules of sections."""


def read_text_file(path: Path, doc_id: str, content: str, settings: IngestSettings) -> Reading:
    """The paragraphs of such a file, kept and rejected, and its document.

    Raises:
        SourceError: it is damaged, or has no text.
    """
    try:
        read = READERS[path.suffix.lower()](path, path.read_bytes())
    except OSError as error:
        raise SourceError(f"{path}: must be readable: {error.strerror}; check its permissions") from error
    blocks = list(_blocks(read))
    if not blocks:
        raise SourceError(f"{path}: must hold text, holds none; leave it out")
    sections = outline(blocks, read.title)
    kept, rejected = judged(doc_id, blocks, sections.paths, settings, lambda _page: read.reader)
    aliases = [Alias(path.stem, "stem")]
    aliases += [Alias(read.title, "title")] if read.title else []
    aliases += [Alias(heading, "heading") for heading in sections.outermost[:MAX_HEADINGS]]
    reading = reading_of(path, doc_id, content, settings, aliases, read.n_pages, kept, rejected)
    number = number_of([path.stem, read.title])
    document = replace(reading.document, date=read.date, lecture_number=number, reader=read.reader)
    return replace(reading, document=document)


def _blocks(read: TextFile) -> Iterator[Block]:
    heading = ""
    for piece in read.pieces:
        if not any(map(str.isalnum, piece.text)):
            continue
        is_heading = piece.kind == "heading"
        yield Block(
            page=piece.page,
            heading=heading,
            text=piece.text,
            is_heading=is_heading,
            size_ratio=HEADING_SIZE - HEADING_STEP * piece.level if is_heading else 1.0,
            mono=float(piece.kind == "code"),
            in_table=piece.kind == "table",
        )
        heading = piece.text if is_heading else heading
