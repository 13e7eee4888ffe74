"""Token vectors on disk: two files a document and model, read through the memory map."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from quarry.ingest.arrays import Float32Array
from quarry.ingest.tokens import Tokens


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """What one model makes of the paragraphs of a document, or of a course.

    Attributes:
        pooled: (n_paragraphs, dim) unit vectors.
        tokens: of each paragraph.
    """

    pooled: Float32Array
    tokens: Tokens


class TokenFiles:
    """Words by key; what stands under a key never changes, so that files may be shared between folders.

    Args:
        folder: made when something is first kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def holds(self, key: str) -> bool:
        """Whether there are words under `key`."""
        return self._paths(key)[1].is_file()

    def keep(self, words: Words, key: str) -> None:
        """Keep words under `key`.

        Raises:
            OSError: they cannot be written.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        codes, rest = self._paths(key)
        work = self._folder / f"{key}.{os.getpid()}"
        with work.open("wb") as file:
            np.save(file, words.tokens.codes)
        work.replace(codes)
        with work.open("wb") as file:
            np.savez(file, pooled=words.pooled.astype(np.float16), starts=words.tokens.starts)
        work.replace(rest)

    def words(self, key: str) -> Words:
        """The words under `key`, their codes in the memory map.

        Raises:
            OSError: there are none, or they cannot be read.
            ValueError: they are damaged.
        """
        codes, rest = self._paths(key)
        with np.load(rest) as arrays:
            pooled, starts = arrays["pooled"].astype(np.float32), arrays["starts"]
        return Words(pooled, Tokens(np.load(codes, mmap_mode="r"), starts))

    def n_bytes(self, key: str) -> int:
        """Bytes on disk of what stands under `key`."""
        return sum(path.stat().st_size for path in self._paths(key) if path.is_file())

    def sweep(self, kept: Collection[str]) -> None:
        """Remove what stands under any other key."""
        for path in self._folder.glob("*"):
            if path.name.partition(".")[0] not in kept:
                path.unlink(missing_ok=True)

    def _paths(self, key: str) -> tuple[Path, Path]:
        return self._folder / f"{key}.npy", self._folder / f"{key}.npz"
