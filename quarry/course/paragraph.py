"""Types that all packages share: Document, Paragraph, and Reading, which holds both after a file was read."""

from dataclasses import dataclass, field
from typing import Literal

from quarry.course.piece import Piece
from quarry.languages.language import ParagraphKind

AliasSource = Literal[
    "stem", "title", "metadata", "name", "heading", "author", "sidecar"
]
"""Origin of an alias: the file stem, the first page, the PDF metadata (weak), the user (`book_name`), a heading of the
document's outermost level (weak), an author (weak: authors may have several documents), or the sidecar file."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A text that a referee may choose: prose, or a shorter text such as an item or a caption.

    Attributes:
        paragraph_id: "{doc_id}:{page}:{ordinal}", or as a paragraphs file has it; the same on every ingest of a file.
            The ordinal of a paragraph that is no prose begins with "x".
        doc_id: its document.
        page: 1-based page on which it starts.
        heading: the heading of its section, "" if there is none.
        text: the paragraph on one line, hyphenation undone, in logical order.
        opening_sentence: its first sentence, verbatim.
        section: the headings of its sections, outermost first, `heading` last; () if there are none.
        same_as: paragraph_id of the first near-identical paragraph of the course, "" if there is none.
        kind: the kind of paragraph.
        follows: the list that it introduces, if `text` does not hold it, else "".
        own_length: number of characters of `text` before the list or formulas that it introduces; 0 if all are its own.
        page_breaks: offsets in `text` at which a new page begins.
        on_top: whether it is the first paragraph that begins on its page.
    """

    paragraph_id: str
    doc_id: str
    page: int
    heading: str
    text: str
    opening_sentence: str
    section: tuple[str, ...] = ()
    same_as: str = ""
    kind: ParagraphKind = "prose"
    follows: str = ""
    own_length: int = 0
    page_breaks: tuple[int, ...] = ()
    on_top: bool = False


@dataclass(frozen=True, slots=True)
class RejectedParagraph:
    """A block that ingest left out, and the reason.

    Attributes:
        reason: one of those of `ingest.paragraphs.kinds.kind_of`, or "page without text".
    """

    doc_id: str
    page: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Alias:
    """One name of a document."""

    text: str
    source: AliasSource


@dataclass(frozen=True, slots=True)
class Document:
    """One lecture in the store.

    Attributes:
        doc_id: the file stem, with its folder if another file has the same, or the book_name of a paragraphs file.
        path: the absolute path of the file.
        content_hash: SHA-256 of the file's bytes, hexadecimal.
        version: version of its paragraphs in the store; changes with content and reader.
        aliases: its names, strongest source first.
        n_pages: pages of the PDF, 0 for a paragraphs file.
        n_paragraphs: number of kept paragraphs.
        rejected: number of rejected paragraphs by reason.
        same_as: doc_id of the document with identical bytes, "" if there is none; a copy has no paragraphs.
        authors: as printed on the first page; () if unknown.
        date: ISO date of the PDF's creation, or else of its last change, from its metadata; "" if both are absent.
        lecture_number: number of the lecture or chapter in the file stem or on the first page, or None.
        reader: name of the reader, "" for a paragraphs file.
        sidecar: digest of the sidecar file that was merged into the document, "" if there was none.
    """

    doc_id: str
    path: str
    content_hash: str
    version: str
    aliases: tuple[Alias, ...]
    n_pages: int
    n_paragraphs: int
    rejected: dict[str, int] = field(default_factory=dict)
    same_as: str = ""
    authors: tuple[str, ...] = ()
    date: str = ""
    lecture_number: int | None = None
    reader: str = ""
    sidecar: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """The document and paragraphs of one source, before they are stored.

    Attributes:
        notes: lines for the user about omissions and doubts.
        pieces: the text in other editions.
    """

    document: Document
    paragraphs: tuple[Paragraph, ...]
    rejected: tuple[RejectedParagraph, ...]
    notes: tuple[str, ...] = ()
    pieces: tuple[Piece, ...] = ()
