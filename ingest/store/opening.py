"""Opening a course to read it, and a store to change it."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from quarry.ingest.errors import StoreError, StoreMissingError
from quarry.ingest.store.client import Collections, one_line, server_at
from quarry.ingest.store.commits import leased
from quarry.ingest.store.course import Course, course_at
from quarry.ingest.store.generations import current_generation, holds_other_files, locked
from quarry.ingest.store.places import is_url
from quarry.ingest.store.writer import Store

DEFAULT_COLLECTION = "course"

_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]{1,200}[a-zA-Z0-9]")

T = TypeVar("T")


def open_store(location: str, collection: str = DEFAULT_COLLECTION, *, all_rejected_ok: bool = False) -> Course:
    """What the store at a folder or URL holds now, for reading; it must have been made before.

    Args:
        location: folder or URL.
        collection: name within the store.
        all_rejected_ok: take a store with documents of which no paragraph was kept.

    Raises:
        StoreMissingError: there is none.
        StoreError: it cannot be opened, or holds no paragraphs.
    """
    if not is_url(location) and current_generation(Path(location)) is None:
        raise StoreMissingError(
            f"--store must be a folder made by ingest, got {location}: no store there; "
            f"run: python -m ingest PATH... --store {location}"
        )
    course = _at(course_at, location, collection)
    if not course.exists:
        raise StoreMissingError(
            f"--collection must be one that {location} holds, got {collection!r}; "
            f"run: python -m ingest PATH... --store {location} --collection {collection}"
        )
    if not course.embedder_spec and not (all_rejected_ok and course.documents):
        raise StoreError(
            f"{location}: collection {collection!r} must hold paragraphs, got none; "
            f"run: python -m ingest PATH... --store {location}"
        )
    return course


def create_store(location: str, collection: str = DEFAULT_COLLECTION) -> Store:
    """The store at a folder or URL, to be changed; a folder is made with the first change, not before.

    Raises:
        StoreError: the folder cannot be written, the server does not answer, or what is there is no store of ours.
    """
    if not is_url(location):
        folder = Path(location)
        if folder.is_dir() and holds_other_files(folder):
            raise StoreError(
                f"--store must be a new folder or one made by ingest, got {location}: it holds other files"
            )
        if folder.exists() and not folder.is_dir():
            raise StoreError(f"--store {location} cannot be opened: it is a file; name a folder")
    return _at(Store, location, collection)


@contextlib.contextmanager
def store_to_change(location: str, collection: str = DEFAULT_COLLECTION) -> Iterator[Store]:
    """Open a store to change it while nobody else does: a folder is locked, a server has a lease.

    Raises:
        StoreError: as `create_store`, or another ingest is at work on it.
    """
    if not is_url(location):
        with locked(location):
            yield create_store(location, collection)
        return
    collections = _at(_collections_made, location, collection)
    with leased(collections) as is_alone:
        yield _at(functools.partial(Store, is_alone=is_alone), location, collection)


def _collections_made(location: str, collection: str) -> Collections:
    collections = Collections(location, collection, server_at(location))
    collections.make()
    return collections


def _at(kind: Callable[[str, str], T], location: str, collection: str) -> T:
    if not _NAME.fullmatch(collection):
        raise StoreError(
            f"--collection must be 3 to 202 of a-z, A-Z, 0-9, '.', '_' and '-', letters or digits at both ends, "
            f"got {collection!r}; take another name"
        )
    try:
        return kind(location, collection)
    except StoreError:
        raise
    except Exception as error:  # chromadb raises many kinds, its own and those of SQLite and HTTP
        raise StoreError(f"--store {location} cannot be opened: {one_line(error)}") from error
