"""ParagraphStore: paragraphs, documents and vectors in Chroma; the only user of chromadb.

Four collections: NAME holds one record a paragraph, NAME-sentences one a sentence, NAME-aliases one a document's name
and NAME-documents one a document. What models make of the words of a paragraph stands in files beside them, in the
folder NAME-words. A document's record says under which version its other records are filed, and only
those count. The records of a run's documents go out in one last request, which is the commit of the run; what a run
that died has left over is swept by the next. A store in a folder is, beyond that, changed in a copy (folder.py).
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import re
import uuid
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from configs.settings import EmbedSettings
from ingest.embed import BUILT_IN, FloatArray
from ingest.errors import EmbedderMismatchError, StoreError, StoreMissingError
from ingest.folder import (
    CURRENT,
    UNCHANGING,
    Hold,
    current_generation,
    hold_current,
    holds_other_files,
    next_generation,
    remove_others,
)
from ingest.paragraph import Alias, Document, Paragraph, Reading, RejectedParagraph
from ingest.sentence import sentences
from ingest.token_files import TokenFiles, Words
from ingest.tokens import form_of
from ingest.vectors import ReadingVectors

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection

IntArray = NDArray[np.int64]

DEFAULT_STORE = "data/store"
DEFAULT_COLLECTION = "course"
FORMAT = 2
"""Layout of the records; a store of another format is refused."""

READ_CHUNK = 5_000
WRITE_CHUNK = 500
"""Records a request; below the limits of SQLite and of Chroma's server."""

EXACT_WITHIN = 2_000
"""Paragraphs up to which one document is searched exactly: Chroma's index loses recall behind a narrow filter."""

_SEARCHED: Any = {"hnsw": {"space": "cosine", "ef_construction": 200, "max_neighbors": 32, "ef_search": 200}}
_FETCHED: Any = {"hnsw": {"space": "cosine", "ef_construction": 2, "max_neighbors": 2, "ef_search": 2}}
"""Chroma's index over what is searched, and over what is fetched by id only, where the best one is the cheapest."""

_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]{1,200}[a-zA-Z0-9]")


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
    def version(self) -> str:
        """What its paragraphs and sentences are filed under: changes with the reading and with what embedded it."""
        document = self.reading.document
        return _digest(document.version, bool(document.same_as), self.embedder_spec, self.max_tokens)

    @property
    def aliases_version(self) -> str:
        """What its aliases are filed under."""
        names = [alias.text for alias in self.reading.document.aliases]
        return _digest(names, self.embedder_spec, self.max_tokens)


@dataclass(frozen=True, slots=True)
class _Record:
    """A document's record: the document, and what its other records are filed under."""

    document: Document
    version: str
    aliases_version: str
    embedder_spec: str
    max_tokens: int
    near_identical: dict[str, str]


class ParagraphStore:
    """One course in Chroma. Made by `open_store` and `create_store`; what it holds is loaded when first asked for.

    Attributes:
        location: folder or URL, as the user named it.
        exists: whether anything was ever filed in it.
    """

    def __init__(self, location: str, name: str) -> None:
        self.location = location
        self._name = name
        self._hold: Hold | None = None
        self._client: Client | None = None
        self._connect()

    def _connect(self) -> None:
        """Open what is in force now; a folder without a store stays as it is."""
        self._records: dict[str, _Record] | None = None
        self._paragraphs: tuple[Paragraph, ...] | None = None
        self._rows: dict[str, int] = {}
        self._vectors: FloatArray | None = None
        self._sentences: tuple[FloatArray, IntArray] | None = None
        self._aliases: tuple[tuple[tuple[str, Alias], ...], FloatArray] | None = None
        if is_url(self.location):
            self._client = self._client or _server_at(self.location)
        else:
            self._hold = hold_current(Path(self.location))
            self._client = _folder_at(self._hold.path) if self._hold else None
        found = _metadata_of(self._client, self._name) if self._client else None
        self.exists = found is not None
        if found is not None and found.get("format") != FORMAT:
            raise StoreError(
                f"{self.location}: collection {self._name!r} must have store format {FORMAT}, "
                f"got {found.get('format')}; ingest into a new folder, or name another --collection"
            )

    @property
    def collection(self) -> str:
        """Its name within the location."""
        return self._name

    def generation(self) -> Hashable:
        """What changes with every ingest that is in force, read anew; None where there is no store any more.

        One `stat` of a folder, one small request to a server.
        """
        if not is_url(self.location):
            try:
                found = (Path(self.location) / CURRENT).stat()
            except OSError:
                return None
            return found.st_ino, found.st_mtime_ns
        assert self._client is not None
        try:
            found_at = _metadata_of(self._client, f"{self._name}-documents")
        except Exception as error:
            raise StoreError(f"{self.location}: could not be read: {_one_line(error)}") from error
        return None if found_at is None else found_at.get("generation", "")

    @property
    def _files(self) -> TokenFiles:
        """What models make of the words of the paragraphs in force."""
        if self._hold is not None:
            return TokenFiles(self._hold.path / f"{self._name}{UNCHANGING}")
        return TokenFiles(_cache_of(self.location, "words", self._name))

    @property
    def staging_dir(self) -> Path:
        """Where an ingest keeps what it has not yet filed: in the folder, or in the user's cache for a URL."""
        if is_url(self.location):
            return _cache_of(self.location, "staged", self._name)
        return Path(self.location) / "staged" / self._name

    @property
    def models_dir(self) -> Path:
        """Where exported networks are kept: beside the store's Chroma files, or in the user's cache for a URL."""
        if is_url(self.location):
            return Path.home() / ".cache" / "quarry" / "models"
        return Path(self.location) / "models"

    @property
    def documents(self) -> tuple[Document, ...]:
        """Every document, sorted by doc_id."""
        return tuple(record.document for record in self._document_records().values())

    @property
    def embedder_spec(self) -> str:
        """SPEC of the embedder that its vectors came from, "" while it holds no paragraph."""
        return self._embedding()[0]

    @property
    def max_tokens(self) -> int:
        """Tokens at which that embedder cut longer texts, 0 if it has a limit of its own."""
        return self._embedding()[1]

    def _embedding(self) -> tuple[str, int]:
        for record in self._document_records().values():
            if record.document.n_paragraphs:
                return record.embedder_spec, record.max_tokens
        return "", 0

    @property
    def paragraphs(self) -> tuple[Paragraph, ...]:
        """Every kept paragraph, sorted by document, page and ordinal."""
        if self._paragraphs is None:
            versions = self._versions()
            same_as = self._near_identical()
            found = [
                (metadata["doc_id"], metadata["position"], record_id, _paragraph(metadata, text, same_as))
                for chunk in self._chunks(self._name, ["metadatas", "documents"])
                for record_id, metadata, text in zip(chunk["ids"], chunk["metadatas"], chunk["documents"], strict=True)
                if versions.get(metadata["doc_id"]) == metadata["version"]
            ]
            found.sort(key=lambda item: item[:2])
            self._rows = {record_id: row for row, (_, _, record_id, _) in enumerate(found)}
            self._paragraphs = tuple(paragraph for *_, paragraph in found)
        return self._paragraphs

    @property
    def vectors(self) -> FloatArray:
        """(n_paragraphs, dim) float32 unit vectors, in the order of `paragraphs`."""
        if self._vectors is None:
            n_paragraphs = len(self.paragraphs)
            ids, found = self._get_all(self._name)
            in_force = [place for place, record_id in enumerate(ids) if record_id in self._rows]
            vectors = np.empty((n_paragraphs, found.shape[1]), dtype=np.float32)
            vectors[[self._rows[ids[place]] for place in in_force]] = found[in_force]
            self._vectors = vectors
        return self._vectors

    @property
    def sentence_vectors(self) -> FloatArray:
        """(n_sentences, dim) float32 unit vectors of every sentence, in the order of `paragraphs`, then of the text."""
        return self._all_sentences()[0]

    @property
    def sentence_rows(self) -> IntArray:
        """(n_sentences,) row in `paragraphs` of each sentence, ascending; every paragraph has at least one."""
        return self._all_sentences()[1]

    def _all_sentences(self) -> tuple[FloatArray, IntArray]:
        if self._sentences is None:
            self._sentences = self._fetched_sentences(self.paragraphs, self._get_all(f"{self._name}-sentences"))
        return self._sentences

    def sentences_of(self, paragraph_ids: Sequence[str]) -> tuple[FloatArray, IntArray]:
        """The sentence vectors of a few paragraphs, without loading those of all.

        Args:
            paragraph_ids: each once; ids that the store does not hold have no sentences.

        Returns:
            (n_sentences, dim) vectors, and (n_sentences,) place in `paragraph_ids` of each, ascending.
        """
        if self._sentences is not None:
            vectors, rows = self._sentences
            wanted = {paragraph_id: place for place, paragraph_id in enumerate(paragraph_ids)}
            places = np.array([wanted.get(paragraph.paragraph_id, -1) for paragraph in self.paragraphs])[rows]
            order = np.argsort(places, kind="stable")
            order = order[places[order] >= 0]
            return vectors[order], places[order]
        by_id = {paragraph.paragraph_id: paragraph for paragraph in self.paragraphs}
        paragraphs = [by_id.get(paragraph_id) for paragraph_id in paragraph_ids]
        versions = self._versions()
        ids = [
            f"{paragraph.paragraph_id}@{versions[paragraph.doc_id]}#{number}"
            for paragraph in paragraphs
            if paragraph is not None
            for number in range(len(sentences(paragraph.text)))
        ]
        return self._fetched_sentences(paragraphs, self._get_ids(f"{self._name}-sentences", ids))

    def _fetched_sentences(
        self, paragraphs: Sequence[Paragraph | None], fetched: tuple[list[str], FloatArray]
    ) -> tuple[FloatArray, IntArray]:
        """The vectors that belong to `paragraphs`, in their order, and the place in `paragraphs` of each."""
        versions = self._versions()
        rows = {record_id: row for row, record_id in enumerate(fetched[0])}
        chosen: list[int] = []
        places: list[int] = []
        for place, paragraph in enumerate(paragraphs):
            number = 0
            while paragraph is not None:
                row = rows.get(f"{paragraph.paragraph_id}@{versions[paragraph.doc_id]}#{number}")
                if row is None:
                    break
                chosen.append(row)
                places.append(place)
                number += 1
        return fetched[1][chosen], np.array(places, dtype=np.int64)

    def holds_words(self, doc_id: str, spec: str) -> bool:
        """Whether what the model `spec` makes of the words of a document is in force, in its present form."""
        record = self._document_records()[doc_id]
        return not record.document.n_paragraphs or self._files.holds(_words_key(doc_id, record.version, spec))

    @property
    def word_specs(self) -> tuple[str, ...]:
        """SPECs of the models that have read the words of every paragraph; the store's own embedder first."""
        own, records = self.embedder_spec, self._document_records()
        specs = (own, *(spec for spec in BUILT_IN if spec != own)) if own else ()
        kept = (spec for spec in specs if form_of(spec) is not None)
        return tuple(spec for spec in kept if all(self.holds_words(doc_id, spec) for doc_id in records))

    def words(self, spec: str) -> list[Words]:
        """What the model `spec` makes of the words of each document that has paragraphs, in the order of `paragraphs`.

        Raises:
            StoreError: they cannot be read.
        """
        try:
            return [
                self._files.words(_words_key(doc_id, record.version, spec))
                for doc_id, record in self._document_records().items()
                if record.document.n_paragraphs
            ]
        except (OSError, ValueError) as error:
            raise StoreError(
                f"{self.location}: the words of {spec} must be readable, got {_one_line(error)}; ingest it again"
            ) from error

    def word_bytes(self, spec: str) -> int:
        """Bytes that the words of a model take on disk."""
        return sum(
            self._files.n_bytes(_words_key(doc_id, record.version, spec))
            for doc_id, record in self._document_records().items()
        )

    @property
    def aliases(self) -> tuple[tuple[str, Alias], ...]:
        """(doc_id, alias) of every name that has a vector, by document; a twin's names stand under its own doc_id."""
        return self._all_aliases()[0]

    @property
    def alias_vectors(self) -> FloatArray:
        """(n_aliases, dim) float32 unit vectors of `aliases`, embedded as queries are, for other names to compare."""
        return self._all_aliases()[1]

    def _all_aliases(self) -> tuple[tuple[tuple[str, Alias], ...], FloatArray]:
        if self._aliases is None:
            ids, vectors = self._get_all(f"{self._name}-aliases")
            rows = {record_id: row for row, record_id in enumerate(ids)}
            found = [
                ((record.document.doc_id, alias), row)
                for record in self._document_records().values()
                for number, alias in enumerate(record.document.aliases)
                if (row := rows.get(f"{record.document.doc_id}@{record.aliases_version}#{number}")) is not None
            ]
            self._aliases = tuple(name for name, _ in found), vectors[[row for _, row in found]]
        return self._aliases

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that change with the paragraphs, their vectors, and what is known of the documents."""
        digest = hashlib.sha256(f"{FORMAT}|{self.embedder_spec}|{self.max_tokens}".encode())
        for record in self._document_records().values():
            known = dataclasses.replace(record.document, path="")
            digest.update(f"|{known}|{sorted(record.near_identical.items())}".encode())
        return digest.hexdigest()[:16]

    def rejected(self) -> Iterator[RejectedParagraph]:
        """Every rejected paragraph, by document, in reading order."""
        for doc_id in self._document_records():
            yield from self._rejected_of(doc_id)

    def _rejected_of(self, doc_id: str) -> list[RejectedParagraph]:
        records: Any = self._collection(f"{self._name}-documents").get(ids=[doc_id], include=["metadatas"])
        return [
            RejectedParagraph(doc_id=doc_id, page=page, text=text, reason=reason)
            for page, reason, text in json.loads(records["metadatas"][0]["rejected_texts"])
        ]

    def reading(self, doc_id: str) -> Reading:
        """A document of the store as reading its file has yielded it."""
        return Reading(
            self._document_records()[doc_id].document,
            tuple(paragraph for paragraph in self.paragraphs if paragraph.doc_id == doc_id),
            tuple(self._rejected_of(doc_id)),
        )

    def holds(self, filing: Filing) -> bool:
        """Whether the paragraphs of a filing, with these very vectors, are in force already."""
        return self._versions().get(filing.reading.document.doc_id) == filing.version

    def nearest(self, vector: FloatArray, k: int, doc_id: str = "") -> list[tuple[str, float]]:
        """The paragraphs nearest to a vector by Chroma's own index, without loading the vectors of all.

        The index is approximate; a document of at most `EXACT_WITHIN` paragraphs is searched exactly.

        Args:
            vector: (dim,) of unit length.
            k: paragraphs wanted, at least 1.
            doc_id: search in this document alone.

        Returns:
            At most k pairs of paragraph_id and cosine similarity -1..1, best first, ties by paragraph_id.

        Raises:
            StoreError: Chroma could not answer.
        """
        records = self._document_records()
        sizes = {doc: record.document.n_paragraphs for doc, record in records.items() if doc_id in ("", doc)}
        total = sum(sizes.values())
        if not total:
            return []
        try:
            if doc_id and total <= EXACT_WITHIN:
                found = self._scan(vector, doc_id)
            else:
                found = self._query(vector, min(k, total), doc_id)
        except Exception as error:
            raise StoreError(f"{self.location}: could not be searched: {_one_line(error)}") from error
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]

    def _scan(self, vector: FloatArray, doc_id: str) -> list[tuple[str, float]]:
        version = self._versions()[doc_id]
        where: Any = {"$and": [{"doc_id": doc_id}, {"version": version}]}
        got: Any = self._collection(self._name).get(where=where, include=["metadatas", "embeddings"])
        similarities = np.asarray(got["embeddings"], dtype=np.float32) @ vector
        return [
            (metadata["paragraph_id"], float(similarity))
            for metadata, similarity in zip(got["metadatas"], similarities, strict=True)
        ]

    def _query(self, vector: FloatArray, k: int, doc_id: str) -> list[tuple[str, float]]:
        """Ask for more until k of the answers are in force: an ingest at work may have filed others already."""
        collection = self._collection(self._name)
        versions = self._versions()
        asked = k
        while True:
            where: Any = {"doc_id": doc_id} if doc_id else None
            got: Any = collection.query(
                query_embeddings=vector[None, :], n_results=asked, where=where, include=["metadatas", "distances"]
            )
            answers = list(zip(got["metadatas"][0], got["distances"][0], strict=True))
            found = [
                (metadata["paragraph_id"], 1.0 - float(distance))
                for metadata, distance in answers
                if versions.get(metadata["doc_id"]) == metadata["version"]
            ]
            if len(found) >= k or len(answers) < asked:
                return found
            asked *= 2

    def require_embedder(self, spec: str) -> None:
        """Pass if the store is empty or was made with the embedder `spec`.

        Raises:
            EmbedderMismatchError: it was made with another one.
        """
        if self.embedder_spec and self.embedder_spec != spec:
            raise EmbedderMismatchError(
                f"--embedder must be {self.embedder_spec!r}, with which {self.location} was made, got {spec!r}; "
                "leave --embedder out, or ingest into another --store"
            )

    def write(self, reading: Reading, vectors: ReadingVectors, embedder_spec: str) -> None:
        """File one document; see `change`."""
        self.change([Filing(reading, vectors, embedder_spec)])

    def change(
        self,
        filings: Iterable[Filing],
        dropped: Sequence[str] = (),
        near_identical: Mapping[str, str] | None = None,
    ) -> None:
        """File documents and drop others; all of it is in force once this returns, and nothing of it before.

        Args:
            filings: each replaces what stands under its doc_id; taken one by one, never held together.
            dropped: doc_ids to remove.
            near_identical: `Paragraph.same_as` by paragraph_id, over all documents that there will be; None leaves
                those of other documents as they are.

        Raises:
            EmbedderMismatchError: the store was made with another embedder.
            StoreError: Chroma could not write (disk full, server gone); what was in force before still is. On a server
                that holds for up to `WRITE_CHUNK` documents at a time.
        """
        try:
            if is_url(self.location):
                assert self._client is not None
                self._apply(self._client, self._files, filings, dropped, near_identical)
            else:
                with next_generation(Path(self.location)) as folder, _closing(_folder_at(folder)) as client:
                    files = TokenFiles(folder / f"{self._name}{UNCHANGING}")
                    self._apply(client, files, filings, dropped, near_identical)
        except EmbedderMismatchError:
            raise
        except Exception as error:  # chromadb raises many kinds, its own and those of SQLite and HTTP
            raise StoreError(
                f"{self.location}: could not be written: {_one_line(error)}; nothing stored was lost"
            ) from error
        old, hold = self._client, self._hold
        self._connect()
        if hold is not None and old is not None:
            old.close()
            hold.release()
        self.tidy()

    def tidy(self) -> None:
        """Remove the folders that a killed ingest has left, or that it replaced; on a server there are none."""
        if self._hold is not None:
            remove_others(Path(self.location), self._hold.path)

    def _apply(
        self,
        client: Client,
        files: TokenFiles,
        filings: Iterable[Filing],
        dropped: Sequence[str],
        near_identical: Mapping[str, str] | None,
    ) -> None:
        """File everything but the documents' records, then these in one request, then remove what they leave behind."""
        paragraphs = self._made(client, self._name, _SEARCHED)
        parts = self._made(client, f"{self._name}-sentences", _FETCHED)
        names = self._made(client, f"{self._name}-aliases", _FETCHED)
        documents = self._made(client, f"{self._name}-documents", _FETCHED)
        records: list[tuple[str, dict[str, str | int]]] = []
        for filing in filings:
            reading, vectors = filing.reading, filing.vectors
            if reading.paragraphs:
                self.require_embedder(filing.embedder_spec)
            if not self.holds(filing):
                _upsert_paragraphs(paragraphs, filing)
                _upsert(parts, _sentence_ids(filing), vectors.sentences, _filed(filing, filing.version))
            for spec, words in vectors.words.items():
                files.keep(words, _words_key(reading.document.doc_id, filing.version, spec))
            if len(vectors.aliases):
                ids = [
                    f"{reading.document.doc_id}@{filing.aliases_version}#{number}"
                    for number in range(len(vectors.aliases))
                ]
                _upsert(names, ids, vectors.aliases, _filed(filing, filing.aliases_version))
            links = {
                paragraph.paragraph_id: first
                for paragraph in reading.paragraphs
                if (first := (near_identical or {}).get(paragraph.paragraph_id))
            }
            records.append((reading.document.doc_id, _document_metadata(filing, links)))
        if near_identical is not None:
            records += self._linked_otherwise(documents, near_identical, {*dropped, *(doc_id for doc_id, _ in records)})
        for start in range(0, len(records), WRITE_CHUNK):
            chunk = records[start : start + WRITE_CHUNK]
            documents.upsert(
                ids=[doc_id for doc_id, _ in chunk],
                embeddings=np.ones((len(chunk), 1), dtype=np.float32),
                metadatas=[metadata for _, metadata in chunk],
            )
        if dropped:
            documents.delete(ids=list(dropped))
        if is_url(self.location):
            documents.modify(metadata={"format": FORMAT, "generation": uuid.uuid4().hex})
        left = _records_in(documents)
        _sweep(paragraphs, {(doc_id, record.version) for doc_id, record in left.items()})
        _sweep(parts, {(doc_id, record.version) for doc_id, record in left.items()})
        _sweep(names, {(doc_id, record.aliases_version) for doc_id, record in left.items()})
        files.sweep({_words_key(doc_id, record.version, spec) for doc_id, record in left.items() for spec in BUILT_IN})
        for collection in (paragraphs, parts, names, documents):
            # Chroma builds its index when it is read; done here, no reader writes to what is in force
            collection.get(include=["embeddings"], limit=1)

    def _linked_otherwise(
        self, documents: Collection, near_identical: Mapping[str, str], but: set[str]
    ) -> list[tuple[str, dict[str, str | int]]]:
        """The records of documents that are not changed themselves, but whose paragraphs are now the same as others."""
        links: dict[str, dict[str, str]] = {doc_id: {} for doc_id in self._document_records() if doc_id not in but}
        for paragraph in self.paragraphs:
            if paragraph.doc_id in links and (first := near_identical.get(paragraph.paragraph_id)):
                links[paragraph.doc_id][paragraph.paragraph_id] = first
        records: list[tuple[str, dict[str, str | int]]] = []
        for doc_id, record in self._document_records().items():
            if doc_id in links and links[doc_id] != record.near_identical:
                got: Any = documents.get(ids=[doc_id], include=["metadatas"])
                records.append((doc_id, {**got["metadatas"][0], "near_identical": _json(links[doc_id])}))
        return records

    def _made(self, client: Client, name: str, configuration: Any) -> Collection:
        return client.get_or_create_collection(
            name, embedding_function=None, metadata={"format": FORMAT}, configuration=configuration
        )

    def _collection(self, name: str) -> Collection:
        assert self._client is not None
        return self._client.get_collection(name, embedding_function=None)

    def _document_records(self) -> dict[str, _Record]:
        """Every document's record by doc_id, in its order."""
        if self._records is None:
            try:
                self._records = _records_in(self._collection(f"{self._name}-documents")) if self.exists else {}
            except Exception as error:
                raise StoreError(f"{self.location}: could not be read: {_one_line(error)}") from error
        return self._records

    def _near_identical(self) -> dict[str, str]:
        return {
            paragraph_id: first
            for record in self._document_records().values()
            for paragraph_id, first in record.near_identical.items()
        }

    def _versions(self) -> dict[str, str]:
        return {doc_id: record.version for doc_id, record in self._document_records().items()}

    def _get_all(self, name: str) -> tuple[list[str], FloatArray]:
        """The ids and (n, dim) vectors of a collection, in force or not."""
        return _joined(self._chunks(name, ["embeddings"]))

    def _get_ids(self, name: str, wanted: Sequence[str]) -> tuple[list[str], FloatArray]:
        """The same of some of its records."""
        if not wanted:
            return [], np.empty((0, 0), dtype=np.float32)
        try:
            collection = self._collection(name)
            chunks: list[Any] = [
                collection.get(ids=list(wanted[start : start + WRITE_CHUNK]), include=["embeddings"])
                for start in range(0, len(wanted), WRITE_CHUNK)
            ]
        except Exception as error:
            raise StoreError(f"{self.location}: could not be read: {_one_line(error)}") from error
        return _joined(chunks)

    def _chunks(self, name: str, include: list[Any]) -> Iterator[Any]:
        if not self.exists:
            return
        try:
            collection = self._collection(name)
            offset = 0
            while True:
                chunk: Any = collection.get(include=include, limit=READ_CHUNK, offset=offset)
                yield chunk
                offset += len(chunk["ids"])
                if len(chunk["ids"]) < READ_CHUNK:
                    return
        except Exception as error:
            raise StoreError(f"{self.location}: could not be read: {_one_line(error)}") from error


def models_dir_of(store: ParagraphStore, settings: EmbedSettings) -> Path:
    """Where exported networks are kept: where the settings say, else where the store keeps its own."""
    return Path(settings.models_dir) if settings.models_dir else store.models_dir


def is_url(location: str) -> bool:
    """Whether a store's location names a Chroma server, not a folder."""
    return location.startswith(("http://", "https://"))


def open_store(location: str, collection: str = DEFAULT_COLLECTION, *, all_rejected_ok: bool = False) -> ParagraphStore:
    """The store at a folder or URL, for reading; it must have been made before.

    Args:
        location: folder or URL.
        collection: name within the store.
        all_rejected_ok: take a store with documents of which no paragraph was kept.

    Raises:
        StoreMissingError: there is none.
        StoreError: it cannot be opened, or holds no paragraphs.
    """
    if not is_url(location):
        if (Path(location) / "chroma" / "chroma.sqlite3").is_file():
            raise StoreError(f"{location}: must have store format {FORMAT}, got 1; ingest into a new folder")
        if current_generation(Path(location)) is None:
            raise StoreMissingError(
                f"--store must be a folder made by ingest, got {location}: no store there; "
                f"run: python -m ingest PATH... --store {location}"
            )
    store = _store_at(location, collection)
    if not store.exists:
        raise StoreMissingError(
            f"--collection must be one that {location} holds, got {collection!r}; "
            f"run: python -m ingest PATH... --store {location} --collection {collection}"
        )
    if not store.embedder_spec and not (all_rejected_ok and store.documents):
        raise StoreError(
            f"{location}: collection {collection!r} must hold paragraphs, got none; "
            f"run: python -m ingest PATH... --store {location}"
        )
    return store


def create_store(location: str, collection: str = DEFAULT_COLLECTION) -> ParagraphStore:
    """The store at a folder or URL, to be written; a folder is made with the first change, not before.

    Raises:
        StoreError: the folder cannot be written, the server does not answer, or what is there is no store of ours.
    """
    if not is_url(location):
        folder = Path(location)
        if folder.is_dir() and (folder / "chroma" / "chroma.sqlite3").is_file():
            raise StoreError(f"{location}: must have store format {FORMAT}, got 1; ingest into a new folder")
        if folder.is_dir() and holds_other_files(folder):
            raise StoreError(
                f"--store must be a new folder or one made by ingest, got {location}: it holds other files"
            )
        if folder.exists() and not folder.is_dir():
            raise StoreError(f"--store {location} cannot be opened: it is a file; name a folder")
    return _store_at(location, collection)


def _store_at(location: str, collection: str) -> ParagraphStore:
    if not _NAME.fullmatch(collection):
        raise StoreError(
            f"--collection must be 3 to 202 of a-z, A-Z, 0-9, '.', '_' and '-', letters or digits at both ends, "
            f"got {collection!r}; take another name"
        )
    try:
        return ParagraphStore(location, collection)
    except StoreError:
        raise
    except Exception as error:  # chromadb raises many kinds, its own and those of SQLite and HTTP
        raise StoreError(f"--store {location} cannot be opened: {_one_line(error)}") from error


def _server_at(location: str) -> Client:
    import chromadb
    from chromadb.config import Settings as ChromaSettings

    url = urlsplit(location)
    if url.username or url.password or url.path.strip("/"):
        raise StoreError("--store must be a URL of host and port alone, got one with more; leave the rest out")
    client = chromadb.HttpClient(
        host=url.hostname or "",
        port=url.port or (443 if url.scheme == "https" else 80),
        ssl=url.scheme == "https",
        settings=ChromaSettings(anonymized_telemetry=False),
    )
    return cast("Client", client)


def _folder_at(folder: Path) -> Client:
    import chromadb
    from chromadb.config import Settings as ChromaSettings

    client = chromadb.PersistentClient(str(folder), settings=ChromaSettings(anonymized_telemetry=False))
    return cast("Client", client)


@contextlib.contextmanager
def _closing(client: Client) -> Iterator[Client]:
    """The client, closed at the end, so that all it wrote is in its files."""
    try:
        yield client
    finally:
        client.close()


def _metadata_of(client: Client, name: str) -> dict[str, Any] | None:
    """What a collection says of itself, None if there is no such collection."""
    from chromadb.errors import NotFoundError

    try:
        return dict(client.get_collection(name, embedding_function=None).metadata or {})
    except NotFoundError:
        return None


def _records_in(documents: Collection) -> dict[str, _Record]:
    records: list[_Record] = []
    while True:
        chunk: Any = documents.get(include=["metadatas"], limit=READ_CHUNK, offset=len(records))
        records += [
            _Record(
                _document(metadata),
                metadata["filed_as"],
                metadata["aliases_filed_as"],
                metadata["embedder"],
                int(metadata["max_tokens"]),
                json.loads(metadata["near_identical"]),
            )
            for metadata in chunk["metadatas"]
        ]
        if len(chunk["ids"]) < READ_CHUNK:
            return {record.document.doc_id: record for record in sorted(records, key=lambda item: item.document.doc_id)}


def _joined(chunks: Iterable[Any]) -> tuple[list[str], FloatArray]:
    ids: list[str] = []
    vectors: list[FloatArray] = []
    for chunk in chunks:
        if chunk["ids"]:
            ids += chunk["ids"]
            vectors.append(np.asarray(chunk["embeddings"], dtype=np.float32))
    return ids, np.concatenate(vectors) if vectors else np.empty((0, 0), dtype=np.float32)


def _upsert_paragraphs(collection: Collection, filing: Filing) -> None:
    version, paragraphs = filing.version, filing.reading.paragraphs
    for start in range(0, len(paragraphs), WRITE_CHUNK):
        chunk = paragraphs[start : start + WRITE_CHUNK]
        collection.upsert(
            ids=[f"{paragraph.paragraph_id}@{version}" for paragraph in chunk],
            embeddings=filing.vectors.paragraphs[start : start + WRITE_CHUNK],
            documents=[paragraph.text for paragraph in chunk],
            metadatas=[_paragraph_metadata(paragraph, version, start + row) for row, paragraph in enumerate(chunk)],
        )


def _upsert(collection: Collection, ids: Sequence[str], vectors: FloatArray, metadata: dict[str, str]) -> None:
    for start in range(0, len(ids), WRITE_CHUNK):
        chunk = list(ids[start : start + WRITE_CHUNK])
        collection.upsert(
            ids=chunk, embeddings=vectors[start : start + WRITE_CHUNK], metadatas=[dict(metadata) for _ in chunk]
        )


def _sentence_ids(filing: Filing) -> list[str]:
    version = filing.version
    return [
        f"{paragraph.paragraph_id}@{version}#{number}"
        for paragraph in filing.reading.paragraphs
        for number in range(len(sentences(paragraph.text)))
    ]


def _filed(filing: Filing, version: str) -> dict[str, str]:
    return {"doc_id": filing.reading.document.doc_id, "version": version}


def _sweep(collection: Collection, in_force: set[tuple[str, str]]) -> None:
    """Remove the records that no document's record puts in force: replaced, dropped, or left by a run that died."""
    stale: list[str] = []
    offset = 0
    while True:
        chunk: Any = collection.get(include=["metadatas"], limit=READ_CHUNK, offset=offset)
        stale += [
            record_id
            for record_id, metadata in zip(chunk["ids"], chunk["metadatas"], strict=True)
            if (metadata["doc_id"], metadata["version"]) not in in_force
        ]
        offset += len(chunk["ids"])
        if len(chunk["ids"]) < READ_CHUNK:
            break
    for start in range(0, len(stale), WRITE_CHUNK):
        collection.delete(ids=stale[start : start + WRITE_CHUNK])


def _words_key(doc_id: str, version: str, spec: str) -> str:
    """What the words of a document are filed under: changes with their texts, the model, and their compact form."""
    form = form_of(spec)
    return _digest(doc_id, version, spec, form.digest if form else "")


def _cache_of(location: str, kind: str, name: str) -> Path:
    """A folder of the user's own for a store that is on a server."""
    return Path.home() / ".cache" / "quarry" / kind / _digest(location, name)


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


_LISTS = ("section", "alternatives", "place")
"""Fields of a paragraph that are kept as JSON: Chroma's metadata have no lists."""


def _paragraph_metadata(paragraph: Paragraph, version: str, position: int) -> dict[str, str | int | float]:
    values = dataclasses.asdict(paragraph)
    del values["text"], values["same_as"]
    lists = {key: json.dumps(values[key], ensure_ascii=False) for key in _LISTS}
    return {**values, **lists, "version": version, "position": position}


def _paragraph(metadata: dict[str, Any], text: str, same_as: Mapping[str, str]) -> Paragraph:
    return Paragraph(
        paragraph_id=metadata["paragraph_id"],
        doc_id=metadata["doc_id"],
        page=int(metadata["page"]),
        heading=metadata["heading"],
        text=text,
        opening_sentence=metadata["opening_sentence"],
        same_as=same_as.get(metadata["paragraph_id"], ""),
        sureness=float(metadata.get("sureness", 1.0)),
        reader=metadata.get("reader", ""),
        **{key: tuple(json.loads(metadata.get(key, "[]"))) for key in _LISTS},
    )


def _document_metadata(filing: Filing, near_identical: dict[str, str]) -> dict[str, str | int]:
    reading = filing.reading
    document = reading.document
    return {
        "filed_as": filing.version,
        "aliases_filed_as": filing.aliases_version,
        "embedder": filing.embedder_spec,
        "max_tokens": filing.max_tokens,
        "near_identical": _json(near_identical),
        "doc_id": document.doc_id,
        "path": document.path,
        "content_hash": document.content_hash,
        "version": document.version,
        "aliases": json.dumps([[alias.text, alias.source] for alias in document.aliases], ensure_ascii=False),
        "n_pages": document.n_pages,
        "n_paragraphs": document.n_paragraphs,
        "rejected": json.dumps(document.rejected),
        "same_as": document.same_as,
        "authors": json.dumps(document.authors, ensure_ascii=False),
        "date": document.date,
        "sidecar": document.sidecar,
        "lecture_number": json.dumps(document.lecture_number),
        "reader": document.reader,
        "rejected_texts": json.dumps(
            [[item.page, item.reason, item.text] for item in reading.rejected], ensure_ascii=False
        ),
    }


def _document(metadata: dict[str, Any]) -> Document:
    return Document(
        doc_id=metadata["doc_id"],
        path=metadata["path"],
        content_hash=metadata["content_hash"],
        version=metadata["version"],
        aliases=tuple(Alias(text, source) for text, source in json.loads(metadata["aliases"])),
        n_pages=int(metadata["n_pages"]),
        n_paragraphs=int(metadata["n_paragraphs"]),
        rejected=json.loads(metadata["rejected"]),
        same_as=metadata["same_as"],
        authors=tuple(json.loads(metadata.get("authors", "[]"))),
        date=metadata.get("date", ""),
        sidecar=metadata["sidecar"],
        lecture_number=json.loads(metadata.get("lecture_number", "null")),
        reader=metadata.get("reader", ""),
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
