"""The content of a course as one npz file: documents as JSON, and vectors as arrays. Loading it runs no code."""

import functools
import itertools
from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from quarry.course.course import Course, EmbedderFit, Tokens
from quarry.course.near_identical import near_identical
from quarry.course.paragraph import Reading
from quarry.embed.vectors import NO_VECTORS, ReadingVectors, join
from quarry.errors import StoreError
from quarry.terminal import visible

FORMAT = 5
"""Version of the format of a store; a store of another version is refused."""

HEADER = f"header-{FORMAT}"
"""Name of the array that holds the JSON as bytes."""

VECTORS = ("paragraphs", "aliases", "pieces")
"""Names of the arrays of a document; a document with token vectors also has `codes` and `starts`."""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """The reading and the vectors of one document in a store."""

    reading: Reading
    vectors: ReadingVectors

    @property
    def doc_id(self) -> str:
        """The id of the document."""
        return self.reading.document.doc_id


@dataclass(frozen=True, slots=True)
class Content:
    """The documents of a course, sorted by doc_id.

    Attributes:
        embedder_spec: SPEC of the embedder of all paragraphs; "" if there are none.
        embedder_fit: the embedder's fit on the course, or None.
    """

    documents: tuple[StoredDocument, ...] = ()
    embedder_spec: str = ""
    embedder_fit: EmbedderFit | None = None


@dataclass(frozen=True, slots=True)
class _Header:
    """The JSON of a content: everything but the vectors. `relevance` is the embedder's fit."""

    readings: tuple[Reading, ...]
    embedder_spec: str
    relevance: EmbedderFit | None


def save_content(content: Content, file: BinaryIO) -> None:
    """Write a content as an npz file."""
    arrays: dict[str, NDArray[Any]] = {}
    for number, document in enumerate(content.documents):
        for name in VECTORS:
            arrays[f"{number}/{name}"] = getattr(document.vectors, name)
        if tokens := document.vectors.tokens:
            arrays[f"{number}/codes"] = tokens.codes
            arrays[f"{number}/starts"] = tokens.starts
    readings = tuple(document.reading for document in content.documents)
    header = _Header(readings, content.embedder_spec, content.embedder_fit)
    arrays[HEADER] = np.frombuffer(_adapter().dump_json(header), dtype=np.uint8)
    np.savez(file, **arrays)  # type: ignore[arg-type]  # no array is named like an option


def load_content(file: BinaryIO, location: str) -> Content:
    """Read a content; it takes no more memory than the size of the file.

    Args:
        file: an npz file; zip files have a checksum for each array.
        location: folder or URL of the store, for errors.

    Raises:
        StoreError: the content has another format.
        EOFError, ValueError, KeyError, RuntimeError, TokenError, BadZipFile: the content is damaged.
    """
    arrays: defaultdict[str, dict[str, NDArray[Any]]] = defaultdict(dict)
    with np.load(file, allow_pickle=False) as loaded:
        # 0 is an array that is not compressed
        if any(item.compress_type for item in loaded.zip.infolist()):
            raise ValueError("its arrays are compressed")
        for path in loaded.files:
            array = loaded[path]
            if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiu":
                raise ValueError(f"{path} holds no numbers")
            number, _, name = path.partition("/")
            arrays[number][name] = array

    if HEADER not in arrays:
        (other_header, *_) = [name for name in arrays if name.startswith("header-")]
        version = visible(other_header.removeprefix("header-"))[:20]
        raise StoreError(
            f"{location} has store format {version}, not {FORMAT}; remove it, or ingest into another --store"
        )
    header: _Header = _adapter().validate_json(arrays[HEADER][""].tobytes())
    documents = []
    for number, reading in enumerate(header.readings):
        vectors = _read_vectors(arrays[str(number)])
        if len(vectors.paragraphs) not in (0, len(reading.paragraphs)):
            raise ValueError("a paragraph has no vector")
        documents.append(StoredDocument(reading, vectors))
    return Content(tuple(documents), header.embedder_spec, header.relevance)


def link_duplicates(
    documents: Iterable[StoredDocument],
    embedder_spec: str,
    embedder_fit: EmbedderFit | None,
) -> Content:
    """Sort documents and link their near-identical paragraphs; return them as the content of a course."""
    in_order = sorted(documents, key=lambda document: document.doc_id)
    paragraphs = [document.reading.paragraphs for document in in_order]
    firsts = near_identical(itertools.chain.from_iterable(paragraphs))

    changed = []
    for document in in_order:
        links = []
        for paragraph in document.reading.paragraphs:
            first = firsts.get(paragraph.paragraph_id, "")
            links.append(replace(paragraph, same_as=first))
        reading = replace(document.reading, paragraphs=tuple(links), notes=())
        changed.append(replace(document, reading=reading))
    if not any(paragraphs):
        # the next embedder may be another one, whose vectors are no neighbours of these
        changed = [replace(document, vectors=NO_VECTORS) for document in changed]
        embedder_spec, embedder_fit = "", None
    return Content(tuple(changed), embedder_spec, embedder_fit)


def build_snapshot(
    content: Content,
    location: str,
    collection: str,
    generation: int,
    identity: Hashable,
) -> Course:
    """Build the snapshot of a content for readers."""
    readings = [document.reading for document in content.documents]
    vectors = join([document.vectors for document in content.documents])
    aliases, pieces = [], []
    for document in content.documents:
        if len(document.vectors.aliases):
            names = document.reading.document.aliases
            aliases += [(document.doc_id, alias) for alias in names]

        rows = document.vectors.pieces
        for row, piece in enumerate(document.reading.pieces):
            vector = rows[row].tobytes() if len(rows) else b""
            pieces.append(replace(piece, vector=vector))

    def chained(name: str) -> tuple[Any, ...]:
        return tuple(item for reading in readings for item in getattr(reading, name))

    return Course(
        location=location,
        collection=collection,
        generation=generation,
        identity=identity,
        documents=tuple(reading.document for reading in readings),
        paragraphs=chained("paragraphs"),
        rejected=chained("rejected"),
        pieces=tuple(pieces),
        aliases=tuple(aliases),
        embedder_spec=content.embedder_spec,
        embedder_fit=content.embedder_fit,
        vectors=vectors.paragraphs,
        alias_vectors=vectors.aliases,
        tokens=vectors.tokens,
    )


def _read_vectors(arrays: dict[str, NDArray[Any]]) -> ReadingVectors:
    """Return the arrays of a document as its vectors.

    Raises:
        ValueError: a vector holds NaN or infinity, or an array has an unknown name.
        KeyError: an array is missing.
    """
    vectors = {name: arrays.pop(name) for name in VECTORS}
    if not all(np.isfinite(array).all() for array in vectors.values()):
        raise ValueError("vectors hold NaN or infinity")
    if arrays.keys() not in (set(), {"codes", "starts"}):
        raise ValueError("an array has an unknown name")
    tokens = Tokens(**arrays) if arrays else None
    return ReadingVectors(**vectors, tokens=tokens)


@functools.cache
def _adapter() -> Any:
    """Return the pydantic adapter that validates and converts a header."""
    from pydantic import TypeAdapter

    return TypeAdapter(_Header)
