"""Store: what an ingest changes. A change is in force as a whole or not at all, in one way for each kind of place.

In a folder a copy is changed, and one rename puts it in force (generations.py); what was in force is never written to.

On a server the new records go in beside the old ones. A document's record says under which version its other records
are filed, and only those count; the documents' records go out in one last request, which is the commit. What they leave
behind, or a run that died, is swept afterwards.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from quarry.configs.settings import EmbedSettings
from quarry.ingest.embed import BUILT_IN, Models
from quarry.ingest.errors import EmbedderMismatchError, StoreError
from quarry.ingest.paragraph import Reading
from quarry.ingest.paragraphs.sentence import sentences
from quarry.ingest.store.client import Collections, folder_at, one_line, records_in, server_at, sweep, upsert
from quarry.ingest.store.codec import (
    FORMAT,
    Filing,
    alias_ids,
    as_json,
    document_metadata,
    paragraph_id,
    paragraph_metadata,
    sentence_id,
    sentences_key,
    words_key,
)
from quarry.ingest.store.course import Course
from quarry.ingest.store.generations import (
    UNCHANGING,
    Hold,
    current_generation,
    hold_current,
    next_generation,
    remove_others,
)
from quarry.ingest.store.places import is_url, models_at, staging_of, words_on_server
from quarry.ingest.store.token_files import SentenceVectors, TokenFiles

PROBE = ".writable"
"""A file that is made and removed to see whether a folder can be written."""

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection

    from quarry.ingest.embed.vectors import ReadingVectors


def course_at(location: str, name: str) -> Course:
    """What is in force at a location now; a course without documents where nothing was ever filed.

    Raises:
        StoreError: what is there is of another format.
    """
    if is_url(location):
        found = Collections(location, name, server_at(location))
        files = TokenFiles(words_on_server(location, name))
    else:
        hold = hold_current(Path(location))
        found = Collections(location, name, _client_of(hold) if hold else None, hold)
        files = TokenFiles((hold.path if hold else Path(location)) / f"{name}{UNCHANGING}")
    return Course(location, name, found.records(), files, found)


def _client_of(hold: Hold) -> Client:
    """A client of the folder in force: of a copy where the folder cannot be written, as Chroma wants even to read.

    The copy is in the system's folder for temporary files, and goes with the process.
    """
    try:
        if not os.access(hold.path, os.W_OK) or not os.access(hold.path / "chroma.sqlite3", os.W_OK):
            raise PermissionError(hold.path)
        (hold.path / PROBE).write_bytes(b"")  # neither a full disk nor a read-only one tells before
        (hold.path / PROBE).unlink()
    except OSError:
        copy = Path(tempfile.mkdtemp(prefix="quarry-read-"))
        atexit.register(shutil.rmtree, copy, ignore_errors=True)
        shutil.copytree(hold.path, copy, dirs_exist_ok=True, copy_function=shutil.copyfile)
        for copied in (copy, *copy.rglob("*")):  # a folder's copy may be read only as well
            copied.chmod(0o700 if copied.is_dir() else 0o600)
        return folder_at(copy)
    return folder_at(hold.path)


class Store:
    """A course that can be changed. Made by `create_store`.

    Attributes:
        location: folder or URL, as the user named it.
        collection: its name within the location.
        course: what is in force; another one after each change.
    """

    def __init__(self, location: str, collection: str) -> None:
        self.location = location
        self.collection = collection
        self.course = course_at(location, collection)

    @property
    def staging_dir(self) -> Path:
        """Where an ingest keeps what it has not yet filed."""
        return staging_of(self.location, self.collection)

    def models(self, settings: EmbedSettings) -> Models:
        """The embedders of the store."""
        return models_at(self.location, settings)

    def require_embedder(self, spec: str) -> None:
        """Pass if the store is empty or was made with the embedder `spec`.

        Raises:
            EmbedderMismatchError: it was made with another one.
        """
        own = self.course.embedder_spec
        if own and own != spec:
            raise EmbedderMismatchError(
                f"--embedder must be {own!r}, with which {self.location} was made, got {spec!r}; "
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
            with self._changing() as (collections, files):
                self._apply(collections, files, filings, dropped, near_identical)
        except EmbedderMismatchError:
            raise
        except Exception as error:  # chromadb raises many kinds, its own and those of SQLite and HTTP
            raise StoreError(
                f"{self.location}: could not be written: {one_line(error)}; nothing stored was lost"
            ) from error
        self.course = course_at(self.location, self.collection)
        self.tidy()

    def tidy(self) -> None:
        """Remove the folders that a killed ingest has left, or that nobody reads any more; a server has none."""
        if not is_url(self.location):
            remove_others(Path(self.location), current_generation(Path(self.location)))

    @contextlib.contextmanager
    def _changing(self) -> Iterator[tuple[Collections, TokenFiles]]:
        """The collections to write to, and the files; in force when the block ends."""
        if is_url(self.location):
            yield self.course.in_chroma, self.course.files
            return
        with next_generation(Path(self.location)) as folder, contextlib.closing(folder_at(folder)) as client:
            yield (
                Collections(self.location, self.collection, client),
                TokenFiles(folder / f"{self.collection}{UNCHANGING}"),
            )

    def _apply(
        self,
        collections: Collections,
        files: TokenFiles,
        filings: Iterable[Filing],
        dropped: Sequence[str],
        near_identical: Mapping[str, str] | None,
    ) -> None:
        """File everything but the documents' records, then these in one request, then remove what they leave behind."""
        paragraphs, parts, names, documents = collections.made()
        records: dict[str, dict[str, Any]] = {}
        for filing in filings:
            if filing.reading.paragraphs:
                self.require_embedder(filing.embedder_spec)
            if not self.course.holds(filing):
                _file_texts(paragraphs, parts, filing)
            if len(filing.vectors.sentences):
                files.keep_sentences(_sentences_of(filing), sentences_key(filing.doc_id, filing.version))
            for spec, words in filing.vectors.words.items():
                files.keep(words, words_key(filing.doc_id, filing.version, spec))
            if len(filing.vectors.aliases):
                ids = list(alias_ids(filing.reading.document, filing.aliases_version))
                upsert(names, ids, filing.vectors.aliases, _filed(filing, filing.aliases_version, len(ids)))
            links = {
                paragraph.paragraph_id: first
                for paragraph in filing.reading.paragraphs
                if (first := (near_identical or {}).get(paragraph.paragraph_id))
            }
            records[filing.doc_id] = document_metadata(filing, links)
        if near_identical is not None:
            records |= self._linked_otherwise(documents, near_identical, {*dropped, *records})
        upsert(documents, list(records), np.ones((len(records), 1), dtype=np.float32), list(records.values()))
        if dropped:
            documents.delete(ids=list(dropped))
        if is_url(self.location):
            documents.modify(metadata={"format": FORMAT, "generation": uuid.uuid4().hex})
        left = records_in(documents)
        sweep(paragraphs, {(doc_id, record.version) for doc_id, record in left.items()})
        sweep(parts, {(doc_id, record.version) for doc_id, record in left.items()})
        sweep(names, {(doc_id, record.aliases_version) for doc_id, record in left.items()})
        kept = {record.words_key(spec) for record in left.values() for spec in BUILT_IN}
        files.sweep(kept | {record.sentences_key for record in left.values()})
        for collection in (paragraphs, parts, names, documents):
            # Chroma builds its index when it is read; done here, nobody who reads it writes to what is in force
            collection.get(include=["embeddings"], limit=1)

    def _linked_otherwise(
        self, documents: Collection, near_identical: Mapping[str, str], but: set[str]
    ) -> dict[str, dict[str, Any]]:
        """The records of documents that are not changed themselves, but whose paragraphs are now the same as others."""
        links: dict[str, dict[str, str]] = {doc_id: {} for doc_id in self.course.records if doc_id not in but}
        for paragraph in self.course.paragraphs:
            if paragraph.doc_id in links and (first := near_identical.get(paragraph.paragraph_id)):
                links[paragraph.doc_id][paragraph.paragraph_id] = first
        changed = {doc_id: own for doc_id, own in links.items() if own != self.course.records[doc_id].near_identical}
        records = {}
        for doc_id, own in changed.items():
            got: Any = documents.get(ids=[doc_id], include=["metadatas"])
            records[doc_id] = {**got["metadatas"][0], "near_identical": as_json(own)}
        return records


def _file_texts(paragraphs: Collection, parts: Collection, filing: Filing) -> None:
    version, texts = filing.version, filing.reading.paragraphs
    upsert(
        paragraphs,
        [paragraph_id(paragraph, version) for paragraph in texts],
        filing.vectors.paragraphs,
        [paragraph_metadata(paragraph, version, row) for row, paragraph in enumerate(texts)],
        [paragraph.text for paragraph in texts],
    )
    ids = [
        sentence_id(paragraph, version, number)
        for paragraph in texts
        for number in range(len(sentences(paragraph.text)))
    ]
    upsert(parts, ids, filing.vectors.sentences, _filed(filing, version, len(ids)))


def _sentences_of(filing: Filing) -> SentenceVectors:
    counts = [len(sentences(paragraph.text)) for paragraph in filing.reading.paragraphs]
    return SentenceVectors(filing.vectors.sentences, np.cumsum([0, *counts], dtype=np.int64))


def _filed(filing: Filing, version: str, n_records: int) -> list[dict[str, str]]:
    return [{"doc_id": filing.doc_id, "version": version}] * n_records
