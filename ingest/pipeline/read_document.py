"""Reading of one source file into paragraphs, as a worker process does it."""

import functools
import hashlib
import importlib.metadata
import inspect
import itertools
import re
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from configs.directories import ROOT
from configs.faults import fault_and_remedy
from configs.settings import IngestSettings
from ingest.errors import SourceError
from ingest.layout.arrange import TITLE_PART, arrange
from ingest.layout.extract import READERS, Pdf, extract
from ingest.paragraphs.blocks import find_blocks
from ingest.paragraphs.from_blocks import make_paragraphs
from ingest.paragraphs.sections import nest_sections
from ingest.pdf.ocr import ocr_languages
from quarry.course.paragraph import (
    Alias,
    Document,
    Paragraph,
    Reading,
    RejectedParagraph,
)
from quarry.course.sentences import opening_sentence
from quarry.json_files import LINE_REMEDY, read_objects
from quarry.languages.registry import LANGUAGES, alternatives
from quarry.plugins import find
from quarry.version import digest_of

MAX_LABEL_WORDS = 12
"""Maximum number of words of a line with the number of the lecture; a longer one is text that mentions a lecture."""

_LECTURE = alternatives(language.lecture for language in LANGUAGES)
"""Expression for "lecture" and the like."""

_NUMBERED = re.compile(
    rf"(?<![^\W\d_]){_LECTURE}[\s._#:-]{{0,3}}0*(\d{{1,3}})(?!\d|\.\d)", re.IGNORECASE
)
"""Number after such a word."""

_LEADING = re.compile(r"0?(\d{1,2})(?=[\s._-]+[^\W\d_]|$)")
"""Number at the beginning of a file stem."""

_SEPARATOR = re.compile(r"\s*[,;·•|&/]\s*|\s+and\s+")
"""Sign or word between two authors."""

READING = (
    "quarry/course/*.py",
    "quarry/languages/*.py",
    "ingest/pdf/*.py",
    "ingest/layout/**/*.py",
    "ingest/paragraphs/*.py",
    "ingest/editions/**/*.py",
    "ingest/pipeline/read_document.py",
)
"""Source files on which the paragraphs of a file depend."""

LIBRARIES = (
    "pypdfium2",
    "pdfplumber",
    "pdfminer.six",
    "pikepdf",
    "pypdf",
    "pymupdf",
    "ocrmypdf",
    "python-bidi",
    "fonttools",
    "wordfreq",
)
"""Packages on whose versions the paragraphs of a file depend; some are optional."""

LIMITS = ("timeout_s", "memory_mb")
"""Settings on which the paragraphs of a file do not depend."""

NO_TEXT = "page without text"
"""Reason why a whole page is rejected."""

MAX_HEADINGS = 20
"""Maximum number of outermost headings that become aliases; later ones, as those of slides, seldom name the lecture."""


def content_hash(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, hexadecimal.

    Raises:
        SourceError: the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SourceError(
            f"{path} cannot be read: {fault_and_remedy(error)}"
        ) from error


def paragraphs_version(content: str, settings: IngestSettings) -> str:
    """Return the version of a file's paragraphs, a digest of file, reader, settings and installed programs.

    Raises:
        SettingsError: the reader is unknown, or is the user's own and cannot be imported.
    """
    fields = asdict(settings).items()
    reading = [value for name, value in fields if name not in LIMITS]
    libraries = list(map(_installed_version, LIBRARIES))
    code = (reader_digest(), _own_code(settings.reader), libraries)
    key = f"{code}|{content}|{reading}|{ocr_languages()}"
    return hashlib.sha256(key.encode()).hexdigest()[:12]


def _installed_version(package: str) -> str:
    """Return the version of a package, "" if it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


@functools.cache
def reader_digest() -> str:
    """Return a digest of the reading code, so that new code reads all files again."""
    return digest_of(itertools.chain.from_iterable(map(ROOT.glob, READING)))


def _own_code(reader: str) -> bytes:
    """Return the file that defines a reader of the user's own; nothing for a reader of ours."""
    module = inspect.getmodule(find(READERS, reader, "ingest.reader"))
    if reader in READERS or module is None or not module.__file__:
        return b""
    return Path(module.__file__).read_bytes()


def read_pdf(
    path: Path, doc_id: str, content: str, settings: IngestSettings
) -> Reading:
    """Read a PDF into its document, paragraphs and rejected paragraphs.

    Raises:
        SourceError: the file is not a PDF, or is encrypted, damaged, or without a text layer.
    """
    pdf = extract(path, settings.reader)
    arranged = arrange(pdf)
    blocks = list(find_blocks(arranged))
    names = find_authors(pdf)
    sections, outermost = nest_sections(blocks, arranged.title)
    paragraphs, rejected = make_paragraphs(doc_id, blocks, sections, settings)
    for page in pdf.pages:
        if not page.lines:
            rejected.append(RejectedParagraph(doc_id, page.number, "", NO_TEXT))
    rejected.sort(key=lambda item: item.page)
    aliases = [
        Alias(path.stem, "stem"),
        Alias(arranged.title, "title"),
        Alias(pdf.metadata_title, "metadata"),
    ]
    aliases += [Alias(name, "author") for name in names]
    aliases += [Alias(heading, "heading") for heading in outermost[:MAX_HEADINGS]]

    document = Document(
        doc_id=doc_id,
        path=str(path),
        content_hash=content,
        version=paragraphs_version(content, settings),
        aliases=tuple(dict.fromkeys(alias for alias in aliases if alias.text)),
        n_pages=len(pdf.pages),
        n_paragraphs=len(paragraphs),
        rejected=dict(sorted(Counter(item.reason for item in rejected).items())),
        authors=names,
        date=pdf.date,
        lecture_number=lecture_number(path.stem, pdf),
        reader=pdf.reader,
    )
    return Reading(document, tuple(paragraphs), tuple(rejected), tuple(pdf.notes))


def lecture_number(stem: str, pdf: Pdf) -> int | None:
    """Return the number after "Lecture" or the like in the file stem or on top of the first page.

    Otherwise return the number at the beginning of the stem, or None.
    """
    page = pdf.pages[0]
    labels = [stem]
    for line in page.lines:
        if line.y < TITLE_PART * page.height and len(line.words) <= MAX_LABEL_WORDS:
            labels.append(line.text)
    for label in labels:
        if match := _NUMBERED.search(label):
            return int(match[1])
    leading = _LEADING.match(stem)
    return int(leading[1]) if leading else None


def find_authors(pdf: Pdf) -> tuple[str, ...]:
    """Return the authors of the PDF's metadata that are also printed on the first page."""
    printed = " ".join(line.text for line in pdf.pages[0].lines).casefold()
    names = dict.fromkeys(_SEPARATOR.split(pdf.metadata_author))
    return tuple(name for name in names if name and name.casefold() in printed)


def _has_visible_text(text: str) -> bool:
    """Return whether a text has more than white space and characters that are not printed, such as U+200B."""
    return any(map(str.isprintable, text.replace(" ", "")))


def read_paragraphs_file(
    path: Path, content: str, settings: IngestSettings
) -> list[Reading]:
    """Read the books of a paragraphs.jsonl, with {"paragraph_id", "book_name", "text"} on each line; reject nothing.

    Raises:
        SourceError: a line is not such an object, a paragraph_id is a duplicate, or there is no paragraph.
    """
    books: dict[str, list[Paragraph]] = {}
    paragraph_ids: set[str] = set()
    for where, record in read_objects(path, SourceError):
        for key in ("paragraph_id", "book_name", "text"):
            value = record.get(key)
            if not isinstance(value, str) or not _has_visible_text(value):
                raise SourceError(
                    f"{where}: {key} is {value!r}, not a string that is not empty; {LINE_REMEDY}"
                )
        heading = record.get("heading", "")
        if not isinstance(heading, str):
            raise SourceError(
                f"{where}: heading is {heading!r}, not a string; {LINE_REMEDY}"
            )
        if record["paragraph_id"] in paragraph_ids:
            raise SourceError(
                f"{where}: paragraph_id {record['paragraph_id']!r} is there twice; rename it"
            )

        paragraph_ids.add(record["paragraph_id"])
        text = " ".join(record["text"].split())
        paragraph = Paragraph(
            paragraph_id=record["paragraph_id"],
            doc_id=record["book_name"],
            page=1,
            heading=heading,
            text=text,
            opening_sentence=opening_sentence(text),
        )
        books.setdefault(paragraph.doc_id, []).append(paragraph)
    if not books:
        raise SourceError(
            f"{path} is empty; add a line for each paragraph, or leave the file out"
        )

    readings = []
    for book_name, paragraphs in books.items():
        digest = hashlib.sha256(f"{content}|{book_name}".encode()).hexdigest()
        document = Document(
            doc_id=book_name,
            path=str(path),
            content_hash=digest,
            version=paragraphs_version(digest, settings),
            aliases=(Alias(book_name, "name"),),
            n_pages=0,
            n_paragraphs=len(paragraphs),
        )
        readings.append(Reading(document, tuple(paragraphs), ()))
    return readings
