"""One source file -> Reading: what pipeline.py runs in its worker processes."""

from __future__ import annotations

import functools
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from quarry.configs.json_files import MEND, read_objects
from quarry.configs.settings import IngestSettings
from quarry.ingest.errors import SourceError
from quarry.ingest.layout.arrange import arrange
from quarry.ingest.paragraph import Alias, Document, Paragraph, Reading, RejectedParagraph
from quarry.ingest.paragraphs.front_page import authors, lecture_number
from quarry.ingest.paragraphs.quality import rejection
from quarry.ingest.paragraphs.sections import outline
from quarry.ingest.paragraphs.sentence import alternatives, opening_sentence
from quarry.ingest.paragraphs.split import Block, split
from quarry.ingest.pdf.extract import extract

READER_MODULES = (
    "pdf/model",
    "pdf/tex",
    "pdf/pdfium",
    "pdf/ocr",
    "pdf/plumber",
    "pdf/doubt",
    "layout/bidi",
    "layout/small_print",
    "layout/lines",
    "pdf/extract",
    "layout/margins",
    "layout/furniture",
    "layout/side_by_side",
    "layout/drop_caps",
    "layout/arrange",
    "paragraphs/split",
    "paragraphs/sections",
    "paragraphs/front_page",
    "paragraphs/quality",
    "paragraphs/sentence",
    "pipeline/read_document",
    "pdf/text_files",
)
"""The modules of this package that decide which paragraphs a file yields."""

MAX_HEADINGS = 20
"""Outermost headings that are aliases; slides have one a page, and the later ones name the lecture less and less."""


def content_hash(path: Path) -> str:
    """SHA-256 of a file's bytes, hexadecimal.

    Raises:
        SourceError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(f"{path}: must be readable: {error.strerror}; check its permissions") from error


def version_of(content: str, settings: IngestSettings) -> str:
    """The version that a file's paragraphs are filed under: same file, same reader, same settings, same version."""
    key = f"{reader_digest()}|{content}|{settings.min_words}|{settings.max_words}|{settings.reader}"
    return hashlib.sha256(key.encode()).hexdigest()[:12]


@functools.cache
def reader_digest() -> str:
    """A digest of the code that reads, so that a better reader reads again what an older one has read."""
    folder = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for module in READER_MODULES:
        digest.update((folder / f"{module}.py").read_bytes())
    return digest.hexdigest()


def read_pdf(path: Path, doc_id: str, content: str, settings: IngestSettings) -> Reading:
    """The paragraphs of a PDF, kept and rejected, and its document.

    Raises:
        SourceError: not a PDF, encrypted, damaged, or without a text layer.
    """
    pdf = extract(path, settings.reader)
    arranged = arrange(pdf)
    blocks = list(split(arranged))
    names = authors(pdf, arranged.title)
    sections = outline(blocks, arranged.title, names)
    kept, rejected = judged(doc_id, blocks, sections.paths, settings, lambda page: pdf.readers.get(page, pdf.reader))
    aliases = [Alias(path.stem, "stem")]
    aliases += [Alias(title, "title") for title in [arranged.title] if title]
    aliases += [Alias(title, "metadata") for title in [pdf.metadata_title] if title]
    aliases += [Alias(name, "author") for name in names]
    aliases += [Alias(heading, "heading") for heading in sections.outermost[:MAX_HEADINGS]]
    reading = reading_of(path, doc_id, content, settings, aliases, len(pdf.pages), kept, rejected)
    document = replace(
        reading.document, authors=names, date=pdf.date, lecture_number=lecture_number(path.stem, pdf), reader=pdf.reader
    )
    return replace(reading, document=document)


def read_paragraphs_file(path: Path, content: str, settings: IngestSettings) -> list[Reading]:
    """The books of a paragraphs.jsonl ({"paragraph_id", "book_name", "text"} a line), one Reading each, all kept.

    The corpus.jsonl of a judged collection in BEIR's layout ({"_id", "title", "text"} a line) is read as well: one
    book, called as its folder is, unless a line's metadata name it. Its empty documents are left out.

    Raises:
        SourceError: a line is not such an object, a paragraph_id comes twice, or there is no paragraph at all.
    """
    books: dict[str, list[Paragraph]] = {}
    seen: set[str] = set()
    for where, found in read_objects(path, SourceError):
        is_collection = "_id" in found and "paragraph_id" not in found
        if is_collection and not any(str(found.get(key) or "").strip() for key in ("title", "text")):
            continue
        record = _paragraph_record(_of_collection(found, path) if is_collection else found, where)
        if record["paragraph_id"] in seen:
            raise SourceError(f"{where}: paragraph_id must be unique, got {record['paragraph_id']!r} again; rename it")
        seen.add(record["paragraph_id"])
        text = " ".join(record["text"].split())
        books.setdefault(record["book_name"], []).append(
            Paragraph(
                paragraph_id=record["paragraph_id"],
                doc_id=record["book_name"],
                page=1,
                heading=record.get("heading", ""),
                text=text,
                opening_sentence=opening_sentence(text),
            )
        )
    if not books:
        raise SourceError(f"{path}: must hold at least one paragraph, got none; add a line, or leave the file out")
    readings = []
    for book_name, paragraphs in books.items():
        digest = hashlib.sha256(f"{content}|{book_name}".encode()).hexdigest()
        readings.append(reading_of(path, book_name, digest, settings, [Alias(book_name, "name")], 0, paragraphs, []))
    return readings


def _of_collection(found: dict[str, Any], path: Path) -> dict[str, Any]:
    """A document of a collection as a paragraph: its title stands before its text, but for a heading of ours."""
    metadata = found["metadata"] if isinstance(found.get("metadata"), dict) else {}
    text, title = found.get("text"), str(found.get("title") or "").strip()
    if title and isinstance(text, str) and title != metadata.get("heading"):
        text = f"{title} {text}" if title[-1] in ".?!:" else f"{title}. {text}"
    book_name = metadata.get("book_name") or path.resolve().parent.name
    heading = str(metadata.get("heading") or "")
    return {"paragraph_id": found["_id"], "book_name": book_name, "text": text, "heading": heading}


def _paragraph_record(record: dict[str, Any], where: str) -> dict[str, str]:
    for key in ("paragraph_id", "book_name", "text"):
        value = record.get(key)
        if not isinstance(value, str) or not value.strip():
            raise SourceError(f"{where}: {key} must be a string that is not empty, got {value!r}; {MEND}")
    return {key: record[key] for key in ("paragraph_id", "book_name", "text", "heading") if key in record}


def judged(
    doc_id: str,
    blocks: Iterable[Block],
    paths: Iterable[tuple[str, ...]],
    settings: IngestSettings,
    reader_of: Callable[[int], str],
) -> tuple[list[Paragraph], list[RejectedParagraph]]:
    """The blocks of a document that are playable, and the others.

    Args:
        blocks: in reading order.
        paths: the headings that each stands under.
        reader_of: the reader that gave a page, 1-based.
    """
    ordinals: Counter[int] = Counter()
    kept: list[Paragraph] = []
    rejected: list[RejectedParagraph] = []
    for block, path in zip(blocks, paths, strict=True):
        reason = rejection(block, settings)
        if reason:
            rejected.append(RejectedParagraph(doc_id, block.page, block.text, reason))
            continue
        ordinals[block.page] += 1
        kept.append(
            Paragraph(
                paragraph_id=f"{doc_id}:{block.page}:{ordinals[block.page]}",
                doc_id=doc_id,
                page=block.page,
                heading=block.heading,
                text=block.text,
                opening_sentence=opening_sentence(block.text),
                section=path,
                sureness=round(block.sureness, 3),
                reader=reader_of(block.page),
                alternatives=alternatives(block.text),
                place=block.place,
            )
        )
    return kept, rejected


def reading_of(
    path: Path,
    doc_id: str,
    content: str,
    settings: IngestSettings,
    aliases: Sequence[Alias],
    n_pages: int,
    kept: Sequence[Paragraph],
    rejected: Sequence[RejectedParagraph],
) -> Reading:
    """A Reading of a file, with its document's counts and version."""
    document = Document(
        doc_id=doc_id,
        path=str(path),
        content_hash=content,
        version=version_of(content, settings),
        aliases=tuple(dict.fromkeys(aliases)),
        n_pages=n_pages,
        n_paragraphs=len(kept),
        rejected=dict(sorted(Counter(item.reason for item in rejected).items())),
    )
    return Reading(document, tuple(kept), tuple(rejected))
