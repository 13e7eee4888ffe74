"""Store: what an ingest changes. A change is in place as a whole or not at all, in the same way for each location.

New records go in beside those that count; one record that names all documents' records puts them in place (commits.py);
what counts no more, or was left by a run that died, is removed afterwards. A server takes all this as it is. In a
folder it happens in a copy (generations.py).
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from quarry.configs.settings import EmbedSettings
from quarry.ingest.embed import Models
from quarry.ingest.embed.vectors import ReadingVectors
from quarry.ingest.errors import EmbedderMismatchError, StoreError
from quarry.ingest.paragraph import Reading
from quarry.ingest.store.client import Collections, folder_at, one_line, server_at
from quarry.ingest.store.codec import (
    DocumentUpdate,
    Metadata,
    Record,
    as_json,
    document_metadata,
    links_of,
    passage_metadatas,
    version_of,
    words_of,
)
from quarry.ingest.store.commits import Generation, latest_generation, publish
from quarry.ingest.store.course import course_at
from quarry.ingest.store.generations import current_generation, next_generation, remove_others
from quarry.ingest.store.places import is_url, models_at, staging_of


class Store:
    """A course that can be changed. Made by `create_store`.

    Args:
        location: folder or URL, as the user named it.
        collection: its name within the location.
        is_alone: whether no other ingest may write; asked before records are removed.

    Attributes:
        course: what counts now; another one after each change.
    """

    def __init__(self, location: str, collection: str, is_alone: Callable[[], bool] = lambda: True) -> None:
        self.location = location
        self.collection = collection
        self._is_alone = is_alone
        self.course = course_at(location, collection)

    @property
    def staging_dir(self) -> Path:
        """Where an ingest keeps what it has not yet put into the store."""
        return staging_of(self.location, self.collection)

    def models(self, settings: EmbedSettings) -> Models:
        """The embedders of the store."""
        return models_at(settings)

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
        """Put one document into the store; see `change`."""
        self.change([DocumentUpdate(reading, vectors, embedder_spec)])

    def change(
        self,
        updates: Iterable[DocumentUpdate],
        dropped: Sequence[str] = (),
        near_identical: Mapping[str, str] | None = None,
    ) -> None:
        """Put documents into the store and drop others: all of it counts once this returns, and nothing of it before.

        Args:
            updates: each replaces the document of its doc_id; taken one by one, never held together.
            dropped: doc_ids to remove.
            near_identical: `Paragraph.same_as` by paragraph_id, over all documents that there will be; None leaves
                those of other documents as they are.

        Raises:
            EmbedderMismatchError: the store was made with another embedder.
            StoreError: Chroma could not write (disk full, server gone), or another ingest was quicker; what counted
                before still does.
        """
        try:
            with self._writing() as (collections, token):
                self._write(collections, token, updates, dropped, near_identical)
        except EmbedderMismatchError:
            raise
        except Exception as error:  # chromadb raises many kinds, its own and those of SQLite and HTTP
            raise StoreError(
                f"{self.location}: could not be written: {one_line(error)}; nothing stored was lost"
            ) from error
        self.course = course_at(self.location, self.collection)
        self.tidy()

    def tidy(self) -> None:
        """Remove the folders that a killed ingest has left, or that counted before; a server has none."""
        if not is_url(self.location):
            remove_others(Path(self.location), current_generation(Path(self.location)))

    @contextlib.contextmanager
    def _writing(self) -> Iterator[tuple[Collections, str]]:
        """The collections to write to, and a token for what is written."""
        if is_url(self.location):
            yield Collections(self.location, self.collection, server_at(self.location)), uuid.uuid4().hex[:12]
            return
        with next_generation(Path(self.location)) as folder, folder_at(folder) as client:
            collections = Collections(self.location, self.collection, client)
            yield collections, folder.name
            collections.settle()

    def _write(
        self,
        collections: Collections,
        token: str,
        updates: Iterable[DocumentUpdate],
        dropped: Sequence[str],
        near_identical: Mapping[str, str] | None,
    ) -> None:
        collections.make()
        before = latest_generation(collections)
        if before.documents != self.course.record_ids:
            raise StoreError("another ingest has changed it meanwhile; run this one again")
        changed: dict[str, Metadata] = {}
        for update in updates:
            record = self._passages_written(collections, token, update, near_identical or {})
            changed[record.document.doc_id] = document_metadata(record, update)
        if near_identical is not None:
            changed |= self._linked_otherwise(collections, near_identical, {*dropped, *changed})
        documents = {doc_id: known for doc_id, known in before.documents.items() if doc_id not in dropped}
        documents |= {doc_id: f"{doc_id}@{token}" for doc_id in changed}
        collections.write("-documents", [documents[doc_id] for doc_id in changed], changed.values())
        publish(collections, Generation(before.number + 1, token, documents))
        with contextlib.suppress(*[StoreError] if is_url(self.location) else []):  # it counts by now; the next will
            self._sweep(collections, documents, changed)

    def _passages_written(
        self, collections: Collections, token: str, update: DocumentUpdate, near_identical: Mapping[str, str]
    ) -> Record:
        """Write the passages of a document that are new, and return the document's record."""
        reading, vectors = update.reading, update.vectors
        doc_id, texts = reading.document.doc_id, reading.paragraphs
        if texts:
            self.require_embedder(update.embedder_spec)
        version = version_of(reading, update.embedder_spec, update.max_tokens, vectors.words)
        words, passages = words_of(vectors.words), f"{doc_id}@{token}"
        if update.unchanged:
            known = self.course.records[doc_id]
            version, words, passages = known.version, known.words, known.passages
        links = links_of(texts, near_identical)
        record = Record(reading.document, passages, version, update.embedder_spec, update.max_tokens, words, links)
        if texts and not update.unchanged:
            metadatas = passage_metadatas(update)
            collections.write("", record.passage_ids, metadatas, vectors.paragraphs, [item.text for item in texts])
        return record

    def _linked_otherwise(
        self, collections: Collections, near_identical: Mapping[str, str], but: set[str]
    ) -> dict[str, Metadata]:
        """The records of documents that are not changed themselves, but whose paragraphs are now the same as others."""
        links: dict[str, dict[str, str]] = {doc_id: {} for doc_id in self.course.records if doc_id not in but}
        for paragraph in self.course.paragraphs:
            if paragraph.doc_id in links:
                links[paragraph.doc_id] |= links_of([paragraph], near_identical)
        changed = [doc_id for doc_id, own in links.items() if own != self.course.records[doc_id].near_identical]
        found = collections.get("-documents", [self.course.record_ids[doc_id] for doc_id in changed], "metadatas")
        return {
            doc_id: {**values["metadata"], "near_identical": as_json(links[doc_id])}
            for doc_id, (_, values) in zip(changed, found, strict=True)
        }

    def _sweep(self, collections: Collections, documents: Mapping[str, str], changed: Mapping[str, Metadata]) -> None:
        """Remove the records that count no more: replaced, dropped, or left by a run that died."""
        passages = {metadata["passages"] for metadata in changed.values()}
        passages |= {self.course.records[doc_id].passages for doc_id in documents.keys() - changed.keys()}
        kept = set(documents.values())
        stale_passages = [known for known in collections.ids("") if known.rpartition("#")[0] not in passages]
        stale_documents = [known for known in collections.ids("-documents") if known not in kept]
        if self._is_alone():  # else what looks stale may be what the other ingest is writing
            collections.delete("", stale_passages)
            collections.delete("-documents", stale_documents)
