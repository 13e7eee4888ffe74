"""A store on a Chroma server. Each generation is two collections: the paragraphs, and the content in parts."""

from __future__ import annotations

import base64
import contextlib
import io
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from quarry.store import chroma
from quarry.store.content import Content, load_content, save_content
from quarry.store.generations import Generations, as_store_error

if TYPE_CHECKING:
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection

PART_BYTES = 1 << 19
"""Size of a part of the content in bytes."""

PARTS_A_REQUEST = 8
"""Number of parts in a request; Chroma limits a request to about 40 MB."""

PARTS_KEY = "parts"
"""Key in the metadata of the paragraphs' collection; its value is the name of the collection of parts."""


class Server(Generations):
    """The generations on a server."""

    @property
    def _client(self) -> Client:
        """The client of the server.

        Raises:
            StoreError: the server does not answer.
        """
        return chroma.server_at(self.location)

    def list_identities(self) -> dict[str, Hashable]:
        """Return the names of all collections, with their ids."""
        return {item.name: item.id for item in self._client.list_collections()}

    def write(self, name: str, content: Content) -> None:
        """Write the paragraphs, and the content in parts."""
        parts_name = f"content-of-{name}"
        chroma.write_paragraphs(self._client, name, content, **{PARTS_KEY: parts_name})
        parts = self._client.create_collection(parts_name, embedding_function=None)
        file = io.BytesIO()
        save_content(content, file)
        data = file.getvalue()

        metadatas = []
        for start in range(0, len(data), PART_BYTES):
            part = data[start : start + PART_BYTES]
            metadatas.append({"base64": base64.b64encode(part).decode("ascii")})
        for start in range(0, len(metadatas), PARTS_A_REQUEST):
            rows = range(start, min(start + PARTS_A_REQUEST, len(metadatas)))
            parts.add(
                ids=[str(row) for row in rows],
                embeddings=np.ones((len(rows), 1), dtype=np.float32),
                metadatas=[metadatas[row] for row in rows],
            )

    def rename(self, name: str, new: str) -> None:
        """Rename the collection of paragraphs; the server keeps names unique."""
        self._get_collection(name).modify(name=new)

    def remove(self, name: str) -> None:
        """Remove both collections, the parts first."""
        from chromadb.errors import NotFoundError

        with contextlib.suppress(NotFoundError):
            self._client.delete_collection(self._name_of_parts(name))
        self._client.delete_collection(name)

    def read(self, name: str) -> Content:
        """Read the parts of a generation, and return them as its content."""
        parts_by_id: dict[str, Any] = {}
        with as_store_error(self.location):
            parts = self._client.get_collection(
                self._name_of_parts(name), embedding_function=None
            )
            for start in range(0, parts.count(), PARTS_A_REQUEST):
                ids = [str(start + row) for row in range(PARTS_A_REQUEST)]
                answer = parts.get(ids=ids, include=["metadatas"])
                metadatas = answer["metadatas"] or ()
                parts_by_id |= dict(zip(answer["ids"], metadatas, strict=True))

        encoded = [parts_by_id[str(row)]["base64"] for row in range(len(parts_by_id))]
        data = b"".join(map(base64.b64decode, encoded))
        return load_content(io.BytesIO(data), self.location)

    def require_usable(self, number: int) -> None:
        """Do nothing: the server checks its database itself, and its other collections do not matter."""

    @contextlib.contextmanager
    def open_collection(self, number: int) -> Iterator[Collection]:
        """Yield the collection of the paragraphs of a generation."""
        yield self._get_collection(self.generation_name(number))

    def _get_collection(self, name: str) -> Collection:
        return self._client.get_collection(name, embedding_function=None)

    def _name_of_parts(self, name: str) -> str:
        return str((self._get_collection(name).metadata or {})[PARTS_KEY])
