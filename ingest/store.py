"""ParagraphStore: paragraphs, documents and vectors in Chroma; the only user of chromadb.

Two collections: NAME holds one record a paragraph, NAME-documents one a document. A document's record carries a
version, and only paragraphs filed under that version count. Writing the record is therefore the commit of a document:
whatever dies before it leaves the old paragraphs in force, and what is left over is swept by the next ingest.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from configs.settings import EmbedSettings
from ingest.embed import FloatArray
from ingest.errors import EmbedderMismatchError, StoreError, StoreMissingError
from ingest.paragraph import Alias, Document, Paragraph, Reading, RejectedParagraph

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

DEFAULT_STORE = "data/store"
DEFAULT_COLLECTION = "course"
FORMAT = 1
"""Layout of the records; a store of another format is refused."""

READ_CHUNK = 5_000
WRITE_CHUNK = 500
"""Records a request; below the limits of SQLite and of Chroma's server."""


class ParagraphStore:
    """One course in Chroma. Made by `open_store` and `create_store`.

    Attributes:
        location: folder or URL, as the user named it.
        embedder_spec: SPEC of the embedder that its vectors came from, "" while it is empty.
    """

    def __init__(self, client: ClientAPI, location: str, name: str, *, create: bool) -> None:
        self._client = client
        self._name = name
        self.location = location
        self._documents: tuple[Document, ...] | None = None
        self._paragraphs: tuple[Paragraph, ...] = ()
        self._vectors: FloatArray = np.empty((0, 0), dtype=np.float32)
        self._paragraph_records = self._collection(name, create)
        metadata = self._paragraph_records.metadata or {}
        if metadata.get("format") != FORMAT:
            raise StoreError(
                f"{location}: collection {name!r} must have store format {FORMAT}, got {metadata.get('format')}; "
                "ingest into a new folder, or name another --collection"
            )
        self._document_records = self._collection(f"{name}-documents", create)
        self.embedder_spec = str(metadata.get("embedder", ""))

    def _collection(self, name: str, create: bool) -> Collection:
        if not create and name not in {collection.name for collection in self._client.list_collections()}:
            raise StoreMissingError(
                f"--collection must be one that {self.location} holds, got {self._name!r}; "
                f"run: python -m ingest PATH... --store {self.location} --collection {self._name}"
            )
        return self._client.get_or_create_collection(name, embedding_function=None, metadata={"format": FORMAT})

    @property
    def models_dir(self) -> Path:
        """Where exported networks are kept: beside the store's Chroma files, or in the user's cache for a URL."""
        if is_url(self.location):
            return Path.home() / ".cache" / "quarry" / "models"
        return Path(self.location) / "models"

    @property
    def documents(self) -> tuple[Document, ...]:
        """Every document, sorted by doc_id."""
        self._load()
        assert self._documents is not None
        return self._documents

    @property
    def paragraphs(self) -> tuple[Paragraph, ...]:
        """Every kept paragraph, sorted by document, page and ordinal."""
        self._load()
        return self._paragraphs

    @property
    def vectors(self) -> FloatArray:
        """(n_paragraphs, dim) float32 unit vectors, in the order of `paragraphs`."""
        self._load()
        return self._vectors

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that change with the paragraphs, their vectors' embedder, and the documents' names."""
        digest = hashlib.sha256(f"{FORMAT}|{self.embedder_spec}".encode())
        for document in self.documents:
            digest.update(f"|{document.doc_id}|{document.version}|{document.aliases}|{document.same_as}".encode())
        return digest.hexdigest()[:16]

    def rejected(self) -> Iterator[RejectedParagraph]:
        """Every rejected paragraph, by document, in reading order."""
        for record in sorted(self._get_all(self._document_records, ["metadatas"])["metadatas"], key=_by_doc_id):
            for page, reason, text in json.loads(record["rejected_texts"]):
                yield RejectedParagraph(doc_id=str(record["doc_id"]), page=page, text=text, reason=reason)

    def require_embedder(self, spec: str) -> None:
        """Pass if the store is empty or was made with the embedder `spec`.

        Raises:
            EmbedderMismatchError: it was made with another one.
        """
        if self.embedder_spec and self.embedder_spec != spec:
            raise EmbedderMismatchError(
                f"--embedder must be {self.embedder_spec!r}, with which {self.location} was made, got {spec!r}; "
                "leave --embedder out, or ingest into another --store"
            )

    def write(self, reading: Reading, vectors: FloatArray, embedder_spec: str) -> None:
        """File a document under its version, in force once this returns; what stood under its id before goes.

        Args:
            reading: the document with its paragraphs.
            vectors: (n_paragraphs, dim), one for each.
            embedder_spec: SPEC of the embedder that made them.

        Raises:
            EmbedderMismatchError: the store was made with another embedder.
            StoreError: Chroma could not write (disk full, server gone); what was in force before still is.
        """
        self.require_embedder(embedder_spec)
        document = reading.document
        try:
            if not self.embedder_spec and reading.paragraphs:
                self._paragraph_records.modify(metadata={"format": FORMAT, "embedder": embedder_spec})
                self.embedder_spec = embedder_spec
            for start in range(0, len(reading.paragraphs), WRITE_CHUNK):
                chunk = reading.paragraphs[start : start + WRITE_CHUNK]
                self._paragraph_records.upsert(
                    ids=[f"{paragraph.paragraph_id}@{document.version}" for paragraph in chunk],
                    embeddings=vectors[start : start + WRITE_CHUNK],
                    documents=[paragraph.text for paragraph in chunk],
                    metadatas=[
                        _paragraph_metadata(paragraph, document.version, start + row)
                        for row, paragraph in enumerate(chunk)
                    ],
                )
            self._document_records.upsert(
                ids=[document.doc_id],
                embeddings=np.zeros((1, 1), dtype=np.float32),
                metadatas=[_document_metadata(reading)],
            )
            self._forget_stale(document)
        except Exception as error:  # chromadb raises many kinds, its own and those of SQLite and HTTP
            raise StoreError(
                f"{self.location}: {document.doc_id} could not be written: {_one_line(error)}; nothing stored was lost"
            ) from error
        finally:
            self._documents = None

    def forget(self, doc_id: str) -> None:
        """Remove a document and its paragraphs.

        Raises:
            StoreError: Chroma could not write.
        """
        try:
            self._document_records.delete(ids=[doc_id])
            self._paragraph_records.delete(where={"doc_id": doc_id})
        except Exception as error:
            raise StoreError(f"{self.location}: {doc_id} could not be removed: {_one_line(error)}") from error
        finally:
            self._documents = None

    def sweep(self) -> None:
        """Remove paragraphs that no document's record puts in force: what an interrupted ingest left behind."""
        versions = [document.version for document in self.documents]
        left_over: Any = {"version": {"$nin": versions}} if versions else None
        if self._paragraph_records.get(where=left_over, include=[], limit=1)["ids"]:
            ids = self._paragraph_records.get(where=left_over, include=[])["ids"]
            for start in range(0, len(ids), WRITE_CHUNK):
                self._paragraph_records.delete(ids=ids[start : start + WRITE_CHUNK])

    def _forget_stale(self, document: Document) -> None:
        stale: Any = {"$and": [{"doc_id": document.doc_id}, {"version": {"$ne": document.version}}]}
        if self._paragraph_records.get(where=stale, include=[], limit=1)["ids"]:
            self._paragraph_records.delete(where=stale)

    def _load(self) -> None:
        if self._documents is not None:
            return
        try:
            documents = [
                _document(record) for record in self._get_all(self._document_records, ["metadatas"])["metadatas"]
            ]
            records = self._get_all(self._paragraph_records, ["metadatas", "documents", "embeddings"])
        except Exception as error:
            raise StoreError(f"{self.location}: could not be read: {_one_line(error)}") from error
        versions = {document.doc_id: document.version for document in documents}
        rows = [
            row
            for row, metadata in enumerate(records["metadatas"])
            if versions.get(metadata["doc_id"]) == metadata["version"]
        ]
        rows.sort(key=lambda row: (records["metadatas"][row]["doc_id"], records["metadatas"][row]["position"]))
        self._paragraphs = tuple(_paragraph(records["metadatas"][row], records["documents"][row]) for row in rows)
        self._vectors = (
            np.ascontiguousarray(np.asarray(records["embeddings"], dtype=np.float32)[rows])
            if rows
            else np.empty((0, 0), dtype=np.float32)
        )
        self._documents = tuple(sorted(documents, key=lambda document: document.doc_id))

    @staticmethod
    def _get_all(collection: Collection, include: list[Any]) -> dict[str, list[Any]]:
        """Every record of a collection, fetched in chunks."""
        records: dict[str, list[Any]] = {part: [] for part in include}
        offset = 0
        while True:
            chunk: Any = collection.get(include=include, limit=READ_CHUNK, offset=offset)
            for part in include:
                records[part].extend(chunk[part])
            offset += len(chunk["ids"])
            if len(chunk["ids"]) < READ_CHUNK:
                return records


def models_dir_of(store: ParagraphStore, settings: EmbedSettings) -> Path:
    """Where exported networks are kept: where the settings say, else where the store keeps its own."""
    return Path(settings.models_dir) if settings.models_dir else store.models_dir


def is_url(location: str) -> bool:
    """Whether a store's location names a Chroma server, not a folder."""
    return location.startswith(("http://", "https://"))


def open_store(location: str, collection: str = DEFAULT_COLLECTION, *, all_rejected_ok: bool = False) -> ParagraphStore:
    """The store at a folder or URL, for reading; it must have been made before.

    Args:
        location: folder or URL.
        collection: name within the store.
        all_rejected_ok: take a store with documents of which no paragraph was kept.

    Raises:
        StoreMissingError: there is none.
        StoreError: it cannot be opened, or holds no paragraphs.
    """
    if not is_url(location) and not (Path(location) / "chroma" / "chroma.sqlite3").is_file():
        raise StoreMissingError(
            f"--store must be a folder made by ingest, got {location}: no store there; "
            f"run: python -m ingest PATH... --store {location}"
        )
    store = _store_at(location, collection, create=False)
    if not store.paragraphs and not (all_rejected_ok and store.documents):
        raise StoreError(
            f"{location}: collection {collection!r} must hold paragraphs, got none; "
            f"run: python -m ingest PATH... --store {location}"
        )
    return store


def create_store(location: str, collection: str = DEFAULT_COLLECTION) -> ParagraphStore:
    """The store at a folder or URL, made if it is not there.

    Raises:
        StoreError: the folder cannot be written, the server does not answer, or what is there is no store of ours.
    """
    return _store_at(location, collection, create=True)


def _store_at(location: str, collection: str, *, create: bool) -> ParagraphStore:
    import chromadb
    from chromadb.config import Settings as ChromaSettings

    try:
        if is_url(location):
            url = urlsplit(location)
            if url.username or url.password or url.path.strip("/"):
                raise StoreError("--store must be a URL of host and port alone, got one with more; leave the rest out")
            client = chromadb.HttpClient(
                host=url.hostname or "",
                port=url.port or (443 if url.scheme == "https" else 80),
                ssl=url.scheme == "https",
                settings=ChromaSettings(anonymized_telemetry=False),
            )
        else:
            folder = Path(location)
            if (
                folder.exists()
                and not (folder / "chroma").exists()
                and any(folder.iterdir())
                and not (folder / "models").exists()
            ):
                raise StoreError(
                    f"--store must be a new folder or one made by ingest, got {location}: it holds other files"
                )
            folder.mkdir(parents=True, exist_ok=True)
            client = chromadb.PersistentClient(
                str(folder / "chroma"), settings=ChromaSettings(anonymized_telemetry=False)
            )
        return ParagraphStore(client, location, collection, create=create)
    except StoreError:
        raise
    except Exception as error:  # chromadb raises many kinds, its own and those of SQLite and HTTP
        raise StoreError(f"--store {location} cannot be opened: {_one_line(error)}") from error


def _paragraph_metadata(paragraph: Paragraph, version: str, position: int) -> dict[str, str | int]:
    values = dataclasses.asdict(paragraph)
    del values["text"]
    section = json.dumps(paragraph.section, ensure_ascii=False)
    return {**values, "section": section, "version": version, "position": position}


def _paragraph(metadata: dict[str, Any], text: str) -> Paragraph:
    return Paragraph(
        paragraph_id=metadata["paragraph_id"],
        doc_id=metadata["doc_id"],
        page=int(metadata["page"]),
        heading=metadata["heading"],
        text=text,
        opening_sentence=metadata["opening_sentence"],
        section=tuple(json.loads(metadata.get("section", "[]"))),
    )


def _document_metadata(reading: Reading) -> dict[str, str | int]:
    document = reading.document
    return {
        "doc_id": document.doc_id,
        "path": document.path,
        "content_hash": document.content_hash,
        "version": document.version,
        "aliases": json.dumps([[alias.text, alias.source] for alias in document.aliases], ensure_ascii=False),
        "n_pages": document.n_pages,
        "n_paragraphs": document.n_paragraphs,
        "rejected": json.dumps(document.rejected),
        "same_as": document.same_as,
        "authors": json.dumps(document.authors, ensure_ascii=False),
        "date": document.date,
        "lecture_number": json.dumps(document.lecture_number),
        "rejected_texts": json.dumps(
            [[item.page, item.reason, item.text] for item in reading.rejected], ensure_ascii=False
        ),
    }


def _document(metadata: dict[str, Any]) -> Document:
    return Document(
        doc_id=metadata["doc_id"],
        path=metadata["path"],
        content_hash=metadata["content_hash"],
        version=metadata["version"],
        aliases=tuple(Alias(text, source) for text, source in json.loads(metadata["aliases"])),
        n_pages=int(metadata["n_pages"]),
        n_paragraphs=int(metadata["n_paragraphs"]),
        rejected=json.loads(metadata["rejected"]),
        same_as=metadata["same_as"],
        authors=tuple(json.loads(metadata.get("authors", "[]"))),
        date=metadata.get("date", ""),
        lecture_number=json.loads(metadata.get("lecture_number", "null")),
    )


def _by_doc_id(metadata: dict[str, Any]) -> str:
    return str(metadata["doc_id"])


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
