"""The passages of a course that a referee retrieves by a question's text."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tqdm.auto import tqdm

from quarry.evaluate.referee.encoders import Encoder
from quarry.ingest.arrays import AnyFloatArray

N_PASSAGES = 4
N_KEPT = 2**16
"""Questions whose passages are remembered."""
BATCH = 16


class Passages:
    """The paragraphs of a course, by their likeness to a question; embedded when the first question comes.

    Args:
        texts: of the paragraphs.
        encoder: by which texts are alike.
        folder: where the paragraphs' vectors are kept between runs; None keeps them nowhere.
    """

    def __init__(self, texts: Sequence[str], encoder: Encoder, folder: Path | None = None) -> None:
        self._texts = texts
        self._encoder = encoder
        self._folder = folder
        self._remembered = functools.lru_cache(maxsize=N_KEPT)(self._retrieve)

    def __call__(self, question: str) -> tuple[str, ...]:
        """The `N_PASSAGES` nearest paragraphs, nearest first; of equals the earlier ones."""
        return self._remembered(question)

    def _retrieve(self, question: str) -> tuple[str, ...]:
        if not self._texts:
            return ()
        likeness = self._vectors @ self._encoder.of_queries([question])[0]
        return tuple(self._texts[row] for row in np.argsort(-likeness, kind="stable")[:N_PASSAGES])

    @functools.cached_property
    def _vectors(self) -> AnyFloatArray:
        """(n_texts, dim)."""
        digest = hashlib.sha256("\0".join([self._encoder.name, *self._texts]).encode("utf-8", "backslashreplace"))
        file = self._folder / f"{self._encoder.name}-{digest.hexdigest()[:16]}.npy" if self._folder else None
        if file is not None and file.is_file():
            with contextlib.suppress(OSError, ValueError):  # a broken file is made again
                kept: AnyFloatArray = np.load(file)
                return kept
        rows = range(0, len(self._texts), BATCH)
        bar = tqdm(rows, desc="embedding passages for the referee", file=sys.stderr, leave=False, delay=2.0)
        vectors = np.concatenate([self._encoder.of_passages(self._texts[row : row + BATCH]) for row in bar])
        if file is not None:
            _keep(file, vectors)
        return vectors


def _keep(file: Path, vectors: AnyFloatArray) -> None:
    """Write the vectors; where they cannot be written they are made again next time."""
    partial = file.with_name(f"{file.stem}.{os.getpid()}.npy")
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        np.save(partial, vectors.astype(np.float32))
        partial.replace(file)
