"""Store: writes documents to a course. A change becomes visible as a whole or not at all, in a folder and on a server.

New records are added next to the valid ones; one record that lists all documents' records makes them valid
(`Collections.publish`); replaced records, and records left by a killed run, are removed afterwards. On a server this
happens in the course itself, in a folder in a copy (folder.py).
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

from quarry.embed.networks import NETWORKS
from quarry.embed.relevance import Relevance
from quarry.errors import (
    EmbedderMismatchError,
    StoreChangedError,
    StoreDamagedError,
    StoreError,
)
from quarry.store import chroma
from quarry.store.chroma import (
    Collections,
    Generation,
    changed_meanwhile,
    folder_at,
    is_url,
)
from quarry.store.course import DEFAULT_COLLECTION, Course
from quarry.store.damage import require_sound
from quarry.store.folder import current_generation, next_generation, require_usable
from quarry.store.opening import cached_course, course_at
from quarry.store.records import (
    DocumentUpdate,
    Record,
    document_metadata,
    passage_metadatas,
)
from quarry.terminal import described


def create_store(location: str, collection: str = DEFAULT_COLLECTION) -> Store:
    """Open the store at a folder or URL for writing; a new folder is created by the first change, not before.

    Raises:
        StoreError: the folder cannot be read, the server does not answer, or it is not a store of ours.
    """
    return Store(location, collection)


class Store:
    """A course that can be changed, opened by `create_store`.

    Args:
        location: folder or URL, as the user named it.
        collection: its name within the location.

    Attributes:
        course: the present content; a new one after each change.
        damage: the damage of a folder's database, which the next change replaces by its documents alone, or None;
            `course` is then what the cache holds of it.
    """

    def __init__(self, location: str, collection: str) -> None:
        self.location = location
        self.collection = collection
        self.damage: StoreDamagedError | None = None
        self._damaged: Path | None = None
        if not is_url(location):
            folder = Path(location)
            require_usable(folder)
            current = current_generation(folder)
            try:
                if current is not None:
                    require_sound(current)
            except StoreDamagedError as error:
                self.damage, self._damaged = error, current
        open_course = course_at if self.damage is None else cached_course
        self.course = open_course(location, collection)

    def require_embedder(self, spec: str) -> None:
        """Pass if the store is empty or was made with the embedder `spec`.

        Raises:
            EmbedderMismatchError: the store was made with another embedder.
        """
        existing = self.course.embedder_spec
        if existing not in ("", spec):
            raise EmbedderMismatchError(
                f"--embedder is {spec!r}, but {self.location} was made with {existing!r}; "
                "leave --embedder out, or ingest into another --store"
            )

    def change(
        self,
        updates: Sequence[DocumentUpdate],
        dropped: Sequence[str] = (),
        relevance: Relevance | None = None,
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
        base = self.course
        if self.damage is not None:
            base = Course(location=self.location, collection=self.collection)
        try:
            with self._writing() as (collections, token):
                self._write(collections, token, base, updates, dropped, relevance)
        except (EmbedderMismatchError, StoreChangedError):
            raise
        except (
            Exception
        ) as error:  # Chroma raises errors of its own, of SQLite and of HTTP
            raise StoreError(
                f"{self.location}: could not be written: {described(error)}; nothing stored was lost, "
                "run the same command again"
            ) from error

        self.damage = self._damaged = None
        self.course = course_at(self.location, self.collection)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[tuple[Collections, str]]:
        """Yield the collections to write to, and a token for the new generation."""
        if is_url(self.location):
            collections = chroma.server_collections(self.location, self.collection)
            collections.patience_s = chroma.PATIENCE_S
            yield collections, uuid.uuid4().hex[:12]
            return
        folder = Path(self.location)
        with (
            next_generation(folder, self._damaged) as database,
            folder_at(database) as client,
        ):
            collections = Collections(self.location, self.collection, client)
            yield collections, database.name
            collections.settle()

    def _write(
        self,
        collections: Collections,
        token: str,
        base: Course,
        updates: Sequence[DocumentUpdate],
        dropped: Sequence[str],
        relevance: Relevance | None,
    ) -> None:
        """Write the records of a new generation, which changes the course `base`, and publish it."""
        spec = base.embedder_spec
        for update in updates:
            if update.reading.paragraphs:
                spec = spec or update.embedder_spec
        model = NETWORKS[spec].published if spec in NETWORKS else spec
        collections.make({"embedder": spec, "model": model})
        before = collections.generation()
        if before.documents != base.record_ids:
            raise changed_meanwhile(self.location)

        metadatas = {}
        documents = dict(before.documents)
        for update in updates:
            record = Record(
                document=update.reading.document,
                passages=f"{update.reading.document.doc_id}@{token}",
                embedder_spec=update.embedder_spec,
                max_tokens=update.max_tokens,
            )
            documents[record.document.doc_id] = record.passages
            metadatas[record.passages] = document_metadata(record, update)
            if update.reading.paragraphs:
                self.require_embedder(update.embedder_spec)
                collections.write(
                    "",
                    record.passage_ids,
                    passage_metadatas(update),
                    update.vectors.paragraphs,
                    [paragraph.text for paragraph in update.reading.paragraphs],
                )
        for doc_id in dropped:
            documents.pop(doc_id, None)
        collections.write("-documents", list(metadatas), list(metadatas.values()))

        # Stale records were replaced or dropped, were left by a killed run, or are of a writer that began before this
        # generation and can publish no more.
        valid = set(documents.values())
        stale_passages = [
            record_id
            for record_id in collections.ids("")
            if record_id.rpartition("#")[0] not in valid
        ]
        stale_documents = sorted({*collections.ids("-documents")} - valid)
        relevance = relevance or before.relevance
        collections.publish(Generation(before.number + 1, token, documents, relevance))
        # The change is valid now; if stale records cannot be removed from a server, the next ingest removes them.
        with contextlib.suppress(*[Exception] if is_url(self.location) else []):
            collections.delete("", stale_passages)
            collections.delete("-documents", stale_documents)
