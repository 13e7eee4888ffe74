"""Readings as records of Chroma, and back: ids, metadata and arrays as text; no client is called.

A passage is one record: its vector and text as Chroma keeps them, its fields as metadata, and its sentence and token
vectors as compressed text among these. A document is one record, too.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import hashlib
import json
import typing
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from quarry.ingest.embed.tokens import form_of
from quarry.ingest.embed.vectors import ReadingVectors
from quarry.ingest.paragraph import Document, Paragraph, Reading, RejectedParagraph
from quarry.ingest.paragraphs.sentence import sentences_of

FORMAT = 3
"""Layout of the records; a store of another format is refused."""

MAX_PACKED_BYTES = 1 << 26
"""Bytes that one packed array may unfold to; a store made by somebody else could hold anything."""

Metadata = dict[str, str | int | float]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DocumentUpdate:
    """One document as it goes into a store.

    Attributes:
        vectors: of its passages, sentences and aliases; of the aliases alone where it is `unchanged`.
        embedder_spec: SPEC of the embedder that made them, "" if there are none.
        max_tokens: at which that embedder cut longer texts, 0 if it has a limit of its own.
        unchanged: the store holds its passages in this version already.
    """

    reading: Reading
    vectors: ReadingVectors
    embedder_spec: str
    max_tokens: int = 0
    unchanged: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """A document's record.

    Attributes:
        passages: prefix of the ids of its passages' records.
        version: changes with its passages and with what embedded them.
        words: digest of the compact form of its tokens, by SPEC of the models that have read them.
        near_identical: `Paragraph.same_as` by paragraph_id.
    """

    document: Document
    passages: str
    version: str
    embedder_spec: str
    max_tokens: int
    words: dict[str, str]
    near_identical: dict[str, str]

    def holds_words(self, spec: str) -> bool:
        """Return whether the tokens of every passage are there as the model `spec` makes them now."""
        form = form_of(spec)
        return not self.document.n_paragraphs or (form is not None and self.words.get(spec) == form.digest)

    @property
    def passage_ids(self) -> list[str]:
        """The ids of its passages' records, in reading order."""
        return [f"{self.passages}#{position}" for position in range(self.document.n_paragraphs)]


def digest_of(*parts: object) -> str:
    """12 hexadecimal digits that change with the parts."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


def version_of(reading: Reading, embedder_spec: str, max_tokens: int, word_models: Iterable[str]) -> str:
    """Return the version under which a document's passages are kept."""
    texts = [dataclasses.replace(paragraph, same_as="") for paragraph in reading.paragraphs]
    document = reading.document
    words = sorted(words_of(word_models).items())
    return digest_of(document.version, bool(document.same_as), texts, embedder_spec, max_tokens, words)


def words_of(specs: Iterable[str]) -> dict[str, str]:
    """Digests of the present compact forms, by SPEC of the models."""
    return {spec: form.digest for spec in specs if (form := form_of(spec)) is not None}


def links_of(paragraphs: Iterable[Paragraph], near_identical: Mapping[str, str]) -> dict[str, str]:
    """Return those of `near_identical` that are of these paragraphs."""
    ids = (paragraph.paragraph_id for paragraph in paragraphs)
    return {paragraph_id: near_identical[paragraph_id] for paragraph_id in ids if paragraph_id in near_identical}


def document_metadata(record: Record, update: DocumentUpdate) -> Metadata:
    """Return the metadata of a document's record: with the vectors of its aliases, and its rejected paragraphs."""
    rejected = _adapter(tuple[RejectedParagraph, ...]).dump_json(update.reading.rejected).decode()
    return {**metadata_of(record), "alias_vectors": packed(update.vectors.aliases), "rejected_texts": rejected}


def passage_metadatas(update: DocumentUpdate) -> list[Metadata]:
    """Return the metadata of the records of a document's passages, with sentence and token vectors."""
    paragraphs, vectors = update.reading.paragraphs, update.vectors
    starts = np.cumsum([0, *(len(sentences_of(paragraph)) for paragraph in paragraphs)])
    metadatas = []
    for row, paragraph in enumerate(paragraphs):
        metadata = metadata_of(paragraph, but=("text", "same_as"))
        metadata["sentences"] = packed(vectors.sentences[starts[row] : starts[row + 1]])
        for spec, words in vectors.words.items():
            first, last = words.tokens.starts[row : row + 2]
            metadata[f"codes.{spec}"] = packed(words.tokens.codes[first:last])
            metadata[f"pooled.{spec}"] = packed(words.pooled[row].astype(np.float16))
        metadatas.append(metadata)
    return metadatas


def rejected_of(text: str) -> Sequence[RejectedParagraph]:
    """Return the rejected paragraphs of a document's record, in reading order."""
    found: tuple[RejectedParagraph, ...] = _adapter(tuple[RejectedParagraph, ...]).validate_json(text)
    return found


def metadata_of(value: Record | Paragraph, but: Sequence[str] = ()) -> Metadata:
    """Return the fields of a dataclass as Chroma keeps them: what is neither text nor a number becomes JSON."""
    kind: Any = type(value)
    plain = _plain_fields(kind)
    tree = _adapter(kind).dump_python(value, mode="json", exclude=set(but))
    return {name: item if name in plain else as_json(item) for name, item in tree.items()}


def value_of(wanted: type[T], metadata: Mapping[str, Any], **others: object) -> T:
    """Return a dataclass from metadata; a field that is missing has its default.

    Args:
        others: fields that the metadata do not have.

    Raises:
        ValueError: a field is of another type, or missing without a default.
    """
    kind: Any = wanted
    plain = _plain_fields(kind)
    names = [field.name for field in dataclasses.fields(kind) if field.name in metadata]
    tree = {name: metadata[name] if name in plain else json.loads(metadata[name]) for name in names}
    value: T = _adapter(kind).validate_python({**tree, **others})
    return value


def as_json(value: object) -> str:
    """Return a value as one line of JSON, letters as they are."""
    return json.dumps(value, ensure_ascii=False)


def packed(array: NDArray[Any]) -> str:
    """Return the numbers of an array as text."""
    return base64.b64encode(zlib.compress(np.ascontiguousarray(array).tobytes(), 1)).decode("ascii")


def unpacked(text: str, dtype: type[np.generic], width: int = 0) -> NDArray[Any]:
    """Return the array of a text: as many rows of `width` numbers as there are, or a single row if that is 0.

    Raises:
        ValueError: it is no such text, or holds NaN or infinity.
    """
    unfolding = zlib.decompressobj()
    try:
        content = unfolding.decompress(base64.b64decode(text), MAX_PACKED_BYTES)
    except zlib.error as error:
        raise ValueError(f"vectors must be packed numbers, got {error}") from error
    numbers = np.frombuffer(content, dtype=dtype)
    if len(numbers) % (width or 1) or not unfolding.eof:
        raise ValueError(f"vectors must have {width} numbers each, got {len(numbers)} numbers")
    return finite(numbers.reshape(-1, width) if width else numbers[None, :])


def finite(vectors: NDArray[Any]) -> NDArray[Any]:
    """Return the same vectors.

    Raises:
        ValueError: they hold NaN or infinity.
    """
    if not np.isfinite(vectors).all():
        raise ValueError("vectors must be finite numbers, got NaN or infinity")
    return vectors


@functools.cache
def _adapter(kind: Any) -> Any:
    """What pydantic checks and converts values of a type with."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


@functools.cache
def _plain_fields(kind: Any) -> frozenset[str]:
    """The fields of a dataclass that Chroma keeps as they are."""
    hints = typing.get_type_hints(kind)
    return frozenset(
        name for name, hint in hints.items() if hint in (str, int, float, bool) or typing.get_origin(hint) is Literal
    )
