"""A growing sequence whose later values stand on disk, so that a long document costs little memory."""

from __future__ import annotations

import pickle
import tempfile
import weakref
from array import array
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

N_IN_MEMORY = 64
"""Values kept as they are; a lecture has no more pages than that, and is spared the way to the disk."""

BUFFER_BYTES = 4 << 20
"""Bytes of packed values that are held in memory before a file is made."""

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Many(Protocol[T_co]):
    """What can be counted, gone through more than once and asked for one value: a tuple, a list, a Spool."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[T_co]: ...

    def __getitem__(self, index: int, /) -> T_co: ...


def rebuilt_from_fields(value: object) -> tuple[type, tuple[object, ...]]:
    """What `__reduce__` of a dataclass with slots returns: it is then packed and unpacked in a third of the time."""
    names: tuple[str, ...] = type(value).__slots__  # type: ignore[attr-defined]
    return type(value), tuple([getattr(value, name) for name in names])


class Spool(Generic[T]):
    """Values that can be pickled, in the order in which they were added; each reading yields its own copies.

    The file has no name, so it goes with the process, however that ends.
    """

    def __init__(self, n_in_memory: int = N_IN_MEMORY) -> None:
        self._n_in_memory = n_in_memory
        self._first: list[T] = []
        self._file = tempfile.SpooledTemporaryFile(max_size=BUFFER_BYTES)  # noqa: SIM115 - closed by finalize
        weakref.finalize(self, self._file.close)
        self._ends = array("Q", [0])

    def append(self, value: T) -> None:
        """Add a value at the end."""
        if len(self._first) < self._n_in_memory:
            self._first.append(value)
            return
        self._file.seek(self._ends[-1])
        self._file.write(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
        self._ends.append(self._file.tell())

    def __len__(self) -> int:
        return len(self._first) + len(self._ends) - 1

    def __iter__(self) -> Iterator[T]:
        return (self[index] for index in range(len(self)))

    def __getitem__(self, index: int, /) -> T:
        """The value at a position, 0-based.

        Raises:
            IndexError: there is none.
        """
        if not 0 <= index < len(self):
            raise IndexError(f"index must be within 0..{len(self) - 1}, got {index}")
        if index < len(self._first):
            return self._first[index]
        row = index - len(self._first)
        self._file.seek(self._ends[row])
        value: T = pickle.loads(self._file.read(self._ends[row + 1] - self._ends[row]))
        return value
