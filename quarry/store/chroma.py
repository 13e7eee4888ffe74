"""Chroma databases in folders and on servers, and the collection that holds the paragraphs of a course."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from quarry.addresses import is_address
from quarry.embed.networks import NETWORKS
from quarry.errors import StoreError
from quarry.store.content import FORMAT, Content, StoredDocument
from quarry.store.generations import as_store_error

if TYPE_CHECKING:
    from chromadb.api.client import Client

PARAGRAPHS_A_REQUEST = 200
"""Number of paragraphs in a request; they take less than a megabyte."""

ANSWER_S = 30.0
"""Maximum number of seconds until a server answers a request."""
GREETING_S = 4.0
"""Maximum number of seconds until a server answers the first request."""

_INDEX: Any = {
    "hnsw": {
        "space": "cosine",
        "ef_construction": 200,
        "max_neighbors": 32,
        "ef_search": 200,
    }
}
"""Parameters of Chroma's index over the paragraphs."""


def write_paragraphs(
    client: Client, name: str, content: Content, **metadata: str
) -> None:
    """Create a collection with a record for each paragraph of a course.

    Args:
        metadata: metadata of the collection besides the format, the embedder and its published model.
    """
    spec = content.embedder_spec
    model = NETWORKS[spec].published if spec in NETWORKS else spec
    collection = client.create_collection(
        name,
        embedding_function=None,
        metadata={"format": FORMAT, "embedder": spec, "model": model, **metadata},
        configuration=_INDEX,
    )
    for document in content.documents:
        records = _paragraph_records(document)
        for start in range(0, len(records["ids"]), PARAGRAPHS_A_REQUEST):
            end = start + PARAGRAPHS_A_REQUEST
            collection.add(**{key: rows[start:end] for key, rows in records.items()})


def _paragraph_records(document: StoredDocument) -> dict[str, Any]:
    """Return the ids, embeddings, texts and metadata of a document's paragraphs."""
    paragraphs = document.reading.paragraphs
    path = Path(document.reading.document.path)
    file_name = document.doc_id if path.suffix.lower() == ".jsonl" else path.name
    metadatas = []
    for paragraph in paragraphs:
        metadatas.append(
            {
                "paragraph_id": paragraph.paragraph_id,
                "doc_id": paragraph.doc_id,
                "pdf_name": file_name,
                "page": paragraph.page,
                "heading": paragraph.heading,
                "section": json.dumps(paragraph.section, ensure_ascii=False),
                "opening_sentence": paragraph.opening_sentence,
                "kind": paragraph.kind,
            }
        )

    return {
        "ids": [paragraph.paragraph_id for paragraph in paragraphs],
        "embeddings": document.vectors.paragraphs,
        "documents": [paragraph.text for paragraph in paragraphs],
        "metadatas": metadatas,
    }


@functools.lru_cache(maxsize=8)
def server_at(location: str) -> Client:
    """Return the client of the Chroma server at a URL; it is cached.

    Raises:
        StoreError: the URL is invalid or has more than a host and a port, or the server does not answer.
    """
    import chromadb
    import httpx

    with as_store_error(location):
        url = urlsplit(location)
        if "@" in url.netloc or url.path.strip("/") or url.query or url.fragment:
            raise StoreError(
                "--store has more than the URL of a host and a port; leave the rest out"
            )
        if not is_address(location):
            raise StoreError(
                f"--store {location} cannot be opened: it is not an address such as http://127.0.0.1:8000"
            )
        try:  # a client of Chroma waits without limit for the first answer
            httpx.get(f"{location.rstrip('/')}/api/v2/heartbeat", timeout=GREETING_S)
        except httpx.TimeoutException as error:
            raise StoreError(
                f"--store {location} does not answer within {GREETING_S:g} s; check that the Chroma server runs"
            ) from error
        host = url.hostname or ""
        client: Any = chromadb.HttpClient(
            host=f"[{host}]" if ":" in host else host,
            port=url.port or (443 if url.scheme == "https" else 80),
            ssl=url.scheme == "https",
        )
        session = client._server._session
        session.timeout = ANSWER_S  # Chroma has no timeout, and no option for one
        weakref.finalize(client, session.close)  # Chroma leaves its connections open
        return cast("Client", client)


@contextlib.contextmanager
def database_at(folder: Path) -> Iterator[Client]:
    """Open the Chroma database in a folder."""
    import chromadb

    # Chroma identifies a database by the spelling of its path, and refuses two clients of one with different settings
    client = cast("Client", chromadb.PersistentClient(os.path.join(folder, "")))
    try:
        yield client
    finally:
        client.close()
