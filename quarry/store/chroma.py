"""Chroma collections of a course, in a folder or on a server; the only file that calls chromadb.

A course has three collections: NAME holds a record for each passage, NAME-documents a record for each document, and
NAME-commits the numbered records of generations, the last of which lists the valid documents.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast
from urllib.parse import urlsplit

import numpy as np

from quarry.arrays import Float32Array
from quarry.embed.relevance import Relevance
from quarry.errors import StoreChangedError, StoreError
from quarry.store.folder import readable
from quarry.store.records import FORMAT, as_json
from quarry.terminal import described, visible

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection

T = TypeVar("T")

Part = Literal["", "-documents", "-commits"]
PARTS: tuple[Part, ...] = ("", "-documents", "-commits")
"""Suffixes of the names of a course's collections."""

CHUNK = 200
"""Records in a request: some 4 MB, below the limits of SQLite and of Chroma's server."""

ANSWER_S = 30.0
"""Seconds that a server has to answer a request."""
GREETING_S = 4.0
"""Seconds that a server has to answer the first request of an opening."""
ASK_AGAIN_S = 2.0
"""Seconds between the questions to a server that was silent, in the background."""
PATIENCE_S = 60.0
"""Seconds for which an ingest repeats a request while the server cannot be reached."""

_SEARCHED: Any = {
    "space": "cosine",
    "ef_construction": 200,
    "max_neighbors": 32,
    "ef_search": 200,
}
"""Parameters of Chroma's index over the passages."""
_FETCHED: Any = {
    "space": "cosine",
    "ef_construction": 2,
    "max_neighbors": 2,
    "ef_search": 2,
}
"""Parameters of the index over records that are read by id only: the cheapest ones."""
_SYNC: Any = {"sync_threshold": 250, "batch_size": 100}
"""Number of records that Chroma keeps twice before it writes its index; a passage takes about 20 kB."""


def is_url(location: str) -> bool:
    """Return whether a store's location is the URL of a Chroma server and not a folder."""
    return location.lower().startswith(("http://", "https://"))


@dataclass(frozen=True, slots=True)
class Generation:
    """The state of a course after one change.

    Attributes:
        number: 1 for the first change; 0 before it.
        token: unique, made up by the writer.
        documents: ids of the documents' records, by doc_id.
        relevance: the embedder's calibration on this course, or None.
    """

    number: int = 0
    token: str = ""
    documents: dict[str, str] = field(default_factory=dict)
    relevance: Relevance | None = None


class Collections:
    """The collections of one course.

    Args:
        location: folder or URL, for errors.
        name: the name of the course.
        client: the client of Chroma.

    Attributes:
        exist: whether the collections have been created.
        patience_s: seconds for which a request is repeated while the server cannot be reached.

    Raises:
        StoreError: the collections have another format.
        Exception: each method may raise any error of Chroma, of SQLite and of HTTP, as `as_store_error` expects.
    """

    def __init__(self, location: str, name: str, client: Client) -> None:
        from chromadb.errors import NotFoundError

        self.location = location
        self.name = name
        self._client = client
        self.patience_s = 0.0
        self._opened: dict[Part, Collection] = {}
        self.exist = False
        with contextlib.suppress(NotFoundError):
            collection = client.get_collection(name, embedding_function=None)
            self.exist = True
            version = (collection.metadata or {}).get("format")
            if version != FORMAT:
                raise StoreError(
                    f"{location}: collection {name!r} has store format {visible(version)[:60]}, not {FORMAT}; ingest "
                    "into a new folder, or name another --collection"
                )

    def make(self, about: Mapping[str, str | int]) -> None:
        """Create the collections that are missing.

        Args:
            about: metadata of the collection of passages, for readers that use Chroma alone.
        """
        for part in PARTS:
            metadata = {"format": FORMAT, **({} if part else about)}
            collection = self._client.get_or_create_collection(
                self.name + part,
                embedding_function=None,
                metadata=metadata,
                configuration={"hnsw": (_FETCHED if part else _SEARCHED) | _SYNC},
            )
            if collection.metadata != metadata:
                collection.modify(metadata=metadata)
            self._opened[part] = collection
        self.exist = True

    def get(
        self, part: Part, wanted: Sequence[str], *include: str
    ) -> Iterator[Mapping[str, Any]]:
        """Yield the values of records, in the order of the ids `wanted`; the keys are the singular of `include`.

        Raises:
            KeyError: a record is missing.
        """
        for start in range(0, len(wanted), CHUNK):
            ids = list(wanted[start : start + CHUNK])
            answer = self._call(part, "get", ids=ids, include=list(include))
            rows = {record_id: row for row, record_id in enumerate(answer["ids"])}
            for record_id in ids:
                row = rows[record_id]
                yield {name[:-1]: answer[name][row] for name in include}

    def nearest(
        self, vector: Float32Array, n: int, doc_id: str = ""
    ) -> dict[str, float]:
        """Return the cosines of the n passages nearest to a vector by their ids, nearest first, by Chroma's own index.

        Args:
            vector: (dim,) unit vector.
            doc_id: the only document to search in, "" for all.
        """
        answer = self._call(
            "",
            "query",
            query_embeddings=[vector],
            n_results=n,
            where={"doc_id": doc_id} if doc_id else None,
            include=["distances"],
        )
        nearest = zip(answer["ids"][0], answer["distances"][0], strict=True)
        return {record_id: 1.0 - distance for record_id, distance in nearest}

    def ids(self, part: Part) -> list[str]:
        """Return the ids of all records of a collection."""
        return list(self._call(part, "get", include=[])["ids"])

    def write(
        self,
        part: Part,
        ids: Sequence[str],
        metadatas: Sequence[Mapping[str, Any]],
        vectors: Float32Array | None = None,
        texts: Sequence[str] | None = None,
        *,
        over: bool = True,
    ) -> None:
        """Write records, CHUNK in a request.

        Args:
            over: replace a record that has the same id; otherwise Chroma leaves it unchanged.
        """
        if vectors is None:
            vectors = np.ones((len(ids), 1), dtype=np.float32)
        for start in range(0, len(ids), CHUNK):
            rows = slice(start, start + CHUNK)
            self._call(
                part,
                "upsert" if over else "add",
                ids=list(ids[rows]),
                embeddings=vectors[rows],
                metadatas=list(map(dict, metadatas[rows])),
                documents=None if texts is None else list(texts[rows]),
            )

    def delete(self, part: Part, ids: Sequence[str]) -> None:
        """Remove records."""
        for start in range(0, len(ids), CHUNK):
            self._call(part, "delete", ids=list(ids[start : start + CHUNK]))

    def settle(self) -> None:
        """Read from each collection, which makes Chroma write its indexes; later readers then write nothing."""
        for part in PARTS:
            self._call(part, "get", include=["embeddings"], limit=1)

    def token(self) -> str:
        """Return the token of the last generation, "" before the first change; one small request."""
        return str(self._newest().get("token", "")) if self.exist else ""

    def generation(self) -> Generation:
        """Return the last generation."""
        newest = self._newest() if self.exist else {}
        if not newest:
            return Generation()
        record_id = f"generation-{newest['number']}"
        (values,) = self.get("-commits", [record_id], "documents")
        documents = json.loads(values["document"])
        relevance = None
        if "relevance.bias" in newest:
            relevance = newest["relevance.bias"], newest["relevance.slope"]
        return Generation(newest["number"], newest["token"], documents, relevance)

    def publish(self, new: Generation) -> None:
        """Add the record of a new generation, and remove the records of earlier ones.

        Chroma leaves a record unchanged when another one is added under its id. If two writers add the same number, the
        first one wins. This single step makes valid all records that the winner has written before.

        Raises:
            StoreChangedError: another writer has published a generation of this number.
        """
        record_id = f"generation-{new.number}"
        metadata: dict[str, Any] = {"kind": "generation", "number": new.number}
        metadata["token"] = new.token
        if new.relevance is not None:
            metadata["relevance.bias"], metadata["relevance.slope"] = new.relevance
        texts = [as_json(new.documents)]
        self.write("-commits", [record_id], [metadata], texts=texts, over=False)

        (values,) = self.get("-commits", [record_id], "metadatas")
        if values["metadata"]["token"] != new.token:
            raise changed_meanwhile(self.location)
        older = {"$and": [{"kind": "generation"}, {"number": {"$lt": new.number}}]}
        replaced = self._call("-commits", "get", where=older, include=[])
        self.delete("-commits", replaced["ids"])

    def _newest(self) -> dict[str, Any]:
        """Return the metadata of the last generation's record, {} if there is none."""
        records = self._call(
            "-commits",
            "get",
            where={"kind": "generation"},
            include=["metadatas"],
        )
        return max(records["metadatas"], key=itemgetter("number"), default={})

    def _call(self, part: Part, method: str, **arguments: Any) -> Any:
        """Call a method of a Chroma collection; repeat the request while the server cannot be reached.

        Each of our requests may be sent twice: the second one finds what the first one has written.
        """
        import httpx
        import tenacity

        def request() -> Any:
            if part not in self._opened:
                self._opened[part] = self._client.get_collection(
                    self.name + part, embedding_function=None
                )
            return getattr(self._opened[part], method)(**arguments)

        repeat = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(httpx.TransportError),
            stop=tenacity.stop_after_delay(self.patience_s),
            wait=tenacity.wait_exponential(0.1, max=5.0),
            reraise=True,
        )
        return repeat(request)


class Pulse:
    """Asks a server for the token of a course; a server that is silent makes only one caller wait.

    Args:
        token: asks the server; may raise any error.
    """

    def __init__(self, location: str, token: Callable[[], str]) -> None:
        self._location = location
        self._token = token
        self._lock = threading.Lock()
        self._error: StoreError | None = None

    def token(self) -> str:
        """Return the token; after a failure, ask again in the background, and raise that failure meanwhile.

        Raises:
            StoreError: the server does not answer, or did not when it was asked last.
        """
        with self._lock:
            if self._error is None:
                try:
                    return self._ask()
                except StoreError as error:
                    self._error = error
                    threading.Thread(target=self._ask_again, daemon=True).start()
            raise self._error

    def _ask(self) -> str:
        with as_store_error(self._location):
            return self._token()

    def _ask_again(self) -> None:
        """Ask until the server answers."""
        while self._error is not None:
            time.sleep(ASK_AGAIN_S)
            with contextlib.suppress(StoreError):
                self._ask()
                self._error = None


@contextlib.contextmanager
def as_store_error(location: str) -> Iterator[None]:
    """Turn errors of Chroma, of SQLite and of HTTP, and of records that ingest does not write, into a StoreError."""
    try:
        yield
    except StoreError:
        raise
    except Exception as error:
        raise StoreError(
            f"--store {location} cannot be opened: {visible(described(error))}; "
            "run it again, or ingest into a new store"
        ) from error


def changed_meanwhile(location: str) -> StoreChangedError:
    """Return the error of a writer after another one has published its generation."""
    return StoreChangedError(
        f"{location}: another ingest has changed it meanwhile; run this one again"
    )


def server_collections(
    location: str, name: str, answer_s: float = ANSWER_S
) -> Collections:
    """Return the collections of a course on the Chroma server at a URL.

    Args:
        answer_s: seconds that the server has to answer a request.

    Raises:
        StoreError: the URL has another form, or the server does not answer.
    """
    return Collections(location, name, _server_at(location, answer_s))


@functools.lru_cache(maxsize=8)
def _server_at(location: str, answer_s: float) -> Client:
    """Return a client of a Chroma server, the same one for each call."""
    import chromadb
    import httpx

    url = urlsplit(location)
    if url.username or url.password or url.path.strip("/"):
        raise StoreError(
            "--store has more than the URL of a host and a port; leave the rest out"
        )
    timeout_s = min(GREETING_S, answer_s)
    try:  # a client of Chroma waits without limit for the first answer
        httpx.get(f"{location.rstrip('/')}/api/v2/heartbeat", timeout=timeout_s)
    except httpx.TimeoutException as error:
        raise StoreError(
            f"--store {location} does not answer within {timeout_s:g} s; check that the Chroma server runs"
        ) from error
    client: Any = chromadb.HttpClient(
        host=url.hostname or "",
        port=url.port or (443 if url.scheme == "https" else 80),
        ssl=url.scheme == "https",
    )
    session = client._server._session
    session.timeout = answer_s  # Chroma has no timeout, and no option for one
    weakref.finalize(client, session.close)  # Chroma leaves its connections open
    return cast("Client", client)


@contextlib.contextmanager
def folder_at(folder: Path) -> Iterator[Client]:
    """Open the Chroma database in a folder; other clients of this process may have it open too."""
    import chromadb

    # Chroma identifies a database by the spelling of its path, and refuses two clients of one with different settings
    client = cast("Client", chromadb.PersistentClient(os.path.join(folder, "")))
    try:
        yield client
    finally:
        client.close()


@contextlib.contextmanager
def collections_of(location: str, name: str, token: str) -> Iterator[Collections]:
    """Open the collections of a generation to read them.

    Raises:
        StoreError: they cannot be opened, or an ingest has replaced the generation.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(as_store_error(location))
        if is_url(location):
            collections = server_collections(location, name)
            yield collections
            if collections.token() != token:
                raise changed_meanwhile(location)
            return
        database = Path(location) / token
        if not database.is_dir():
            raise StoreError(
                f"{database} is gone; run: quarry ingest PATH... --store {location}"
            )
        folder = stack.enter_context(readable(database))
        yield Collections(location, name, stack.enter_context(folder_at(folder)))
