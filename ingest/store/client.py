"""Chroma, in a folder or on a server; the only file that calls chromadb.

A course has three collections: NAME holds one record a passage, NAME-documents one a document, and NAME-commits the
numbered records that say which documents count and who may write.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast
from urllib.parse import urlsplit

import numpy as np

from quarry.ingest.arrays import Float32Array
from quarry.ingest.errors import StoreError
from quarry.ingest.store.codec import FORMAT

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection

Part = Literal["", "-documents", "-commits"]
PARTS: tuple[Part, ...] = ("", "-documents", "-commits")
"""Suffixes of the names of a course's collections."""

CHUNK = 200
"""Records a request: some 4 MB, below the limits of SQLite and of Chroma's server."""

ANSWER_S = 30.0
"""Seconds that a server has to answer a request."""
ATTEMPTS_S = 60.0
"""Seconds after which a request that fails in transport is not tried again."""

_SEARCHED: Any = {"space": "cosine", "ef_construction": 200, "max_neighbors": 32, "ef_search": 200}
_FETCHED: Any = {"space": "cosine", "ef_construction": 2, "max_neighbors": 2, "ef_search": 2}
"""Chroma's index over what is searched, and over what is fetched by id only, where the best one is the cheapest."""
_SYNC: Any = {"sync_threshold": 250, "batch_size": 100}
"""Records that Chroma keeps twice until it writes its index; a passage takes about 20 kB."""

T = TypeVar("T")


class Collections:
    """The collections of one course.

    Args:
        location: as the user named it, for errors.
        name: of the course.
        client: of Chroma; None where there is no folder yet.

    Attributes:
        exist: whether they were made.

    Raises:
        StoreError: they are of another format.
    """

    def __init__(self, location: str, name: str, client: Client | None) -> None:
        from chromadb.errors import NotFoundError

        self.location = location
        self.name = name
        self._client = client
        self._opened: dict[Part, Collection] = {}
        self.exist = client is not None
        if client is not None:
            try:
                found = client.get_collection(name, embedding_function=None).metadata or {}
            except NotFoundError:
                self.exist = False
            else:
                if found.get("format") != FORMAT:
                    raise StoreError(
                        f"{location}: collection {name!r} must have store format {FORMAT}, got "
                        f"{found.get('format')}; ingest into a new folder, or name another --collection"
                    )

    def make(self) -> None:
        """Make the collections that are missing."""
        assert self._client is not None
        for part in PARTS:
            self._opened[part] = self._client.get_or_create_collection(
                self.name + part,
                embedding_function=None,
                metadata={"format": FORMAT},
                configuration={"hnsw": (_FETCHED if part else _SEARCHED) | _SYNC},
            )
        self.exist = True

    def get(self, part: Part, wanted: Sequence[str], *include: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the id and the values of records, in the order of `wanted`, by the singular of what is included.

        Raises:
            StoreError: Chroma cannot read them, or one is missing.
        """
        for start in range(0, len(wanted), CHUNK):
            ids = list(wanted[start : start + CHUNK])
            with self.reading():
                chosen: Any = {"ids": ids, "include": list(include)}
                found: Any = tried_again(functools.partial(self._of(part).get, **chosen))
            rows = {record_id: row for row, record_id in enumerate(found["ids"])}
            if missing := [record_id for record_id in ids if record_id not in rows]:
                raise StoreError(f"{self.location}: must hold the record {missing[0]!r}, got none; open it again")
            for record_id in ids:
                yield record_id, {name.removesuffix("s"): found[name][rows[record_id]] for name in include}

    def find(self, part: Part, where: Mapping[str, Any] | None, *include: str) -> Any:
        """Return all records that `where` describes, as Chroma does.

        Raises:
            StoreError: Chroma cannot read them.
        """
        chosen: Any = {"where": where, "include": list(include)}
        with self.reading():
            return tried_again(lambda: self._of(part).get(**chosen))

    def ids(self, part: Part) -> list[str]:
        """Return the ids of all records of a collection."""
        found: list[str] = self.find(part, None)["ids"]
        return found

    def write(
        self,
        part: Part,
        ids: Sequence[str],
        metadatas: Iterable[Mapping[str, Any]],
        vectors: Float32Array | None = None,
        texts: Sequence[str] | None = None,
        *,
        over: bool = True,
    ) -> None:
        """Write records, some hundreds a request.

        Args:
            over: replace a record of the same id; else it stays as it is.
        """
        every = iter(metadatas)
        write = self._of(part).upsert if over else self._of(part).add
        for start in range(0, len(ids), CHUNK):
            rows = slice(start, start + CHUNK)
            tried_again(
                functools.partial(
                    write,
                    ids=list(ids[rows]),
                    embeddings=np.ones((len(ids[rows]), 1), dtype=np.float32) if vectors is None else vectors[rows],
                    metadatas=[dict(metadata) for metadata in itertools.islice(every, CHUNK)],
                    documents=None if texts is None else list(texts[rows]),
                )
            )

    def delete(self, part: Part, ids: Sequence[str]) -> None:
        """Remove records.

        Raises:
            StoreError: Chroma cannot remove them.
        """
        with self.reading():
            for start in range(0, len(ids), CHUNK):
                tried_again(functools.partial(self._of(part).delete, ids=list(ids[start : start + CHUNK])))

    def settle(self) -> None:
        """Have Chroma build its index, which it does when it is read, so that no reader writes to the folder."""
        for part in PARTS:
            self._of(part).get(include=["embeddings"], limit=1)

    def _of(self, part: Part) -> Collection:
        assert self._client is not None
        if part not in self._opened:
            self._opened[part] = self._client.get_collection(self.name + part, embedding_function=None)
        return self._opened[part]

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Say in one line that Chroma could not read; it raises many kinds, its own and those of SQLite and HTTP."""
        try:
            yield
        except Exception as error:
            raise StoreError(f"{self.location}: could not be read: {one_line(error)}") from error


@functools.lru_cache(maxsize=8)
def server_at(location: str, answer_s: float = ANSWER_S) -> Client:
    """Return a client of the Chroma server at a URL, the same one each time."""
    import chromadb
    from chromadb.config import Settings as ChromaSettings

    url = urlsplit(location)
    if url.username or url.password or url.path.strip("/"):
        raise StoreError("--store must be a URL of host and port alone, got one with more; leave the rest out")
    client: Any = chromadb.HttpClient(
        host=url.hostname or "",
        port=url.port or (443 if url.scheme == "https" else 80),
        ssl=url.scheme == "https",
        settings=ChromaSettings(anonymized_telemetry=False),
    )
    client._server._session.timeout = answer_s  # Chroma waits for ever, and has no option for it
    return cast("Client", client)


@contextlib.contextmanager
def folder_at(folder: Path) -> Iterator[Client]:
    """Open the Chroma database in a folder."""
    import chromadb
    from chromadb.config import Settings as ChromaSettings

    client = cast("Client", chromadb.PersistentClient(str(folder), settings=ChromaSettings(anonymized_telemetry=False)))
    try:
        yield client
    finally:
        client.close()


def tried_again(request: Callable[[], T]) -> T:
    """Send a request, and send it again while it fails in transport; all of ours may be sent twice."""
    import httpx
    import tenacity

    return tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(httpx.TransportError),
        wait=tenacity.wait_exponential(multiplier=0.5, max=10),
        stop=tenacity.stop_after_delay(ATTEMPTS_S),
        reraise=True,
    )(request)


def one_line(error: BaseException) -> str:
    """Return what an error says, on one line."""
    return " ".join(str(error).split()) or type(error).__name__
