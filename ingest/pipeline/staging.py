"""What an ingest has worked out but not yet put into the store, on disk, so that a run that died need not repeat it."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from quarry.ingest.embed.tokens import Tokens, Words
from quarry.ingest.embed.vectors import ReadingVectors
from quarry.ingest.paragraph import Reading


class Staging:
    """Readings and vectors by key; each is there whole or not at all.

    Args:
        folder: made when something is first kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def reading(self, *key: object) -> Reading | None:
        """Return the reading kept under `key`, None if there is none that can be read."""
        try:
            reading: Reading = _readings().validate_json(self._path(key, "json").read_bytes())
        except (OSError, ValueError):  # of an older version, or damaged: read again
            return None
        return reading

    def keep_reading(self, reading: Reading, *key: object) -> None:
        """Keep a reading under `key`.

        Raises:
            OSError: it cannot be written.
        """
        with self._written(key, "json") as file:
            file.write(_readings().dump_json(reading))

    def vectors(self, *key: object) -> ReadingVectors | None:
        """Return the vectors kept under `key`, None if there are none that can be read."""
        try:
            with np.load(self._path(key, "npz")) as arrays:
                specs = [name.removeprefix("codes.") for name in arrays if name.startswith("codes.")]
                words = {
                    spec: Words(arrays[f"pooled.{spec}"], Tokens(arrays[f"codes.{spec}"], arrays[f"starts.{spec}"]))
                    for spec in specs
                }
                return ReadingVectors(arrays["paragraphs"], arrays["sentences"], arrays["aliases"], words)
        except (OSError, ValueError, KeyError, EOFError):
            return None

    def keep_vectors(self, vectors: ReadingVectors, *key: object) -> None:
        """Keep vectors under `key`.

        Raises:
            OSError: they cannot be written.
        """
        arrays: dict[str, NDArray[Any]] = {
            "paragraphs": vectors.paragraphs,
            "sentences": vectors.sentences,
            "aliases": vectors.aliases,
        }
        for spec, words in vectors.words.items():
            arrays[f"pooled.{spec}"] = words.pooled
            arrays[f"codes.{spec}"] = words.tokens.codes
            arrays[f"starts.{spec}"] = words.tokens.starts
        with self._written(key, "npz") as file:
            np.savez(file, allow_pickle=False, **arrays)

    def clear(self) -> None:
        """Forget everything, once the store holds it."""
        shutil.rmtree(self._folder, ignore_errors=True)

    @contextlib.contextmanager
    def _written(self, key: tuple[object, ...], suffix: str) -> Iterator[BinaryIO]:
        """Yield the file under `key`, to write; it is there once all of it is written."""
        path = self._path(key, suffix)
        work = path.with_suffix(f".{os.getpid()}")
        with work.open("wb") as file:
            yield file
        work.replace(path)

    def _path(self, key: tuple[object, ...], suffix: str) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder / f"{hashlib.sha256(repr(key).encode()).hexdigest()[:24]}.{suffix}"


@functools.cache
def _readings() -> Any:
    """What pydantic turns readings into JSON with, and back."""
    from pydantic import TypeAdapter

    return TypeAdapter(Reading)
