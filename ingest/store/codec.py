"""Readings as records of Chroma, and back: ids, versions and metadata; no client is called."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quarry.ingest.embed.tokens import form_of
from quarry.ingest.paragraph import Alias, Document, Paragraph, Reading, RejectedParagraph

if TYPE_CHECKING:  # vectors.py imports this package
    from quarry.ingest.embed.vectors import ReadingVectors

FORMAT = 2
"""Layout of the records; a store of another format is refused."""

_PARAGRAPH_LISTS = ("section", "alternatives", "place")
_DOCUMENT_TREES = ("aliases", "rejected", "authors", "lecture_number")
"""Fields that are kept as JSON: Chroma's metadata have no lists, and no None."""


@dataclass(frozen=True, slots=True)
class Filing:
    """One document as it goes into a store.

    Attributes:
        vectors: of its paragraphs, sentences and aliases; those of paragraphs and sentences may be left out where the
            store holds this very version already.
        embedder_spec: SPEC of the embedder that made them, "" if there are none.
        max_tokens: at which that embedder cut longer texts, 0 if it has a limit of its own.
    """

    reading: Reading
    vectors: ReadingVectors
    embedder_spec: str
    max_tokens: int = 0

    @property
    def doc_id(self) -> str:
        """The document's."""
        return self.reading.document.doc_id

    @property
    def version(self) -> str:
        """What its paragraphs and sentences are filed under: changes with the reading and with what embedded it."""
        document = self.reading.document
        return digest_of(document.version, bool(document.same_as), self.embedder_spec, self.max_tokens)

    @property
    def aliases_version(self) -> str:
        """What its aliases are filed under."""
        names = [alias.text for alias in self.reading.document.aliases]
        return digest_of(names, self.embedder_spec, self.max_tokens)


@dataclass(frozen=True, slots=True)
class Record:
    """A document's record: the document, and what its other records are filed under.

    Attributes:
        near_identical: `Paragraph.same_as` by paragraph_id.
    """

    document: Document
    version: str
    aliases_version: str
    embedder_spec: str
    max_tokens: int
    near_identical: dict[str, str]

    def words_key(self, spec: str) -> str:
        """What the words of the document, as the model `spec` sees them, are filed under."""
        return words_key(self.document.doc_id, self.version, spec)

    @property
    def sentences_key(self) -> str:
        """What the vectors of its sentences are filed under, beside those in Chroma."""
        return sentences_key(self.document.doc_id, self.version)


def digest_of(*parts: object) -> str:
    """12 hexadecimal digits that change with the parts."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


def words_key(doc_id: str, version: str, spec: str) -> str:
    """What the words of a document are filed under: changes with their texts, the model, and their compact form."""
    form = form_of(spec)
    return digest_of(doc_id, version, spec, form.digest if form else "")


def sentences_key(doc_id: str, version: str) -> str:
    """What the sentences of a document are filed under: changes with their texts and with what embedded them."""
    return digest_of(doc_id, version, "sentences")


def paragraph_id(paragraph: Paragraph, version: str) -> str:
    """The id of a paragraph's record."""
    return f"{paragraph.paragraph_id}@{version}"


def sentence_id(paragraph: Paragraph, version: str, number: int) -> str:
    """The id of a sentence of a paragraph, the first one being 0."""
    return f"{paragraph.paragraph_id}@{version}#{number}"


def alias_ids(document: Document, version: str) -> Iterator[str]:
    """The ids of a document's names, in order."""
    return (f"{document.doc_id}@{version}#{number}" for number in range(len(document.aliases)))


def paragraph_metadata(paragraph: Paragraph, version: str, position: int) -> dict[str, str | int | float]:
    """A paragraph without its text, which Chroma keeps beside its metadata."""
    values = dataclasses.asdict(paragraph)
    del values["text"], values["same_as"]
    lists = {key: as_json(values[key]) for key in _PARAGRAPH_LISTS}
    return {**values, **lists, "version": version, "position": position}


def paragraph_of(metadata: Mapping[str, Any], text: str, same_as: Mapping[str, str]) -> Paragraph:
    """The paragraph of a record.

    Args:
        text: as Chroma keeps it.
        same_as: of the whole course, by paragraph_id.
    """
    values = _fields_of(Paragraph, metadata)
    values |= {key: tuple(json.loads(values[key])) for key in _PARAGRAPH_LISTS if key in values}
    return Paragraph(**values, text=text, same_as=same_as.get(metadata["paragraph_id"], ""))


def document_metadata(filing: Filing, near_identical: Mapping[str, str]) -> dict[str, str | int]:
    """A document's record."""
    reading = filing.reading
    document = {field.name: getattr(reading.document, field.name) for field in dataclasses.fields(Document)}
    document["aliases"] = [[alias.text, alias.source] for alias in reading.document.aliases]
    return {
        **document,
        **{key: as_json(document[key]) for key in _DOCUMENT_TREES},
        "filed_as": filing.version,
        "aliases_filed_as": filing.aliases_version,
        "embedder": filing.embedder_spec,
        "max_tokens": filing.max_tokens,
        "near_identical": as_json(near_identical),
        "rejected_texts": as_json([[item.page, item.reason, item.text] for item in reading.rejected]),
    }


def record_of(metadata: Mapping[str, Any]) -> Record:
    """A document's record, without its rejected texts, which are many."""
    values = _fields_of(Document, metadata)
    values |= {key: json.loads(values[key]) for key in _DOCUMENT_TREES if key in values}
    values["aliases"] = tuple(Alias(text, source) for text, source in values["aliases"])
    values["authors"] = tuple(values.get("authors", ()))
    return Record(
        Document(**values),
        metadata["filed_as"],
        metadata["aliases_filed_as"],
        metadata["embedder"],
        int(metadata["max_tokens"]),
        json.loads(metadata["near_identical"]),
    )


def rejected_of(metadata: Mapping[str, Any]) -> list[RejectedParagraph]:
    """The rejected paragraphs of a document's record, in reading order."""
    return [
        RejectedParagraph(doc_id=metadata["doc_id"], page=page, text=text, reason=reason)
        for page, reason, text in json.loads(metadata["rejected_texts"])
    ]


def as_json(value: object) -> str:
    """A value as one line of JSON, letters as they are."""
    return json.dumps(value, ensure_ascii=False)


def _fields_of(kind: type[Paragraph | Document], metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `kind` that a record has; an older store lacks those that have a default."""
    found = {field.name: metadata[field.name] for field in dataclasses.fields(kind) if field.name in metadata}
    for field in dataclasses.fields(kind):
        wanted = _SCALARS.get(str(field.type))
        if field.name in found and wanted is not None and not isinstance(found[field.name], wanted):
            raise ValueError(f"{field.name} must be of type {field.type}, got {type(found[field.name]).__name__}")
    return found


_SCALARS: dict[str, type | tuple[type, ...]] = {"str": str, "int": int, "float": (int, float), "bool": bool}
"""Types that Chroma keeps as they are, by their names in annotations."""
