"""Chroma, in a folder or on a server; the only file that calls chromadb.

A course has four collections: NAME holds one record a paragraph, NAME-sentences one a sentence, NAME-aliases one a
document's name and NAME-documents one a document.
"""

from __future__ import annotations

import contextlib
import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import urlsplit

import numpy as np

from quarry.ingest.arrays import Float32Array
from quarry.ingest.errors import StoreError
from quarry.ingest.store.codec import FORMAT, Record, record_of
from quarry.ingest.store.generations import Hold

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection

Part = Literal["", "-sentences", "-aliases", "-documents"]
PARTS: tuple[Part, ...] = ("", "-sentences", "-aliases", "-documents")
"""What is put after the name of a course to name its collections; the first one holds the paragraphs."""

READ_CHUNK = 5_000
WRITE_CHUNK = 500
"""Records a request; below the limits of SQLite and of Chroma's server."""

_SEARCHED: Any = {"hnsw": {"space": "cosine", "ef_construction": 200, "max_neighbors": 32, "ef_search": 200}}
_FETCHED: Any = {"hnsw": {"space": "cosine", "ef_construction": 2, "max_neighbors": 2, "ef_search": 2}}
"""Chroma's index over what is searched, and over what is fetched by id only, where the best one is the cheapest."""

_UNUSED: deque[Client] = deque()
"""Clients of folders that nobody reads any more; closed when the next is opened, as a garbage collector must not."""


class Collections:
    """The collections of one course; empty where nothing was ever filed.

    Args:
        location: as the user named it, for errors.
        name: of the course.
        client: of Chroma; None where there is no folder yet.
        hold: on the folder that the client reads, kept as long as somebody has these.

    Attributes:
        exist: whether anything was ever filed.
    """

    def __init__(self, location: str, name: str, client: Client | None, hold: Hold | None = None) -> None:
        self.location = location
        self.name = name
        self._client = client
        self._hold = hold
        if client is not None and hold is not None:
            weakref.finalize(self, _UNUSED.append, client).atexit = False
        found = self.metadata("") if client else None
        self.exist = found is not None
        if found is not None and found.get("format") != FORMAT:
            raise StoreError(
                f"{location}: collection {name!r} must have store format {FORMAT}, "
                f"got {found.get('format')}; ingest into a new folder, or name another --collection"
            )

    def metadata(self, part: Part) -> dict[str, Any] | None:
        """What a collection says of itself, None if there is no such collection."""
        from chromadb.errors import NotFoundError

        assert self._client is not None
        try:
            found = self._client.get_collection(self.name + part, embedding_function=None)
        except NotFoundError:
            return None
        return dict(found.metadata or {})

    def collection(self, part: Part) -> Collection:
        """One of them; it must be there."""
        assert self._client is not None
        return self._client.get_collection(self.name + part, embedding_function=None)

    def made(self) -> tuple[Collection, Collection, Collection, Collection]:
        """All of them, made where they are missing."""
        assert self._client is not None
        paragraphs, parts, names, documents = (
            self._client.get_or_create_collection(
                self.name + part,
                embedding_function=None,
                metadata={"format": FORMAT},
                configuration=_FETCHED if part else _SEARCHED,
            )
            for part in PARTS
        )
        return paragraphs, parts, names, documents

    def records(self) -> dict[str, Record]:
        """Every document's record by doc_id, in its order."""
        if not self.exist:
            return {}
        with self.reading():
            return records_in(self.collection("-documents"))

    def chunks(self, part: Part, *include: str) -> Iterator[Any]:
        """All records of a collection, some thousands at a time.

        Raises:
            StoreError: Chroma cannot read them.
        """
        if not self.exist:
            return
        with self.reading():
            yield from chunks_of(self.collection(part), *include)

    def all_vectors(self, part: Part) -> tuple[list[str], Float32Array]:
        """The ids and (n, dim) vectors of a collection, in force or not."""
        return _joined(self.chunks(part, "embeddings"))

    def vectors_of(self, part: Part, wanted: Sequence[str]) -> tuple[list[str], Float32Array]:
        """The same of some of its records; those that are not there are left out."""
        if not wanted:
            return _joined([])
        with self.reading():
            collection = self.collection(part)
            return _joined(
                collection.get(ids=list(wanted[start : start + WRITE_CHUNK]), include=["embeddings"])
                for start in range(0, len(wanted), WRITE_CHUNK)
            )

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Say in one line that Chroma could not read; it raises many kinds, its own and those of SQLite and HTTP."""
        try:
            yield
        except Exception as error:
            raise StoreError(f"{self.location}: could not be read: {one_line(error)}") from error


def server_at(location: str) -> Client:
    """A client of the Chroma server at a URL."""
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


def folder_at(folder: Path) -> Client:
    """A client of the Chroma database in a folder."""
    import chromadb
    from chromadb.config import Settings as ChromaSettings

    while _UNUSED:
        _UNUSED.popleft().close()
    client = chromadb.PersistentClient(str(folder), settings=ChromaSettings(anonymized_telemetry=False))
    return cast("Client", client)


def chunks_of(collection: Collection, *include: str) -> Iterator[Any]:
    """All records of a collection, some thousands at a time."""
    offset = 0
    while True:
        chunk: Any = collection.get(include=cast("Any", list(include)), limit=READ_CHUNK, offset=offset)
        yield chunk
        offset += len(chunk["ids"])
        if len(chunk["ids"]) < READ_CHUNK:
            return


def records_in(documents: Collection) -> dict[str, Record]:
    """Every document's record by doc_id, in its order."""
    found = [record_of(metadata) for chunk in chunks_of(documents, "metadatas") for metadata in chunk["metadatas"]]
    return {record.document.doc_id: record for record in sorted(found, key=lambda item: item.document.doc_id)}


def upsert(
    collection: Collection,
    ids: Sequence[str],
    vectors: Float32Array,
    metadatas: Sequence[Mapping[str, Any]],
    texts: Sequence[str] | None = None,
) -> None:
    """Write records, some hundreds a request."""
    for start in range(0, len(ids), WRITE_CHUNK):
        part = slice(start, start + WRITE_CHUNK)
        collection.upsert(
            ids=list(ids[part]),
            embeddings=vectors[part],
            metadatas=[dict(metadata) for metadata in metadatas[part]],
            documents=list(texts[part]) if texts is not None else None,
        )


def sweep(collection: Collection, in_force: set[tuple[str, str]]) -> None:
    """Remove the records that no document's record puts in force: replaced, dropped, or left by a run that died."""
    stale = [
        record_id
        for chunk in chunks_of(collection, "metadatas")
        for record_id, metadata in zip(chunk["ids"], chunk["metadatas"], strict=True)
        if (metadata["doc_id"], metadata["version"]) not in in_force
    ]
    for start in range(0, len(stale), WRITE_CHUNK):
        collection.delete(ids=stale[start : start + WRITE_CHUNK])


def one_line(error: BaseException) -> str:
    """What an error says, on one line."""
    return " ".join(str(error).split()) or type(error).__name__


def _joined(chunks: Iterable[Any]) -> tuple[list[str], Float32Array]:
    ids: list[str] = []
    vectors: list[Float32Array] = []
    for chunk in chunks:
        if chunk["ids"]:
            ids += chunk["ids"]
            vectors.append(np.asarray(chunk["embeddings"], dtype=np.float32))
    return ids, np.concatenate(vectors) if vectors else np.empty((0, 0), dtype=np.float32)
