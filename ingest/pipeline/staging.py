"""What an ingest has worked out but not yet filed, on disk, so that a run that died need not do it again."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from quarry.ingest.embed.tokens import Tokens
from quarry.ingest.embed.vectors import ReadingVectors
from quarry.ingest.paragraph import Alias, Document, Paragraph, Reading, RejectedParagraph
from quarry.ingest.store.token_files import Words


class Staging:
    """Readings and vectors by key; each is there whole or not at all.

    Args:
        folder: made when something is first kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def reading(self, *key: object) -> Reading | None:
        """The reading kept under `key`, None if there is none that can be read."""
        try:
            tree = json.loads(self._path(key, "json").read_text(encoding="utf-8"))
            return _reading(tree)
        except (OSError, ValueError, TypeError, KeyError):  # of an older version, or damaged: read again
            return None

    def keep_reading(self, reading: Reading, *key: object) -> None:
        """Keep a reading under `key`.

        Raises:
            OSError: it cannot be written.
        """
        with self._written(key, "json") as file:
            file.write(json.dumps(dataclasses.asdict(reading), ensure_ascii=False).encode())

    def vectors(self, *key: object) -> ReadingVectors | None:
        """The vectors kept under `key`, None if there are none that can be read."""
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

    def vectors_kept(self, *key: object) -> ReadingVectors:
        """The vectors that this run has kept under `key`.

        Raises:
            OSError: they are gone.
        """
        vectors = self.vectors(*key)
        if vectors is None:
            raise OSError(f"{self._folder}: must keep what was embedded until it is filed, has lost some; run it again")
        return vectors

    def keep_vectors(self, vectors: ReadingVectors, *key: object) -> None:
        """Keep vectors under `key`.

        Raises:
            OSError: they cannot be written.
        """
        with self._written(key, "npz") as file:
            words = {
                f"{part}.{spec}": array
                for spec, known in vectors.words.items()
                for part, array in (
                    ("pooled", known.pooled),
                    ("codes", known.tokens.codes),
                    ("starts", known.tokens.starts),
                )
            }
            rest = {"paragraphs": vectors.paragraphs, "sentences": vectors.sentences, "aliases": vectors.aliases}
            np.savez(file, allow_pickle=False, **rest, **words)

    def clear(self) -> None:
        """Forget everything, once it is filed."""
        shutil.rmtree(self._folder, ignore_errors=True)

    @contextlib.contextmanager
    def _written(self, key: tuple[object, ...], suffix: str) -> Iterator[BinaryIO]:
        """The file under `key`, to write; it stands there once all of it is written."""
        path = self._path(key, suffix)
        work = path.with_suffix(f".{os.getpid()}")
        with work.open("wb") as file:
            yield file
        work.replace(path)

    def _path(self, key: tuple[object, ...], suffix: str) -> Path:
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder / f"{hashlib.sha256(repr(key).encode()).hexdigest()[:24]}.{suffix}"


def _with_tuples(item: dict[str, Any]) -> dict[str, Any]:
    """A paragraph's fields as they were before they were JSON."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in item.items()}


def _reading(tree: dict[str, Any]) -> Reading:
    known = tree["document"]
    document = {
        **known,
        "aliases": tuple(Alias(**alias) for alias in known["aliases"]),
        "authors": tuple(known["authors"]),
    }
    return Reading(
        document=Document(**document),
        paragraphs=tuple(Paragraph(**_with_tuples(item)) for item in tree["paragraphs"]),
        rejected=tuple(RejectedParagraph(**item) for item in tree["rejected"]),
    )
