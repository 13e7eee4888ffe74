"""Generations of a course: an ingest writes a whole new content under a draft's name, and one rename makes it valid.

COLLECTION.7 is the content after the seventh change; the highest number is valid. A rename to a name that is taken
fails, so that of two ingests at once the second is refused. The content before stays for those who read it; drafts of
killed ingests are removed by the next one.
"""

from __future__ import annotations

import contextlib
import re
import uuid
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from quarry.errors import StoreChangedError, StoreDamagedError, StoreError
from quarry.store.content import Content, format_error
from quarry.terminal import described, visible

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection

DRAFT = ".draft-"
"""Part of the name of a generation that is being written."""

_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]{1,200}[a-zA-Z0-9]")


class Generations(ABC):
    """The generations of one course.

    Args:
        location: folder or URL, as the user named it.
        collection: name within the store.

    Raises:
        StoreError: the collection's name is not valid.
    """

    old_name: str
    """A name that only stores of an earlier version hold."""

    def __init__(self, location: str, collection: str) -> None:
        if not _NAME.fullmatch(collection):
            raise StoreError(
                f"--collection {collection!r} is no valid name; take 3 to 202 of a-z, A-Z, 0-9, '.', '_' and '-', with "
                "letters or digits at both ends"
            )
        self.location = location
        self.collection = collection

    @abstractmethod
    def listed(self) -> Mapping[str, Hashable]:
        """Return the names of everything in the store, each with a value that no other content of that name has."""

    @abstractmethod
    def write(self, name: str, content: Content) -> None:
        """Write a draft."""

    @abstractmethod
    def rename(self, name: str, new: str) -> None:
        """Rename a draft in one step.

        Raises:
            Exception: the new name is taken, or the draft is gone.
        """

    @abstractmethod
    def remove(self, name: str) -> None:
        """Remove a generation or a draft."""

    @abstractmethod
    def read(self, name: str) -> Content:
        """Return the content of a generation.

        Raises:
            StoreError: it is of another version, or the server does not answer.
            Exception: it is damaged.
        """

    @abstractmethod
    def passages(self, number: int) -> AbstractContextManager[Collection]:
        """Open the Chroma collection of the passages of a generation.

        Raises:
            Exception: it is damaged, or gone.
        """

    @abstractmethod
    def require_usable(self, number: int) -> None:
        """Check that a generation can be changed, or that the store may be made there if the number is 0.

        Raises:
            StoreDamagedError: the generation is damaged.
            StoreError: something else is there.
        """

    def newest(self) -> tuple[int, Hashable]:
        """Return the number of the valid generation and its value in `listed`; (0, None) before the first change.

        Raises:
            StoreError: the store is of an earlier version, or cannot be listed.
        """
        with as_store_error(self.location):
            listed = self.listed()
        number = self._latest(listed)
        if not number and self.old_name in listed:
            raise format_error(self.location, "3 or less")
        return number, listed.get(self.name_of(number))

    def identity(self, number: int) -> Hashable:
        """Return the value of a generation in `listed`; None if later ingests have removed it."""
        with as_store_error(self.location):
            return self.listed().get(self.name_of(number))

    def load(self) -> tuple[Content, int, Hashable]:
        """Return the valid content, and what `newest` returns.

        Raises:
            StoreDamagedError: it is damaged.
            StoreError: it is of another version, or cannot be read.
        """
        number, identity = self.newest()
        if not number:
            return Content(), number, identity
        try:
            return self.read(self.name_of(number)), number, identity
        except StoreError:
            raise
        except Exception as error:
            raise self.damaged_error(number, described(error)) from error

    def publish(self, base: int, content: Content) -> None:
        """Write a content, and make it valid.

        Args:
            base: the number of the generation that the content was made from.

        Raises:
            StoreChangedError: another ingest has changed the course since then.
            StoreError: the content could not be written; the valid one is as it was.
        """
        changed = StoreChangedError(
            f"{self.location}: another ingest has changed it meanwhile; run this one again"
        )
        draft = f"{self.collection}{DRAFT}{uuid.uuid4().hex[:12]}"
        try:
            self.write(draft, content)
            # Every draft among these names was made from `base` or before, and will be refused.
            others = [*self.listed()]
            if self._latest(others) != base:
                raise changed
            self.rename(draft, self.name_of(base + 1))
        except BaseException as error:
            with contextlib.suppress(Exception):
                self.remove(draft)
            if error is changed or not isinstance(error, Exception):
                raise

            latest = base
            with contextlib.suppress(Exception):  # a server that is gone
                latest, _ = self.newest()
            if latest != base:
                raise changed from error
            raise StoreError(
                f"{self.location}: could not be written: {described(error)}; nothing stored was lost, run the same "
                "command again"
            ) from error
        self._remove_old(others, base, draft)

    def name_of(self, number: int) -> str:
        """Return the name of a generation."""
        return f"{self.collection}.{number}"

    def damaged_error(self, number: int, reason: str) -> StoreDamagedError:
        """Return the error for a damaged generation."""
        return StoreDamagedError(
            f"{self.location}/{self.name_of(number)} is damaged ({visible(reason)}); "
            f"run: quarry ingest PATH... --store {self.location}"
        )

    def _remove_old(self, names: Iterable[str], base: int, draft: str) -> None:
        """Remove the other drafts, then the generations before `base`, which readers may still have open.

        In this order, a writer that has slept over several generations finds that its draft is gone before a number is
        free again. What cannot be removed now is removed by the next ingest.
        """
        prefix = f"{self.collection}{DRAFT}"
        old = [name for name in names if name.startswith(prefix) and name != draft]
        numbers = self._numbers(names)
        old += [self.name_of(number) for number in numbers if number < base]
        for name in old:
            with contextlib.suppress(Exception):
                self.remove(name)

    def _latest(self, names: Iterable[str]) -> int:
        """Return the highest number of a generation among names; 0 without one."""
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
    """Turn errors of files, of Chroma, of SQLite and of HTTP into a StoreError."""
    try:
        yield
    except StoreError:
        raise
    except Exception as error:
        raise StoreError(
            f"--store {location} cannot be opened: {visible(described(error))}; "
            "run it again, or ingest into a new store"
        ) from error
