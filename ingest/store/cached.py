"""A course on this machine: memory-mapped arrays and lines of JSON, made from Chroma once for each generation."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from tqdm.auto import tqdm

from quarry.configs.places import cache
from quarry.configs.terminal import visible
from quarry.ingest.embed import BUILT_IN
from quarry.ingest.embed.tokens import form_of
from quarry.ingest.errors import StoreError
from quarry.ingest.store.client import Collections, one_line
from quarry.ingest.store.codec import Record, as_json, finite, unpacked, value_of
from quarry.ingest.store.commits import Generation

Arrays = dict[str, NDArray[Any]]

DOCUMENTS, PARAGRAPHS, ARRAYS = "documents.jsonl", "paragraphs.jsonl", "arrays.json"

UNUSED_S = 30 * 86_400.0
"""Seconds after which what nobody has opened is removed from the cache."""


def cached(course: str, name: str) -> Path:
    """Return the folder of a generation in the cache, whether it is there or not, and note that it is used.

    Args:
        course: beginning of the names of all folders of a course.
        name: the rest of this one's.
    """
    folder = cache() / "courses" / f"{course}-{name}"
    with contextlib.suppress(OSError):
        os.utime(folder)
    return folder


def make(folder: Path, collections: Collections, generation: Generation) -> Path:
    """Make the files of a generation, and remove those of earlier ones of the same course; return where they are.

    Args:
        folder: in the cache, as `cached` gives it; where it cannot be written, one for this process alone is made.

    Raises:
        StoreError: Chroma cannot be read, or holds something that ingest does not write.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
    except OSError:
        work = folder = Path(tempfile.mkdtemp(prefix="quarry-course-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        with broken_records(collections.location):
            _write(work, collections, generation)
        if work != folder:
            shutil.rmtree(folder, ignore_errors=True)  # a damaged one
            work.rename(folder)
    except FileExistsError:  # another process was as quick
        pass
    finally:
        if work != folder:
            shutil.rmtree(work, ignore_errors=True)
    course = folder.name.partition("-")[0]
    for other in folder.parent.iterdir():
        if other != folder and (other.name.startswith(course) or other.stat().st_mtime < time.time() - UNUSED_S):
            shutil.rmtree(other, ignore_errors=True)
    return folder


@contextlib.contextmanager
def broken_records(location: str) -> Iterator[None]:
    """Say in one line that records are not as ingest writes them."""
    try:
        yield
    except (KeyError, ValueError, TypeError, RecursionError) as error:
        raise StoreError(
            f"{location}: its records must be as ingest writes them, got {type(error).__name__}: "
            f"{visible(one_line(error))[:200]}; ingest anew"
        ) from error


def lines_of(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the values of a file of JSON lines."""
    with (folder / name).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def arrays_of(folder: Path) -> Arrays:
    """Return the arrays of a folder, mapped into memory.

    Raises:
        OSError: there are none.
        ValueError: they are damaged.
    """
    arrays: Arrays = {}
    for name, (dtype, shape) in json.loads((folder / ARRAYS).read_text(encoding="utf-8")).items():
        if 0 in shape:
            arrays[name] = np.empty(shape, dtype)
        else:
            mapped = np.memmap(folder / name, dtype, "r", shape=tuple(shape))
            arrays[name] = mapped.view(np.ndarray)  # memmap's own slices take long
    return arrays


class _ArrayFiles:
    """Arrays in files of their own, written piece by piece."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, BinaryIO] = {}
        self._shapes: dict[str, tuple[str, list[int]]] = {}

    def add(self, name: str, rows: NDArray[Any]) -> int:
        """Write rows at the end of an array, and return how many they are."""
        if name not in self._files:
            self._files[name] = (self._folder / name).open("wb")
            self._shapes[name] = (rows.dtype.str, [0, *rows.shape[1:]])
        if list(rows.shape[1:]) != self._shapes[name][1][1:]:
            raise ValueError(f"{name} must have rows of {self._shapes[name][1][1:]}, got {rows.shape[1:]}")
        self._files[name].write(rows.tobytes())
        self._shapes[name][1][0] += len(rows)
        return len(rows)

    def close(self) -> None:
        for file in self._files.values():
            file.close()
        (self._folder / ARRAYS).write_text(json.dumps(self._shapes), encoding="utf-8")


def _write(folder: Path, collections: Collections, generation: Generation) -> None:
    documents = [
        {"id": record_id, **found["metadata"]}
        for record_id, found in collections.get("-documents", sorted(generation.documents.values()), "metadatas")
    ]
    records = [value_of(Record, document) for document in documents]
    forms = {spec: form for spec in BUILT_IN if (form := form_of(spec)) and all(r.holds_words(spec) for r in records)}
    wanted = list(itertools.chain.from_iterable(record.passage_ids for record in records))
    found = collections.get("", wanted, "embeddings", "metadatas", "documents")
    counts: dict[str, list[int]] = {}
    width = 0
    with contextlib.closing(_ArrayFiles(folder)) as arrays, (folder / PARAGRAPHS).open("w", encoding="utf-8") as texts:
        for _, passage in tqdm(found, "opening", len(wanted), unit="paragraph", delay=1, disable=None):
            metadata = passage["metadata"]
            vector = finite(np.asarray(passage["embedding"], dtype=np.float32))
            width = len(vector)
            arrays.add("vectors", vector[None, :])
            parts = unpacked(metadata.pop("sentences"), np.float32, width)
            counts.setdefault("sentences", []).append(arrays.add("sentences", parts))
            for spec, form in forms.items():
                codes = unpacked(metadata[f"codes.{spec}"], np.uint8, form.basis.shape[1])
                counts.setdefault(f"codes.{spec}", []).append(arrays.add(f"codes.{spec}", codes))
                arrays.add(f"pooled.{spec}", unpacked(metadata[f"pooled.{spec}"], np.float16))
            fields = {name: value for name, value in metadata.items() if "." not in name}
            texts.write(f"{as_json({**fields, 'text': passage['document']})}\n")
        for name, each in counts.items():
            if 0 in each:
                raise ValueError(f"every paragraph must have {name}, got one without")
            arrays.add(f"{name}.starts", np.cumsum([0, *each], dtype=np.int64))
        for document, record in zip(documents, records, strict=True):
            names = unpacked(document.pop("alias_vectors"), np.float32, width) if width else np.empty((0, 0))
            document["n_named"] = arrays.add("aliases", names)
            if document["n_named"] not in (0, len(record.document.aliases)):
                raise ValueError(f"{record.document.doc_id} must have a vector for each alias, got {len(names)}")
    with (folder / DOCUMENTS).open("w", encoding="utf-8") as file:
        file.writelines(f"{as_json(document)}\n" for document in documents)
