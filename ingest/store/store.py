"""Store: writes documents to a course. A change becomes visible as a whole or not at all, in a folder and on a server.

New records are added next to the valid ones; one record that lists all documents' records makes them valid
(`Collections.publish`); replaced records, and records left by a killed run, are removed afterwards. On a server this
happens in the course itself, in a folder in a copy (folder.py).
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from quarry.ingest.embed.exports import PUBLISHED
from quarry.ingest.embed.relevance import Relevance
from quarry.ingest.errors import EmbedderMismatchError, StoreChangedError, StoreError
from quarry.ingest.store import chroma
from quarry.ingest.store.chroma import Collections, Generation, changed_meanwhile, folder_at, is_url, one_line
from quarry.ingest.store.course import DEFAULT_COLLECTION, course_at
from quarry.ingest.store.folder import next_generation, require_usable
from quarry.ingest.store.records import DocumentUpdate, Metadata, Record, document_metadata, passage_metadatas, words_of


def create_store(location: str, collection: str = DEFAULT_COLLECTION) -> Store:
    """Open the store at a folder or URL for writing; a new folder is created by the first change, not before.

    Raises:
        StoreError: the folder cannot be read, the server does not answer, or it is not a store of ours.
    """
    if not is_url(location):
        require_usable(Path(location))
    return Store(location, collection)


class Store:
    """A course that can be changed, opened by `create_store`.

    Args:
        location: folder or URL, as the user named it.
        collection: its name within the location.

    Attributes:
        course: the present content; a new one after each change.
    """

    def __init__(self, location: str, collection: str) -> None:
        self.location = location
        self.collection = collection
        self.course = course_at(location, collection)

    def require_embedder(self, spec: str) -> None:
        """Pass if the store is empty or was made with the embedder `spec`.

        Raises:
            EmbedderMismatchError: the store was made with another embedder.
        """
        own = self.course.embedder_spec
        if own and own != spec:
            raise EmbedderMismatchError(
                f"--embedder must be {own!r}, with which {self.location} was made, got {spec!r}; "
                "leave --embedder out, or ingest into another --store"
            )

    def change(
        self, updates: Iterable[DocumentUpdate], dropped: Sequence[str] = (), relevance: Relevance | None = None
    ) -> None:
        """Write documents and remove others: readers see all of it once this returns, and nothing of it before.

        Args:
            updates: each replaces the document with its doc_id.
            dropped: doc_ids to remove.
            relevance: the embedder's calibration on all documents; None leaves what the store holds.

        Raises:
            EmbedderMismatchError: the store was made with another embedder.
            StoreChangedError: another ingest has changed the store meanwhile.
            StoreError: Chroma could not write (disk full, server gone); the content is as it was before.
        """
        try:
            with self._writing() as (collections, token):
                self._write(collections, token, list(updates), dropped, relevance)
        except (EmbedderMismatchError, StoreChangedError):
            raise
        except Exception as error:  # chromadb raises many kinds, its own and those of SQLite and HTTP
            raise StoreError(
                f"{self.location}: could not be written: {one_line(error)}; nothing stored was lost, "
                "run the same command again"
            ) from error
        self.course = course_at(self.location, self.collection)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[tuple[Collections, str]]:
        """Yield the collections to write to, and a token for the new generation."""
        if is_url(self.location):
            collections = chroma.server_collections(self.location, self.collection, patience_s=chroma.PATIENCE_S)
            yield collections, uuid.uuid4().hex[:12]
            return
        with next_generation(Path(self.location)) as folder, folder_at(folder) as client:
            collections = Collections(self.location, self.collection, client)
            yield collections, folder.name
            collections.settle()

    def _write(
        self,
        collections: Collections,
        token: str,
        updates: Sequence[DocumentUpdate],
        dropped: Sequence[str],
        relevance: Relevance | None,
    ) -> None:
        """Write the records of a new generation and publish it."""
        spec = next((update.embedder_spec for update in updates if update.reading.paragraphs), "")
        spec = self.course.embedder_spec or spec
        collections.make({"embedder": spec, "model": PUBLISHED.get(spec, spec)})
        before = collections.generation()
        if before.documents != self.course.record_ids:
            raise changed_meanwhile(self.location)
        records, changed = dict(self.course.records), dict[str, Metadata]()
        for update in updates:
            record = self._write_passages(collections, token, update)
            records[record.document.doc_id] = record
            changed[record.document.doc_id] = document_metadata(record, update)
        documents = {doc_id: known for doc_id, known in before.documents.items() if doc_id not in dropped}
        documents |= {doc_id: f"{doc_id}@{token}" for doc_id in changed}
        collections.write("-documents", [documents[doc_id] for doc_id in changed], list(changed.values()))
        # Stale records were replaced or dropped, were left by a killed run, or are of a writer that began before this
        # generation and can publish no more.
        passages = {records[doc_id].passages for doc_id in documents}
        stale_passages = [known for known in collections.ids("") if known.rpartition("#")[0] not in passages]
        stale_documents = sorted({*collections.ids("-documents")} - {*documents.values()})
        collections.publish(Generation(before.number + 1, token, documents, relevance or before.relevance))
        # The change is valid now; if stale records cannot be removed from a server, the next ingest removes them.
        with contextlib.suppress(*[Exception] if is_url(self.location) else []):
            collections.delete("", stale_passages)
            collections.delete("-documents", stale_documents)

    def _write_passages(self, collections: Collections, token: str, update: DocumentUpdate) -> Record:
        """Write the passages of a document, and return the document's record."""
        document, vectors = update.reading.document, update.vectors
        texts = [paragraph.text for paragraph in update.reading.paragraphs]
        passages = f"{document.doc_id}@{token}"
        record = Record(document, passages, update.embedder_spec, update.max_tokens, words_of(vectors.words))
        if texts:
            self.require_embedder(update.embedder_spec)
            collections.write("", record.passage_ids, passage_metadatas(update), vectors.paragraphs, texts)
        return record
