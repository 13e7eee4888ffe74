"""Course: the frozen snapshot of a store for readers."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quarry.arrays import Float32Array, IntArray
from quarry.course.paragraph import Alias, Document, Paragraph, RejectedParagraph
from quarry.course.piece import Piece

Codes = NDArray[np.uint8]


def no_vectors() -> Float32Array:
    """Return a (0, 0) array: no vectors."""
    return np.empty((0, 0), dtype=np.float32)


class EmbedderFit(NamedTuple):
    """The log-odds that a course holds an answer to a question, fitted at ingest by `quarry.embed.embedder_fit`.

    Attributes:
        bias: log-odds at a cosine of 0.
        slope: log-odds per unit of the mean of the question's highest cosines.
    """

    bias: float
    slope: float


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The compact tokens of some paragraphs.

    Attributes:
        codes: (n_tokens, n_components) uint8, 0..127, in the order of the paragraphs.
        starts: (n_paragraphs + 1,) paragraph i has the tokens from starts[i] up to starts[i + 1].
    """

    codes: Codes
    starts: IntArray

    def of(self, rows: IntArray) -> Tokens:
        """Return the tokens of some of the paragraphs."""
        parts = [self.codes[:0]]  # numpy joins no empty list
        for row in rows.tolist():
            parts.append(self.codes[self.starts[row] : self.starts[row + 1]])
        return Tokens(np.concatenate(parts), np.cumsum([*map(len, parts)]))


@dataclass(frozen=True, eq=False, kw_only=True)
class Course:
    """The content of a store when it was opened; later ingests do not change it.

    Attributes:
        location: folder or URL of the store, as the user named it.
        collection: name within the store.
        generation: number of the store's generation, 0 before the first ingest.
        identity: a value that changes whenever another content takes that generation; None before the first ingest.
        documents: every document, sorted by doc_id.
        paragraphs: every kept paragraph, by document, in reading order.
        rejected: every rejected paragraph, by document, in reading order.
        pieces: the text in other editions, by document, edition and position.
        aliases: (doc_id, alias) of every name that has a vector, by document; a copy's names have the copy's doc_id.
        embedder_spec: SPEC of the embedder of the vectors, "" if there is no paragraph.
        embedder_fit: None for the built-in embedders, and if there is no fit.
        vectors: (n_paragraphs, dim) float32 unit vectors, in the order of `paragraphs`.
        alias_vectors: (n_aliases, dim) float32 unit vectors of `aliases`, embedded as queries.
        tokens: the tokens of each paragraph; None if some paragraphs have none.
    """

    location: str
    collection: str
    generation: int = 0
    identity: Hashable = None
    documents: tuple[Document, ...] = ()
    paragraphs: tuple[Paragraph, ...] = ()
    rejected: tuple[RejectedParagraph, ...] = field(default=(), repr=False)
    pieces: tuple[Piece, ...] = field(default=(), repr=False)
    aliases: tuple[tuple[str, Alias], ...] = ()
    embedder_spec: str = ""
    embedder_fit: EmbedderFit | None = None
    vectors: Float32Array = field(default_factory=no_vectors)
    alias_vectors: Float32Array = field(default_factory=no_vectors)
    tokens: Tokens | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        counts = f"{len(self.documents)} documents, {len(self.paragraphs)} paragraphs"
        return f"Course({self.location!r}, {self.collection!r}: {counts})"

    @cached_property
    def documents_by_id(self) -> Mapping[str, Document]:
        """Every document, by doc_id."""
        return {document.doc_id: document for document in self.documents}

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that change with paragraphs, their embedder, other editions and data of documents.

        The texts of paragraphs are not hashed: `Document.version` changes with them.
        """
        digest = hashlib.sha256(self.embedder_spec.encode())
        links = {document.doc_id: dict[str, str]() for document in self.documents}
        for paragraph in self.paragraphs:
            if paragraph.same_as:
                links[paragraph.doc_id][paragraph.paragraph_id] = paragraph.same_as

        for document in self.documents:
            unplaced = dataclasses.replace(document, path="")
            same_as = sorted(links[document.doc_id].items())
            digest.update(f"|{unplaced}|{same_as}".encode())
        for piece in self.pieces:
            digest.update(f"|{dataclasses.replace(piece, vector=b'')}".encode())
        return digest.hexdigest()[:16]
