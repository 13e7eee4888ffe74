"""Store: a course that an ingest changes as a whole or not at all. Functions open a course, and search by its index."""

from __future__ import annotations

import contextlib
import shlex
import threading
import weakref
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from configs.directories import DEFAULT_COLLECTION
from quarry.addresses import is_url
from quarry.arrays import Float32Array
from quarry.course.course import Course, EmbedderFit
from quarry.errors import (
    EmbedderMismatchError,
    StoreDamagedError,
    StoreError,
    StoreMissingError,
)
from quarry.store.content import (
    Content,
    StoredDocument,
    build_snapshot,
    link_duplicates,
)
from quarry.store.folder import Folder
from quarry.store.generations import Generations, as_store_error
from quarry.store.server import Server

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection


def generations_at(location: str, collection: str) -> Generations:
    """Return the generations of a course at a folder or URL."""
    kind = Server if is_url(location) else Folder
    return kind(location, collection)


def current_identity(course: Course) -> Hashable:
    """Return the identity of the content that the store holds now; None if it holds none any more.

    Lists a folder, or sends a small request to a server.

    Raises:
        StoreError: the server does not answer.
    """
    return generations_at(course.location, course.collection).newest()[1]


def open_store(
    location: str,
    collection: str = DEFAULT_COLLECTION,
    *,
    all_rejected_ok: bool = False,
) -> Course:
    """Open the store at a folder or URL for reading; an ingest must have made it.

    Args:
        location: folder or URL.
        collection: name within the store.
        all_rejected_ok: accept a store of documents without a kept paragraph.

    Raises:
        StoreMissingError: there is no store.
        StoreError: the store cannot be opened, or holds no paragraphs; or the location is a file or holds other files.
    """
    generations = generations_at(location, collection)
    generation, identity = generations.newest()
    content = generations.content(generation)
    what, command = "store", f"quarry ingest PATH... --store {shlex.quote(location)}"
    if collection != DEFAULT_COLLECTION:
        what = f"collection {collection!r}"
        command += f" --collection {shlex.quote(collection)}"
    if not generation:
        generations.require_usable(0)
        raise StoreMissingError(f"--store {location} holds no {what}; run: {command}")
    if not content.embedder_spec and not (all_rejected_ok and content.documents):
        raise StoreError(f"--store {location} holds no paragraphs; run: {command}")
    return build_snapshot(content, location, collection, generation, identity)


class Store:
    """A course that can be changed; the first change creates the folder.

    Args:
        location: folder or URL, as the user named it.
        collection: its name within the location.

    Attributes:
        course: the current content; a new one after each change.
        documents: the current content, by doc_id.
        damage: the error of a damaged database, or None; the next change makes it again.

    Raises:
        StoreDamagedError: the content is damaged.
        StoreError: the folder cannot be read, the server does not answer, or the location is not a store of ours.
    """

    def __init__(self, location: str, collection: str = DEFAULT_COLLECTION) -> None:
        self._generations = generations_at(location, collection)
        self.location = location
        self.collection = collection
        self.damage: StoreDamagedError | None = None
        number, identity = self._generations.newest()
        content = self._generations.content(number)
        try:
            self._generations.require_usable(number)
        except StoreDamagedError as error:
            self.damage = error
        self._use(content, number, identity)

    def _use(self, content: Content, generation: int, identity: Hashable) -> None:
        """Make a content the current one."""
        address = self.location, self.collection
        self.course = build_snapshot(content, *address, generation, identity)
        self.documents = {document.doc_id: document for document in content.documents}

    def require_embedder(self, spec: str) -> None:
        """Check that the store is empty or was made with the embedder `spec`.

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
        updates: Sequence[StoredDocument],
        dropped: Sequence[str] = (),
        *,
        embedder_spec: str = "",
        embedder_fit: EmbedderFit | None = None,
    ) -> None:
        """Write documents and remove others; readers see the whole change when this returns, and nothing before.

        Args:
            updates: each replaces the document with its doc_id.
            dropped: doc_ids to remove.
            embedder_spec: SPEC of the embedder of the updates; "" for that of the store.
            embedder_fit: the embedder's fit on all documents; None if there is none.

        Raises:
            EmbedderMismatchError: the store was made with another embedder.
            StoreChangedError: another ingest has changed the store meanwhile.
            StoreError: the content could not be written; the valid one is unchanged.
        """
        spec = embedder_spec or self.course.embedder_spec
        documents = dict(self.documents)
        for doc_id in dropped:
            documents.pop(doc_id, None)
        for update in updates:
            if update.reading.paragraphs:
                self.require_embedder(spec)
            documents[update.doc_id] = update

        content = link_duplicates(documents.values(), spec, embedder_fit)
        base = self.course.generation
        self._generations.publish(base, content)
        self.damage = None
        self._use(content, base + 1, self._generations.identity(base + 1))


class ChromaIndex:
    """Chroma's index of an opened course; the first search opens the index, which then stays open."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._rows = {
            paragraph.paragraph_id: row
            for row, paragraph in enumerate(course.paragraphs)
        }
        self._lock = threading.Lock()
        self._opened: Collection | None = None
        self._stack = contextlib.ExitStack()
        weakref.finalize(self, self._stack.close)

    def nearest(
        self, vector: Float32Array, n: int, doc_id: str = ""
    ) -> dict[int, float]:
        """Return the rows in the course of the paragraphs nearest to a vector, with their cosines, nearest first.

        Args:
            vector: (dim,) unit vector.
            n: number of paragraphs.
            doc_id: the only document to search in, "" for all.

        Raises:
            StoreError: the database is damaged or gone, or the server does not answer.
        """
        n = min(n, len(self._rows))
        if not n:
            return {}
        with as_store_error(self._course.location):
            answer = self._open_collection().query(
                query_embeddings=vector[None, :],
                n_results=n,
                where={"doc_id": doc_id} if doc_id else None,
                include=["distances"],
            )
        assert answer["distances"] is not None
        nearest = zip(answer["ids"][0], answer["distances"][0], strict=True)
        return {self._rows[name]: 1.0 - distance for name, distance in nearest}

    def _open_collection(self) -> Collection:
        """Return the Chroma collection; open it on the first call.

        Raises:
            StoreError: it is damaged, or later ingests have removed it.
        """
        with self._lock:
            if self._opened is None:
                course = self._course
                generations = generations_at(course.location, course.collection)
                if generations.identity(course.generation) != course.identity:
                    name = generations.generation_name(course.generation)
                    raise StoreError(f"{course.location}/{name} is gone; open it again")
                collection = generations.open_collection(course.generation)
                self._opened = self._stack.enter_context(collection)
            return self._opened
