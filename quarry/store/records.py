"""Conversion of readings to Chroma records and back: ids, metadata, and arrays packed as text.

Each passage is one record: Chroma holds its vector and text, and the metadata hold its fields and, as compressed text,
its tokens. Each document is one record too.
"""

import base64
import dataclasses
import functools
import hashlib
import json
import typing
import zlib
from dataclasses import dataclass
from pathlib import Path
from types import GenericAlias
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from quarry.course.paragraph import Document, Paragraph, Reading, RejectedParagraph
from quarry.course.piece import Piece
from quarry.embed.vectors import ReadingVectors

FORMAT = 4
"""Version of the layout of records and of the compact form of tokens; a store of another format is refused."""

MAX_PACKED_BYTES = 1 << 26
"""Limit for the size of one unpacked array, since somebody else may have made the store."""

Metadata = dict[str, str | int | float]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DocumentUpdate:
    """A document to be written to a store.

    Attributes:
        vectors: the vectors of its passages and aliases.
        embedder_spec: SPEC of the embedder of the vectors, "" if there are no vectors.
        max_tokens: at which that embedder cut longer texts, 0 if it has a limit of its own.
    """

    reading: Reading
    vectors: ReadingVectors
    embedder_spec: str
    max_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Record:
    """The record of a document.

    Attributes:
        passages: the id of this record, and the prefix of the ids of its passages' records.
    """

    document: Document
    passages: str
    embedder_spec: str
    max_tokens: int

    @property
    def passage_ids(self) -> list[str]:
        """The ids of its passages' records, in reading order."""
        return [f"{self.passages}#{row}" for row in range(self.document.n_paragraphs)]


def digest_of(*parts: object) -> str:
    """Return 12 hexadecimal digits that change with the parts."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


def document_metadata(record: Record, update: DocumentUpdate) -> Metadata:
    """Return the metadata of a document's record, with alias vectors, rejected paragraphs and pieces."""
    metadata = _metadata_of(record)
    metadata["alias_vectors"] = packed(update.vectors.aliases)
    rejected, pieces = update.reading.rejected, update.reading.pieces
    metadata["rejected_texts"] = _tuples(RejectedParagraph).dump_json(rejected).decode()
    metadata["pieces"] = _tuples(Piece).dump_json(pieces).decode()
    return metadata


def passage_metadatas(update: DocumentUpdate) -> list[Metadata]:
    """Return the metadata of the records of a document's passages, with their tokens."""
    paragraphs, tokens = update.reading.paragraphs, update.vectors.tokens
    path = Path(update.reading.document.path)
    metadatas = []
    for row, paragraph in enumerate(paragraphs):
        metadata = _metadata_of(paragraph, "text", "same_as")
        metadata["pdf_name"] = (
            paragraph.doc_id if path.suffix.lower() == ".jsonl" else path.name
        )
        if tokens is not None:
            first, last = tokens.starts[row : row + 2]
            metadata["codes"] = packed(tokens.codes[first:last])
            metadata["n_tokens"] = int(last - first)
        metadatas.append(metadata)
    return metadatas


def values_of(kind: type[T], text: str) -> tuple[T, ...]:
    """Return the rejected paragraphs or the pieces of a document's record, in reading order."""
    values: tuple[T, ...] = _tuples(kind).validate_json(text)
    return values


def _metadata_of(value: Record | Paragraph, *but: str) -> Metadata:
    """Return the fields of a dataclass as Chroma metadata; values that are neither text nor a number become JSON."""
    kind: Any = type(value)
    metadata = _adapter(kind).dump_python(value, mode="json", exclude=set(but))
    for name in metadata.keys() - _plain_fields(kind):
        metadata[name] = as_json(metadata[name])
    return dict(metadata)


def value_of(wanted: type[T], metadata: dict[str, Any], **others: object) -> T:
    """Return a dataclass made of metadata; a missing field has its default.

    Args:
        others: fields that the metadata do not have.

    Raises:
        ValueError: a field has another type, or is missing without a default.
    """
    kind: Any = wanted
    plain = _plain_fields(kind)
    for field in dataclasses.fields(kind):
        if field.name in metadata:
            item = metadata[field.name]
            others[field.name] = item if field.name in plain else json.loads(item)
    value: T = _adapter(kind).validate_python(others)
    return value


def as_json(value: object) -> str:
    """Return a value as one line of JSON that keeps letters outside ASCII."""
    return json.dumps(value, ensure_ascii=False)


def packed(array: NDArray[Any]) -> str:
    """Return the numbers of an array as text."""
    compressed = zlib.compress(array.tobytes(), level=1)
    return base64.b64encode(compressed).decode("ascii")


def unpacked(text: str, dtype: type[np.generic], width: int = 0) -> NDArray[Any]:
    """Return the array that a text was packed from.

    Args:
        width: the width of a row; 0 for a single row.

    Raises:
        ValueError: the text is not such an array, or the array holds NaN or infinity.
    """
    decompressor = zlib.decompressobj()
    try:
        content = decompressor.decompress(base64.b64decode(text), MAX_PACKED_BYTES)
    except zlib.error as error:
        raise ValueError(f"vectors are not packed numbers: {error}") from error
    numbers = np.frombuffer(content, dtype=dtype)
    if len(numbers) % (width or 1) or not decompressor.eof:
        raise ValueError(f"vectors have {len(numbers)} numbers, not {width} each")
    return finite(numbers.reshape(-1, width) if width else numbers[None, :])


def finite(vectors: NDArray[Any]) -> NDArray[Any]:
    """Return the vectors unchanged.

    Raises:
        ValueError: they hold NaN or infinity.
    """
    if not np.isfinite(vectors).all():
        raise ValueError("vectors hold NaN or infinity")
    return vectors


@functools.cache
def _adapter(kind: Any) -> Any:
    """Return the pydantic adapter that validates and converts values of a type."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _tuples(kind: Any) -> Any:
    """Return the adapter of tuples of a type."""
    return _adapter(GenericAlias(tuple, (kind, ...)))


@functools.cache
def _plain_fields(kind: Any) -> frozenset[str]:
    """Return the names of the fields of a dataclass that Chroma can hold without conversion."""
    hints = typing.get_type_hints(kind)
    return frozenset(
        name
        for name, hint in hints.items()
        if hint in (str, int, float, bool) or typing.get_origin(hint) is Literal
    )
