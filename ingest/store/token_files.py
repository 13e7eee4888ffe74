"""Vectors of tokens and sentences on disk: two files a document, the large one read through the memory map."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quarry.ingest.arrays import Float32Array, IntArray
from quarry.ingest.embed.tokens import Tokens


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """What one model makes of the paragraphs of a document, or of a course.

    Attributes:
        pooled: (n_paragraphs, dim) unit vectors.
        tokens: of each paragraph.
    """

    pooled: Float32Array
    tokens: Tokens


@dataclass(frozen=True, slots=True, eq=False)
class SentenceVectors:
    """The sentences of the paragraphs of a document.

    Attributes:
        vectors: (n_sentences, dim) float32 unit vectors, those of the first paragraph first.
        starts: (n_paragraphs + 1,) the sentences of paragraph i are those from starts[i] up to starts[i + 1].
    """

    vectors: Float32Array
    starts: IntArray


class TokenFiles:
    """Words and sentences by key; what stands under a key never changes, so that folders may share the files.

    Args:
        folder: made when something is first kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def holds(self, key: str) -> bool:
        """Whether there is anything under `key`."""
        return self._paths(key)[1].is_file()

    def keep(self, words: Words, key: str) -> None:
        """Keep words under `key`.

        Raises:
            OSError: they cannot be written.
        """
        pooled: NDArray[Any] = words.pooled.astype(np.float16)
        self._keep(key, words.tokens.codes, {"pooled": pooled, "starts": words.tokens.starts})

    def keep_sentences(self, sentences: SentenceVectors, key: str) -> None:
        """Keep the sentences of a document under `key`.

        Raises:
            OSError: they cannot be written.
        """
        self._keep(key, sentences.vectors.astype(np.float32, copy=False), {"sentences": sentences.starts})

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

    def sentences(self, key: str) -> SentenceVectors:
        """The sentences under `key`, their vectors in the memory map.

        Raises:
            OSError: there are none, or they cannot be read.
            ValueError: they are damaged.
        """
        vectors, rest = self._paths(key)
        with np.load(rest) as arrays:
            starts: IntArray = arrays["sentences"]
        mapped = np.load(vectors, mmap_mode="r")
        if mapped.dtype != np.float32 or len(mapped) != starts[-1]:
            raise ValueError(f"{vectors} must hold {starts[-1]} sentences, got {len(mapped)} of {mapped.dtype}")
        return SentenceVectors(mapped.view(np.ndarray), starts)  # memmap's own slices take long

    def n_bytes(self, key: str) -> int:
        """Bytes on disk of what stands under `key`."""
        return sum(path.stat().st_size for path in self._paths(key) if path.is_file())

    def sweep(self, kept: Collection[str]) -> None:
        """Remove what stands under any other key."""
        for path in self._folder.glob("*"):
            if path.name.partition(".")[0] not in kept:
                path.unlink(missing_ok=True)

    def _keep(self, key: str, mapped: NDArray[Any], rest: Mapping[str, NDArray[Any]]) -> None:
        """Write the array that is read through the memory map, then, as a sign that both are whole, the rest."""
        self._folder.mkdir(parents=True, exist_ok=True)
        work = self._folder / f"{key}.{os.getpid()}"
        try:
            codes, beside = self._paths(key)
            with work.open("wb") as file:
                np.save(file, mapped)
            work.replace(codes)
            with work.open("wb") as file:
                np.savez(file, allow_pickle=False, **rest)
            work.replace(beside)
        finally:
            work.unlink(missing_ok=True)

    def _paths(self, key: str) -> tuple[Path, Path]:
        return self._folder / f"{key}.npy", self._folder / f"{key}.npz"
