"""Generations of a course: an ingest writes a whole new content under the name of a draft, and renames it in one step.

COLLECTION.7 is the content after the seventh change; the highest number is the valid one. A rename to an existing name
fails, so that the second of two simultaneous ingests is refused. The generation before is kept for its readers. An
ingest also removes the drafts of killed ones.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
import uuid
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from tokenize import TokenError
from typing import TYPE_CHECKING
from zipfile import BadZipFile

from quarry.errors import StoreChangedError, StoreDamagedError, StoreError
from quarry.store.content import Content
from quarry.terminal import describe_error, visible

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection

DRAFT = ".draft-"
"""Part of the name of a draft: a generation that is being written."""
DRAFT_DIGITS = 12
"""Number of hexadecimal digits at the end of such a name."""

DAMAGE = (
    BadZipFile,
    EOFError,
    KeyError,
    RuntimeError,  # of zipfile
    TokenError,  # of numpy
    ValueError,
    sqlite3.Error,
)
"""Errors of reading files whose bytes have changed."""

_COLLECTION_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]{1,200}[a-zA-Z0-9]")


class Generations(ABC):
    """The generations of one course.

    Args:
        location: folder or URL, as the user named it.
        collection: name within the store.

    Raises:
        StoreError: the collection's name is not valid.
    """

    def __init__(self, location: str, collection: str) -> None:
        if not _COLLECTION_NAME.fullmatch(collection):
            raise StoreError(
                f"--collection {collection!r} is no valid name; take 3 to 202 of a-z, A-Z, 0-9, '.', '_' and '-', with "
                "letters or digits at both ends"
            )
        self.location = location
        self.collection = collection

    @abstractmethod
    def list_identities(self) -> Mapping[str, Hashable]:
        """Return the names of everything in the store, each with its identity.

        An identity is a value that changes whenever another content takes the name; None for anything else.
        """

    @abstractmethod
    def write(self, name: str, content: Content) -> None:
        """Write a draft."""

    @abstractmethod
    def rename(self, name: str, new: str) -> None:
        """Rename a draft in one step.

        Raises:
            OSError, ChromaError: the new name exists, or the draft does not.
        """

    @abstractmethod
    def remove(self, name: str) -> None:
        """Remove a generation or a draft."""

    @abstractmethod
    def read(self, name: str) -> Content:
        """Return the content of a generation.

        Raises:
            StoreError: it is of another version, or the server does not answer.
            OSError, MemoryError: it cannot be read.
            DAMAGE: it is damaged.
        """

    @abstractmethod
    def open_collection(self, number: int) -> AbstractContextManager[Collection]:
        """Open the Chroma collection of the paragraphs of a generation.

        Raises:
            StoreDamagedError: it is damaged.
            OSError, ChromaError: it does not exist any more.
        """

    @abstractmethod
    def require_usable(self, number: int) -> None:
        """Check that a generation is sound; for number 0, check that a store can be created at the location.

        Raises:
            StoreDamagedError: the generation is damaged.
            StoreError: the location holds something else.
        """

    def newest(self) -> tuple[int, Hashable]:
        """Return the number of the valid generation and its identity; (0, None) before the first change.

        Raises:
            StoreError: the store cannot be listed.
        """
        with as_store_error(self.location):
            identities = self.list_identities()
        number = self._latest(identities)
        return number, identities.get(self.generation_name(number))

    def identity(self, number: int) -> Hashable:
        """Return the identity of a generation; None if later ingests have removed it."""
        with as_store_error(self.location):
            return self.list_identities().get(self.generation_name(number))

    def content(self, number: int) -> Content:
        """Return the content of a generation; for number 0, an empty one.

        Raises:
            StoreDamagedError: it is damaged.
            StoreError: it is of another version, or cannot be read.
        """
        if not number:
            return Content()
        remedy = "remove it, or ingest its files into another --store"
        with self.reading(number, remedy):
            return self.read(self.generation_name(number))

    def publish(self, base: int, content: Content) -> None:
        """Write a content as the generation after `base`, which makes it the valid one.

        Args:
            base: the number of the generation that the content was made from.

        Raises:
            StoreChangedError: another ingest has changed the course since then.
            StoreError: the content could not be written; the valid one is unchanged.
        """
        draft = f"{self.collection}{DRAFT}{uuid.uuid4().hex[:DRAFT_DIGITS]}"
        try:
            names = self._write_and_rename(draft, base, content)

        except StoreChangedError:
            raise
        except Exception as error:
            latest = base
            with contextlib.suppress(StoreError):  # a server that is gone
                latest, _ = self.newest()
            self._require_latest(latest, base)
            raise StoreError(
                f"{self.location}: could not be written: {describe_error(error)}; "
                "nothing stored was lost, run the same command again"
            ) from error
        self._remove_old(names, base, draft)

    def _write_and_rename(self, draft: str, base: int, content: Content) -> list[str]:
        """Write a draft, and rename it to the generation after `base`; remove it if that fails.

        Returns:
            The names in the store just before. Every other draft among them was made from `base` or an earlier
            generation, and will be refused.
        """
        try:
            self.write(draft, content)
            names = [*self.list_identities()]
            self._require_latest(self._latest(names), base)
            self.rename(draft, self.generation_name(base + 1))
        except BaseException:
            with contextlib.suppress(Exception):
                self.remove(draft)
            raise
        return names

    def _require_latest(self, latest: int, base: int) -> None:
        if latest != base:
            raise StoreChangedError(
                f"{self.location}: another ingest has changed it meanwhile; run this one again"
            )

    def generation_name(self, number: int) -> str:
        """Return the name of a generation."""
        return f"{self.collection}.{number}"

    @contextlib.contextmanager
    def reading(self, number: int, remedy: str) -> Iterator[None]:
        """Turn errors of reading a generation into a StoreError.

        Args:
            remedy: the remedy if the generation is damaged.

        Raises:
            StoreDamagedError: the generation is damaged.
            StoreError: the system cannot read it, for example because too many files are open or a disk is missing.
        """
        try:
            yield
        except StoreError:
            raise
        except (OSError, MemoryError) as error:
            raise StoreError(
                f"{self.location} cannot be read: {visible(describe_error(error))}; "
                "run it again, or ingest into another --store"
            ) from error
        except DAMAGE as error:
            reason = visible(describe_error(error))
            raise StoreDamagedError(
                f"{self.location}/{self.generation_name(number)} is damaged ({reason}); {remedy}"
            ) from error

    def _remove_old(self, names: Iterable[str], base: int, draft: str) -> None:
        """Remove the other drafts, then the generations before `base`; the next ingest retries those that are in use.

        The order matters to a writer that slept while several generations came and went: its draft must be gone before
        the number to which it would rename it is free again.
        """
        prefix = re.escape(f"{self.collection}{DRAFT}")
        drafts = re.compile(rf"{prefix}[0-9a-f]{{{DRAFT_DIGITS}}}")
        old = [name for name in names if drafts.fullmatch(name) and name != draft]
        numbers = self._numbers(names)
        old += [self.generation_name(number) for number in numbers if number < base]
        for name in old:
            with contextlib.suppress(Exception):
                self.remove(name)

    def _latest(self, names: Iterable[str]) -> int:
        """Return the highest number of a generation among names; 0 if there is none."""
        return max(self._numbers(names), default=0)

    def _numbers(self, names: Iterable[str]) -> list[int]:
        """Return the numbers of the generations among names."""
        numbers = []
        for name in names:
            stem, _, number = name.rpartition(".")
            if stem == self.collection and number.isdecimal():
                numbers.append(int(number))
        return numbers


@contextlib.contextmanager
def as_store_error(location: str) -> Iterator[None]:
    """Turn any error of a call of Chroma, or of listing a folder, into a StoreError.

    Chroma's client raises a bare `Exception` for most answers of a server.
    """
    try:
        yield
    except StoreError:
        raise
    except Exception as error:
        raise StoreError(
            f"--store {location} cannot be opened: {visible(describe_error(error))}; "
            "run it again, or ingest into a new store"
        ) from error
