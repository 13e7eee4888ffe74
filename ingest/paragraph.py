"""Document and Paragraph: the nouns that every other part shares."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

AliasSource = Literal["stem", "title", "metadata", "name", "heading", "author", "sidecar"]
"""Where an alias was read: the file stem, the first page, the PDF metadata (weak), the user (`book_name`), a heading of
the document's outermost level (weak), the author's name (weak: one author may have written several), or the user's
sidecar file."""

Kind = Literal[
    "prose",
    "lead-in",
    "item",
    "boxed",
    "theorem",
    "proof",
    "exercise",
    "example",
    "remark",
    "caption",
    "footnote",
    "heading",
    "other",
]
"""Kinds of passages. A lead-in ends with a colon, and its text holds the list or display that it introduces; boxed
text stands in a ruled frame; a theorem may be a definition, a lemma or the like."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One passage that a referee may choose: a paragraph of prose, or a shorter piece of text.

    Attributes:
        paragraph_id: "{doc_id}:{page}:{ordinal}", the same on every ingest of the same file.
        doc_id: the document it stands in.
        page: 1-based page on which it starts.
        heading: the section it stands under, "" if none.
        text: the paragraph on one line, hyphenation undone, in logical order.
        opening_sentence: its first sentence, verbatim.
        section: the headings that it stands under, outermost first, the last one `heading`; () if none.
        same_as: paragraph_id of the course's first paragraph that says the same in all but a few words, "" if none.
        sureness: share of its characters that the file tells, 0..1; the others were left out or told by their looks.
        reader: the reader that gave its text, "" if it came as text.
        place: how far its first lines reach down its page, from and to, in points; () if it came as text.
        kind: what kind of passage it is.
        follows: the list that it introduces and that `text` does not hold, "" if there is none.
        own_length: characters of `text` before the list or display that a lead-in introduces; 0 for all of `text`.
        page_breaks: offsets in `text` at which a new page begins.
        on_top: whether it is the first passage that begins on its page.
    """

    paragraph_id: str
    doc_id: str
    page: int
    heading: str
    text: str
    opening_sentence: str
    section: tuple[str, ...] = ()
    same_as: str = ""
    sureness: float = 1.0
    reader: str = ""
    place: tuple[float, ...] = ()
    kind: Kind = "prose"
    follows: str = ""
    own_length: int = 0
    page_breaks: tuple[int, ...] = ()
    on_top: bool = False


@dataclass(frozen=True, slots=True)
class RejectedParagraph:
    """A piece of text that is left out, and why.

    Attributes:
        reason: a short code, e.g. "short", "formula", "code", "caption".
    """

    doc_id: str
    page: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Alias:
    """One name under which a document may be spoken of."""

    text: str
    source: AliasSource


@dataclass(frozen=True, slots=True)
class Document:
    """One lecture as the store knows it.

    Attributes:
        doc_id: the file stem.
        path: where it was read from, as the user named it.
        content_hash: SHA-256 of the file's bytes, hexadecimal.
        version: what its paragraphs in the store are filed under; changes with content and reader.
        aliases: the names it may be called by, strongest source first.
        n_pages: pages of the PDF, 0 for a paragraphs file.
        n_paragraphs: paragraphs kept.
        rejected: how many were rejected, by reason.
        same_as: doc_id of the document whose bytes are identical, "" if none; such a twin has no paragraphs of its own.
        authors: as printed on the first page, where they can be told; () otherwise.
        date: ISO date on which the PDF was made (or else changed) as its metadata says, "" if they do not.
        lecture_number: the lecture's or chapter's number as the file stem or the first page gives it, None if neither.
        reader: the library that read the PDF, "" for a paragraphs file.
        sidecar: a digest of the sidecar file that was laid over it, "" if there was none.
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
    """What reading one source yielded, before it goes to the store."""

    document: Document
    paragraphs: tuple[Paragraph, ...]
    rejected: tuple[RejectedParagraph, ...]
