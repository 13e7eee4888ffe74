"""Opening of a course: from the cache of this machine, else from Chroma."""

import contextlib
import dataclasses
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import tenacity
from numpy.typing import NDArray
from tqdm.auto import tqdm

from quarry.course.paragraph import Alias, Paragraph
from quarry.course.piece import Piece
from quarry.errors import StoreChangedError, StoreError, StoreMissingError
from quarry.store import cache
from quarry.store.chroma import (
    GREETING_S,
    Collections,
    as_store_error,
    changed_meanwhile,
    collections_of,
    is_url,
    server_collections,
)
from quarry.store.course import DEFAULT_COLLECTION, Course
from quarry.store.folder import current_generation
from quarry.store.near_identical import near_identical
from quarry.store.records import Record, finite, unpacked, value_of, values_of

ATTEMPTS = 4
"""Number of times that a course is read if ingests keep changing it meanwhile."""

_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]{1,200}[a-zA-Z0-9]")


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
        StoreError: the store cannot be opened, or holds no paragraphs.
    """
    command = f"quarry ingest PATH... --store {location}"
    if not is_url(location) and current_generation(Path(location)) is None:
        raise StoreMissingError(f"--store {location} holds no store; run: {command}")

    course = course_at(location, collection)
    if not course.token:
        raise StoreMissingError(
            f"--collection {collection!r} is not in {location}; "
            f"run: {command} --collection {collection}"
        )
    if not course.embedder_spec and not (all_rejected_ok and course.documents):
        raise StoreError(
            f"{location}: collection {collection!r} is empty; run: {command}"
        )
    return course


def course_at(location: str, name: str) -> Course:
    """Return the present content of a location; a course without documents if no ingest has changed it.

    Raises:
        StoreError: the content has another format, or cannot be read.
    """
    if not _NAME.fullmatch(name):
        raise StoreError(
            f"--collection {name!r} is no valid name; take 3 to 202 of a-z, A-Z, 0-9, '.', '_' and '-', with letters "
            "or digits at both ends"
        )

    repeat = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(StoreChangedError),
        stop=tenacity.stop_after_attempt(ATTEMPTS),
        reraise=True,
    )
    with as_store_error(location):
        return repeat(_course_at, location, name)


def cached_course(location: str, name: str) -> Course:
    """Return the course of a folder from the cache, without Chroma; a course without documents if it is not there."""
    nothing = Course(location=location, collection=name)
    token = _token_at(location, name)
    content = cache.load_content(cache.folder_of(location, name, token))
    return dataclasses.replace(nothing, token=token, **content) if content else nothing


def _course_at(location: str, name: str) -> Course:
    """Return the present content of a location, from the cache if it is there.

    Raises:
        StoreChangedError: an ingest has changed the store meanwhile.
    """
    nothing = Course(location=location, collection=name)
    token = _token_at(location, name)
    if not token:
        return nothing
    folder = cache.folder_of(location, name, token)
    content = cache.load_content(folder)
    if content is None:
        try:
            with collections_of(location, name, token) as collections:
                if not collections.exist:
                    return nothing
                content = _content_of(collections)
        except StoreError as error:
            if token == _token_at(location, name):
                raise
            raise changed_meanwhile(location) from error

        # the disk is full or read-only, or another process was faster
        with contextlib.suppress(OSError):
            cache.save_content(folder, content)
        content = cache.load_content(folder) or content
    return dataclasses.replace(nothing, token=token, **content)


def _token_at(location: str, name: str) -> str:
    """Return the token of the last generation: of the course on a server, of the whole folder otherwise."""
    if is_url(location):
        return server_collections(location, name, GREETING_S).token()
    current = current_generation(Path(location))
    return current.name if current else ""


def _content_of(collections: Collections) -> dict[str, Any]:
    """Return the fields of a Course, read from Chroma.

    Raises:
        Exception: Chroma cannot be read, or holds records that ingest does not write.
    """
    generation = collections.generation()
    record_ids = sorted(generation.documents.values())
    metadatas, records = [], []
    for values in collections.get("-documents", record_ids, "metadatas"):
        metadatas.append(values["metadata"])
        records.append(value_of(Record, values["metadata"]))
    doc_ids = [record.document.doc_id for record in records]
    paragraphs, arrays = _passages_of(collections, records)
    width = arrays["vectors"].shape[1] if paragraphs else 0
    aliases, arrays["aliases"] = _aliases_of(metadatas, records, width)
    same_as = near_identical(sorted(paragraphs, key=lambda paragraph: paragraph.doc_id))

    linked = []
    for paragraph in paragraphs:
        first = same_as.get(paragraph.paragraph_id, "")
        linked.append(dataclasses.replace(paragraph, same_as=first))
    rejected: list[str] = []
    pieces: list[Piece] = []
    for metadata in metadatas:
        rejected.append(metadata["rejected_texts"])
        pieces += values_of(Piece, metadata.get("pieces", "[]"))
    return {
        "records": dict(zip(doc_ids, records, strict=True)),
        "record_ids": dict(zip(doc_ids, record_ids, strict=True)),
        "paragraphs": tuple(linked),
        "aliases": aliases,
        "rejected_texts": dict(zip(doc_ids, rejected, strict=True)),
        "pieces": tuple(pieces),
        "relevance": generation.relevance,
        "arrays": arrays,
    }


def _passages_of(
    collections: Collections, records: list[Record]
) -> tuple[list[Paragraph], dict[str, NDArray[Any]]]:
    """Read all passages of a course; return their paragraphs and their arrays by name."""
    ids: list[str] = []
    for record in records:
        ids += record.passage_ids
    passages = collections.get("", ids, "embeddings", "metadatas", "documents")
    bar = tqdm(
        passages,
        "opening",
        len(ids),
        unit="paragraph",
        delay=1,
        disable=None,
    )
    paragraphs = []
    rows: defaultdict[str, list[NDArray[Any]]] = defaultdict(list)
    for passage in bar:
        metadata = passage["metadata"]
        paragraphs.append(value_of(Paragraph, metadata, text=passage["document"]))
        vector = finite(np.asarray(passage["embedding"], dtype=np.float32))
        rows["vectors"].append(vector[None, :])
        if "codes" in metadata:
            codes = unpacked(metadata["codes"], np.uint8)
            rows["codes"].append(codes.reshape(metadata["n_tokens"], -1))

    arrays: dict[str, NDArray[Any]] = {}
    for name, parts in rows.items():
        lengths = [len(part) for part in parts]
        if not all(lengths):
            raise ValueError(f"a paragraph has no {name}")
        arrays[name] = np.concatenate(parts)
        if name == "codes":
            arrays[f"{name}.starts"] = np.cumsum([0, *lengths], dtype=np.int64)
    return paragraphs, arrays


def _aliases_of(
    metadatas: list[dict[str, Any]], records: list[Record], width: int
) -> tuple[tuple[tuple[str, Alias], ...], NDArray[Any]]:
    """Return each alias that has a vector, with its document, and (n_aliases, width) the vectors."""
    aliases: list[tuple[str, Alias]] = []
    vectors = [np.empty((0, width), dtype=np.float32)]
    for metadata, record in zip(metadatas, records, strict=True):
        if not width:
            continue
        names = unpacked(metadata["alias_vectors"], np.float32, width)
        if len(names):
            vectors.append(names)
            document = record.document
            for alias, _ in zip(document.aliases, names, strict=True):
                aliases.append((document.doc_id, alias))
    return tuple(aliases), np.concatenate(vectors)
