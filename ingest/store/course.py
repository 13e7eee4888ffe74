"""Course: the frozen snapshot of a store, held by whoever looks things up."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from quarry.configs.settings import EmbedSettings
from quarry.configs.terminal import visible
from quarry.ingest.arrays import Float32Array, IntArray
from quarry.ingest.embed import BUILT_IN, Models
from quarry.ingest.embed.tokens import form_of
from quarry.ingest.errors import StoreError
from quarry.ingest.paragraph import Alias, Document, Paragraph, Reading, RejectedParagraph
from quarry.ingest.paragraphs.sentence import sentences
from quarry.ingest.store.client import Collections, one_line
from quarry.ingest.store.codec import (
    FORMAT,
    Filing,
    Record,
    alias_ids,
    paragraph_id,
    paragraph_of,
    rejected_of,
    sentence_id,
)
from quarry.ingest.store.generations import stamp_of
from quarry.ingest.store.places import is_url, models_at
from quarry.ingest.store.token_files import TokenFiles, Words


@dataclass(frozen=True, eq=False)
class Course:
    """One course as a store held it when it was opened; what an ingest does to the store since does not show.

    Texts and vectors are loaded when first asked for.

    Attributes:
        location: folder or URL, as the user named it.
        collection: its name within the location.
        records: every document's record by doc_id, in its order.
        files: what models make of the words of its paragraphs.
        in_chroma: all the rest.
    """

    location: str
    collection: str
    records: Mapping[str, Record]
    files: TokenFiles
    in_chroma: Collections

    @property
    def exists(self) -> bool:
        """Whether anything was ever filed in it."""
        return self.in_chroma.exist

    def generation(self) -> Hashable:
        """What changes with every ingest that is in force, read anew; None where there is no store any more.

        One `stat` of a folder, one small request to a server.
        """
        if not is_url(self.location):
            return stamp_of(Path(self.location))
        with self.in_chroma.reading():
            found = self.in_chroma.metadata("-documents")
        return None if found is None else found.get("generation", "")

    def models(self, settings: EmbedSettings) -> Models:
        """The embedders of the store."""
        return models_at(settings)

    @property
    def documents(self) -> tuple[Document, ...]:
        """Every document, sorted by doc_id."""
        return tuple(record.document for record in self.records.values())

    @property
    def embedder_spec(self) -> str:
        """SPEC of the embedder that its vectors came from, "" while it holds no paragraph."""
        return self._embedding[0]

    @property
    def max_tokens(self) -> int:
        """Tokens at which that embedder cut longer texts, 0 if it has a limit of its own."""
        return self._embedding[1]

    @property
    def _embedding(self) -> tuple[str, int]:
        filed = (record for record in self.records.values() if record.document.n_paragraphs)
        return next(((record.embedder_spec, record.max_tokens) for record in filed), ("", 0))

    @cached_property
    def paragraphs(self) -> tuple[Paragraph, ...]:
        """Every kept paragraph, sorted by document, page and ordinal."""
        same_as = {
            paragraph_id: first
            for record in self.records.values()
            for paragraph_id, first in record.near_identical.items()
        }
        try:
            found = [
                (str(metadata["doc_id"]), int(metadata["position"]), paragraph_of(metadata, str(text), same_as))
                for chunk in self.in_chroma.chunks("", "metadatas", "documents")
                for metadata, text in zip(chunk["metadatas"], chunk["documents"], strict=True)
                if self._is_in_force(metadata)
            ]
        except (KeyError, ValueError, TypeError, RecursionError) as error:
            raise StoreError(
                f"{self.location}: its paragraphs must be as ingest writes them, got {type(error).__name__}: "
                f"{visible(one_line(error))[:200]}; ingest anew"
            ) from error
        if len(found) != sum(item.n_paragraphs for item in self.documents):
            raise self._changed()
        found.sort(key=lambda item: item[:2])
        return tuple(paragraph for *_, paragraph in found)

    def _changed(self) -> StoreError:
        """A server's records that an ingest has replaced since; those in a folder stay as long as they are read."""
        return StoreError(f"{self.location}: must stay as it is while it is read, was changed; open it again")

    @cached_property
    def vectors(self) -> Float32Array:
        """(n_paragraphs, dim) float32 unit vectors, in the order of `paragraphs`."""
        ids, found = self.in_chroma.all_vectors("")
        rows = {record_id: row for row, record_id in enumerate(ids)}
        try:
            wanted = [rows[paragraph_id(item, self.records[item.doc_id].version)] for item in self.paragraphs]
        except KeyError:
            raise self._changed() from None
        return self._sound(found[wanted])

    def _sound(self, vectors: Float32Array) -> Float32Array:
        """The same vectors.

        Raises:
            StoreError: some number in them is none.
        """
        if not np.isfinite(vectors).all():
            raise StoreError(f"{self.location}: its vectors must be finite numbers, got NaN or infinity; ingest anew")
        return vectors

    @property
    def sentence_vectors(self) -> Float32Array:
        """(n_sentences, dim) float32 unit vectors of every sentence, in the order of `paragraphs`, then of the text."""
        return self._sentences[0]

    @property
    def sentence_rows(self) -> IntArray:
        """(n_sentences,) row in `paragraphs` of each sentence, ascending; every paragraph has at least one."""
        return self._sentences[1]

    @cached_property
    def _sentences(self) -> tuple[Float32Array, IntArray]:
        return self._sentences_among(self.paragraphs, self.in_chroma.all_vectors("-sentences"))

    def sentences_of(self, rows: IntArray) -> tuple[Float32Array, IntArray]:
        """The sentence vectors of a few paragraphs, without loading those of all.

        They are read through the memory map; from Chroma, which takes longer, where the store is an older one.

        Args:
            rows: in `paragraphs`, each once.

        Returns:
            (n_sentences, dim) vectors, and (n_sentences,) place in `rows` of each, ascending.

        Raises:
            StoreError: they cannot be read.
        """
        if not self.holds_sentences:
            return self._fetched(rows)
        documents = np.searchsorted(self._first_rows, rows, side="right") - 1
        mapped = {number: self._mapped(number) for number in set(documents.tolist())}
        parts = []
        for number, row in zip(documents.tolist(), (rows - self._first_rows[documents]).tolist(), strict=True):
            vectors, starts = mapped[number]
            parts.append(vectors[starts[row] : starts[row + 1]])
        if not parts:
            return np.empty((0, 0), dtype=np.float32), np.empty(0, dtype=np.int64)
        return np.concatenate(parts), np.repeat(np.arange(len(parts)), list(map(len, parts)))

    @cached_property
    def holds_sentences(self) -> bool:
        """Whether the sentences of every paragraph can be read through the memory map; an older store has none."""
        return all(self.files.holds(record.sentences_key) for record in self._with_paragraphs)

    @property
    def sentence_bytes(self) -> int:
        """Bytes that they take on disk there."""
        return sum(self.files.n_bytes(record.sentences_key) for record in self.records.values())

    @cached_property
    def _with_paragraphs(self) -> tuple[Record, ...]:
        return tuple(record for record in self.records.values() if record.document.n_paragraphs)

    @cached_property
    def _first_rows(self) -> IntArray:
        """(n_documents with paragraphs,) row of the first paragraph of each."""
        counts = [record.document.n_paragraphs for record in self._with_paragraphs]
        return np.cumsum([0, *counts[:-1]], dtype=np.int64)

    def _mapped(self, number: int) -> tuple[Float32Array, list[int]]:
        """The sentences of a document that has paragraphs, and where those of each begin; opened once."""
        if number not in self._opened:
            record = self._with_paragraphs[number]
            try:
                found = self.files.sentences(record.sentences_key)
                if len(found.starts) != record.document.n_paragraphs + 1:
                    raise ValueError(f"those of {len(found.starts) - 1} of {record.document.n_paragraphs} paragraphs")
            except (OSError, ValueError, EOFError, KeyError, BadZipFile) as error:
                raise StoreError(
                    f"{self.location}: the sentences of {visible(record.document.doc_id)} must be readable, "
                    f"got {one_line(error)}; ingest it again"
                ) from error
            self._opened[number] = found.vectors, found.starts.tolist()
        return self._opened[number]

    @cached_property
    def _opened(self) -> dict[int, tuple[Float32Array, list[int]]]:
        return {}

    def _fetched(self, rows: IntArray) -> tuple[Float32Array, IntArray]:
        """As `sentences_of`, from Chroma."""
        paragraphs = [self.paragraphs[row] for row in rows.tolist()]
        ids = [
            sentence_id(item, self.records[item.doc_id].version, number)
            for item in paragraphs
            for number in range(len(sentences(item.text)))
        ]
        return self._sentences_among(paragraphs, self.in_chroma.vectors_of("-sentences", ids))

    def _sentences_among(
        self, paragraphs: Sequence[Paragraph], fetched: tuple[list[str], Float32Array]
    ) -> tuple[Float32Array, IntArray]:
        """The vectors that belong to `paragraphs`, in their order, and the place in `paragraphs` of each."""
        rows = {record_id: row for row, record_id in enumerate(fetched[0])}
        chosen: list[int] = []
        places: list[int] = []
        for place, paragraph in enumerate(paragraphs):
            for row in self._filed_sentences(paragraph, rows):
                chosen.append(row)
                places.append(place)
        return self._sound(fetched[1][chosen]), np.array(places, dtype=np.int64)

    def _filed_sentences(self, paragraph: Paragraph, rows: Mapping[str, int]) -> Iterator[int]:
        version = self.records[paragraph.doc_id].version
        for number in itertools.count():
            row = rows.get(sentence_id(paragraph, version, number))
            if row is None:
                return
            yield row

    def holds_words(self, doc_id: str, spec: str) -> bool:
        """Whether what the model `spec` makes of the words of a document is in force, in its present form."""
        record = self.records[doc_id]
        return not record.document.n_paragraphs or self.files.holds(record.words_key(spec))

    @property
    def word_specs(self) -> tuple[str, ...]:
        """SPECs of the models that have read the words of every paragraph; the store's own embedder first."""
        own = self.embedder_spec
        specs = (own, *(spec for spec in BUILT_IN if spec != own)) if own else ()
        kept = (spec for spec in specs if form_of(spec) is not None)
        return tuple(spec for spec in kept if all(self.holds_words(doc_id, spec) for doc_id in self.records))

    def words(self, spec: str) -> list[Words]:
        """What the model `spec` makes of the words of each document that has paragraphs, in the order of `paragraphs`.

        Raises:
            StoreError: they cannot be read.
        """
        try:
            return [
                self.files.words(record.words_key(spec))
                for record in self.records.values()
                if record.document.n_paragraphs
            ]
        except (OSError, ValueError) as error:
            raise StoreError(
                f"{self.location}: the words of {spec} must be readable, got {one_line(error)}; ingest it again"
            ) from error

    def word_bytes(self, spec: str) -> int:
        """Bytes that the words of a model take on disk."""
        return sum(self.files.n_bytes(record.words_key(spec)) for record in self.records.values())

    @property
    def aliases(self) -> tuple[tuple[str, Alias], ...]:
        """(doc_id, alias) of every name that has a vector, by document; a twin's names stand under its own doc_id."""
        return self._aliases[0]

    @property
    def alias_vectors(self) -> Float32Array:
        """(n_aliases, dim) float32 unit vectors of `aliases`, embedded as queries are, for other names to compare."""
        return self._aliases[1]

    @cached_property
    def _aliases(self) -> tuple[tuple[tuple[str, Alias], ...], Float32Array]:
        ids, vectors = self.in_chroma.all_vectors("-aliases")
        rows = {record_id: row for row, record_id in enumerate(ids)}
        found = [
            ((doc_id, alias), rows[name])
            for doc_id, record in self.records.items()
            for name, alias in zip(
                alias_ids(record.document, record.aliases_version), record.document.aliases, strict=True
            )
            if name in rows
        ]
        return tuple(name for name, _ in found), self._sound(vectors[[row for _, row in found]])

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that change with the paragraphs, their vectors, and what is known of the documents."""
        digest = hashlib.sha256(f"{FORMAT}|{self.embedder_spec}|{self.max_tokens}".encode())
        for record in self.records.values():
            known = dataclasses.replace(record.document, path="")
            digest.update(f"|{known}|{sorted(record.near_identical.items())}".encode())
        return digest.hexdigest()[:16]

    def rejected(self) -> Iterator[RejectedParagraph]:
        """Every rejected paragraph, by document, in reading order."""
        for doc_id in self.records:
            yield from self._rejected_of(doc_id)

    def _rejected_of(self, doc_id: str) -> list[RejectedParagraph]:
        with self.in_chroma.reading():
            found: Any = self.in_chroma.collection("-documents").get(ids=[doc_id], include=["metadatas"])
        return rejected_of(found["metadatas"][0])

    def reading(self, doc_id: str) -> Reading:
        """A document of the store as reading its file has yielded it."""
        return Reading(
            self.records[doc_id].document,
            tuple(paragraph for paragraph in self.paragraphs if paragraph.doc_id == doc_id),
            tuple(self._rejected_of(doc_id)),
        )

    def holds(self, filing: Filing) -> bool:
        """Whether the paragraphs of a filing, with these very vectors, are in force already."""
        known = self.records.get(filing.doc_id)
        return known is not None and known.version == filing.version

    def _is_in_force(self, metadata: Mapping[str, Any]) -> bool:
        record = self.records.get(metadata["doc_id"])
        return record is not None and record.version == metadata["version"]
