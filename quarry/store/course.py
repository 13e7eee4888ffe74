"""Course: the frozen snapshot of a store for readers."""

import contextlib
import dataclasses
import functools
import hashlib
import itertools
import os
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from quarry.arrays import Float32Array
from quarry.course.paragraph import (
    Alias,
    Document,
    Paragraph,
    Reading,
    RejectedParagraph,
)
from quarry.course.piece import Piece
from quarry.embed.relevance import Relevance
from quarry.embed.vectors import NOTHING, Tokens
from quarry.store.chroma import (
    Collections,
    Pulse,
    collections_of,
    is_url,
    server_collections,
)
from quarry.store.folder import CURRENT
from quarry.store.records import FORMAT, Record, values_of

DEFAULT_COLLECTION = "course"

CHECK_S = 2.0
"""Seconds that a server has to return the token of the last generation; every search asks for it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Course:
    """The content of a store when it was opened; later ingests do not change it.

    Attributes:
        location: folder or URL, as the user named it.
        collection: its name within the location.
        token: the token of the generation; "" before the first change.
        records: every document's record by doc_id, in the order of the paragraphs.
        record_ids: ids of these records in Chroma, by doc_id.
        paragraphs: every kept paragraph, sorted by document, page and ordinal.
        aliases: (doc_id, alias) of every name that has a vector, by document; a copy's names have the copy's doc_id.
        rejected_texts: rejected paragraphs as JSON, by doc_id.
        pieces: the text in other editions, by document, edition and place.
        arrays: by name, memory-mapped if they are cached.
        relevance: the embedder's calibration on this course at ingest, None for the built-in embedders.
    """

    location: str
    collection: str
    token: str = ""
    records: dict[str, Record] = field(default_factory=dict)
    record_ids: dict[str, str] = field(default_factory=dict)
    paragraphs: tuple[Paragraph, ...] = ()
    aliases: tuple[tuple[str, Alias], ...] = ()
    rejected_texts: dict[str, str] = field(default_factory=dict, repr=False)
    pieces: tuple[Piece, ...] = field(default=(), repr=False)
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict, repr=False)
    relevance: Relevance | None = None

    def __repr__(self) -> str:
        counts = f"{len(self.records)} documents, {len(self.paragraphs)} paragraphs"
        return f"Course({self.location!r}, {self.collection!r}: {counts})"

    def generation(self) -> Hashable:
        """Return a value that changes with every ingest, read each time; None if the store is gone.

        Costs one look at a file of a folder, or a small request to a server. A server that has not answered is asked
        again in the background.

        Raises:
            StoreError: the server does not answer.
        """
        if not is_url(self.location):
            try:  # os.path is faster than a Path
                pointer = os.stat(os.path.join(self.location, CURRENT))
            except OSError:
                return None
            return pointer.st_ino, pointer.st_mtime_ns
        return self._pulse.token() or None

    @cached_property
    def _pulse(self) -> Pulse:
        @functools.cache
        def collections() -> Collections:
            return server_collections(self.location, self.collection, CHECK_S)

        return Pulse(self.location, lambda: collections().token())

    @property
    def documents(self) -> tuple[Document, ...]:
        """Every document, sorted by doc_id."""
        return tuple(record.document for record in self.records.values())

    @property
    def documents_by_id(self) -> dict[str, Document]:
        """Every document, by doc_id."""
        return {doc_id: record.document for doc_id, record in self.records.items()}

    @property
    def embedder_spec(self) -> str:
        """SPEC of the embedder of its vectors, "" while it holds no paragraph."""
        return self._embedding[0]

    @property
    def max_tokens(self) -> int:
        """Tokens at which that embedder cut longer texts, 0 if it has a limit of its own."""
        return self._embedding[1]

    @property
    def _embedding(self) -> tuple[str, int]:
        for record in self.records.values():
            if record.document.n_paragraphs:
                return record.embedder_spec, record.max_tokens
        return "", 0

    @property
    def vectors(self) -> Float32Array:
        """(n_paragraphs, dim) float32 unit vectors, in the order of `paragraphs`."""
        return self._array("vectors")

    @property
    def alias_vectors(self) -> Float32Array:
        """(n_aliases, dim) float32 unit vectors of `aliases`, embedded as queries."""
        return self._array("aliases")

    @property
    def tokens(self) -> Tokens | None:
        """The tokens of `paragraphs`; None unless the embedder has given those of all of them."""
        starts = self.arrays.get("codes.starts", ())
        if not self.paragraphs or len(starts) != len(self.paragraphs) + 1:
            return None
        return Tokens(self.arrays["codes"], self.arrays["codes.starts"])

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that change with the paragraphs, their vectors, and the data of the documents."""
        digest = hashlib.sha256(
            f"{FORMAT}|{self.embedder_spec}|{self.max_tokens}".encode()
        )
        links = {doc_id: dict[str, str]() for doc_id in self.records}
        for paragraph in self.paragraphs:
            if paragraph.same_as:
                links[paragraph.doc_id][paragraph.paragraph_id] = paragraph.same_as
        for doc_id, record in self.records.items():
            document = dataclasses.replace(record.document, path="")
            digest.update(f"|{document}|{sorted(links[doc_id].items())}".encode())
        return digest.hexdigest()[:16]

    @contextlib.contextmanager
    def chroma_index(
        self,
    ) -> Iterator[Callable[[Float32Array, int, str], dict[int, float]]]:
        """Open Chroma's own index over the passages, and yield a function that searches it.

        The function takes a (dim,) unit vector, a number of passages and a doc_id, "" for all. It returns the cosines
        of the nearest passages by their row in `paragraphs`, nearest first.

        Raises:
            StoreError: Chroma does not answer, or an ingest has replaced this generation.
        """
        passage_ids = itertools.chain.from_iterable(
            record.passage_ids for record in self.records.values()
        )
        rows = {record_id: row for row, record_id in enumerate(passage_ids)}
        with collections_of(self.location, self.collection, self.token) as collections:

            def nearest(vector: Float32Array, n: int, doc_id: str) -> dict[int, float]:
                n_asked = n = min(n, len(rows))
                while True:
                    hits = collections.nearest(vector, n_asked, doc_id) if n else {}
                    # an ingest that broke off leaves records on a server that count for nothing
                    valid = [record_id for record_id in hits if record_id in rows][:n]
                    if len(valid) == n or len(hits) < n_asked:
                        return {rows[record_id]: hits[record_id] for record_id in valid}
                    n_asked *= 2

            yield nearest

    def rejected(self) -> Iterator[RejectedParagraph]:
        """Yield every rejected paragraph, by document, in reading order."""
        for text in self.rejected_texts.values():
            yield from values_of(RejectedParagraph, text)

    def reading(self, doc_id: str) -> Reading:
        """Return the reading from which a document of the store was made."""
        return Reading(
            self.records[doc_id].document,
            tuple(item for item in self.paragraphs if item.doc_id == doc_id),
            values_of(RejectedParagraph, self.rejected_texts[doc_id]),
            pieces=tuple(piece for piece in self.pieces if piece.doc_id == doc_id),
        )

    def _array(self, name: str) -> Float32Array:
        return self.arrays.get(name, NOTHING)
